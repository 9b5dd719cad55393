"""Overviews of lines and areas: as much area as the rows have, small tiles, and shapes that are valid."""

from __future__ import annotations

import asyncpg
import pytest

from server.database.engines import Database
from server.gis.overviews import build, sampling
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import MIN_CELLS, SCHEMA, OverviewStore
from server.gis.profiles.versions import DataVersions
from server.gis.tiles.low_zoom import LowZoom
from tests.integration.gis.test_overviews import built, check
from tests.integration.tiles.drawing import Atlas


@pytest.fixture(autouse=True)
def full_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are full with few rows, so that small tables have overviews."""
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(20, 20))


async def test_squares_have_the_area_of_what_they_represent(
    database: Database, session: asyncpg.Connection
) -> None:
    await session.execute(
        """CREATE TABLE data.things (id serial PRIMARY KEY, geom geometry(Polygon, 3857));
        INSERT INTO data.things (geom) SELECT ST_MakeEnvelope(x * 200, y * 200, x * 200 + 100, y * 200 + 100, 3857)
        FROM generate_series(1, 60) AS x, generate_series(1, 60) AS y; ANALYZE data.things"""
    )
    ladder, _ = await built(database, session)
    assert ladder is not None
    finest = ladder.bands[-1]
    area = await session.fetchval(f"SELECT sum(ST_Area(geom)) FROM {SCHEMA}.{finest.name}")
    assert area == pytest.approx(3600 * 100 * 100, rel=0.1)


async def test_bands_of_large_shapes_are_coarser_so_that_tiles_stay_small(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await session.execute(
        """CREATE TABLE data.things (id serial PRIMARY KEY, geom geometry(LineString, 3857));
        INSERT INTO data.things (geom) SELECT (SELECT ST_SetSRID(ST_MakeLine(
            ST_MakePoint(x * 9000 + k * 500, y * 9000 + 1000 * sin(k)) ORDER BY k), 3857)
          FROM generate_series(0, 60) AS k)
        FROM generate_series(1, 50) AS x, generate_series(1, 50) AS y; ANALYZE data.things"""
    )
    monkeypatch.setattr(sampling, "MAX_TILE_BYTES", 10**9)
    full, rows = await built(database, session)
    await session.execute("DELETE FROM geoagent.overview")
    monkeypatch.setattr(sampling, "MAX_TILE_BYTES", 3_000)
    ladder, _ = await built(database, session)
    assert ladder is not None
    assert full is not None
    await check(session, ladder, rows)
    assert ladder.drawn_below == full.drawn_below
    assert any(ladder.cells_of(zoom) < full.cells_of(zoom) for zoom in range(full.drawn_below))
    for band in ladder.bands:
        assert band.cells >= MIN_CELLS << band.zoom or band.cells == ladder.cells


async def test_simplified_areas_are_valid(database: Database, session: asyncpg.Connection) -> None:
    await session.execute(
        """CREATE TABLE data.things (id serial PRIMARY KEY, geom geometry(Polygon, 3857));
        INSERT INTO data.things (geom) SELECT ST_Translate(ST_Buffer(ST_SetSRID(ST_MakeLine(
            ST_MakePoint(k * 900, 40000 * sin(k * n)) ORDER BY k), 3857), 20), n * 30000, n * 5000)
        FROM generate_series(1, 200) AS n, generate_series(0, 40) AS k GROUP BY n; ANALYZE data.things"""
    )
    ladder, rows = await built(database, session)
    assert ladder is not None
    assert ladder.is_valid
    await check(session, ladder, rows)
    for band in ladder.bands:
        assert await session.fetchval(f"SELECT bool_and(ST_IsValid(geom)) FROM {SCHEMA}.{band.name}")


@pytest.mark.parametrize(("shape", "drawn"), [("place", 20_000), ("ST_Expand(place, 0.1)", 10_000)])
async def test_the_sample_before_there_are_overviews_has_fewer_areas_than_points(
    database: Database, session: asyncpg.Connection, shape: str, drawn: int
) -> None:
    await session.execute(
        f"""CREATE TABLE data.things AS SELECT n AS id, {shape} AS geom FROM (SELECT n,
          ST_SetSRID(ST_MakePoint(n % 340 - 170, n % 130 - 65), 4326) AS place
          FROM generate_series(1, 200000) AS n) AS row;
        ALTER TABLE data.things ALTER geom TYPE geometry({"Point" if shape == "place" else "Polygon"}, 4326);
        ANALYZE data.things"""
    )
    atlas = Atlas(database, low_zoom=LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1))
    await atlas.layer("data.things")
    (note,) = (each.properties for each in (await atlas.tile(0, 0, 0))["_meta"])
    assert note["sample"] is True
    assert 0.8 * drawn < note["shown"] < 1.2 * drawn
    assert 160_000 < note["total"] < 240_000
