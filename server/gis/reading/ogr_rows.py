"""Layers as Arrow batches, read by GDAL."""

from __future__ import annotations

import codecs
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyogrio

from agents.core.free_names import padded_name
from agents.worded import Template
from server.gis.reading.data_set import DataSet
from server.gis.reading.notes import DAMAGED, Layout, Unreadable, summary
from server.gis.reading.parquet_rows import Rows

UNREADABLE_AS = Template("file_unreadable_as", "{file} cannot be read as {kind}: {why}")
UNREADABLE_END = Template(
    "file_unreadable_end",
    "{file} cannot be read to its end: {why} If its texts have another encoding, say which.",
)

BATCH_ROWS = 1000
CHUNK_BYTES = 1024 * 1024
HEADER_SIZE_AT, CODE_PAGE_AT = 8, 29
"""Bytes of the header of a .dbf file."""
LATIN1_NAMES = ("iso-8859-1", "iso8859-1", "latin-1", "latin1")
GPX = ".gpx"
"""Files in which GDAL finds the same layers and fields always, most of them empty."""
KML_FIELDS = {
    "timestamp", "begin", "end", "altitudeMode", "tessellate", "extrude", "visibility", "drawOrder", "icon", "id",
    "description", "snippet",
}  # fmt: skip
"""Fields that GDAL adds to every KML file, whether anything is in them or not."""

KML_FLAGS = {"tessellate", "extrude", "visibility"}
"""Those of them that have no meaning for the data even if filled."""


def ogr_layers(found: DataSet) -> list[tuple[str, bool]]:
    """The layers and whether they have geometries. Raises Unreadable."""
    try:
        layers = [(str(name), kind is not None) for name, kind in pyogrio.list_layers(found.path)]
        if found.path.suffix.lower() == GPX:
            # GDAL lists all five that the format knows.
            return [each for each in layers if _has_features(found.path, each[0])] or layers[:1]
        return layers
    except pyogrio.errors.DataSourceError as error:
        raise unreadable(found, error) from error


def _has_features(path: Path, layer: str) -> bool:
    return bool(pyogrio.read_info(path, layer=layer, force_feature_count=True)["features"])


def unreadable(found: DataSet, error: Exception) -> Unreadable:
    """The refusal of a file that GDAL cannot open."""
    kind = found.path.suffix[1:].lower()
    return Unreadable(UNREADABLE_AS(file=found.name, kind=kind, why=summary(error, found)))


def ogr_rows(found: DataSet, layer: str, encoding: str | None) -> Rows:
    """The rows of a layer. Raises Unreadable."""
    path = found.path
    try:
        options: dict[str, Any] = {
            "layer": layer,
            "encoding": encoding,
            "force_2d": False,
            "batch_size": BATCH_ROWS,
        }
        if path.suffix.lower() == ".shp":
            options["encoding"] = _shapefile_encoding(path, encoding)
        if path.suffix.lower() in (".kml", GPX):
            options["columns"] = _filled_fields(path, layer)
        with pyogrio.open_arrow(path, use_pyarrow=True, **options) as (meta, reader):
            first_schema = reader.schema
            geometry = meta["geometry_name"] or ("wkb_geometry" if meta["geometry_type"] else None)
    except pyogrio.errors.DataSourceError as error:
        raise unreadable(found, error) from error
    names = [
        geometry_name(geometry, first_schema) if name == geometry else name for name in first_schema.names
    ]
    layout = Layout(
        geometry=names[first_schema.names.index(geometry)] if geometry in first_schema.names else None,
        crs=meta["crs"],
        encoding=options["encoding"] or meta.get("encoding"),
    )
    fields = [
        field.with_name(name).with_metadata(None) for field, name in zip(first_schema, names, strict=True)
    ]
    schema = pa.schema(fields, metadata=layout.metadata())
    return schema, _ogr_batches(found, options, schema)


def _ogr_batches(found: DataSet, options: dict[str, Any], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    try:
        with pyogrio.open_arrow(found.path, use_pyarrow=True, **options) as (_, reader):
            for batch in reader:
                yield pa.record_batch(batch.columns, schema=schema)
    except MemoryError:
        raise
    except (
        pyogrio.errors.DataSourceError,
        pyogrio.errors.DataLayerError,
        pyogrio.errors.FeatureError,
    ) as error:
        raise Unreadable(DAMAGED(file=found.name, why=summary(error, found))) from error
    except (pa.ArrowException, UnicodeDecodeError, OSError) as error:
        raise Unreadable(UNREADABLE_END(file=found.name, why=summary(error, found))) from error


def geometry_name(name: str | None, schema: pa.Schema) -> str:
    """The file's own name of its geometry column, or `geom` if GDAL generated one."""
    wanted = "geom" if name in (None, "", "wkb_geometry", "_ogr_geometry_") else str(name)
    return padded_name(wanted, (each for each in schema.names if each != name))


def _shapefile_encoding(path: Path, chosen: str | None) -> str | None:
    """The encoding that was chosen; else, where the file names none, UTF-8 or Windows-1252, as its texts are; None
    where GDAL finds it named. Latin-1 is read as Windows-1252, which has all its letters: GDAL does not convert it."""
    texts = path.with_suffix(".dbf")
    if chosen is None and texts.exists() and not path.with_suffix(".cpg").exists() and not _code_page(texts):
        return "UTF-8" if _is_utf8(texts) else "cp1252"
    return "cp1252" if chosen and chosen.lower().replace("_", "-") in LATIN1_NAMES else chosen


def _code_page(dbf: Path) -> int:
    """The encoding number in the header of a .dbf file; 0 if it names no encoding."""
    with dbf.open("rb") as file:
        return file.read(CODE_PAGE_AT + 1)[-1]


def _is_utf8(dbf: Path) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    with dbf.open("rb") as file:
        (header_bytes,) = struct.unpack_from("<H", file.read(HEADER_SIZE_AT + 2), HEADER_SIZE_AT)
        file.seek(header_bytes)
        try:
            while piece := file.read(CHUNK_BYTES):
                decoder.decode(piece)
        except UnicodeDecodeError:
            return False
    return True


def _filled_fields(path: Path, layer: str) -> list[str]:
    """All fields except those that GDAL adds and that are empty."""
    fields = [str(name) for name in pyogrio.read_info(path, layer=layer)["fields"]]
    doubtful = fields if path.suffix.lower() == GPX else [name for name in fields if name in KML_FIELDS]
    if not doubtful:
        return fields
    _, table = pyogrio.read_arrow(path, layer=layer, columns=doubtful, read_geometry=False)
    empty = {name for name in doubtful if name in KML_FLAGS or _is_empty(table[name])}
    return [name for name in fields if name not in empty]


def _is_empty(column: pa.ChunkedArray) -> bool:
    return all(value in (None, "") for value in pc.unique(column).to_pylist())
