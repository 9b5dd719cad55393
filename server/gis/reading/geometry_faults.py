"""Counts faulty geometries, outside of the database because GEOS cannot be interrupted there."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import shapely

from server.gis.reading.notes import Notes

MAX_CHECKED_VERTICES = 100_000
"""Of one polygon; the time that a check takes can grow with their square."""
POLYGONS = (3, 6)
"""Shapely's ids of polygons and multipolygons."""


def count_faults(column: pa.Array, notes: Notes) -> None:
    """Add missing geometries, invalid polygons and polygons too large to check to the notes."""
    shapes = shapely.from_wkb(column.to_numpy(zero_copy_only=False), on_invalid="ignore")
    # What shapely cannot read is no missing geometry: curves, say.
    readable = ~shapely.is_missing(shapes)
    notes.no_geometry += int(column.null_count + shapely.is_empty(shapes).sum())
    polygons = shapes[readable & np.isin(shapely.get_type_id(shapes), POLYGONS)]
    large = shapely.get_num_coordinates(polygons) > MAX_CHECKED_VERTICES
    notes.unchecked += int(large.sum())
    notes.invalid += int((~shapely.is_valid(polygons[~large])).sum())
