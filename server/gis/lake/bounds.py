"""Extents of datasets in EPSG:4326."""

from __future__ import annotations

import math

import asyncpg

from agents.domain import Bounds
from server.database.quoting import quoted
from server.gis.expressions.identifiers import WGS84
from server.gis.lake.dataset import Dataset

STEPS = 32
"""Pieces of a side of a box: its sides are curves elsewhere."""


async def lonlat_bounds(driver: asyncpg.Connection, dataset: Dataset) -> Bounds | None:
    """The bounds in the metadata of the files; None without any."""
    box = dataset.box
    if box is None or not all(map(math.isfinite, box)):
        return None
    if dataset.srid == WGS84:
        return box
    step = max(box[2] - box[0], box[3] - box[1]) / STEPS or 1.0
    envelope = f"ST_MakeEnvelope({', '.join(repr(float(side)) for side in box)}, {int(dataset.srid)})"
    return await _read(driver, f"SELECT ST_Transform(ST_Segmentize({envelope}, {step!r}), {WGS84}) AS e")


async def sample_bounds(driver: asyncpg.Connection, relation: str, geometry: str) -> Bounds | None:
    """The bounds of the rows in PostGIS."""
    return await _read(
        driver,
        f"SELECT ST_Extent(ST_Transform({quoted(geometry)}, {WGS84})) AS e FROM {relation}",  # noqa: S608 - quoted
    )


async def _read(driver: asyncpg.Connection, source: str) -> Bounds | None:
    row = await driver.fetchrow(
        f"SELECT ST_XMin(e), ST_YMin(e), ST_XMax(e), ST_YMax(e) FROM ({source}) AS made"  # noqa: S608 - as above
    )
    west, south, east, north = tuple(row)
    if any(side is None or not math.isfinite(side) for side in (west, south, east, north)):
        return None
    return west, south, east, north
