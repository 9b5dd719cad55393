"""What is costly of a tile, PostGIS computes once for each feature."""

from __future__ import annotations

import math

import asyncpg
import pytest

from server.database.engines import Database
from server.gis.tiles.grid import Tile
from server.gis.tiles.projection import SearchBoxes, read_crs
from server.gis.tiles.statement import LayerStatements
from tests.integration.tiles.drawing import Atlas

SHAPES = 20
CALLS = """SELECT funcname, calls FROM pg_stat_xact_user_functions
    WHERE funcname IN ('st_asmvtgeom', 'st_transform', 'st_simplify')"""
COLUMNS = {
    "polygons": "geometry(Polygon, 4326)",
    "mixed_shapes": "geometry(Geometry, 4326)",
    "utm_shapes": "geometry(Polygon, 32632)",
}


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.parametrize("zoom", [6, 14])
async def test_each_shape_is_projected_simplified_and_drawn_once(
    database: Database, name: str, zoom: int
) -> None:
    atlas = Atlas(database)
    srid = COLUMNS[name].split()[-1].rstrip(")")
    width = 0.002
    await atlas.execute(
        f"DROP TABLE IF EXISTS data.{name}",
        f"CREATE TABLE data.{name} (id int PRIMARY KEY, geom {COLUMNS[name]})",
        f"INSERT INTO data.{name} SELECT n, ST_Transform(ST_SetSRID(ST_MakeEnvelope(9 + n * 0.0001, 48,"
        f" 9 + n * 0.0001 + {width}, 48 + {width}), 4326), {srid}) FROM generate_series(1, {SHAPES}) n",
        f"CREATE INDEX ON data.{name} USING gist (geom)",
        f"ANALYZE data.{name}",
    )
    layer = await atlas.layer(f"data.{name}")
    table = await atlas.table(f"data.{name}")
    north = math.asinh(math.tan(math.radians(48.001))) / math.pi
    tile = Tile.at(zoom, int((9.002 + 180) / 360 * 2**zoom), int((1 - north) / 2 * 2**zoom))
    connection = await asyncpg.connect(database.url)
    try:
        crs = await read_crs(connection, table.srid, table.id)
        box = await SearchBoxes().of(connection, crs, tile)
        assert box is not None
        statement = LayerStatements(table, layer, crs, wide=name == "mixed_shapes").at(zoom)
        async with connection.transaction():
            await connection.execute("SET LOCAL track_functions = 'all'")
            row = await connection.fetchrow(statement.text, *statement.arguments(crs, tile, box))
            calls = {each["funcname"]: each["calls"] for each in await connection.fetch(CALLS)}
    finally:
        await connection.close()
    assert row["shown"] == SHAPES
    # In a projected system it is looked whether a shape crosses the antimeridian, in degrees.
    transforms = 2 if crs.kind == "projected" else 1
    assert calls["st_asmvtgeom"] == SHAPES
    assert calls["st_transform"] == SHAPES * transforms
    assert calls.get("st_simplify", 0) in ((SHAPES,) if zoom < 13 else (0,))
