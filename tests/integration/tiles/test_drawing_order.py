"""Small areas are drawn above large ones; rows are ranked only where a tile does not hold them all."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio

from server.database.engines import Database
from server.gis.overviews.caps import TileCaps
from server.gis.tiles.grid import Tile
from server.gis.tiles.service import TileLimits
from tests.integration.tiles.drawing import Atlas

ROWS = 60
AREAS = f"""
CREATE TABLE data.nested AS
SELECT n AS id, ST_Buffer(ST_SetSRID(ST_MakePoint(9.001, 48.001), 4326), 0.0001 * (1 + n * 7 % {ROWS}), 2)
    ::geometry(Polygon, 4326) AS geom
FROM generate_series(1, {ROWS}) AS n"""
DETAILED = Tile.at(14, 8601, 5695)


@pytest_asyncio.fixture(loop_scope="session")
async def nested(atlas: Atlas) -> AsyncIterator[None]:
    """Areas around one place, of sizes that have nothing to do with the order of the rows."""
    await atlas.execute(
        AREAS,
        "ALTER TABLE data.nested ADD PRIMARY KEY (id)",
        "CREATE INDEX ON data.nested USING gist (geom)",
        "ANALYZE data.nested",
    )
    yield
    await atlas.execute("DROP TABLE data.nested")


async def sizes(atlas: Atlas, tile: Tile) -> list[int]:
    """How large the areas of a tile are, in the order in which they are drawn: 1 for the smallest."""
    drawn = (await atlas.tile(tile.z, tile.x, tile.y))["features"]
    return [1 + (feature.id or 0) * 7 % ROWS for feature in drawn]


async def test_small_areas_are_drawn_above_large_ones(atlas: Atlas, nested: None) -> None:
    await atlas.layer("data.nested")
    for tile in (DETAILED, Tile.at(10, DETAILED.x >> 4, DETAILED.y >> 4)):
        assert await sizes(atlas, tile) == [*range(ROWS, 0, -1)]


async def test_a_full_detailed_tile_of_a_large_layer_keeps_the_largest(
    database: Database, nested: None
) -> None:
    small = Atlas(database, TileLimits(caps=TileCaps(20, 20)))
    await small.layer("data.nested")
    drawn = await small.tile(DETAILED.z, DETAILED.x, DETAILED.y)
    assert drawn["_meta"][0].properties == {"shown": 20, "total": ROWS}
    assert await sizes(small, DETAILED) == [*range(ROWS, ROWS - 20, -1)]
    (statements,) = small.service._statements.values()
    assert "ORDER BY" in statements.at(DETAILED.z).text.partition("LIMIT")[0]
    assert "ORDER BY" not in statements.at(DETAILED.z + 1).text.partition("LIMIT")[0]
