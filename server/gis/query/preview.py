"""A first look at a table before it becomes a layer: some of its shapes, from all over it, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from server.gis.export.source import Source
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import computable
from server.gis.expressions.identifiers import GEOMETRY, relation
from server.gis.query.guard import Guard

SHAPES = 500
ROOM = 500_000
"""Characters of GeoJSON."""
DECIMALS = 4
"""Of a degree: about ten metres."""
TOLERANCE = 1 / 1000
"""Of the width or height of the table, whichever is greater: about a pixel."""
SECONDS = 5.0
EMPTY: dict[str, Any] = {"type": "FeatureCollection", "features": []}


async def preview(source: Source) -> dict[str, Any]:
    """A GeoJSON FeatureCollection of at most `SHAPES` shapes without attributes, in longitude and latitude.

    Of a large table each row has the same chance; which are drawn is another every time. Raises GisError.
    """
    table = source.table
    shape = computable(source.geometry(), declared_type(table)[0])
    if table.bounds is not None:
        west, south, east, north = table.bounds
        tolerance = max((east - west) % 360, north - south) * TOLERANCE
        shape = sa.func.ST_SimplifyPreserveTopology(shape, tolerance, type_=GEOMETRY)
    query = sa.select(sa.func.ST_AsGeoJSON(shape, DECIMALS)).select_from(relation(table))
    if table.row_estimate > 2 * SHAPES:
        query = query.where(sa.func.random() < 1.2 * SHAPES / table.row_estimate)
    found = await Guard(source.reader, SECONDS).rows(query.limit(SHAPES), table.id)
    features, room = [], ROOM
    for (text,) in found:
        room -= len(text or "")
        if text and room >= 0:
            features.append({"type": "Feature", "properties": {}, "geometry": json.loads(text)})
    return {**EMPTY, "features": features}
