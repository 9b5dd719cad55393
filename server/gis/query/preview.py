"""A preview of a table before it becomes a layer: a sample of its geometries without attributes."""

from __future__ import annotations

import json
from typing import Any

import sqlalchemy as sa

from server.gis.export.source import Source
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import computable
from server.gis.expressions.identifiers import GEOMETRY, relation
from server.gis.statements.guard import Guard

MAX_SHAPES = 500
MAX_GEOJSON_CHARS = 500_000
"""Characters of GeoJSON."""
DEGREE_DECIMALS = 4
"""Decimals of degrees; about ten metres."""
RELATIVE_TOLERANCE = 1 / 1000
"""Tolerance of simplification relative to the larger of the table's width and height: about a pixel."""
TIMEOUT_S = 5.0
EMPTY: dict[str, Any] = {"type": "FeatureCollection", "features": []}


async def preview(source: Source) -> dict[str, Any]:
    """A GeoJSON FeatureCollection (EPSG:4326) of at most `MAX_SHAPES` geometries without attributes.

    In a large table each row has the same chance, and each preview draws another sample. Raises GisError."""
    table = source.table
    shape = computable(source.geometry(), declared_type(table)[0])
    if table.bounds is not None:
        west, south, east, north = table.bounds
        tolerance = max((east - west) % 360, north - south) * RELATIVE_TOLERANCE
        shape = sa.func.ST_SimplifyPreserveTopology(shape, tolerance, type_=GEOMETRY)
    query = sa.select(sa.func.ST_AsGeoJSON(shape, DEGREE_DECIMALS)).select_from(relation(table))
    if table.stored_rows > 2 * MAX_SHAPES:
        query = query.where(sa.func.random() < 1.2 * MAX_SHAPES / table.stored_rows)
    found = await Guard(source.reader, TIMEOUT_S).rows(query.limit(MAX_SHAPES), table.id)
    features, room = [], MAX_GEOJSON_CHARS
    for (text,) in found:
        room -= len(text or "")
        if text and room >= 0:
            features.append({"type": "Feature", "properties": {}, "geometry": json.loads(text)})
    return {**EMPTY, "features": features}
