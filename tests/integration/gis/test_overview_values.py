"""Sums, means and extremes of cells: from overviews they are those of all rows, not of the representatives."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import asyncpg
import pytest

from agents.domain import Cql2, StyleSpec, Table
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.filters import normalize
from server.gis.overviews import build, work
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.caps import TileCaps
from server.gis.overviews.ladder import SCHEMA, Ladder, OverviewStore
from server.gis.overviews.summaries import Summary, needed_summaries
from server.gis.overviews.work import OverviewWork
from server.gis.profiles.versions import DataVersions, TableState
from server.gis.tiles import low_zoom
from server.gis.tiles.low_zoom import LowZoom
from tests.integration.tiles.drawing import Atlas

MANY = 10**12
VALUE, NUMBER = Summary(column="value"), Summary(column="number")
STATISTICS = ("sum", "mean", "min", "max")
POINT = "ST_MakePoint(x, y)"
AREA = "ST_MakeEnvelope(x, y, x + size, y + size / 2)"
TABLES = {
    "points": (POINT, "geometry(Point, 4326)", 4326),
    "points in metres": (POINT, "geometry(Point, 3857)", 3857),
    "areas": (AREA, "geometry(Polygon, 4326)", 4326),
    "areas on a sphere": (AREA, "geography(Polygon, 4326)", 4326),
}
ROWS = """SELECT n AS id,
    CASE WHEN n % 7 = 0 THEN NULL WHEN n % 251 = 0 THEN 'NaN'
         ELSE (abs(hashint4(n + 3)) % 1000000)::float8 / 8 - 20000 END AS value,
    CASE WHEN n % 5 > 0 THEN n END AS number,
    (abs(hashint4(n)) % 36100) / 100.0 - 180.5 AS x, (abs(hashint4(n + 1)) % 16000) / 100.0 - 80 AS y,
    CASE WHEN n % 200 = 0 THEN 30.0 ELSE 0.01 END AS size
  FROM generate_series(1, 2000) AS n"""
"""At random over the earth and a little beyond the antimeridian, with large areas among small ones."""


@pytest.fixture(autouse=True)
def full_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tiles are full with few rows, so that small tables have overviews."""
    for module in (build, low_zoom):
        monkeypatch.setattr(module, "USUAL_CAPS", TileCaps(20, 20))


async def made(session: asyncpg.Connection, kind: str) -> None:
    shape, column, srid = TABLES[kind]
    geom = f"ST_SetSRID({shape}, 4326)"
    if srid != 4326:
        geom = f"ST_Transform(ST_SetSRID(ST_MakePoint(least(179, greatest(-179, x)), y), 4326), {srid})"
    await session.execute(
        f"""CREATE TABLE data.things (id int PRIMARY KEY, value float8, number int, geom {column});
        INSERT INTO data.things SELECT id, value, number, {geom}::{column.partition("(")[0]} FROM ({ROWS}) AS row;
        CREATE INDEX ON data.things USING gist (geom); ANALYZE data.things;
        SELECT pg_stat_force_next_flush()"""
    )


async def looked_at(database: Database) -> tuple[Table, TableState]:
    registry = Registry(database.reader, ("data",), None)
    await registry.refresh(patience=30)
    table = registry.get("data.things")
    return table, await DataVersions(database.owner).of(table, 0)


async def built(database: Database, session: asyncpg.Connection, *summed: Summary) -> Ladder:
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    await OverviewBuilder(store, 0.5, MANY).build(session, table, state, summed)
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    return row.ladder


async def check_totals(session: asyncpg.Connection, ladder: Ladder, summary: Summary) -> None:
    """In each band, the summaries of a column add up to what the table has."""
    index, column = (ladder.summaries or ()).index(summary), summary.column
    finite = f"nullif({column}::float8, 'NaN')"
    number = f"count({finite}), sum({finite}), min({finite}), max({finite})"
    expected = await session.fetchrow(f"SELECT {number} FROM data.things")
    for band in ladder.bands:
        found = await session.fetchrow(
            f"""SELECT sum("@n{index}")::bigint, sum("@sum{index}"), min("@min{index}"), max("@max{index}")
                FROM {SCHEMA}.{band.name}"""
        )
        assert tuple(found) == pytest.approx(tuple(expected))


async def cells(
    atlas: Atlas, spec: StyleSpec, zooms: Sequence[int], filter: Cql2 | None = None
) -> dict[tuple[int, str], dict[str, Any]]:
    """What tiles say of their cells, by zoom and the cell's name."""
    await atlas.layer("data.things", spec, filter)
    found: dict[tuple[int, str], dict[str, Any]] = {}
    for z in zooms:
        for x in range(2**z):
            for y in range(2**z):
                tile = await atlas.tile(z, x, y)
                assert not any("sample" in note.properties for note in tile.get("_meta", []))
                for each in tile.get("features", []):
                    found[z, each.properties["@cell"]] = {
                        name: value for name, value in each.properties.items() if name != "@cell"
                    }
    return found


def from_overviews(database: Database) -> Atlas:
    return Atlas(database, low_zoom=LowZoom(DataVersions(database.owner), OverviewStore(database.owner), 1))


@pytest.mark.parametrize("kind", TABLES)
async def test_squares_from_overviews_are_those_of_all_rows(
    database: Database, session: asyncpg.Connection, kind: str
) -> None:
    await made(session, kind)
    ladder = await built(database, session, VALUE, NUMBER)
    await check_totals(session, ladder, VALUE)
    await check_totals(session, ladder, NUMBER)
    for statistic in STATISTICS:
        spec = StyleSpec(kind="grid", column="value", statistic=statistic)
        there = await cells(from_overviews(database), spec, (0, 2))
        expected = await cells(Atlas(database), spec, (0, 2))
        assert there.keys() == expected.keys()
        for cell, values in expected.items():
            assert there[cell] == pytest.approx(values), (statistic, cell)


@pytest.mark.parametrize(
    ("kind", "filter"),
    [
        ("areas", "number > 500 AND number <= 1500"),
        ("points", "id IN (1, 2, 3) OR value < 0"),
        ("points", "S_INTERSECTS(geom, BBOX(-90, 0, 90, 60))"),
        ("areas", "S_INTERSECTS(geom, BBOX(-90, 0, 90, 60))"),
    ],
)
async def test_squares_of_rows_that_pass_a_filter_are_those_of_all_of_these(
    database: Database, session: asyncpg.Connection, kind: str, filter: str
) -> None:
    await made(session, kind)
    table, _ = await looked_at(database)
    wanted = normalize(table, filter)
    for spec in (
        StyleSpec(kind="grid"),
        StyleSpec(kind="grid", column="value", statistic="mean"),
        StyleSpec(kind="cluster"),
    ):
        await built(database, session, *needed_summaries(spec, wanted))
        there = await cells(from_overviews(database), spec, (0, 2), wanted)
        expected = await cells(Atlas(database), spec, (0, 2), wanted)
        assert there.keys() == expected.keys() != set()
        for cell, values in expected.items():
            assert there[cell] == pytest.approx(values), cell


async def test_hexagons_from_overviews_lose_no_row(database: Database, session: asyncpg.Connection) -> None:
    """A row near an edge may count in the next hexagon, but all of them are counted, and no extreme is missed."""
    await made(session, "points")
    await built(database, session, VALUE)
    total, highest = await session.fetchrow(
        "SELECT sum(value), max(value) FROM data.things WHERE value <> 'NaN'"
    )
    for statistic, function, expected in (("sum", sum, total), ("max", max, highest)):
        spec = StyleSpec(kind="hexbin", column="value", statistic=statistic)
        found = await cells(from_overviews(database), spec, (0,))
        values = [each[f"{statistic} of value"] for each in found.values() if f"{statistic} of value" in each]
        assert function(values) == pytest.approx(expected)
        assert sum(each["count"] for each in found.values()) == 2000


async def test_values_follow_the_rows_and_survive_a_stop(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await made(session, "areas")
    await check_totals(session, await built(database, session, VALUE), VALUE)
    await session.execute("UPDATE data.things SET value = value * 3 + 1 WHERE id % 3 = 0")
    await session.execute("DELETE FROM data.things WHERE id % 11 = 0; SELECT pg_stat_force_next_flush()")
    whole = OverviewBuilder._band

    async def stopped(self: OverviewBuilder, *given: Any) -> None:
        raise asyncio.CancelledError

    monkeypatch.setattr(OverviewBuilder, "_band", stopped)
    with pytest.raises(asyncio.CancelledError):
        await built(database, session, VALUE)
    monkeypatch.setattr(OverviewBuilder, "_band", whole)
    await check_totals(session, await built(database, session, VALUE), VALUE)


async def test_overviews_are_built_again_for_columns_that_cells_newly_show(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And keep those that another server may show. What cannot be summed up is not waited for."""
    monkeypatch.setattr(work, "DROP_AFTER_S", 0)
    await made(session, "points")
    assert (await built(database, session)).summaries == ()
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    job = OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1)
    impossible = [Summary(column=name) for name in ("geom", "nothing")]
    impossible.append(Summary(filter='{"op": "=", "args": [{"property": "nothing"}, 1]}'))
    assert not await job.is_due(table, state, MANY, impossible, fresh=True)
    for wanted, expected in ((VALUE, (VALUE,)), (NUMBER, (VALUE, NUMBER))):
        assert await job.is_due(table, state, MANY, [wanted], fresh=True)
        assert await job.run(session, table, state, MANY, [wanted])
        row = await store.row(state.relid, fresh=True)
        assert row is not None
        assert row.ladder is not None
        assert row.ladder.summaries == expected
        assert not await job.is_due(table, state, MANY, [wanted], fresh=True)
        await check_totals(session, row.ladder, wanted)


async def test_a_filter_that_fails_for_some_row_does_not_leave_a_table_without_overviews(
    database: Database, session: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(work, "DROP_AFTER_S", 0)
    await made(session, "points")
    table, state = await looked_at(database)
    store = OverviewStore(database.owner)
    job = OverviewWork(OverviewBuilder(store, 0.5, MANY), store, 1)
    (overflow,) = needed_summaries(StyleSpec(kind="grid"), normalize(table, "id ^ 100 > 5"))
    assert not await job.run(session, table, state, MANY, [overflow])
    assert await job.run(session, table, state, MANY, [overflow])
    row = await store.row(state.relid, fresh=True)
    assert row is not None
    assert row.ladder is not None
    assert row.ladder.summaries == ()
    assert not await job.is_due(table, state, MANY, [overflow], fresh=True)
