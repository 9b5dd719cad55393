"""Layers as files: GeoJSON and CSV as a stream of any length, GeoPackage, FlatGeobuf and GeoParquet as a file.

Exactly the rows that pass the layer's filter, all columns, in the reference system of the source. In CSV a text that a
spreadsheet would run as a formula gets a leading apostrophe; points are two columns, all else WKT.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Literal

import sqlalchemy as sa
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, Cql2, Table
from server.gis.errors import GisError, translated
from server.gis.export.crs import LONLAT, Crs
from server.gis.expressions.declared_types import declared_type, may_be_curved
from server.gis.expressions.identifiers import GEOMETRY, Expression, base_type, geometry_of, relation
from server.gis.filters import compile_filter
from server.gis.styles.errors import require_srid

Format = Literal["geojson", "csv", "gpkg", "fgb", "parquet"]

Placing = Literal["wkt", "xy"]
"""How CSV says where a row is."""
CHUNK = 1000
"""Rows read at once."""
DECIMALS = 9
"""Of a degree in GeoJSON: a tenth of a millimetre. Other units keep all their digits."""
ALL_DECIMALS = 15


DISARMED = r"\1'"
FORMULA_SIGNS = ("=", "+", "-", "@")
QUOTED = re.compile('[,;|"\\t\\r\\n]')
HIDDEN_FORMULA = re.compile("([;|\\t\\r\\n])(?=\\s*(?:[=@＝＠﹦﹫]|[+\\-＋－﹢﹣]\\D))")
"""Behind what a spreadsheet with other settings takes for the end of a cell."""


class CannotExport(GisError):
    code = "invalid_payload"


@dataclass(frozen=True)
class Source:
    """The rows to export."""

    reader: AsyncEngine
    table: Table
    filter: Cql2 | None = None
    crs: Crs = LONLAT
    """In which the rows are given."""

    def __post_init__(self) -> None:
        if self.table.geometry_column is None:
            raise CannotExport(f"{self.table.id} has no geometry column, so it is no layer.")
        require_srid(self.table.srid, self.table.id)

    @property
    def columns(self) -> tuple[Column, ...]:
        """What is exported beside the geometry."""
        return tuple(column for column in self.table.columns if column.kind != "geometry")

    def geometry(self) -> Expression:
        """In the source's reference system, without curves."""
        geometry = geometry_of(self.table)
        straight = _straight(geometry) if may_be_curved(self.table) else geometry
        if self.table.srid == self.crs.srid:
            return straight
        return sa.func.ST_Transform(straight, self.crs.srid, type_=GEOMETRY)

    def rows(self, *selected: Any) -> sa.Select[Any]:
        """The columns and expressions, of the rows that pass the filter, in the order of the key."""
        source = relation(self.table)
        query = sa.select(*selected).select_from(source)
        condition = compile_filter(self.table, self.filter)
        if condition is not None:
            query = query.where(condition)
        return query.order_by(*(source.c[name] for name in self.table.key))

    async def stream(self, query: sa.Select[Any]) -> AsyncGenerator[Sequence[Any], None]:
        """Rows in chunks, through a cursor of the database."""
        try:
            async with self.reader.connect() as connection:
                result = await connection.stream(query.execution_options(yield_per=CHUNK))
                async for chunk in result.partitions():
                    yield chunk
        except SQLAlchemyError as error:
            translated(error, self.table.id)

    async def count(self) -> tuple[int, int]:
        """Rows, and rows that have a geometry."""
        geometry = relation(self.table).c[self.table.geometry_column or ""]
        query = self.rows(sa.func.count(), sa.func.count(geometry)).order_by(None)
        try:
            async with self.reader.connect() as connection:
                rows, placed = (await connection.execute(query)).one()
        except SQLAlchemyError as error:
            translated(error, self.table.id)
        return int(rows), int(placed)


async def geojson(source: Source, name: str) -> AsyncGenerator[bytes, None]:
    """A FeatureCollection (RFC 7946); `id` is the key where it is one column. Another system than longitude and
    latitude is named by `crs`, as GeoJSON had it before RFC 7946."""
    table = source.table
    columns = relation(table).c
    values = [_json_value(columns[column.name], column).label(column.name) for column in source.columns]
    decimals = DECIMALS if source.crs.is_lonlat else ALL_DECIMALS
    shape = sa.func.ST_AsGeoJSON(
        sa.func.ST_ForcePolygonCCW(source.geometry(), type_=GEOMETRY), decimals, sa.literal_column("0")
    )
    query = source.rows(_identifier(table), shape)
    if values:
        properties = sa.select(*values).correlate(relation(table)).lateral("properties")
        query = query.add_columns(sa.cast(sa.func.row_to_json(sa.literal_column("properties")), sa.Text))
        query = query.select_from(relation(table).join(properties, sa.true()))
    crs = "" if source.crs.is_lonlat else f'"crs":{json.dumps(_named_crs(source.crs))},'
    yield f'{{"type":"FeatureCollection","name":{json.dumps(name, ensure_ascii=False)},{crs}"features":['.encode()
    separator = "\n"
    async with aclosing(source.stream(query)) as chunks:
        async for chunk in chunks:
            yield (separator + ",\n".join(_feature(*row) for row in chunk)).encode()
            separator = ",\n"
    yield b"\n]}\n"


async def csv_text(source: Source, placing: Placing | None = None) -> AsyncGenerator[bytes, None]:
    """UTF-8 with a header. With `xy`, points are `longitude` and `latitude`, or `x` and `y` in other systems; with
    `wkt`, `geometry` is WKT. Points are `xy` and all else `wkt` unless asked. Raises CannotExport."""
    columns = relation(source.table).c
    taken = {column.name for column in source.columns}
    point = declared_type(source.table)[0] == "POINT"
    if placing == "xy" and not point:
        raise CannotExport(
            f"Only points have one x and one y; {source.table.id} holds other shapes too. Take its centroids first, or "
            "export WKT."
        )
    geometry = source.geometry()
    across, up = ("longitude", "latitude") if source.crs.is_lonlat else ("x", "y")
    places = {
        free_name(name, taken): expression
        for name, expression in (
            [(across, sa.func.ST_X(geometry)), (up, sa.func.ST_Y(geometry))]
            if point and placing != "wkt"
            else [("geometry", sa.func.ST_AsText(geometry))]
        )
    }
    values = [_text_value(columns[column.name], column) for column in source.columns]
    header = [*(column.name for column in source.columns), *places]
    texts = [
        column.kind not in ("integer", "number", "boolean", "date", "timestamp") for column in source.columns
    ]
    texts += [False] * len(places)
    yield _lines([[harmless(name) for name in header]])
    async with aclosing(source.stream(source.rows(*values, *places.values()))) as chunks:
        async for chunk in chunks:
            yield _lines(
                [harmless(value) if text else value for value, text in zip(row, texts, strict=True)]
                for row in chunk
            )
    yield b""


def _named_crs(crs: Crs) -> dict[str, Any]:
    return {"type": "name", "properties": {"name": crs.urn}}


def _feature(identifier: Any, geometry: str | None, properties: str = "{}") -> str:
    own = "" if identifier is None else f'"id":{json.dumps(identifier, ensure_ascii=False)},'
    return f'{{"type":"Feature",{own}"geometry":{geometry or "null"},"properties":{properties}}}'


def harmless(text: Any) -> Any:
    """A text that a spreadsheet takes for a formula, made a text to it as well.

    Spreadsheets skip what is invisible before the first sign, and read full-width and small signs as the plain ones.
    """
    if not isinstance(text, str) or not text:
        return text
    if text[0] in "\t\r\n":
        return f"'{HIDDEN_FORMULA.sub(DISARMED, text)}"
    first = next((sign for sign in text if unicodedata.category(sign)[0] not in "ZC"), "")
    is_formula = unicodedata.normalize("NFKC", first)[:1] in FORMULA_SIGNS
    return ("'" if is_formula else "") + HIDDEN_FORMULA.sub(DISARMED, text)


def free_name(name: str, taken: set[str]) -> str:
    """The name, with as many `_` behind it as no other column has; without regard to case."""
    known = {each.lower() for each in taken}
    while name.lower() in known:
        name += "_"
    return name


def _lines(rows: Iterable[Iterable[Any]]) -> bytes:
    return "".join(",".join(map(_field, row)) + "\r\n" for row in rows).encode()


def _field(value: Any) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def _identifier(table: Table) -> Expression:
    """A number or a text, as GeoJSON allows."""
    key = table.column(table.key[0]) if len(table.key) == 1 else None
    if key is None:
        return sa.null()
    value = relation(table).c[key.name]
    return value if key.kind == "integer" else sa.cast(value, sa.Text)


def _json_value(value: Expression, column: Column) -> Expression:
    """As to_json can say it: NaN and the infinities are no JSON, and become null."""
    kind = base_type(column.sql_type)
    if kind == "bytea":
        return sa.func.encode(value, "base64")
    if column.kind != "number":
        return value
    number: Expression = value
    for strange in ("NaN", "Infinity", "-Infinity"):
        number = sa.func.nullif(
            number, sa.literal_column(f"'{strange}'::{'numeric' if kind == 'numeric' else 'float8'}")
        )
    return number


def _text_value(value: Expression, column: Column) -> Expression:
    if base_type(column.sql_type) == "bytea":
        return sa.func.encode(value, "base64")
    return sa.cast(value, sa.Text)


def _straight(geometry: Expression) -> Expression:
    """Curves as lines, triangulated surfaces as polygons."""
    face = sa.func.ST_Dump(geometry).table_valued("geom", name="face")
    faces = sa.select(sa.func.ST_Collect(sa.func.ST_MakePolygon(sa.func.ST_ExteriorRing(face.c.geom))))
    kind = sa.func.GeometryType(geometry)
    return sa.case(
        (kind.in_(["TIN", "POLYHEDRALSURFACE", "TRIANGLE"]), faces.select_from(face).scalar_subquery()),
        (sa.func.ST_HasArc(geometry), sa.func.ST_CurveToLine(geometry)),
        else_=geometry,
    )
