"""The box in which a tile's rows are searched holds all of the tile, in any reference system."""

from __future__ import annotations

from typing import Any

import asyncpg
import pytest

from server.database.engines import Database
from server.gis.tiles.grid import Tile
from server.gis.tiles.projection import SearchBoxes, read_crs

OUTSIDE = """SELECT count(*) FROM (
    SELECT ST_Transform(ST_SetSRID(ST_MakePoint($1::float8 + ($3::float8 - $1::float8) * i / 40,
      $2::float8 + ($4::float8 - $2::float8) * j / 40), 4326), $9::int) AS p
    FROM generate_series(0, 40) AS i, generate_series(0, 40) AS j) AS projected
  WHERE NOT (ST_X(p) BETWEEN $5::float8 AND $7::float8 AND ST_Y(p) BETWEEN $6::float8 AND $8::float8)"""
PLACES = {
    "UTM": (32632, 0.525, 0.347),
    "Gauss-Kruger": (31467, 0.527, 0.345),
    "Lambert conformal": (2154, 0.508, 0.36),
    "Lambert equal-area": (3035, 0.55, 0.3),
    "polar stereographic": (3413, 0.4, 0.12),
    "British grid": (27700, 0.495, 0.33),
    "degrees of another datum": (4269, 0.23, 0.38),
}
ZOOMS = (9, 10, 11, 12, 15, 18, 22)


@pytest.mark.parametrize("name", PLACES)
async def test_no_part_of_a_tile_lies_outside(database: Database, name: str) -> None:
    srid, x, y = PLACES[name]
    connection = await asyncpg.connect(database.url)
    try:
        crs, boxes = await read_crs(connection, srid, name), SearchBoxes()
        for zoom in ZOOMS:
            tile = Tile.at(zoom, int(x * 2**zoom), int(y * 2**zoom))
            box = await boxes.of(connection, crs, tile)
            assert box is not None
            assert await connection.fetchval(OUTSIDE, *tile.degrees(), *box, srid) == 0, zoom
            width = box[2] - box[0], box[3] - box[1]
            if zoom >= 15:  # near the places' own box, since all else is read in vain
                assert boxes.affine(crs, tile) is not None
                assert await connection.fetchval(OUTSIDE, *tile.degrees(), *shrunk(box, width), srid) > 0
    finally:
        await connection.close()


class Counting:
    """A connection that counts what is asked."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self.connection = connection
        self.asked = 0

    async def fetchrow(self, *arguments: Any) -> Any:
        self.asked += 1
        return await self.connection.fetchrow(*arguments)


async def test_postgis_is_asked_once_about_the_tiles_of_a_neighbourhood(database: Database) -> None:
    srid, x, y = PLACES["UTM"]
    connection = await asyncpg.connect(database.url)
    try:
        counting, boxes = Counting(connection), SearchBoxes()
        crs = await read_crs(connection, srid, "UTM")
        for deeper in range(2, 7):
            for column in range(3):
                left, top = int(x * 2**10) << deeper, int(y * 2**10) << deeper
                await boxes.of(counting, crs, Tile.at(10 + deeper, left + column, top))
        assert counting.asked == 1
    finally:
        await connection.close()


def shrunk(box: tuple[float, ...], width: tuple[float, float]) -> tuple[float, ...]:
    """Without a fiftieth of each side."""
    across, up = (each / 50 for each in width)
    return box[0] + across, box[1] + up, box[2] - across, box[3] - up
