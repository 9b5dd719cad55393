"""GeoPackage, FlatGeobuf and GeoParquet files of a layer, written row group by row group.

The rows come from a cursor on the event loop, the file is written in a thread; between them is a short queue, so
that memory holds a few chunks however many rows there are."""

from __future__ import annotations

import asyncio
import errno
import json
import re
import shutil
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import aclosing
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.parquet as pq
import shapely
import sqlalchemy as sa
import structlog

from agents.core.free_names import free_name, padded_name
from agents.domain import Column
from agents.worded import Template
from server.gis.errors import TooExpensive, listed
from server.gis.export import fault_texts
from server.gis.export.kept_values import kept
from server.gis.export.source import CannotExport, Source, no_character
from server.gis.expressions.identifiers import Expression, base_type

MANY_ROWS = Template(
    "export_many_rows",
    "{n} rows are too many for a {kind} file here (at most {most}). Filter the layer, or use geojson or csv.",
)
CANCELLED = Template("export_cancelled", "The export was cancelled.")

log = structlog.get_logger(__name__)

FileFormat = Literal["gpkg", "fgb", "parquet", "shp", "kml", "xlsx"]

MAX_ROWS = 2_000_000
MIN_FREE_BYTES = 1024 * 1024
"""If its disk has less, a file that cannot be written is reported as out of disk space."""
MAX_LOGGED_CHARS = 500
SHAPEFILE_NAME_BYTES = 10
"""Bytes of a column's name."""
DRIVERS: dict[FileFormat, str] = {
    "gpkg": "GPKG", "fgb": "FlatGeobuf", "shp": "ESRI Shapefile", "kml": "LIBKML", "xlsx": "XLSX",
}  # fmt: skip
_ARROW: dict[str, pa.DataType] = {
    "smallint": pa.int16(),
    "integer": pa.int32(),
    "bigint": pa.int64(),
    "real": pa.float32(),
    "double precision": pa.float64(),
    "numeric": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp without time zone": pa.timestamp("us"),
    "timestamp with time zone": pa.timestamp("us", "UTC"),
    "bytea": pa.binary(),
}
_KML_ELEMENTS = frozenset((
    "altitudemode", "begin", "camera_altitude", "camera_altitudemode", "camera_latitude", "camera_longitude",
    "draworder", "end", "extrude", "heading", "icon", "model", "roll", "scale_x", "scale_y", "scale_z", "snippet",
    "tessellate", "tilt", "timestamp", "visibility",
))  # fmt: skip
"""Columns that GDAL would write as elements of KML, which hide features or lose values."""
_NOT_FIRST_IN_GPKG = frozenset("`~!@#$%^&*()+-={}|[]\\:\";'<>?,./")
"""Characters with which GDAL refuses to begin the name of a layer."""
_UNFIT_KML = re.compile(r'[\x00-\x1f"&<>]')
_WKB_TYPES = (
    "Point", "LineString", "Polygon", "MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection",
)  # fmt: skip


async def write_file(
    source: Source, kind: FileFormat, name: str, path: Path, most_rows: int = MAX_ROWS
) -> tuple[str, ...]:
    """Write the layer to `path`, in addition to layers that the file already has; returns notes of what was lost.
    Raises TooExpensive beyond `most_rows`; formats that are streamed have no such limit."""
    rows, placed = await source.count()
    if rows > most_rows:
        raise TooExpensive(MANY_ROWS(n=rows, kind=kind, most=most_rows))
    names = file_names([each.label for each in source.fields], kind)
    geometry = None
    if source.placing == "shape":
        geometry = padded_name("geometry" if kind == "parquet" else "geom", names)
    fields = [
        pa.field(label, _ARROW.get(base_type(each.column.sql_type), pa.string()))
        for label, each in zip(names, source.fields, strict=True)
    ]
    schema = pa.schema([*fields, *([pa.field(geometry, pa.binary())] if geometry else [])])
    batches = Batches(schema)
    texts = ShapefileTexts(name, names, source.encoding or "utf-8") if kind == "shp" else None
    if kind == "parquet":
        work = asyncio.to_thread(_write_parquet, source, name, path, batches, geometry)
    else:
        # FlatGeobuf's index cannot hold features without a geometry.
        indexed = rows == placed and source.outside != "null"
        work = asyncio.to_thread(_write_ogr, source, kind, name, path, batches, geometry, indexed=indexed)
    writing = asyncio.create_task(work)
    try:
        values = [kept(each, value_of(each.value, each.column), kind) for each in source.fields]
        place = source.geometry() if geometry else sa.null()
        if kind == "kml":
            # GDAL gives up at the first empty shape.
            place = sa.case((sa.func.ST_IsEmpty(place), sa.null()), else_=place)
        shape = [sa.func.ST_AsBinary(place)] if geometry else []
        async with aclosing(source.stream(source.rows(*values, *shape))) as chunks:
            async for chunk in chunks:
                if texts is not None:
                    texts.check(chunk)
                if not await batches.put(chunk, writing):
                    break
        await batches.close(writing)
        await writing
    except BaseException:
        batches.abandon()
        await asyncio.gather(writing, return_exceptions=True)
        raise
    return () if texts is None else texts.notes


class Batches:
    """A queue of row chunks: filled on the event loop, read as Arrow batches by the thread that writes."""

    def __init__(self, schema: pa.Schema) -> None:
        self.schema = schema
        self._queue: asyncio.Queue[Sequence[Any] | None] = asyncio.Queue(maxsize=3)
        self._loop = asyncio.get_running_loop()
        self._taking: Future[Sequence[Any] | None] | None = None
        self._abandoned = False

    async def put(self, chunk: Sequence[Any] | None, writing: asyncio.Task[None]) -> bool:
        """Add a chunk. Returns False once the writer has stopped, which it only does after a failure."""
        putting = asyncio.ensure_future(self._queue.put(chunk))
        await asyncio.wait({putting, writing}, return_when=asyncio.FIRST_COMPLETED)
        if putting.done():
            return True
        putting.cancel()
        return False

    async def close(self, writing: asyncio.Task[None]) -> None:
        """Tell the writing task that no more batches follow."""
        await self.put(None, writing)

    def abandon(self) -> None:
        """Stop the reader of batches without waiting."""
        self._abandoned = True
        if self._taking is not None:
            self._taking.cancel()

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        """Yields the batches, in the writer's thread."""
        while not self._abandoned:
            self._taking = asyncio.run_coroutine_threadsafe(self._queue.get(), self._loop)
            if self._abandoned:
                self._taking.cancel()
            chunk = self._taking.result()
            if chunk is None:
                return
            columns = zip(*chunk, strict=True)
            arrays = [
                pa.array(column, type=field.type) for column, field in zip(columns, self.schema, strict=True)
            ]
            yield pa.record_batch(arrays, schema=self.schema)
        raise CannotExport(CANCELLED())


def value_of(value: Expression, column: Column) -> Expression:
    """The column as a value of its Arrow type; what Arrow has no type for as text."""
    kind = base_type(column.sql_type)
    if kind == "numeric":
        return sa.cast(value, sa.Double)
    return value if kind in _ARROW else sa.cast(value, sa.Text)


def file_names(labels: Sequence[str], kind: FileFormat) -> list[str]:
    """Column names that the format accepts: GDAL treats `Name` and `name` as equal, Shapefile allows ten bytes
    (`populati_1`), and KML reserves the names of its elements."""
    if kind == "parquet":
        return list(labels)
    names: list[str] = []
    for label in labels:
        if kind == "shp":
            known = {each.lower() for each in names}
            names.append(free_name(label, known, max_bytes=SHAPEFILE_NAME_BYTES, ignore_case=True, first=1))
        elif kind == "kml":
            names.append(padded_name(_UNFIT_KML.sub("_", label), {*names, *_KML_ELEMENTS}))
        else:
            names.append(padded_name(label, names))
    return names


def _write_ogr(
    source: Source,
    kind: FileFormat,
    name: str,
    path: Path,
    batches: Batches,
    geometry: str | None,
    indexed: bool,
) -> None:
    import pyogrio  # imported here, because it loads GeoPandas where that is installed, which would delay every start

    options: dict[str, str] = {}
    if kind == "gpkg":
        options = {"FID": padded_name("fid", batches.schema.names)}
        options |= {"GEOMETRY_NAME": geometry} if geometry else {}
    elif kind == "fgb":
        options = {"SPATIAL_INDEX": "YES" if indexed else "NO"}
    placed = (
        {"geometry_name": geometry, "geometry_type": source.ogr_type(), "crs": source.crs.for_gdal}
        if geometry
        else {}
    )
    reader = pa.RecordBatchReader.from_batches(batches.schema, iter(batches))
    try:
        pyogrio.write_arrow(
            reader,
            path,
            driver=DRIVERS[kind],
            layer=f"_{name}" if kind == "gpkg" and name[:1] in _NOT_FIRST_IN_GPKG else name,
            append=kind == "xlsx" and path.exists(),
            layer_options=options,
            encoding=(source.encoding or "UTF-8") if kind == "shp" else None,
            **placed,
        )
    except pyogrio.errors.DataLayerError as error:
        if shutil.disk_usage(path.parent).free < MIN_FREE_BYTES:
            raise OSError(errno.ENOSPC, "The disk is full") from error
        log.warning("a file could not be written", kind=kind, error=str(error)[:MAX_LOGGED_CHARS])
        raise CannotExport(fault_texts.NO_PLACE_FOR(layer=name, kind=kind)) from error


def _write_parquet(source: Source, name: str, path: Path, batches: Batches, geometry: str | None) -> None:
    """GeoParquet 1.1, or plain Parquet without a geometry."""
    seen: set[str] = set()
    bounds: list[float] | None = None
    with pq.ParquetWriter(path, batches.schema, compression="zstd") as writer:
        for batch in batches:
            writer.write_batch(batch)
            if geometry is not None:
                shapes = batch.column(geometry).to_pylist()
                seen.update(wkb_type(shape) for shape in shapes if shape is not None)
                bounds = _grown(bounds, shapely.total_bounds(shapely.from_wkb(shapes)).tolist())
        metadata = {"title": name}
        if geometry is not None:
            column: dict[str, Any] = {
                "encoding": "WKB",
                "geometry_types": sorted(seen),
                "crs": source.crs.projjson(),
                **({"bbox": bounds} if bounds is not None else {}),
            }
            document = {"version": "1.1.0", "primary_column": geometry, "columns": {geometry: column}}
            metadata["geo"] = json.dumps(document)
        writer.add_key_value_metadata(metadata)


def wkb_type(wkb: bytes) -> str:
    """The type name of GeoParquet: `MultiPolygon`, `Point Z`."""
    (code,) = struct.unpack_from("<I" if wkb[0] else ">I", wkb, 1)
    return _WKB_TYPES[code % 1000 - 1] + (" Z" if code // 1000 in (1, 3) else "")


def _grown(bounds: list[float] | None, other: list[float]) -> list[float] | None:
    if any(value != value for value in other):
        return bounds
    if bounds is None:
        return other
    return [*map(min, bounds[:2], other[:2]), *map(max, bounds[2:], other[2:])]


COUNT_OF = Template("export_count_of", "{n} of {column}")
TEXTS_CUT = Template(
    "export_texts_cut", "Texts of {layer} that are cut, because a Shapefile holds {most} bytes: {names}."
)

MAX_BYTES = 254


class ShapefileTexts:
    """Checks texts before they are written. Without a message, GDAL would write `?` for characters that the encoding
    lacks, and cut texts that are too long."""

    def __init__(self, layer: str, columns: Sequence[str], encoding: str) -> None:
        self._layer = layer
        self._columns = columns
        self._encoding = encoding
        self._cut: Counter[str] = Counter()

    def check(self, rows: Sequence[Sequence[Any]]) -> None:
        """Count texts that will be cut. Raises CannotExport for a character that the encoding lacks."""
        for row in rows:
            for name, value in zip(self._columns, row, strict=False):
                if isinstance(value, str) and len(self._encoded(value)) > MAX_BYTES:
                    self._cut[name] += 1

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for people if texts were cut; else empty."""
        if not self._cut:
            return ()
        cut = [COUNT_OF(n=count, column=name) for name, count in self._cut.items()]
        return (TEXTS_CUT(layer=self._layer, most=str(MAX_BYTES), names=listed(cut)),)

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode(self._encoding)
        except UnicodeEncodeError as error:
            raise no_character(self._encoding, error) from None
