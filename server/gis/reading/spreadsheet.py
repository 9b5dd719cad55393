"""Excel workbooks: checked before GDAL opens them, each sheet a table, with points where it has coordinates.

The first row of a sheet names its columns, even where all cells are text."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyogrio

from agents.worded import Template
from server.gis.reading.archive import DAMAGED
from server.gis.reading.data_set import DataSet
from server.gis.reading.limits import IngestLimits
from server.gis.reading.notes import Layout, Notes, TooLarge, Unreadable, check_names
from server.gis.reading.ogr_rows import ogr_layers
from server.gis.reading.parquet_rows import Rows
from server.gis.reading.places import (
    PlacesSeen,
    coordinate_columns,
    geometry_column,
    is_shape,
    point_of,
    shape_columns,
    shape_of,
)

NO_WORKBOOK = Template("file_no_workbook", "{file} is not an Excel workbook. Save it as .xlsx.")
MANY_PARTS = Template("file_many_parts", "{file} has {n} parts; at most {most} are read.")
BOMB = Template("file_bomb", "{file} unpacks to more than is allowed for a file of its size.")
BAD_EXCEL = Template(
    "file_bad_excel",
    "{file} cannot be read as Excel: it is damaged, has a password, or is of an older kind. Save it as "
    ".xlsx without a password.",
)
EMPTY_SHEETS = Template(
    "file_empty_sheets", "{file} has no rows to load: each sheet needs a row of names and rows below it."
)
ROW = Template("file_row", "row {row}: {why}")

CHUNK_BYTES = 1024 * 1024
WORKBOOK = "xl/workbook.xml"


def check_workbook(found: DataSet, limits: IngestLimits) -> None:
    """Raise Unreadable for what is not a workbook, TooLarge for one that unpacks to too much. Sizes are measured."""
    try:
        with zipfile.ZipFile(found.path) as package:
            entries = package.infolist()
            if WORKBOOK not in {entry.filename for entry in entries}:
                raise Unreadable(NO_WORKBOOK(file=found.name))
            if len(entries) > limits.entries:
                raise TooLarge(MANY_PARTS(file=found.name, n=len(entries), most=limits.entries))
            left = limits.expanded(found.path.stat().st_size, limits.unpacked)
            for entry in entries:
                with package.open(entry) as part:
                    while piece := part.read(CHUNK_BYTES):
                        left -= len(piece)
                        if left < 0:
                            raise TooLarge(BOMB(file=found.name))
    except (*DAMAGED, RuntimeError) as error:
        raise Unreadable(BAD_EXCEL(file=found.name)) from error


def filled_sheets(found: DataSet) -> list[str]:
    """The sheets that have rows. Raises Unreadable."""
    sheets = [name for name, _ in ogr_layers(found)]
    filled = [name for name in sheets if pyogrio.read_info(found.path, layer=name)["features"]]
    if not filled:
        raise Unreadable(EMPTY_SHEETS(file=found.name))
    return filled


def sheet_rows(rows: Rows, found: DataSet, sheet: str, notes: Notes) -> Rows:
    """The rows of a sheet, without empty ones; with a geometry if it has columns of coordinates or WKT."""
    schema, batches = rows
    names = schema.names
    check_names(found.name, names)
    shape = next(
        (names[index] for index in shape_columns(names) if _is_shaped(found, sheet, names[index])), None
    )
    places = coordinate_columns(names) if shape is None else (names.index(shape),)
    if not places:
        return schema, (batch.filter(_filled(batch)) for batch in batches)
    if shape is not None:
        layout = Layout(shape, None)
        fields = [pa.field(shape, pa.binary()) if each.name == shape else each for each in schema]
    else:
        lonlat = _are_lonlat(found, sheet, [names[place] for place in places])
        layout = Layout(geometry_column(names), "EPSG:4326" if lonlat else None, assumed=lonlat)
        fields = [*schema, pa.field(layout.geometry, pa.binary())]
    target = pa.schema(fields, metadata=layout.metadata())
    return target, _placed(batches, target, places, layout.assumed, notes)


def _is_shaped(found: DataSet, sheet: str, column: str) -> bool:
    """Whether all filled cells of the column are geometries as WKT."""
    (texts,) = _texts(found, sheet, [column])
    values = [text for text in texts if text]
    return bool(values) and all(map(is_shape, values))


def _are_lonlat(found: DataSet, sheet: str, columns: list[str]) -> bool:
    seen = PlacesSeen()
    for pair in zip(*_texts(found, sheet, columns), strict=True):
        seen.see(*pair)
    return seen.are_lonlat


def _texts(found: DataSet, sheet: str, columns: list[str]) -> list[list[str]]:
    _, table = pyogrio.read_arrow(found.path, layer=sheet, columns=columns, read_geometry=False)
    return [
        ["" if value is None else str(value) for value in table[column].to_pylist()] for column in columns
    ]


def _filled(batch: pa.RecordBatch) -> pa.Array:
    """Which rows have a value: others only have formats."""
    filled = pa.array([False] * len(batch))
    for column in batch.columns:
        filled = pc.or_(filled, pc.is_valid(column))
    return filled


def _placed(
    batches: Iterator[pa.RecordBatch], target: pa.Schema, places: tuple[int, ...], lonlat: bool, notes: Notes
) -> Iterator[pa.RecordBatch]:
    """The rows with their geometries; those with faulty coordinates are skipped and reported."""
    row = 1
    for batch in batches:
        kept = _filled(batch).to_pylist()
        shapes: list[bytes | None] = [None] * len(batch)
        cells = [batch.column(place).to_pylist() for place in places]
        for index, values in enumerate(zip(*cells, strict=True)):
            row += 1
            try:
                shapes[index] = _shape(values, lonlat)
            except ValueError as error:
                notes.skip(ROW(row=str(row), why=str(error)))
                kept[index] = False
        column = pa.array(shapes, pa.binary())
        columns = list(batch.columns)
        if len(places) == 1:
            columns[places[0]] = column
        else:
            columns.append(column)
        yield pa.record_batch(columns, schema=target).filter(pa.array(kept, pa.bool_()))


def _shape(values: tuple[Any, ...], lonlat: bool) -> bytes | None:
    texts = ["" if value is None else str(value) for value in values]
    return shape_of(texts[0]) if len(texts) == 1 else point_of(texts[0], texts[1], lonlat)
