"""Limits the vertices of a geometry: PostGIS cannot be interrupted within one, and its time can grow with their square.

A larger geometry is refused, or on request cut into pieces, one row each."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely

from agents.worded import Template
from server.gis.reading.geometry_faults import shapes_of
from server.gis.reading.limits import IngestLimits
from server.gis.reading.notes import Notes, TooLarge, TooManyVertices

MANY_VERTICES = Template(
    "file_many_vertices",
    "Row {row}: its geometry has {n} vertices; at most {most} are loaded. Simplify it, or load the file "
    "with `subdivide` to cut such shapes into pieces.",
)
UNCUTTABLE = Template(
    "file_uncuttable", "Row {row}: its geometry has {n} vertices and cannot be cut into pieces. Simplify it."
)

VERTEX_BYTES = 16
"""Minimum size of a vertex in WKB."""
MAX_PIECE_VERTICES = 50_000
MAX_CUTTING_WORK = 16
"""Limit of vertices processed while cutting a geometry, as a multiple of its number of vertices."""


def bounded_shapes(
    batch: pa.RecordBatch, geometry: int, notes: Notes, limits: IngestLimits
) -> pa.RecordBatch:
    """The batch without geometries above the limit. Raises TooManyVertices unless they are to be cut, and
    TooLarge for one that cannot be cut."""
    column = batch.column(geometry)
    longest = pc.max(pc.binary_length(column)).as_py() or 0
    if longest <= limits.vertices * VERTEX_BYTES:
        return batch
    read = shapes_of(column)
    shapes = read.known
    # Curves can be neither counted nor cut here.
    bytes_of_curves = pc.fill_null(pc.binary_length(column), 0).to_numpy() * read.curved
    counts = shapely.get_num_coordinates(shapes) + bytes_of_curves // VERTEX_BYTES
    beyond = np.flatnonzero(counts > limits.vertices)
    if not len(beyond):
        return batch
    if not limits.subdivide:
        row = int(beyond[0])
        raise TooManyVertices(
            MANY_VERTICES(row=str(notes.rows + row + 1), n=int(counts[row]), most=limits.vertices)
        )
    return _subdivided(batch, geometry, shapes, counts, notes, limits)


def _subdivided(
    batch: pa.RecordBatch, geometry: int, shapes: Any, counts: Any, notes: Notes, limits: IngestLimits
) -> pa.RecordBatch:
    most = min(limits.vertices, MAX_PIECE_VERTICES)
    rows: list[int] = []
    geometries: list[bytes | None] = []
    stored = batch.column(geometry).to_pylist()
    for row, shape in enumerate(shapes):
        if counts[row] > limits.vertices:
            try:
                cut = [] if shape is None else _pieces(shape, most)
            except shapely.errors.GEOSException:
                cut = []
            if not cut:
                raise TooLarge(UNCUTTABLE(row=str(notes.rows + row + 1), n=int(counts[row])))
            notes.subdivided += 1
            notes.pieces += len(cut)
            geometries += [shapely.to_wkb(piece) for piece in cut]
            rows += [row] * len(cut)
        else:
            geometries.append(stored[row])
            rows.append(row)
    taken = batch.take(pa.array(rows, pa.int64()))
    column = pa.array(geometries, batch.schema.field(geometry).type)
    return taken.set_column(geometry, batch.schema.field(geometry), column)


def _pieces(shape: Any, most: int) -> list[Any]:
    """The geometry in parts of at most `most` vertices, each cut in the middle of its longer side. Raises
    GEOSException if cutting adds vertices instead of reducing them."""
    work = MAX_CUTTING_WORK * int(shapely.get_num_coordinates(shape))
    waiting, done = [shape], []
    while waiting:
        part = waiting.pop()
        vertices = int(shapely.get_num_coordinates(part))
        if vertices <= most:
            done.append(part)
            continue
        work -= vertices
        if work < 0:
            raise shapely.errors.GEOSException("cutting does not help")
        halves = (_same_kind(shapely.clip_by_rect(part, *half), shape) for half in _halves(part))
        waiting += [half for half in halves if half is not None]
    return done


def _halves(shape: Any) -> tuple[tuple[float, ...], tuple[float, ...]]:
    west, south, east, north = shapely.bounds(shape)
    if east - west >= north - south:
        middle = (west + east) / 2
        return (west, south, middle, north), (middle, south, east, north)
    middle = (south + north) / 2
    return (west, south, east, middle), (west, middle, east, north)


def _same_kind(cut: Any, shape: Any) -> Any | None:
    """The cut without points and lines in which the geometry only touches the edge."""
    dimension = shapely.get_dimensions(shape)
    parts = [
        part
        for part in shapely.get_parts(shapely.get_parts(cut))
        if shapely.get_dimensions(part) == dimension
    ]
    parts = [part for part in parts if not shapely.is_empty(part)]
    if len(parts) <= 1:
        return parts[0] if parts else None
    make = {0: shapely.multipoints, 1: shapely.multilinestrings, 2: shapely.multipolygons}[int(dimension)]
    return make(parts)
