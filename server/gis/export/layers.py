"""Layers as files: GeoJSON and CSV as a stream of any length, GeoPackage, FlatGeobuf and GeoParquet as a file.

Exactly the rows that pass the layer's filter, all columns, in the reference system of the source. In CSV a text that a
spreadsheet would run as a formula gets a leading apostrophe; points are two columns, all else WKT."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import AsyncGenerator, Iterable, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any, Literal

import sqlalchemy as sa

from agents.domain import Column
from agents.exports import Placing
from agents.worded import Template
from server.gis.export.columns import added_keys
from server.gis.export.source import CannotExport, Source, is_point
from server.gis.expressions.identifiers import Expression, base_type, exact, key_column, relation
from server.gis.expressions.rings import counterclockwise

ONLY_POINTS = Template(
    "export_only_points",
    "Only points have one x and one y; {held} holds other shapes too. Use its centroids, or export WKT.",
)

Format = Literal["geojson", "csv", "gpkg", "fgb", "parquet"]

DECIMALS = 9
"""Decimals of degrees in GeoJSON: a tenth of a millimetre. Other units keep all their digits."""
ALL_DECIMALS = 15


FORMULA_SIGNS = ("=", "+", "-", "@")
QUOTED = re.compile('[,;|"\\t\\r\\n]')
CELL_END = re.compile("([;|\\t\\r\\n])")
"""Characters that end a cell in a spreadsheet with other settings."""
PLAIN_NUMBER = re.compile(r"\s*[+-]?\d+(?:[.,]\d+)*\s*")


async def geojson(
    source: Source, name: str, members: Mapping[str, Any] | None = None
) -> AsyncGenerator[bytes, None]:
    """A FeatureCollection (RFC 7946) with further top-level members; `id` is the key where it is one column. Another
    system than longitude and latitude is named by `crs`, as GeoJSON had it before RFC 7946."""
    head: dict[str, Any] = {"type": "FeatureCollection", "name": name}
    if not source.crs.is_lonlat:
        head["crs"] = {"type": "name", "properties": {"name": source.crs.urn}}
    yield f'{json_head({**head, **(members or {})})},"features":['.encode()
    separator = "\n"
    async with aclosing(features(source)) as chunks:
        async for chunk in chunks:
            yield (separator + ",\n".join(chunk)).encode()
            separator = ",\n"
    yield b"\n]}\n"


async def features(source: Source) -> AsyncGenerator[list[str], None]:
    """GeoJSON features, each as text, in chunks."""
    decimals = DECIMALS if source.crs.is_lonlat else ALL_DECIMALS
    if source.precision is not None:
        decimals = min(source.precision, ALL_DECIMALS)
    shape = sa.func.ST_AsGeoJSON(counterclockwise(source.geometry()), decimals, sa.literal_column("0"))
    identifier = sa.null() if source.kind == "single" else _identifier(source)
    async with aclosing(source.stream(with_properties(source, identifier, shape))) as chunks:
        async for chunk in chunks:
            yield [_feature(*row) for row in chunk]


def with_properties(source: Source, *selected: Any) -> sa.Select[Any]:
    """Rows of what is selected, and behind it the fields as a JSON object (text), if there are any."""
    values = [json_value(each.value, each.column).label(exact(each.label)) for each in source.fields]
    if not values:
        return source.rows(*selected)
    properties = sa.select(*values).correlate(*source.froms).lateral("properties")
    document = sa.cast(sa.func.row_to_json(sa.literal_column("properties")), sa.Text)
    return source.rows(*selected, document, beside=properties)


async def csv_text(source: Source, placing: Placing | None = None) -> AsyncGenerator[bytes, None]:
    """UTF-8 with a header. With `xy`, points are `longitude` and `latitude`, or `x` and `y` in other systems; with
    `wkt`, `geometry` is WKT. Points are `xy` and all else `wkt` unless asked. Raises CannotExport."""
    source = placed(source, placing or ("xy" if is_point(source.table) else "wkt"))
    fields = source.fields
    values = [_text_value(each.value, each.column) for each in fields]
    texts = [
        each.column.kind not in ("integer", "number", "boolean", "date", "timestamp") and not each.is_place
        for each in fields
    ]
    yield csv_lines([[harmless(each.label) for each in fields]])
    async with aclosing(source.stream(source.rows(*values))) as chunks:
        async for chunk in chunks:
            yield csv_lines(
                [harmless(value) if text else value for value, text in zip(row, texts, strict=True)]
                for row in chunk
            )
    yield b""


def placed(source: Source, placing: Placing) -> Source:
    """The source with its places as columns. Raises CannotExport where only points have such columns."""
    if source.placing == "none":
        return source
    if placing == "xy" and not is_point(source.table):
        held = "the result" if source.table.is_result else source.table.id
        raise CannotExport(ONLY_POINTS(held=held))
    return replace(source, placing=placing)


def json_head(members: Mapping[str, Any]) -> str:
    """The beginning of a JSON object, to be continued after a comma."""
    return json.dumps(members, ensure_ascii=False, separators=(",", ":"))[:-1]


def _feature(identifier: Any, geometry: str | None, properties: str = "{}") -> str:
    own = "" if identifier is None else f'"id":{json.dumps(identifier, ensure_ascii=False)},'
    return f'{{"type":"Feature",{own}"geometry":{geometry or "null"},"properties":{properties}}}'


def harmless(text: Any) -> Any:
    """A text that a spreadsheet takes for a formula, made a text to it as well, also where the text continues behind
    the end of a cell."""
    if not isinstance(text, str) or not text:
        return text
    cells = CELL_END.split(text)
    # Spreadsheets may drop the first character of the text.
    if text[0] in "\t\r\n" or _is_formula(cells[0]):
        cells[0] = f"'{cells[0]}"
    for place in range(2, len(cells), 2):
        # Quotation marks open a quoted cell here.
        if _is_formula(cells[place].replace('"', "")) and not PLAIN_NUMBER.fullmatch(cells[place]):
            cells[place] = f"'{cells[place]}"
    return "".join(cells)


def _is_formula(cell: str) -> bool:
    """Whether a spreadsheet runs the text. Spreadsheets ignore leading invisible characters, and accept full-width
    and small forms."""
    first = next((sign for sign in cell if unicodedata.category(sign)[0] not in "ZC"), "")
    return unicodedata.normalize("NFKC", first)[:1] in FORMULA_SIGNS


def csv_lines(rows: Iterable[Iterable[Any]]) -> bytes:
    """Rows as CSV (RFC 4180) in UTF-8."""
    return "".join(",".join(map(_field, row)) + "\r\n" for row in rows).encode()


def _field(value: Any) -> str:
    text = "" if value is None else str(value)
    return '"' + text.replace('"', '""') + '"' if QUOTED.search(text) else text


def _identifier(source: Source) -> Expression:
    """A number or a text, as GeoJSON allows; none where GeoAgent added the key."""
    table, key = source.table, key_column(source.table)
    if key is None or added_keys(table):
        return sa.null()
    value = relation(table).c[key.name]
    return value if key.kind == "integer" else sa.cast(value, sa.Text)


def json_value(value: Expression, column: Column) -> Expression:
    """The value for JSON, which has no NaN or infinity: they become null."""
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
