"""The extent of a tile in the coordinate system of the data, for a search with the data's spatial index.

Web Mercator and longitude/latitude are arithmetic. For any other system the tile is projected by
PostGIS as a grid of points, and what cannot be projected is left out: data in that system cannot lie there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import asyncpg
from cachetools import LRUCache

from agents.units import US_SURVEY_FOOT, factors
from agents.worded import Template
from server.gis.styles.errors import NoReferenceSystem, require_srid
from server.gis.tiles.grid import PIXELS, WORLD, Box, Tile
from server.gis.tiles.mapping import affine, neighbourhood
from server.gis.tiles.mapping.affine import Affine
from server.gis.tiles.mapping.neighbourhood import Neighbourhood

UNKNOWN_SRID = Template(
    "style_unknown_srid", "{subject} has SRID {srid}, which this database's spatial_ref_sys does not define."
)

MERCATOR = 3857
LONLAT = 4326
STEPS = 16
DEEPEST_SPLIT = 3
MAX_PROJECTED_COORDINATE_M = 5e7
"""Metres from the origin of a projection beyond which coordinates are mistakes that PROJ may refuse.
(Eastings that begin with the zone's number reach 3.3e7.)"""


@dataclass(frozen=True)
class Crs:
    """How tiles are cut in the reference system of a table: directly, by longitude and latitude, or by PROJ."""

    srid: int
    kind: Literal["mercator", "lonlat", "projected"]
    unit: float = 1.0
    """Metres in one unit of a projected system."""

    def tolerance(self, tile: Tile) -> float:
        """A quarter of a pixel in units of the data."""
        share = 1 / (1 << tile.z) / PIXELS / 4
        if self.kind == "lonlat":
            return 360 * share
        if self.kind == "mercator":
            return WORLD * share
        return WORLD * share / tile.stretch() / self.unit


async def read_crs(connection: asyncpg.Connection, srid: int, subject: str) -> Crs:
    """The system of a table for tiles. Raises NoReferenceSystem for SRID 0 and for one that is not in PostGIS's
    table."""
    if srid == MERCATOR:
        return Crs(srid, "mercator")
    if srid == LONLAT:
        return Crs(srid, "lonlat")
    require_srid(srid, subject)
    definition = await connection.fetchval("SELECT proj4text FROM spatial_ref_sys WHERE srid = $1", srid)
    if not definition:
        raise NoReferenceSystem(UNKNOWN_SRID(subject=subject, srid=str(srid)))
    if re.search(r"\+proj=(longlat|latlong|lonlat|latlon)\b", definition):
        return Crs(srid, "lonlat")
    return Crs(srid, "projected", _metres(definition))


class SearchBoxes:
    """The box around a tile in a coordinate system; None where the system does not reach. Remembers the
    last ones, and how each tile is a linear mapping of the system."""

    def __init__(self) -> None:
        self._known: LRUCache[tuple[int, Tile], Box | None] = LRUCache(20_000)
        self._affine: LRUCache[tuple[int, Tile], Affine | None] = LRUCache(20_000)
        self._neighbourhoods: LRUCache[tuple[int, Tile], Neighbourhood | None] = LRUCache(1_000)

    async def of(self, connection: asyncpg.Connection, crs: Crs, tile: Tile) -> Box | None:
        """The bounds of the tile in the reference system of the data, for its spatial index; None if the tile has no
        place there."""
        if crs.kind == "mercator":
            return tile.mercator()
        if crs.srid == LONLAT:
            return tile.degrees()
        key = (crs.srid, tile)
        if key in self._known:
            return self._known[key]
        around = await self._neighbourhood(connection, crs, tile)
        found = None if around is None else around.box_and_mapping(tile)
        box, self._affine[key] = found or (await _projected_box(connection, crs, tile), None)
        self._known[key] = box
        return box

    async def _neighbourhood(
        self, connection: asyncpg.Connection, crs: Crs, tile: Tile
    ) -> Neighbourhood | None:
        """The neighbourhood of a tile; None where the system is not smooth there, and for tiles larger than
        neighbourhoods."""
        if tile.z < neighbourhood.ZOOM:
            return None
        around = neighbourhood.of_tile(tile)
        key = (crs.srid, around)
        if key not in self._neighbourhoods:
            self._neighbourhoods[key] = await _projected(connection, crs, around)
        return self._neighbourhoods[key]

    def affine(self, crs: Crs, tile: Tile) -> Affine | None:
        """The mapping of the system to units of the tile, after `of`; None where it is not linear enough."""
        if crs.kind == "mercator":
            return affine.of_mercator(tile)
        if crs.srid == LONLAT:
            return affine.of_degrees(tile)
        return self._affine.get((crs.srid, tile))


_SAMPLES = """
SELECT array_agg(ST_X(p) ORDER BY number), array_agg(ST_Y(p) ORDER BY number)
FROM (SELECT ST_Transform(ST_SetSRID(ST_MakePoint(x, y), 4326), $3::int) AS p, number
      FROM unnest($1::float8[], $2::float8[]) WITH ORDINALITY AS place (x, y, number) OFFSET 0) AS projected
"""


async def _projected(connection: asyncpg.Connection, crs: Crs, tile: Tile) -> Neighbourhood | None:
    longitudes, latitudes = zip(*neighbourhood.places(tile), strict=True)
    try:
        xs, ys = await connection.fetchrow(_SAMPLES, longitudes, latitudes, crs.srid)
    except asyncpg.InternalServerError:
        return None
    found = Neighbourhood(tile, list(zip(xs, ys, strict=True)))
    return found if found.is_smooth else None


_GRID = """
SELECT min(ST_X(p)), min(ST_Y(p)), max(ST_X(p)), max(ST_Y(p))
FROM (
  SELECT ST_Transform(ST_SetSRID(ST_MakePoint(
    $1::float8 + ($3::float8 - $1::float8) * column_ / $5::float8,
    $2::float8 + ($4::float8 - $2::float8) * row_ / $5::float8), 4326), $6::int) AS p
  FROM generate_series(0, $5::int) AS column_, generate_series(0, $5::int) AS row_
) AS projected
WHERE abs(ST_X(p)) < 'Infinity' AND abs(ST_Y(p)) < 'Infinity'
"""


async def _projected_box(connection: asyncpg.Connection, crs: Crs, tile: Tile, depth: int = 0) -> Box | None:
    """Padded by a grid step, for what bulges out between two points of the grid."""
    try:
        row = await connection.fetchrow(_GRID, *tile.degrees(), STEPS, crs.srid)
    except asyncpg.InternalServerError:
        if depth == DEEPEST_SPLIT:
            return None
        parts = [await _projected_box(connection, crs, child, depth + 1) for child in tile.children()]
        return _around([part for part in parts if part is not None])
    west, south, east, north = row
    if west is None:
        return None
    across, up = (east - west) / STEPS, (north - south) / STEPS
    limit = MAX_PROJECTED_COORDINATE_M / crs.unit if crs.kind == "projected" else 1e4
    box = (
        max(-limit, west - across),
        max(-limit, south - up),
        min(limit, east + across),
        min(limit, north + up),
    )
    return box if box[0] <= box[2] and box[1] <= box[3] else None


def _around(boxes: Sequence[Box]) -> Box | None:
    if not boxes:
        return None
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _metres(definition: str) -> float:
    factor = re.search(r"\+to_meter=([0-9.eE+-]+)", definition)
    if factor:
        return float(factor.group(1))
    unit = re.search(r"\+units=(\S+)", definition)
    return {**factors("length"), "us-ft": US_SURVEY_FOOT}.get(unit.group(1) if unit else "m", 1.0)
