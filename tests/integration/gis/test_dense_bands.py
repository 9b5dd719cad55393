"""Bands of the fullest tiles of zoom levels that are otherwise drawn from the table."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from agents.domain import StyleSpec
from server.database.engines import Database
from server.gis.overviews import build, ladder
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.dense import making, points, shapes
from server.gis.overviews.dense.tiles import lacks_dense_bands
from server.gis.overviews.ladder import SCHEMA, WEIGHT, Ladder, OverviewStore
from server.gis.overviews.summaries import FilteredRows
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.tiles.grid import WORLD
from server.gis.tiles.low_zoom import LowZoom
from tests.integration.gis.test_overview_renewal import CHANGES, renew
from tests.integration.gis.test_overviews import MANY, built, check, looked_at
from tests.integration.tiles.drawing import Atlas

ROWS = 3_000
FULL = 500
"""Rows of a full tile."""
LARGE = 10
SHARE = 10.0
"""Of the table for its overviews: enough for all bands of so small a table."""
TOWN = (9, 284, 196)
"""The tile that two thirds of the rows lie in."""
AREA = "ST_Expand(place, size / 2)"
LINE = "ST_MakeLine(place, ST_Translate(place, size, size))"


@pytest.fixture(autouse=True)
def dense_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are full with few rows, and no cells of other bands are fine enough for them."""
    monkeypatch.setattr(build, "USUAL_CAPS", TileCaps(FULL, FULL))
    monkeypatch.setattr(ladder, "MIN_CELLS", 4096)
    monkeypatch.setattr(shapes, "DENSE_ROWS", FULL)
    monkeypatch.setattr(points, "DENSE_POINTS", FULL)
    for module in (shapes, points):
        monkeypatch.setattr(module, "CELLS", 32)


async def town(session: asyncpg.Connection, kind: str, shape: str, srid: int = 4326) -> None:
    """A table of shapes, of which some are large, and of which a third lie elsewhere."""
    await session.execute(
        f"""CREATE TABLE data.things (id serial PRIMARY KEY, name text, value int, geom geometry({kind}, {srid}));
        INSERT INTO data.things (value, geom) SELECT i % 100, ST_Transform({shape}, {srid}) FROM (
          SELECT i, ST_SetSRID(ST_MakePoint(
            CASE WHEN i % 3 = 0 THEN 20.9 + (abs(hashint4(i)) % 1000) * 0.03
              ELSE 19.8 + (abs(hashint4(i)) % 1000) * 0.0004 END,
            38.32 + (abs(hashint4(i + 9)) % 1000) * 0.0003), 4326) AS place,
            CASE WHEN i % {ROWS // LARGE} = 1 THEN 0.02 ELSE 0.0001 END AS size
          FROM generate_series(1, {ROWS}) AS i) AS placed;
        CREATE INDEX ON data.things USING gist (geom); ANALYZE data.things"""
    )


async def test_a_materialized_view_has_bands_of_dense_tiles(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "Point", "place")
    await session.execute(
        """CREATE MATERIALIZED VIEW data.seen AS SELECT * FROM data.things;
        CREATE INDEX ON data.seen USING gist (geom); ANALYZE data.seen"""
    )
    table, state = await looked_at(database, "data.seen")
    store = OverviewStore(database.owner)
    await OverviewBuilder(store, SHARE, MANY).build(session, table, state)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert row.ladder.is_dense(*TOWN)
    tile = await (await drawn(database, "data.seen")).tile(*TOWN)
    assert sum(each.properties["@weight"] for each in tile["features"]) == ROWS * 2 // 3


async def drawn(database: Database, name: str = "data.things") -> Atlas:
    atlas = Atlas(database, low_zoom=LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1))
    await atlas.layer(name)
    return atlas


async def content(session: asyncpg.Connection, found: Ladder) -> list[list[tuple[object, ...]]]:
    assert found.dense
    return [
        [
            tuple(row)
            for row in await session.fetch(
                f'SELECT "@x", "@y", "{WEIGHT}", id, value, ST_AsText(ST_SnapToGrid(geom, 0.01))'
                f" FROM {SCHEMA}.{band.name} ORDER BY 1, 2"
            )
        ]
        for band in found.dense
    ]


@pytest.mark.parametrize(
    ("kind", "shape", "srid"),
    [
        ("Polygon", AREA, 4326),
        ("LineString", LINE, 4326),
        ("LineString", LINE, 3857),
        ("Polygon", AREA, 2100),
        ("Point", "place", 4326),
        ("Point", "place", 2100),
    ],
)
async def test_a_dense_tile_is_drawn_from_its_band(
    database: Database, session: asyncpg.Connection, kind: str, shape: str, srid: int
) -> None:
    await town(session, kind, shape, srid)
    found, rows = await built(database, session, SHARE)
    assert found is not None
    await check(session, found, rows)
    assert found.drawn_below < TOWN[0]
    assert found.is_dense(*TOWN)
    band = found.band(TOWN[0])
    assert await session.fetchval(f'SELECT sum("{WEIGHT}") FROM {SCHEMA}.{band.name}') == ROWS * 2 // 3
    tile = await (await drawn(database)).tile(*TOWN)
    ids = {feature.id for feature in tile["features"]}
    # Nearly every cell has a row, of which one is drawn.
    assert len(ids) == band.rows > 300
    assert kind == "Point" or len({*range(1, ROWS + 1, ROWS // LARGE)} & ids) > 5
    (note,) = tile["_meta"]
    assert (note.properties["shown"], note.properties["total"]) == (len(ids), ROWS * 2 // 3)


async def test_other_tiles_are_drawn_from_the_table(database: Database, session: asyncpg.Connection) -> None:
    await town(session, "Polygon", AREA)
    found, _ = await built(database, session, SHARE)
    assert found is not None
    z, x, y = TOWN
    assert not found.is_dense(z, x + 2, y)
    tile = await (await drawn(database)).tile(z, x + 2, y)
    inside = await session.fetchval(
        f"SELECT count(*) FROM data.things WHERE geom && ST_Transform(ST_TileEnvelope({z}, {x + 2}, {y}), 4326)"
    )
    assert len(tile["features"]) == inside > 10
    assert "_meta" not in tile


async def test_what_reaches_into_a_dense_tile_is_in_it(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "LineString", LINE)
    await session.execute(
        "INSERT INTO data.things (geom) VALUES"
        " (ST_SetSRID(ST_MakeLine(ST_MakePoint(20, 38.5), ST_MakePoint(30, 38.5)), 4326))"
    )
    found, _ = await built(database, session, SHARE)
    assert found is not None
    tile = await (await drawn(database)).tile(*TOWN)
    assert ROWS + 1 in {feature.id for feature in tile["features"]}


@pytest.mark.parametrize(
    ("kind", "shape", "srid"),
    [
        ("Polygon", AREA, 4326),
        ("LineString", LINE, 2100),
        ("Point", "place", 4326),
    ],
)
async def test_changed_cells_are_renewed_as_if_all_were_built_again(
    database: Database, session: asyncpg.Connection, kind: str, shape: str, srid: int
) -> None:
    await town(session, kind, shape, srid)
    await built(database, session, SHARE)
    for change in CHANGES:
        await session.execute(change)
        table, state, found = await renew(database, session)
        assert found is not None, change
    assert found is not None
    parts = await content(session, found)
    await OverviewBuilder(OverviewStore(database.owner), SHARE, MANY).build(session, table, state)
    row = await OverviewStore(database.owner).row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert [(band.zoom, band.cells, band.tiles, band.rows) for band in row.ladder.dense or ()] == [
        (band.zoom, band.cells, band.tiles, band.rows) for band in found.dense or ()
    ]
    assert parts == await content(session, row.ladder)


@pytest.mark.parametrize(("kind", "shape"), [("Point", "place"), ("Polygon", AREA)])
async def test_rows_that_pass_a_filter_have_such_bands_too(
    database: Database, session: asyncpg.Connection, kind: str, shape: str
) -> None:
    await town(session, kind, shape)
    await built(database, session, SHARE)
    store, rows = (
        OverviewStore(database.owner),
        FilteredRows(filter='{"op": "<", "args": [{"property": "value"}, 70]}'),
    )
    builder = OverviewBuilder(store, SHARE, MANY)

    async def filtered(state: TableState) -> Ladder:
        row = await store.row(state.relid, fresh=True)
        assert row is not None
        known = row.filtered[rows.filter]
        assert known.data_version == state.version
        return known.ladder

    table, state = await looked_at(database)
    assert await builder.build_filtered(session, table, state, rows)
    assert (await filtered(state)).dense
    await session.execute("UPDATE data.things SET value = (value + 60) % 100 WHERE id BETWEEN 100 AND 120")
    await session.execute("SELECT pg_stat_force_next_flush()")
    table, state = await looked_at(database)
    assert await builder.renew(session, table, state, (), [rows.filter])
    parts = await content(session, await filtered(state))
    assert await builder.build_filtered(session, table, state, rows)
    assert parts == await content(session, await filtered(state))


async def test_a_build_goes_on_after_the_last_band_of_dense_tiles(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await town(session, "Polygon", AREA)
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    builder, made, whole = OverviewBuilder(store, SHARE, MANY), list[int](), shapes.make_band_of_shapes

    async def only_one(*given: Any) -> Any:
        if made:
            raise asyncio.CancelledError
        made.append(given[2].remaining_dense[0])
        return await whole(*given)

    monkeypatch.setattr(making, "make_band_of_shapes", only_one)
    with pytest.raises(asyncio.CancelledError):
        await builder.build(session, table, state)
    monkeypatch.setattr(making, "make_band_of_shapes", whole)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.next_steps is not None
    done = row.next_steps["dense"][0]["name"]
    before = await session.fetchval(f"SELECT '{SCHEMA}.{done}'::regclass::oid")
    assert await builder.build(session, table, state)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert row.ladder.dense is not None
    assert before == await session.fetchval(f"SELECT '{SCHEMA}.{done}'::regclass::oid")
    assert [band.zoom for band in row.ladder.dense] == [*range(made[0], made[0] + len(row.ladder.dense))]
    assert len(row.ladder.dense) > 1
    await check(session, row.ladder, ROWS)
    await builder.drop_old(session, state.relid)
    assert await session.fetchval(f"SELECT count(*) FROM {SCHEMA}.{row.ladder.dense[-1].name}") > 0


async def test_overviews_with_bands_of_dense_tiles_keep_to_their_share(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await town(session, "Polygon", AREA)
    _, state = await looked_at(database)
    full, _ = await built(database, session, SHARE)
    assert full is not None
    assert full.dense
    bare = full.bytes - sum(
        [await session.fetchval(f"SELECT pg_total_relation_size('{SCHEMA}.{b.name}')") for b in full.dense]
    )
    await session.execute("DELETE FROM geoagent.overview")
    room = (bare + full.bytes) / 2
    some, _ = await built(database, session, share=room / state.bytes)
    assert some is not None
    assert some.dense is not None
    assert len(some.dense) < len(full.dense)
    assert some.bytes <= room


@pytest.mark.parametrize("change", ["DROP INDEX data.things_geom_idx", None])
async def test_tables_without_an_index_have_none(
    database: Database, session: asyncpg.Connection, change: str | None
) -> None:
    await town(session, "Polygon", AREA)
    if change:
        await session.execute(change)
    found, rows = await built(database, session, SHARE)
    assert found is not None
    assert bool(found.dense) == (change is None)
    assert found.dense is not None
    await check(session, found, rows)


async def test_overviews_of_before_are_drawn_from_and_built_again(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "Polygon", AREA)
    await built(database, session, SHARE)
    await session.execute("UPDATE geoagent.overview SET document = document - 'dense', seconds = 0")
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert lacks_dense_bands(table, row.ladder)
    (note,) = (await (await drawn(database)).tile(*TOWN)).get("_meta", [None])
    assert note is None or note.properties["total"] == ROWS * 2 // 3
    builder = OverviewBuilder(store, SHARE, MANY)
    assert not await builder.renew(session, table, state, ())
    work = OverviewWork(builder, store, 1000)
    assert await work.is_due(table, state, 1.0, fresh=True)
    await builder.build(session, table, state)
    assert not await work.is_due(table, state, 1.0, fresh=True)


async def test_in_a_heat_map_a_dense_tile_counts_its_rows_as_the_tiles_beside_it_do(
    database: Database, session: asyncpg.Connection
) -> None:
    await town(session, "Point", "place")
    await built(database, session, SHARE)
    atlas = await drawn(database)
    await atlas.layer("data.things", StyleSpec(kind="heatmap"))
    z, x, y = TOWN
    heat = [feature.properties["@heat"] for feature in (await atlas.tile(*TOWN))["features"]]
    assert sum(heat) == ROWS * 2 // 3
    beside = (await atlas.tile(z, x + 2, y))["features"]
    assert beside
    assert all("@heat" not in feature.properties for feature in beside)


async def test_every_full_tile_of_points_has_a_band_within_the_share_of_the_disk(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(points, "CELLS", 128)
    monkeypatch.setattr(points, "MIN_CELLS", 8)
    await town(session, "Point", "place")
    await session.execute(
        """INSERT INTO data.things (value, geom) SELECT value, ST_Translate(geom, n * 0.00013, n * 0.00007)
        FROM data.things, generate_series(1, 9) AS n; ANALYZE data.things"""
    )
    _, state = await looked_at(database)
    wide, rows = await built(database, session, SHARE)
    assert wide is not None
    await check_full_tiles(session, wide, rows)
    bare = wide.bytes - sum(
        [
            await session.fetchval(f"SELECT pg_total_relation_size('{SCHEMA}.{b.name}')")
            for b in wide.dense or ()
        ]
    )
    await session.execute("DELETE FROM geoagent.overview")
    room = (bare + wide.bytes) / 2
    found, rows = await built(database, session, share=room / state.bytes)
    assert found is not None
    assert found.bytes <= room
    await check_full_tiles(session, found, rows)


async def check_full_tiles(session: asyncpg.Connection, found: Ladder, rows: int) -> None:
    """Each full tile of points is one of a band, whose weights are the rows of its tiles."""
    await check(session, found, rows)
    for zoom in range(found.drawn_below, 12):
        full = await session.fetch(
            f"""SELECT x, y, count(*) AS rows FROM (
              SELECT floor((ST_X(p) / {WORLD} + 0.5) * {1 << zoom})::int AS x,
                floor((0.5 - ST_Y(p) / {WORLD}) * {1 << zoom})::int AS y
              FROM (SELECT ST_Transform(geom, 3857) AS p FROM data.things) AS placed) AS row
            GROUP BY x, y HAVING count(*) > {FULL}"""
        )
        tiles = [tile for band in found.dense or () if band.zoom == zoom for tile in band.tiles]
        assert sorted((row["x"], row["y"]) for row in full) == sorted(tiles)
        if full:
            weight = f'SELECT sum("{WEIGHT}") FROM {SCHEMA}.{found.band(zoom).name}'
            assert await session.fetchval(weight) == sum(row["rows"] for row in full)
