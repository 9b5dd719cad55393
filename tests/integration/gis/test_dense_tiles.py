"""Tiles at low zoom that a large table is drawn into because cells of its overviews are too wide: few shapes, and how
many there are."""

from __future__ import annotations

import asyncpg
import pytest

from server.database.engines import Database
from server.gis.overviews import build, ladder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import OverviewStore
from server.gis.profiles.versions import DataVersions
from server.gis.tiles import low_zoom
from server.gis.tiles.grid import Tile
from server.gis.tiles.low_zoom import LowZoom
from server.gis.tiles.projection import SearchBoxes, read_crs
from server.gis.tiles.statement import LayerStatements
from tests.integration.gis.test_overviews import built
from tests.integration.tiles.drawing import Atlas

ROWS = 4_000
LARGE = 10
TOWN = (9, 284, 196)
"""The tile that all of them lie in."""


@pytest.fixture(autouse=True)
def dense_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are full with few rows, and no cells of overviews are fine enough for them."""
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))
    monkeypatch.setattr(ladder, "MIN_CELLS", 4096)
    monkeypatch.setattr(low_zoom, "DUST", 200)
    monkeypatch.setattr(low_zoom, "DENSE_LINES", 100)


async def town(database: Database, session: asyncpg.Connection, kind: str, shape: str) -> Atlas:
    """A table of shapes, of which some are large, and its tiles."""
    await session.execute(
        f"""CREATE TABLE data.things (id serial PRIMARY KEY, geom geometry({kind}, 4326));
        INSERT INTO data.things (geom) SELECT {shape} FROM (SELECT ST_SetSRID(ST_MakePoint(
            19.8 + (abs(hashint4(i)) % 1000) * 0.0004, 38.32 + (abs(hashint4(i + 9)) % 1000) * 0.0003), 4326) AS place,
            CASE WHEN i % {ROWS // LARGE} = 0 THEN 0.02 ELSE 0.0001 END AS size
          FROM generate_series(1, {ROWS}) AS i) AS placed;
        CREATE INDEX ON data.things USING gist (geom); ANALYZE data.things"""
    )
    found, _ = await built(database, session)
    assert found is not None
    assert found.drawn_below < TOWN[0]
    atlas = Atlas(database, low_zoom=LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1))
    await atlas.layer("data.things")
    return atlas


async def test_all_areas_of_a_pixel_and_a_share_of_smaller_ones_are_drawn(
    database: Database, session: asyncpg.Connection
) -> None:
    atlas = await town(database, session, "Polygon", "ST_Expand(place, size / 2)")
    tile = await atlas.tile(*TOWN)
    ids = {feature.id for feature in tile["features"]}
    assert {*range(ROWS // LARGE, ROWS + 1, ROWS // LARGE)} <= ids
    assert 150 < len(ids) - LARGE < 250
    (note,) = tile["_meta"]
    assert (note.properties["shown"], note.properties["total"]) == (len(ids), ROWS)
    assert (await atlas.service.tile("m", "a", 1, Tile.at(*TOWN))).is_estimate
    whole = Tile.at(TOWN[0] + 3, *(each * 8 + 4 for each in TOWN[1:]))
    assert not (await atlas.service.tile("m", "a", 1, whole)).is_estimate
    # Nothing that is drawn goes when one zooms in.
    z, x, y = TOWN
    closer = [await atlas.tile(z + 1, 2 * x + right, 2 * y + down) for right in (0, 1) for down in (0, 1)]
    assert ids <= {feature.id for tile in closer for feature in tile.get("features", [])}


@pytest.mark.parametrize(
    ("kind", "shape"),
    [
        ("Polygon", "ST_Expand(place, size / 2)"),
        ("LineString", "ST_MakeLine(place, ST_Translate(place, size, size))"),
    ],
)
async def test_the_rows_of_a_tile_are_counted_once(
    database: Database, session: asyncpg.Connection, kind: str, shape: str
) -> None:
    atlas, tile = await town(database, session, kind, shape), Tile.at(*TOWN)
    table, layer = await atlas.table("data.things"), await atlas.layer("data.things")
    low = LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1)
    crs = await read_crs(session, table.srid, table.id)
    box = await SearchBoxes().of(session, crs, tile)
    assert box is not None
    dense = await low.statements(session, LayerStatements(table, layer, crs), tile, box)
    assert dense is not None
    statement = dense.at(tile.z)
    plan = await session.fetch(f"EXPLAIN (VERBOSE) {statement.text}", *statement.arguments(crs, tile, box))
    assert sum("Scan" in line and " geoagent_overviews." in line for (line,) in plan) == 1


async def test_the_longest_lines_are_drawn(database: Database, session: asyncpg.Connection) -> None:
    line = "ST_MakeLine(place, ST_Translate(place, size, size))"
    atlas = await town(database, session, "LineString", line)
    tile = await atlas.tile(*TOWN)
    ids = {feature.id for feature in tile["features"]}
    assert {*range(ROWS // LARGE, ROWS + 1, ROWS // LARGE)} <= ids
    assert len(ids) == 100
    (note,) = tile["_meta"]
    assert (note.properties["shown"], note.properties["total"]) == (100, ROWS)


async def test_rows_are_counted_where_few_more_are_there_than_drawn(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(low_zoom, "DENSE_LINES", ROWS - 1)
    line = "ST_MakeLine(place, ST_Translate(place, size, size))"
    (note,) = (await (await town(database, session, "LineString", line)).tile(*TOWN))["_meta"]
    assert (note.properties["shown"], note.properties["total"]) == (ROWS - 1, ROWS)


async def test_detailed_tiles_draw_all_shapes(database: Database, session: asyncpg.Connection) -> None:
    atlas = await town(database, session, "Polygon", "ST_Expand(place, size / 2)")
    z, x, y = TOWN
    tiles = [await atlas.tile(z + 2, 4 * x + right, 4 * y + down) for right in range(4) for down in range(4)]
    assert len({feature.id for tile in tiles for feature in tile.get("features", [])}) == ROWS
    assert not any("_meta" in tile for tile in tiles)
