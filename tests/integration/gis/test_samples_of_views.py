"""Views that have no overviews yet are drawn from a sample of their largest table."""

from __future__ import annotations

import asyncpg
import pytest

from server.database.engines import Database
from server.gis.overviews.ladder import OverviewStore
from server.gis.profiles.versions import DataVersions
from server.gis.sql.view_samples import sampled_view
from server.gis.tiles import low_zoom
from server.gis.tiles.low_zoom import LowZoom
from tests.integration.tiles.drawing import Atlas

ROWS = 30_000
VIEWS = {
    "id, value, geom FROM data.things WHERE value >= 0": True,
    "t.id, t.value, t.geom FROM data.things t JOIN data.kinds k ON k.id = value LEFT JOIN data.kinds o ON o = k": True,
    "id, value, geom FROM data.things UNION ALL SELECT id, value, geom FROM data.things": True,
    "value AS id, min(id) AS value, (array_agg(geom))[1] AS geom FROM data.things GROUP BY value": False,
    "DISTINCT ON (id) id, value, geom FROM data.things": False,
    "row_number() OVER () AS id, value, geom FROM data.things": False,
    "id, value, geom FROM data.things LIMIT 20000": False,
    "k.id, k.id AS value, t.geom FROM data.things t RIGHT JOIN data.kinds k ON k.id = t.value": False,
}


@pytest.mark.parametrize(("select", "is_sampled"), VIEWS.items())
async def test_a_view_is_sampled_where_that_gives_rows_of_the_view(
    database: Database,
    session: asyncpg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    select: str,
    is_sampled: bool,
) -> None:
    await session.execute(
        f"""DROP TABLE IF EXISTS data.kinds, data.things CASCADE;
        CREATE TABLE data.kinds AS SELECT n AS id FROM generate_series(0, 99) AS n;
        CREATE TABLE data.things AS SELECT n AS id, n % 100 AS value,
          ST_SetSRID(ST_MakePoint(n % 300 - 150, n % 100 - 50), 4326)::geometry(Point, 4326) AS geom
          FROM generate_series(1, {ROWS}) AS n;
        ANALYZE data.kinds; ANALYZE data.things; CREATE VIEW data.seen AS SELECT {select}"""
    )
    relid = await session.fetchval("SELECT 'data.seen'::regclass::oid::bigint")
    text = await sampled_view(session, relid, 10.0)
    assert (text is not None) == is_sampled
    if text is None:
        return
    rows = await session.fetchval(f"SELECT count(*) FROM ({text}) AS sampled")
    every = await session.fetchval("SELECT count(*) FROM data.seen")
    assert 0.04 * every < rows < 0.2 * every
    monkeypatch.setattr(low_zoom, "MIN_SAMPLED", 1000)
    monkeypatch.setattr(low_zoom, "SLOW_COST", 1)
    atlas = Atlas(database, low_zoom=LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1))
    await atlas.layer("data.seen")
    tile = await atlas.tile(0, 0, 0)
    (note,) = (each.properties for each in tile["_meta"])
    assert note["sample"] is True
    assert len(tile["features"]) > 0
    assert 0.4 * every < note["total"] < 2 * every
