"""One file of one or several tables: which rows each format takes, how its parts are called, and what was changed.

`resolved` turns a request into sources, `write` writes them. What a format cannot hold is refused before anything is
written; what it holds in another way (names cut to ten bytes) is in the notes."""

from __future__ import annotations

import asyncio
import codecs
import re
import zipfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.free_names import cut_name, free_name
from agents.domain import Cql2, Table
from agents.exports import ExportedLayer, ExportFormat, ExportItem, ExportReport, ExportRequest, renamed
from agents.worded import wordings_of
from server.gis.errors import InvalidQuestion, listed, unknown_column
from server.gis.export import fault_texts
from server.gis.export.columns import names_in_files, usual_columns
from server.gis.export.crs import LONLAT, Crs, crs_named, crs_of
from server.gis.export.files import DRIVERS, MAX_ROWS, file_names, write_file
from server.gis.export.layers import csv_text, geojson, placed
from server.gis.export.notes import CHOICE_OUTSIDE, far_outside, notes_of, outside_outcome
from server.gis.export.records import records, text_sequence
from server.gis.export.source import CannotExport, Source, Summary, check_whole, is_point, no_character
from server.gis.expressions.antimeridian import cut_note
from server.gis.expressions.identifiers import readable_name
from server.gis.filters.compiler import normalize

LONLAT_FORMATS = frozenset({"geojson", "geojsonl", "kml"})
"""In longitude and latitude unless asked otherwise; KML always."""
TOGETHER = frozenset({"gpkg", "kml", "xlsx", "json"})
"""Formats that hold several layers."""
WITHOUT_SHAPES = frozenset({"csv", "xlsx"})
NEED_SHAPES = frozenset({"geojson", "geojsonl", "fgb", "kml"})
MAX_SHAPEFILE_COLUMNS = 255
MAX_SHEET_ROWS = 1_048_575
MAX_SHEET_NAME = 31
EVERY_COLUMN = "*"
_UNFIT = re.compile(r'[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069<>:"/\\|?*]+')
MAX_NAME_CHARS = 80
MAX_NAME_BYTES = 200
"""File systems take names of 255 bytes, with their extension."""
_SINGLE = ("POINT", "LINESTRING", "POLYGON")


@dataclass(frozen=True)
class Part:
    """One layer of the file."""

    name: str
    format: ExportFormat
    source: Source


@dataclass(frozen=True)
class Wanted:
    """A requested table or layer after look-up."""

    item: ExportItem
    table: Table
    filter: Cql2 | str | None
    name: str


def safe_name(name: str) -> str:
    """A file name without folders, control characters, or characters that shells and Windows reject."""
    fit = _UNFIT.sub("_", name).strip(". ")[:MAX_NAME_CHARS]
    return cut_name(fit, MAX_NAME_BYTES) or "export"


def sheet_names(names: Sequence[str]) -> list[str]:
    """As Excel takes them: at most 31 characters, without brackets or quotes around, each once."""
    written: list[str] = []
    for name in names:
        plain = name.replace("[", "(").replace("]", ")").strip("'")
        sheet, number = plain[:MAX_SHEET_NAME], 1
        while sheet.lower() in {each.lower() for each in written}:
            number += 1
            sheet = f"{plain[: MAX_SHEET_NAME - len(str(number)) - 1]}_{number}"
        written.append(sheet)
    return written


async def resolved(reader: AsyncEngine, request: ExportRequest, wanted: Sequence[Wanted]) -> list[Part]:
    """The layers of the file. Raises CannotExport, UnknownColumn or UnknownCrs."""
    _check_encoding(request.encoding)
    parts: list[Part] = []
    taken: set[str] = set()
    for each in wanted:
        kind = each.item.format or request.format
        name = free_name(safe_name(each.item.name or each.name), taken, ignore_case=True)
        taken.add(name.lower())
        parts.append(Part(name, kind, await _source(reader, request, each, kind)))
    return parts


async def _source(reader: AsyncEngine, request: ExportRequest, wanted: Wanted, kind: str) -> Source:
    table = wanted.table
    check_whole(table)
    placing = request.geometry or ("shape" if table.geometry_column else "none")
    if kind in NEED_SHAPES and placing != "shape":
        without = fault_texts.GOES_WITHOUT if table.geometry_column else fault_texts.HAS_NO_GEOMETRY
        raise CannotExport(without(kind=kind, table=table.id))
    crs = await _crs(reader, request.crs, table, kind, placing)
    source = Source(
        reader,
        table,
        wanted.filter,
        crs,
        chosen=_columns(table, wanted.item.columns),
        placing=placing,
        kind=request.kind if placing != "none" else None,
        outside=request.outside,
        precision=request.precision,
        encoding=request.encoding,
        is_wrapped=kind in LONLAT_FORMATS,
    )
    if placing == "xy":
        return placed(source, "xy")
    if kind in WITHOUT_SHAPES and placing == "shape":
        return placed(source, "xy" if is_point(table) and request.kind is None else "wkt")
    return source


async def _crs(reader: AsyncEngine, asked: str | None, table: Table, kind: str, placing: str) -> Crs:
    if placing == "none":
        return LONLAT
    crs = None if asked is None else await crs_named(reader, asked)
    if kind == "kml" and crs is not None and not crs.is_lonlat:
        raise CannotExport(fault_texts.KML())
    if crs is None:
        crs = LONLAT if kind in LONLAT_FORMATS or table.srid <= 0 else await crs_of(reader, table.srid)
    return crs


def _columns(table: Table, asked: Sequence[str] | None) -> tuple[tuple[str, str], ...] | None:
    if asked is None:
        return None
    known = {column.name for column in table.columns if column.kind != "geometry"}
    labels = names_in_files(table)
    chosen = [(each, each) if each in known else renamed(each) for each in asked if each != EVERY_COLUMN]
    chosen = [_as_in_files(name, label, labels) for name, label in chosen]
    for name, _label in chosen:
        if name not in known:
            raise unknown_column(table, name)
    if EVERY_COLUMN in asked:
        # Columns before it come first, and those behind it keep their places.
        place = list(asked).index(EVERY_COLUMN)
        first, labelled = dict(chosen[:place]), dict(chosen[place:])
        usual = [
            (name, labelled.pop(name, label)) for name, label in usual_columns(table) if name not in first
        ]
        chosen = [*first.items(), *usual, *labelled.items()]
    names = [label for _name, label in chosen]
    if twice := next((label for label in names if names.count(label) > 1), None):
        raise CannotExport(fault_texts.SAME_COLUMNS(name=repr(twice)))
    return tuple(chosen)


def _as_in_files(name: str, label: str, labels: Mapping[str, str]) -> tuple[str, str]:
    """The chosen column and its label, where it was called by its name in files or has another one there."""
    own = next((column for column, known in labels.items() if known == name), name)
    return own, labels.get(own, label) if label == own else label


async def write(
    request: ExportRequest,
    parts: Sequence[Part],
    folder: Path,
    on_progress: Callable[[int, int], None] | None = None,
    most_rows: int = MAX_ROWS,
) -> tuple[Path, ExportReport]:
    """Write the file into the folder; `on_progress` is called with the rows written and all rows. Formats that are not
    streamed take at most `most_rows` of a table. Raises GisError."""
    notes: list[str] = []
    far = [each for part in parts if (each := await far_outside(part.name, part.source))]
    counted = [await _counted(part, notes) for part in parts]
    total, done = sum(summary.rows for _part, summary in counted), 0

    def count(rows: int) -> None:
        nonlocal done
        done += rows
        if on_progress is not None:
            on_progress(done, total)

    ready = [replace(part, source=replace(part.source, count_rows=count)) for part, _summary in counted]
    base = safe_name(request.file_name or (parts[0].name if len(parts) == 1 else "export"))
    base = re.sub(rf"\.({'|'.join({*(part.format for part in parts), 'zip', 'geojson', 'txt'})})$", "", base)
    files: list[Path] = []
    for group in _grouped(ready):
        kind = group[0].format
        stem = base if len(group) > 1 or len(parts) == 1 else group[0].name
        path = _free_path(folder, stem, kind)
        try:
            notes += await _write_group(request, kind, group, path, total, most_rows)
        except InvalidQuestion as error:
            if not far or request.outside is not None:
                raise
            raise CannotExport(fault_texts.NOT_TRANSFORMABLE(far=far[0], choice=CHOICE_OUTSIDE)) from error
        files += _files_of(path) if kind == "shp" else [path]
    if len(files) > 1 or request.zipped:
        files = [await asyncio.to_thread(_zipped, files, folder / f"{base}.zip")]
    path = files[0]
    notes += [each + outside_outcome(request.outside) for each in far]
    layers = tuple(_exported(part, summary) for part, summary in counted)
    size = (await asyncio.to_thread(path.stat)).st_size
    return path, ExportReport(
        file_name=path.name, bytes=size, layers=layers, notes=tuple(notes), wording=wordings_of(notes)
    )


async def _counted(part: Part, notes: list[str]) -> tuple[Part, Summary]:
    """The part with the counts of its rows, and notes about changes that the format requires."""
    source = part.source
    found = await source.summary()
    types = {each.removeprefix("MULTI") if source.kind == "single" else each for each in found.types}
    families = {each.removeprefix("MULTI") for each in types}
    if len(types) > 1 and len(families) == 1 and families <= set(_SINGLE) and source.kind is None:
        # Single and multi-part shapes of one kind: the multi-part type holds both.
        source = replace(source, kind="multi")
    if (
        part.format == "shp"
        and source.placing == "shape"
        and (len(families) > 1 or "GEOMETRYCOLLECTION" in families)
    ):
        raise CannotExport(fault_texts.SHAPEFILE_KINDS(layer=part.name, kinds=listed(sorted(families))))
    if len(families) == 1:
        source = replace(source, found_type=f"{families.pop()} {'Z' if found.has_heights else ''}".strip())
        if source.kind is None and next(iter(types)).startswith("MULTI"):
            source = replace(source, found_type=f"MULTI{source.found_type}")
    if part.format == "shp" and len(source.fields) > MAX_SHAPEFILE_COLUMNS:
        raise CannotExport(
            fault_texts.SHAPEFILE_COLUMNS(layer=part.name, n=len(source.fields), most=MAX_SHAPEFILE_COLUMNS)
        )
    if part.format == "xlsx" and found.rows > MAX_SHEET_ROWS:
        raise CannotExport(fault_texts.SHEET_ROWS(layer=part.name, n=found.rows, most=MAX_SHEET_ROWS))
    cut = await source.cut_apart()
    if cut:
        notes.append(cut_note(cut, part.name))
    source = await source.of_one_type(cut)
    notes += await notes_of(part.name, part.format, source, found)
    return replace(part, source=source), found


def _exported(part: Part, summary: Summary) -> ExportedLayer:
    source = part.source
    labels = [each.label for each in source.fields]
    if part.format in DRIVERS:
        labels = file_names(labels, part.format)
    return ExportedLayer(
        name=part.name,
        rows=summary.rows,
        columns=tuple(labels),
        geometry=source.ogr_type() if source.placing == "shape" else None,
        crs=source.crs.name if source.placing != "none" else None,
    )


def _grouped(parts: Sequence[Part]) -> list[list[Part]]:
    """The parts of each file."""
    groups: list[list[Part]] = []
    for part in parts:
        same = next((each for each in groups if each[0].format == part.format), None)
        if same is not None and part.format in TOGETHER:
            same.append(part)
        else:
            groups.append([part])
    return groups


async def _write_group(
    request: ExportRequest, kind: ExportFormat, parts: Sequence[Part], path: Path, total: int, most_rows: int
) -> list[str]:
    """Writes the parts of one file; returns notes about what the format lost."""
    if kind in DRIVERS or kind == "parquet":
        names = [part.name for part in parts]
        written = sheet_names(names) if kind == "xlsx" else names
        notes: list[str] = [
            fault_texts.SHEET_NAME(layer=old, name=new)
            for old, new in zip(names, written, strict=True)
            if old != new
        ]
        for part, name in zip(parts, written, strict=True):
            notes += await write_file(part.source, kind, name, path, most_rows)
        return notes
    members = {name: total if value == "{count}" else value for name, value in request.members.items()}
    source, name = parts[0].source, parts[0].name
    if kind == "geojson":
        await _spooled(geojson(source, name, members), path)
    elif kind == "geojsonl":
        await _spooled(text_sequence(source), path)
    elif kind == "csv":
        placing = None if source.placing == "none" else source.placing
        await _spooled(csv_text(source, placing), path, request.encoding)
    else:
        named = [(part.name, part.source) for part in parts]
        await _spooled(records(named, members, request.group_by), path)
    return []


async def _spooled(chunks: AsyncGenerator[bytes, None], path: Path, encoding: str | None = None) -> None:
    encoder = codecs.getincrementalencoder(encoding)() if encoding else None
    with path.open("wb") as file:
        async with aclosing(chunks):
            async for chunk in chunks:
                try:
                    written = encoder.encode(chunk.decode()) if encoder else chunk
                except UnicodeEncodeError as error:
                    raise no_character(str(encoding), error) from None
                await asyncio.to_thread(file.write, written)


def _check_encoding(encoding: str | None) -> None:
    if encoding is None:
        return
    examples = fault_texts.ENCODINGS()
    try:
        " ".encode(encoding)  # refuses codecs that are not of text, such as base64
    except LookupError as error:
        is_text = "not a text encoding" not in str(error)
        raise CannotExport(
            fault_texts.NO_ENCODING(encoding=repr(encoding), examples=examples)
            if is_text
            else fault_texts.NO_TEXT_ENCODING(encoding=repr(encoding), examples=examples)
        ) from None


def _free_path(folder: Path, stem: str, extension: str) -> Path:
    taken = {path.stem.lower() for path in folder.iterdir() if path.suffix == f".{extension}"}
    return folder / f"{free_name(stem, taken, ignore_case=True)}.{extension}"


def _files_of(shapefile: Path) -> list[Path]:
    return sorted(path for path in shapefile.parent.iterdir() if path.stem == shapefile.stem)


def _zipped(files: Sequence[Path], archive: Path) -> Path:
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file in files:
            packed.write(file, file.name)
    for file in files:
        file.unlink()
    return archive


def wanted_of(
    item: ExportItem, table: Table, filter: Cql2 | str | None = None, name: str | None = None
) -> Wanted:
    """A table with both filters that its rows must pass: that of its layer and that of the request."""
    filters: list[Any] = [each for each in (filter, item.filter) if each]
    if len(filters) == 2:
        both = [normalize(table, each) for each in filters]
        return Wanted(item, table, {"op": "and", "args": both}, name or readable_name(table))
    return Wanted(item, table, filters[0] if filters else None, name or readable_name(table))
