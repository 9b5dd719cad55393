"""The layers of an upload: which there are, which one is meant, and all of them as one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.types as pt

from agents.core.free_names import padded_name
from agents.geo.wording.texts import LIST_MORE
from agents.worded import Template, joined
from server.gis.reading.csv_rows import sheet
from server.gis.reading.data_set import DataSet, SourceLayer
from server.gis.reading.geopackage import check_layer, geopackage_layers
from server.gis.reading.limits import IngestLimits
from server.gis.reading.notes import Layout, Notes, SeveralLayers, TooLarge, Unreadable
from server.gis.reading.ogr_rows import ogr_layers, ogr_rows
from server.gis.reading.parquet_rows import Rows, parquet_rows
from server.gis.reading.spreadsheet import check_workbook, filled_sheets, sheet_rows

NO_LAYERS = Template("file_no_layers", "{file} has no layers in it, or is damaged.")
LEFT_BY_NAME = Template(
    "file_left_by_name", "Tables without geometry were not loaded: {names}. Load them by name."
)
LEFT = Template("file_left", "Tables without geometry were not loaded: {names}.")
MANY_LAYERS = Template("file_many_layers", "{file} has {n} layers; at most {most} are united.")
DIFFERENT_SYSTEMS = Template(
    "file_different_systems",
    "The layers of {file} have different reference systems ({names}), so they cannot be one table. Load "
    "each as a separate table.",
)
UNITED = Template(
    "file_united", "{n} layers were united: {names}. The column {column} says which a row is from."
)
NO_LAYER = Template("file_no_layer", "{file} has no layer {layer}. It has: {names}.")
SAME_COLUMNS_IN_LAYER = Template(
    "file_same_columns_in_layer",
    "A layer of {file} has several columns of one name, so the layers cannot be one table.",
)
DIFFERENT_TYPES = Template(
    "file_different_types",
    "The column {column} has different types in the layers, so they cannot be one table. Load each as a "
    "separate table.",
)

MAX_LAYERS = 100
"""Limit for one upload."""
MAX_LAYER_NAME_CHARS = 200
"""Layers of longer names are neither offered nor loaded with others."""
MAX_NAMES_LISTED = 10
"""Names in a remark."""
TEXT_FILES = (".csv", ".tsv")
PARQUET_FILES = (".parquet", ".geoparquet")


def layers_of(found: Sequence[DataSet], file: str, limits: IngestLimits) -> list[SourceLayer]:
    """All layers of an upload, with unique names. Raises Unreadable."""
    layers = [layer for each in found for layer in _layers_in(each, limits)]
    if not layers:
        raise Unreadable(NO_LAYERS(file=file))
    if len(found) == 1:
        return layers
    return [replace(layer, name=_full_name(layer, layers)) for layer in layers]


def chosen_layer(layers: Sequence[SourceLayer], file: str, wanted: str | None, notes: Notes) -> SourceLayer:
    """The layer of this name; without a name, the only one, or the only one with geometries. Raises SeveralLayers or
    Unreadable."""
    if wanted is not None:
        return _named(layers, file, wanted)
    offered = offered_layers(layers, file)
    shaped = [layer for layer in offered if layer.is_spatial]
    if len(shaped or offered) > 1:
        raise SeveralLayers(file, [layer.name for layer in shaped or offered])
    (chosen,) = shaped or offered
    left = [layer.name for layer in offered if layer is not chosen]
    if left:
        notes.remarks.append(LEFT_BY_NAME(names=_listed(left)))
    return chosen


def offered_layers(layers: Sequence[SourceLayer], file: str) -> list[SourceLayer]:
    """The layers that can be read. Raises Unreadable for a file without layers, TooLarge for one with too many."""
    shaped = [layer for layer in layers if layer.is_spatial] or layers
    if all(layer.is_computed for layer in shaped):
        # A table that GDAL lists in addition is not what the file shows as its data.
        check_layer(shaped[0].name, [layer.name for layer in shaped], file)
    stored = [layer for layer in layers if not layer.is_computed]
    short = [layer for layer in stored if len(layer.name) <= MAX_LAYER_NAME_CHARS] or stored[:1]
    return short[:MAX_LAYERS]


def rows_of(layer: SourceLayer, encoding: str | None, notes: Notes, quoted_text: bool = False) -> Rows:
    """The schema and the rows of a layer in any supported format. Raises Unreadable."""
    found = layer.found
    suffix = found.path.suffix.lower()
    if suffix in TEXT_FILES:
        table = sheet(found.path, found.name, encoding, quoted_text)
        notes.remarks += [] if quoted_text else table.remarks
        return table.schema(), table.batches(notes)
    if suffix in PARQUET_FILES:
        return parquet_rows(found, notes)
    if suffix == ".xlsx":
        return sheet_rows(ogr_rows(found, str(layer.inner), None), found, str(layer.inner), notes)
    return ogr_rows(found, str(layer.inner), encoding)


def united_rows(
    layers: Sequence[SourceLayer], file: str, encoding: str | None, notes: Notes, quoted_text: bool = False
) -> Rows:
    """The rows of all layers, those with geometries if there are any, with the name of the layer as a column. Columns
    of one name become one column. Raises Unreadable."""
    offered = offered_layers(layers, file)
    if len(offered) < len(layers) - sum(layer.is_computed for layer in layers):
        raise TooLarge(MANY_LAYERS(file=file, n=len(layers), most=MAX_LAYERS))
    shaped = [layer for layer in offered if layer.is_spatial]
    parts = [(layer, rows_of(layer, encoding, notes, quoted_text)) for layer in shaped or offered]
    layouts = [Layout.of(schema.metadata) for _, (schema, _) in parts]
    systems = {layout.crs for layout in layouts if layout.geometry is not None}
    if len(systems) > 1:
        raise Unreadable(DIFFERENT_SYSTEMS(file=file, names=_listed(sorted(map(str, systems)))))
    geometry = next((layout.geometry for layout in layouts if layout.geometry is not None), None)
    schemas = [
        _renamed(schema, layout.geometry, geometry)
        for (_, (schema, _)), layout in zip(parts, layouts, strict=True)
    ]
    fields = _common_fields(schemas, file)
    origin = padded_name("layer", fields)
    layout = next((each for each in layouts if each.geometry is not None), layouts[0])
    common = Layout(geometry, layout.crs, layout.assumed, layout.encoding)
    target = pa.schema(
        [pa.field(origin, pa.string()), *(pa.field(name, kind) for name, kind in fields.items())],
        metadata=common.metadata(),
    )
    notes.remarks.append(
        UNITED(n=len(parts), names=_listed([layer.name for layer, _ in parts]), column=repr(origin))
    )
    left = [layer.name for layer in offered if shaped and not layer.is_spatial]
    if left:
        notes.remarks.append(LEFT(names=_listed(left)))
    named = [(layer.name, schema, rows) for (layer, (_, rows)), schema in zip(parts, schemas, strict=True)]
    return target, (part for each in named for part in _fitted(*each, target))


def _layers_in(found: DataSet, limits: IngestLimits) -> list[SourceLayer]:
    suffix = found.path.suffix.lower()
    if suffix in TEXT_FILES + PARQUET_FILES:
        return [SourceLayer(found, None, found.label)]
    if suffix == ".xlsx":
        check_workbook(found, limits)
        return [SourceLayer(found, name, name, is_spatial=False) for name in filled_sheets(found)]
    if suffix == ".gpkg":
        own = geopackage_layers(found.path, found.name)
        known = own.listed if own.computed else ogr_layers(found)
        return [SourceLayer(found, name, name, shaped, name in own.computed) for name, shaped in known]
    return [SourceLayer(found, name, name, shaped) for name, shaped in ogr_layers(found)]


def _full_name(layer: SourceLayer, layers: Sequence[SourceLayer]) -> str:
    """The name of its data set, with its own if the data set has several layers."""
    is_alone = sum(other.found is layer.found for other in layers) == 1
    return layer.found.label if is_alone else f"{layer.found.label}/{layer.name}"


def _named(layers: Sequence[SourceLayer], file: str, wanted: str) -> SourceLayer:
    named = [layer for layer in layers if layer.name == wanted]
    # The only layer of such a file has no name; the file's name is used.
    if not named and len(layers) == 1 and wanted in (Path(file).stem, Path(layers[0].found.name).stem):
        named = list(layers)
    if not named:
        raise Unreadable(
            NO_LAYER(
                file=file, layer=repr(wanted), names=", ".join(layer.name for layer in layers[:MAX_LAYERS])
            )
        )
    check_layer(named[0].name, [layer.name for layer in layers if layer.is_computed], file)
    return named[0]


def _renamed(schema: pa.Schema, own: str | None, geometry: str | None) -> pa.Schema:
    """The schema with the geometry column of another name."""
    if own is None or own == geometry:
        return schema
    return pa.schema(
        [field.with_name(geometry) if field.name == own else field for field in schema],
        metadata=schema.metadata,
    )


def _common_fields(schemas: Sequence[pa.Schema], file: str) -> dict[str, pa.DataType]:
    """The columns of all layers, in the order of their appearance, with types that fit all of them."""
    fields: dict[str, pa.DataType] = {}
    for schema in schemas:
        if len(set(schema.names)) < len(schema.names):
            raise Unreadable(SAME_COLUMNS_IN_LAYER(file=file))
        for field in schema:
            known = fields.get(field.name)
            fields[field.name] = field.type if known is None else _common_type(known, field.type, field.name)
    return fields


def _common_type(one: pa.DataType, other: pa.DataType, column: str) -> pa.DataType:
    if one == other or pt.is_null(other):
        return one
    if pt.is_null(one):
        return other
    numbers = [pt.is_integer(kind) or pt.is_floating(kind) for kind in (one, other)]
    if all(numbers):
        return pa.int64() if pt.is_integer(one) and pt.is_integer(other) else pa.float64()
    if any(pt.is_nested(kind) or pt.is_binary(kind) or pt.is_large_binary(kind) for kind in (one, other)):
        raise Unreadable(DIFFERENT_TYPES(column=repr(column[:60])))
    return pa.string()


def _fitted(
    name: str, schema: pa.Schema, rows: Iterator[pa.RecordBatch], target: pa.Schema
) -> Iterator[pa.RecordBatch]:
    """The rows of one layer with the columns of all, and the layer's name in the first."""
    for batch in rows:
        columns = dict(zip(schema.names, batch.columns, strict=True))
        arrays = [pa.repeat(pa.scalar(name, pa.string()), len(batch))]
        for field in list(target)[1:]:
            column = columns.get(field.name)
            arrays.append(pa.nulls(len(batch), field.type) if column is None else column.cast(field.type))
        yield pa.record_batch(arrays, schema=target)


def _listed(names: Sequence[str]) -> str:
    shown = joined(", ", names[:MAX_NAMES_LISTED])
    return LIST_MORE(first=shown, n=len(names) - MAX_NAMES_LISTED) if len(names) > MAX_NAMES_LISTED else shown
