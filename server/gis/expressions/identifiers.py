"""SQL identifiers and types, built from registry entries only.

`relation` is a table for FROM; every name is quoted, so `select`, `My Table` and `naïve"quote` are ordinary
names. Also gives geometries as stored and in longitude/latitude (EPSG:4326)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg
from sqlalchemy.sql.elements import quoted_name

from agents.domain import Column, Table
from server.database.quoting import quoted
from server.gis.errors import unknown_column
from server.gis.expressions.geometry_types import Geometry

Expression = sa.ColumnElement[Any]

WGS84 = 4326

SYSTEM_COLUMNS = frozenset({"cmax", "cmin", "ctid", "tableoid", "xmax", "xmin"})
"""Names that PostgreSQL has taken in every table."""


GEOMETRY = Geometry()

_TYPES: dict[str, sa.types.TypeEngine[Any]] = {
    "smallint": sa.SmallInteger(),
    "integer": sa.Integer(),
    "bigint": sa.BigInteger(),
    "real": sa.REAL(),
    "double precision": sa.Double(),
    "numeric": sa.Numeric(),
    "boolean": sa.Boolean(),
    "date": sa.Date(),
    "timestamp without time zone": sa.TIMESTAMP(timezone=False),
    "timestamp with time zone": sa.TIMESTAMP(timezone=True),
    "time without time zone": sa.Time(),
    "uuid": pg.UUID(as_uuid=False),
    "json": pg.JSON(),
    "jsonb": pg.JSONB(),
    "text": sa.Text(),
    "character varying": sa.Text(),
}


ADDED_KEY = "Row number, added when the file was loaded."
"""The comment on a key that a file did not have; exports leave such a column out."""
_EXPORTED_AS = re.compile(r"Exported as (\w+)\.$")
_RESULT_SUFFIX = re.compile(r"_[0-9a-f]{6}$")


def exported_as(name: str) -> str:
    """Suffix of the comment on a column that was renamed because its name is reserved: `fid` of results, `xmin` of
    PostgreSQL."""
    return f"Exported as {name}."


def name_in_files(comment: str | None) -> str | None:
    """The name that a comment says the column has in exported files."""
    found = _EXPORTED_AS.search(comment or "")
    return found[1] if found else None


def readable_name(table: Table) -> str:
    """A table's name without the suffix that makes names of results unique."""
    return _RESULT_SUFFIX.sub("", table.name) if table.schema_name == "analysis" else table.name


@lru_cache(maxsize=1024)
def relation(table: Table) -> sa.TableClause:
    """The table with all its columns, for FROM. Equal entries give the same object, so that parts of a
    statement fit together."""
    return sa.table(
        exact(table.name),
        *(sa.column(exact(column.name), sql_type(column)) for column in table.columns),
        schema=exact(table.schema_name) if table.schema_name else None,
    )


def exact(name: str) -> quoted_name:
    """A name that is always quoted."""
    return quoted_name(name, quote=True)


def key_column(table: Table) -> Column | None:
    """The column that is the key of a table; None without a key, or where several columns are."""
    return table.column(table.key[0]) if len(table.key) == 1 else None


def sql_name(table: Table) -> str:
    """The quoted, schema-qualified name, for SQL text; of a subquery that takes the place of a table, which has no
    schema, its alias."""
    return quoted(table.schema_name, table.name) if table.schema_name else quoted(table.name)


def split_id(table_id: str) -> list[str]:
    """The parts of a table's id, unquoted: `data."a.b"` is `data`, `a.b`."""
    return [
        quoted.replace('""', '"') if quoted else plain
        for quoted, plain in re.findall(r'"((?:[^"]|"")*)"|([^."]+)', table_id)
    ]


def join_id(schema: str, name: str) -> str:
    """The id of a table: `schema.name`, with parts quoted that contain a dot or a quote."""
    return f"{_id_part(schema)}.{_id_part(name)}"


def _id_part(name: str) -> str:
    return quoted(name) if "." in name or '"' in name else name


def base_type(declared: str) -> str:
    """A type without its modifiers: `numeric(10,2)` is `numeric`, `geometry(Point,4326)` is `geometry`."""
    return re.sub(r"\([^)]*\)", "", declared).strip()


def is_zoned(declared: str) -> bool:
    """Whether a declared SQL type is a time with a time zone."""
    return base_type(declared) == "timestamp with time zone"


def in_utc(value: Expression, declared: str) -> Expression:
    """Times with a zone as a clock shows them in UTC; values of other types as they are."""
    if is_zoned(declared):
        return sa.func.timezone("UTC", value, type_=sa.TIMESTAMP(timezone=False))
    return value


def sql_type(column: Column) -> sa.types.TypeEngine[Any]:
    """The SQLAlchemy type of a column; NullType for others."""
    declared = base_type(column.sql_type)
    if declared in _TYPES:
        return _TYPES[declared]
    if declared.endswith("[]") and declared[:-2] in _TYPES and declared != "character varying[]":
        return pg.ARRAY(_TYPES[declared[:-2]])
    return sa.types.NullType()


def column_of(table: Table, name: str, source: sa.FromClause | None = None) -> Expression:
    """A column of `relation(table)`, or of the given alias of it. Raises UnknownColumn."""
    if table.column(name) is None:
        raise unknown_column(table, name)
    return (relation(table) if source is None else source).c[name]


def is_geography(column: Column) -> bool:
    """Whether the column is of type geography."""
    return base_type(column.sql_type) == "geography"


def geometry_of(table: Table, name: str | None = None, source: sa.FromClause | None = None) -> Expression:
    """A geometry column (by default the table's own) as a geometry in its stored SRID. Raises UnknownColumn."""
    name = name or table.geometry_column
    if name is None:
        raise unknown_column(table, "geometry")
    expression = column_of(table, name, source)
    column = table.column(name)
    if column is not None and is_geography(column):
        return sa.cast(expression, GEOMETRY)
    return sa.type_coerce(expression, GEOMETRY)


def srid_of(table: Table, name: str | None = None) -> int:
    """The SRID of a geometry column; 0 if it is unknown."""
    if name is None or name == table.geometry_column:
        return table.srid
    column = table.column(name)
    if column is None:
        return 0
    declared = re.search(r"\([^)]*,(\d+)\)", column.sql_type)
    if declared:
        return int(declared.group(1))
    return WGS84 if is_geography(column) else 0


def lonlat_of(table: Table, name: str | None = None) -> Expression:
    """A geometry column in EPSG:4326; one without a known SRID is taken to be that already."""
    geometry = geometry_of(table, name)
    srid = srid_of(table, name)
    if srid == WGS84:
        return geometry
    if srid == 0:
        return sa.func.ST_SetSRID(geometry, WGS84, type_=GEOMETRY)
    return sa.func.ST_Transform(geometry, WGS84, type_=GEOMETRY)
