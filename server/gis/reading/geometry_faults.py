"""Reads geometries and counts faulty ones, outside of the database because GEOS cannot be interrupted there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from server.gis.reading.notes import Notes

MAX_CHECKED_VERTICES = 100_000
"""Limit for one polygon; the time that a check takes can grow with their square."""
POLYGONS = (3, 6)
"""Shapely's ids of polygons and multipolygons."""


@dataclass(frozen=True)
class Shapes:
    """Geometries as arrays, one element for each value."""

    known: np.ndarray[Any, Any]
    """None if there is no geometry, if it is not WKB, or if it is curved."""
    curved: np.ndarray[Any, Any]
    """Whether it has arcs, which PostGIS supports and GEOS does not."""


def shapes_of(column: pa.Array) -> Shapes:
    """The geometries of a column of WKB."""
    values = column.to_numpy(zero_copy_only=False)
    try:
        return Shapes(shapely.from_wkb(values, on_invalid="ignore"), np.zeros(len(values), dtype=bool))
    except NotImplementedError:
        read = [_shape(value) for value in values]
    known = np.empty(len(read), dtype=object)
    known[:] = [shape for shape, _ in read]
    return Shapes(known, np.array([is_curved for _, is_curved in read], dtype=bool))


def _shape(value: bytes | None) -> tuple[Any, bool]:
    """A geometry, and whether it is curved."""
    try:
        return shapely.from_wkb(value, on_invalid="ignore"), False
    except NotImplementedError:
        return None, True


def count_faults(column: pa.Array, notes: Notes) -> None:
    """Add missing geometries, invalid polygons and polygons too large to check to the notes."""
    shapes = shapes_of(column).known
    # Geometries that GEOS cannot read, such as curves, are not missing.
    readable = ~shapely.is_missing(shapes)
    notes.no_geometry += int(column.null_count + shapely.is_empty(shapes).sum())
    polygons = shapes[readable & np.isin(shapely.get_type_id(shapes), POLYGONS)]
    large = shapely.get_num_coordinates(polygons) > MAX_CHECKED_VERTICES
    notes.unchecked += int(large.sum())
    notes.invalid += int((~shapely.is_valid(polygons[~large])).sum())
