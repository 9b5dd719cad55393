"""PostgreSQL plans the statement of detailed tiles once, and that of a filter's values for these values."""

from __future__ import annotations

from server.database.engines import Database
from server.gis.tiles.grid import Tile
from tests.integration.tiles.drawing import Atlas

PLANS = """SELECT sum(generic_plans)::int AS generic, sum(custom_plans)::int AS custom FROM pg_prepared_statements
    WHERE ltrim(statement, E'\\n') LIKE 'WITH matched%planned_once%'"""
FEW = {"op": "<", "args": [{"property": "id"}, 50]}


async def plans(database: Database) -> tuple[int, int]:
    async with database.tile_pool.acquire() as connection:
        row = await connection.fetchrow(PLANS)
        return row["generic"], row["custom"]


async def test_only_statements_without_values_are_planned_once(database: Database) -> None:
    atlas = Atlas(database)
    await atlas.execute(
        "DROP TABLE IF EXISTS data.planned_once",
        "CREATE TABLE data.planned_once (id int PRIMARY KEY, geom geometry(Polygon, 4326))",
        "INSERT INTO data.planned_once SELECT n, ST_SetSRID(ST_MakeEnvelope(9 + n * 0.0001, 48, 9 + n * 0.0001 + 0.002,"
        " 48.002), 4326) FROM generate_series(1, 100) AS n",
        "CREATE INDEX ON data.planned_once USING gist (geom)",
        "ANALYZE data.planned_once",
    )
    await atlas.layer("data.planned_once")
    await atlas.layer("data.planned_once", filter=FEW, layer_id="few")
    tiles = [Tile.at(15, 17203 + column, 11360) for column in range(3)]
    for tile in tiles:
        await atlas.service.tile("m", "a", 1, tile)
    assert await plans(database) == (len(tiles), 0)
    for tile in tiles:
        await atlas.service.tile("m", "few", 1, tile)
    assert await plans(database) == (len(tiles), len(tiles))
    await atlas.service.tile("m", "a", 1, Tile.at(15, 17206, 11360))
    assert await plans(database) == (len(tiles) + 1, len(tiles))
