"""A layer small enough to travel in one file: some of its rows, with simpler shapes and the values that styles read.

The sample reports what it leaves out: rows beyond `MAX_ROWS`, rows that did not fit into `MAX_BYTES`, and detail below
`RELATIVE_TOLERANCE`."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from agents.domain import Layer
from server.gis.export.source import Source
from server.gis.expressions.declared_types import declared_type
from server.gis.expressions.geometry_checks import computable
from server.gis.expressions.identifiers import GEOMETRY, Expression
from server.gis.styles.attributes import tile_value
from server.gis.styles.labels import label_columns
from server.gis.tiles.columns import feature_id

MAX_ROWS = 5000
MAX_BYTES = 3_000_000
MAX_COLUMNS = 16
RELATIVE_TOLERANCE = 1 / 4000
"""Share of the width or height of the layer, whichever is greater: below a pixel of a screen that shows all of it."""
DEGREE_DECIMALS = 5
"""Decimals of degrees: about a metre."""


@dataclass(frozen=True)
class Sample:
    """GeoJSON features by the name of the tiles' layer that they are shown in: `features`, and `points` on them."""

    features: dict[str, list[dict[str, Any]]]
    shown: int
    total: int
    tolerance: float
    """Degrees; 0 where shapes are as they were."""


async def sample(source: Source, layer: Layer, most: int = MAX_BYTES) -> Sample:
    """Some features of a layer as GeoJSON, simplified and scattered over all of it, for exported pages."""
    total, _placed = await source.count()
    tolerance = 0.0 if layer.geometry_type == "point" else tolerance_of(layer)
    needs_points = any(drawn.source_layer == "points" for drawn in layer.style.layers)
    columns = columns_of(source, layer)
    shape = computable(source.geometry(), declared_type(source.table)[0])
    simple = sa.func.ST_SimplifyPreserveTopology(shape, tolerance, type_=GEOMETRY) if tolerance else shape
    point = sa.func.ST_AsGeoJSON(sa.func.ST_PointOnSurface(shape, type_=GEOMETRY), DEGREE_DECIMALS)
    query = source.rows(
        feature_id(source.table),
        sa.func.ST_AsGeoJSON(simple, DEGREE_DECIMALS),
        point if needs_points else sa.null(),
        *columns.values(),
    )
    if total > MAX_ROWS:
        query = scattered(source, query).limit(MAX_ROWS)
    features: dict[str, list[dict[str, Any]]] = {"features": [], "points": []}
    room, shown = min(most, MAX_BYTES), 0
    async with aclosing(source.stream(query)) as chunks:
        async for chunk in chunks:
            for identifier, drawn, on_it, *values in chunk:
                properties = {
                    name: value for name, value in zip(columns, values, strict=True) if value is not None
                }
                room -= len(drawn or "") + len(on_it or "") + 20 + len(json.dumps(properties, default=str))
                if room < 0:
                    return Sample(features, shown, total, tolerance)
                shown += 1
                for name, text in (("features", drawn), ("points", on_it)):
                    if text:
                        features[name].append(feature(identifier, json.loads(text), properties))
    return Sample(features, shown, total, tolerance)


def feature(identifier: Any, geometry: dict[str, Any], properties: dict[str, Any]) -> dict[str, Any]:
    """A GeoJSON feature (RFC 7946)."""
    own = {} if identifier is None else {"id": identifier}
    return {"type": "Feature", **own, "geometry": geometry, "properties": properties}


def columns_of(source: Source, layer: Layer) -> dict[str, Expression]:
    """The columns that the style reads, then the first others, with values as in tiles."""
    styled = [layer.style.column, *label_columns(source.table, layer.style.label)]
    names = [name for name in styled if name] + [column.name for column in source.columns]
    values: dict[str, Expression] = {}
    for name in dict.fromkeys(names):
        column = source.table.column(name)
        value = None if column is None else tile_value(source.table, column)
        if value is not None and len(values) < MAX_COLUMNS:
            values[name] = value
    return values


def scattered(source: Source, query: sa.Select[Any]) -> sa.Select[Any]:
    """An order that is independent of location, and the same every time."""
    if not source.key:
        return query
    return query.order_by(None).order_by(*(sa.func.md5(sa.cast(each, sa.Text)) for each in source.key))


def tolerance_of(layer: Layer) -> float:
    """The tolerance of simplification in degrees: a fixed share of the layer's extent."""
    if layer.bounds is None:
        return 0.0
    west, south, east, north = layer.bounds
    return max((east - west) % 360, north - south) * RELATIVE_TOLERANCE
