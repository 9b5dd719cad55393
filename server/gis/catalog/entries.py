"""Reads the registry's entries from PostgreSQL's catalogue.

`marks` is cheap and shows which tables changed; `entries` reads these with their columns, comments, keys and the
planner's statistics. `probe.py` finds what the catalogue does not contain."""

from __future__ import annotations

import asyncio
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, ColumnKind, LakeSource, Table
from server.database.engines import single_reads
from server.gis.catalog.statements import of_all, of_some
from server.gis.expressions.identifiers import WGS84, base_type, join_id

_COLUMN_FIELDS = set(Column.model_fields)
"""One set shared by all columns, of which there may be 100,000."""
TABLES_PER_PART = 500
"""Read with one query, and turned into entries without a pause of the event loop."""
PARTS_AT_ONCE = 2
MAX_SAMPLES = 5
MAX_SAMPLE_CHARS = 80

_KINDS: dict[str, ColumnKind] = {
    "smallint": "integer", "integer": "integer", "bigint": "integer",
    "real": "number", "double precision": "number", "numeric": "number",
    "boolean": "boolean", "date": "date", "json": "json", "jsonb": "json",
    "timestamp without time zone": "timestamp", "timestamp with time zone": "timestamp",
    "text": "text", "character varying": "text", "character": "text", "citext": "text", "name": "text",
    "geometry": "geometry", "geography": "geometry",
}  # fmt: skip
_RELATIONS: dict[str, Literal["table", "view", "materialized view", "foreign table"]] = {
    "r": "table", "p": "table", "v": "view", "m": "materialized view", "f": "foreign table",
}  # fmt: skip
_PREFERRED_GEOMETRY = ("geom", "geometry", "the_geom", "wkb_geometry", "shape", "way", "geog", "location")


Name = tuple[str, str]
"""Schema and name of a table."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A table as the catalogue describes it.

    `analyzed` is false if the planner has no statistics for it; `empty` is true if it certainly has no rows."""

    oid: int
    table: Table
    analyzed: bool
    empty: bool = False


_NAMED = """
SELECT coalesce(i.indrelid, c.oid) FROM unnest(CAST($1 AS text[]), CAST($2 AS text[])) AS wanted (schema, name)
JOIN pg_namespace n ON n.nspname = wanted.schema
JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = wanted.name
LEFT JOIN pg_index i ON i.indexrelid = c.oid
"""


async def change_counters(engine: AsyncEngine, without_statistics: Iterable[int]) -> list[int] | None:
    """Equal to what was read before as long as no mark changed; None if the database keeps no counters."""
    async with single_reads(engine) as connection:
        statement = of_all("catalog_counters.sql")
        found = await connection.exec_driver_sql(statement, (sorted(without_statistics),))
        counters: list[int] | None = found.scalar_one()
        return counters


async def marks(engine: AsyncEngine, schemas: Sequence[str]) -> dict[int, str]:
    """A mark for each readable table, by oid; an entry must be read again when its mark changes."""
    async with single_reads(engine) as connection:
        rows = await connection.exec_driver_sql(of_all("catalog_marks.sql"), (list(schemas),))
        return {row.oid: row.mark for row in rows}


async def marks_of(
    engine: AsyncEngine, schemas: Sequence[str], named: Iterable[Name], oids: Iterable[int] = ()
) -> dict[int, str]:
    """The same for a few tables: those with these names or whose index has one of them, and those with these oids."""
    wanted = [list(part) for part in zip(*named, strict=True)] or [[], []]
    async with single_reads(engine) as connection:
        found = await connection.exec_driver_sql(_NAMED, tuple(wanted))
        asked = sorted({*oids, *found.scalars()})
        rows = await connection.exec_driver_sql(of_some("catalog_marks.sql"), (list(schemas), asked))
        return {row.oid: row.mark for row in rows}


async def entries(engine: AsyncEngine, schemas: Sequence[str], oids: Sequence[int]) -> list[Entry]:
    """The entries of those of the tables that are still readable. Thousands are read in parts, on a few
    connections at once."""
    gate = asyncio.Semaphore(PARTS_AT_ONCE)

    async def part(wanted: Sequence[int]) -> list[Entry]:
        async with gate, single_reads(engine) as connection:
            rows = await connection.exec_driver_sql(of_some("catalog.sql"), (list(schemas), list(wanted)))
            return [_entry(row) for row in rows.mappings()]

    starts = range(0, len(oids), TABLES_PER_PART)
    parts = await asyncio.gather(*(part(oids[start : start + TABLES_PER_PART]) for start in starts))
    return [entry for found in parts for entry in found]


def _entry(row: Mapping[Any, Any]) -> Entry:
    columns = tuple(_column(each) for each in _json(row["columns"]))
    geometry = _geometry_column(columns)
    geometry_type, srid = _declared_geometry(geometry.sql_type) if geometry else (None, 0)
    facts = _json(row["lake"])
    table = Table(
        id=join_id(row["schema_name"], row["name"]),
        schema_name=row["schema_name"],
        name=row["name"],
        kind=_RELATIONS[row["relkind"]],
        columns=columns,
        key=tuple(row["key"] or ()),
        references=tuple(
            (each["column"], join_id(each["schema"], each["table"]), each["other"])
            for each in _json(row["links"]) or ()
        ),
        geometry_column=geometry.name if geometry else None,
        geometry_type=geometry_type,
        srid=srid,
        row_estimate=max(0, int(row["row_estimate"])),
        comment=row["comment"],
        is_result=bool(row["is_result"]),
        is_private=bool(row["is_private"]),
    )
    table = table if facts is None else _of_lake(table, facts)
    return Entry(row["oid"], table, bool(row["analyzed"]), bool(row["empty"]))


def _json(found: Any) -> Any:
    """A value of JSON, which drivers return as text or decoded."""
    return json.loads(found) if isinstance(found, str) else found


def _of_lake(table: Table, facts: Mapping[str, Any]) -> Table:
    """The table with what the metadata of its files say of all rows, in place of what the sample says."""
    lake = LakeSource.model_validate({name: facts[name] for name in LakeSource.model_fields})
    ranges = facts["ranges"]
    columns = tuple(
        column.model_copy(
            update=dict(zip(("minimum", "maximum"), ranges.get(column.name, (None, None)), strict=True))
        )
        for column in table.columns
    )
    bounds = tuple(facts["bounds"]) if facts["bounds"] else None
    update = {"lake": lake, "bounds": bounds, "columns": columns}
    return table.model_copy(update=update)


def _column(found: Mapping[str, Any]) -> Column:
    kind = column_kind(found["type"], found["typtype"])
    is_number = kind in ("integer", "number")
    return Column.model_construct(  # PostgreSQL's own catalogue: checking it would take half of the start
        _COLUMN_FIELDS,
        name=sys.intern(found["name"]),
        kind=kind,
        sql_type=sys.intern(found["type"]),
        comment=found["comment"],
        nullable=found["nullable"],
        samples=samples(found["samples"] or (), found["spread"] or ()),
        minimum=_number(found["minimum"]) if is_number else found["minimum"],
        maximum=_number(found["maximum"]) if is_number else found["maximum"],
    )


def column_kind(sql_type: str, typtype: str = "b") -> ColumnKind:
    """The kind of an SQL type. Enumerations are `text`; arrays, intervals, ranges and binary types are `other`."""
    if typtype == "e":
        return "text"
    return _KINDS.get(base_type(sql_type), "other")


def samples(common: Sequence[str | None], spread: Sequence[str | None] = ()) -> tuple[str, ...]:
    """The most common values, or else some that are spread over the range; shortened, without duplicates."""
    chosen = [value for value in common if value] or [value for value in spread if value]
    return tuple(dict.fromkeys(_cut(value) for value in chosen))[:MAX_SAMPLES]


def _cut(value: str) -> str:
    return value if len(value) <= MAX_SAMPLE_CHARS else value[: MAX_SAMPLE_CHARS - 1] + "…"


def _number(value: str | None) -> float | None:
    number = float(value) if value is not None else math.nan
    return number if math.isfinite(number) else None


def _geometry_column(columns: Sequence[Column]) -> Column | None:
    """The geometry column that is drawn: the first with a usual name, else the first."""
    found = [column for column in columns if column.kind == "geometry"]
    for name in _PREFERRED_GEOMETRY:
        for column in found:
            if column.name.lower() == name:
                return column
    return found[0] if found else None


def _declared_geometry(sql_type: str) -> tuple[str | None, int]:
    """Type and SRID from a declaration such as `geometry(MultiPolygonZ,4326)`; None and 0 if there is none."""
    declared = re.fullmatch(r"geo(?:metry|graphy)\((\w+?)(?:ZM|Z|M)?(?:,(\d+))?\)", sql_type)
    default = WGS84 if sql_type.startswith("geography") else 0
    if declared is None:
        return None, default
    kind, srid = declared.groups()
    return kind.upper(), int(srid) if srid else default
