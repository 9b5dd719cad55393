"""Features of a layer with a broad filter are drawn from overviews of the rows that pass it, once these are built."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import asyncpg
import pytest

from agents.domain import Cql2, StyleSpec, Table
from server.cli.profiles import list_profiles
from server.database.engines import Database
from server.gis.filters import normalize
from server.gis.overviews import work
from server.gis.overviews.build import OverviewBuilder
from server.gis.overviews.ladder import SCHEMA, Ladder, OverviewRow, OverviewStore
from server.gis.overviews.summaries import FilteredRows, Need, Summary, filter_text, needed
from server.gis.overviews.work import MAX_SUMMARIES, OverviewWork
from server.gis.profiles.versions import TableState
from server.gis.styles.attributes import TIME
from tests.integration.gis.test_overview_values import (
    MANY,
    TABLES,
    from_overviews,
    full_tiles,
    looked_at,
    made,
)

__all__ = ["full_tiles"]

FILTERS = 4
STYLE = StyleSpec(kind="graduated", column="number", time="number")
HALF = "number > 500 AND number <= 1500"


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work, "DROP_AFTER_S", 0)


class Bench:
    """A table, and what builds its overviews as one server does."""

    def __init__(
        self, database: Database, session: asyncpg.Connection, table: Table, state: TableState
    ) -> None:
        self.database, self.session, self.table, self.state = database, session, table, state
        self.store = OverviewStore(database.owner)
        self.job = OverviewWork(OverviewBuilder(self.store, 0.5, MANY), self.store, 1, FILTERS)

    @classmethod
    async def of(cls, database: Database, session: asyncpg.Connection, kind: str = "points") -> Bench:
        await made(session, kind)
        return cls(database, session, *await looked_at(database))

    def filter(self, text: str) -> Cql2:
        found = normalize(self.table, text)
        assert found is not None
        return found

    def need(self, text: str) -> Need:
        (need,) = needed(STYLE, self.filter(text))
        return need

    async def work(self, needs: Sequence[Need], rounds: int = 20) -> int:
        """Until nothing is due; how many builds there were."""
        for done in range(rounds):
            if not await self.job.is_due(self.table, self.state, MANY, needs, fresh=True):
                return done
            assert await self.job.run(self.session, self.table, self.state, MANY, needs)
        raise AssertionError("there is always something to build")

    async def row(self) -> OverviewRow:
        row = await self.store.row(self.state.relid, fresh=True)
        assert row is not None
        return row

    async def filtered(self, text: str) -> Ladder:
        return (await self.row()).filtered[filter_text(self.filter(text))].ladder

    async def idle(self, *needs: Need) -> None:
        """As if nobody had needed these for an hour."""
        await self.session.execute(
            """UPDATE geoagent.overview SET needed = needed
            || (SELECT jsonb_object_agg(need, extract(epoch FROM now()) - 3600) FROM unnest($1::text[]) AS need)""",
            [need.model_dump_json() for need in needs],
        )


async def features(bench: Bench, filter: str, zooms: Sequence[int]) -> tuple[dict[int, list[Any]], list[Any]]:
    """By zoom, the attributes of what tiles draw; and those of their notes."""
    atlas = from_overviews(bench.database)
    await atlas.layer("data.things", STYLE, bench.filter(filter))
    drawn: dict[int, list[Any]] = {}
    notes = []
    for z in zooms:
        for x in range(2**z):
            for y in range(2**z):
                tile = await atlas.tile(z, x, y)
                drawn.setdefault(z, []).extend(each.properties for each in tile.get("features", []))
                notes += [each.properties for each in tile.get("_meta", [])]
    return drawn, notes


async def test_the_listing_of_profiles_names_them(
    database: Database,
    session: asyncpg.Connection,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    bench = await Bench.of(database, session)
    assert await bench.work([bench.need(HALF)]) == 2
    await session.execute(
        "INSERT INTO geoagent.table_profile (relid, data_version, error, seconds) VALUES ($1, 'x', 'left out', 1)",
        bench.state.relid,
    )
    ladder = await bench.filtered(HALF)
    monkeypatch.setenv("DATABASE_URL", database.url)
    await asyncio.to_thread(list_profiles)
    table, listed = capsys.readouterr().out.splitlines()
    assert table.startswith("data.things")
    assert listed.startswith(
        f"  overviews of {ladder.rows:,} rows that pass {filter_text(bench.filter(HALF))}: zoom 0 to"
    )


@pytest.mark.parametrize("kind", TABLES)
async def test_the_weights_of_each_band_are_the_rows_that_pass(
    database: Database, session: asyncpg.Connection, kind: str
) -> None:
    bench = await Bench.of(database, session, kind)
    assert await bench.work([]) == 1
    _, notes = await features(bench, HALF, (0,))
    assert [note["sample"] for note in notes] == [True]
    before = await bench.row()

    assert await bench.work([bench.need(HALF)]) == 1
    ladder = await bench.filtered(HALF)
    rows = await session.fetchval(f"SELECT count(*) FROM data.things WHERE {HALF}")
    assert ladder.rows + ladder.unplaced == rows
    for band in ladder.bands:
        name = f"{SCHEMA}.{band.name}"
        assert await session.fetchval(f'SELECT sum("@weight") FROM {name}') == ladder.rows
        assert await session.fetchval(f"SELECT count(*) FROM {name} WHERE NOT ({HALF})") == 0
    after = await bench.row()
    assert after.ladder == before.ladder
    assert after.build > before.build, "the addresses of tiles change"

    drawn, notes = await features(bench, HALF, (0, 1))
    assert not any("sample" in note for note in notes)
    assert all(note["overview"] for note in notes)
    assert {each["number"] for each in drawn[0]} <= set(range(501, 1501))
    assert all(each[TIME] == each["number"] for each in drawn[0]), "a time slider shows each row at its time"
    assert sum(each["@weight"] for each in drawn[0]) >= ladder.rows


async def test_overviews_of_rows_that_pass_follow_the_rows(
    database: Database, session: asyncpg.Connection
) -> None:
    bench = await Bench.of(database, session)
    await bench.work([bench.need(HALF)])
    before = await bench.filtered(HALF)
    await session.execute(
        f"DELETE FROM data.things WHERE {HALF} AND id % 3 = 0; SELECT pg_stat_force_next_flush()"
    )
    bench.table, bench.state = await looked_at(database)
    assert bench.state.version != (await bench.row()).data_version
    _, notes = await features(bench, HALF, (0,))
    assert "as_of" in notes[0]
    assert await bench.work([bench.need(HALF)]) == 2, "of all rows, and of those that pass"
    rows = await session.fetchval(f"SELECT count(*) FROM data.things WHERE {HALF}")
    assert (await bench.filtered(HALF)).rows == rows < before.rows
    _, notes = await features(bench, HALF, (0,))
    assert "as_of" not in notes[0]
    assert bench.state.relid in await bench.job.outdated()
    await bench.job.drop(session, bench.state.relid)
    assert bench.state.relid not in await bench.job.outdated()
    tables = await session.fetch(
        "SELECT relname FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind = 'r' AND relname ~ $2",
        SCHEMA,
        f"^f{bench.state.relid}_",
    )
    assert {row["relname"] for row in tables} == {band.name for band in (await bench.filtered(HALF)).bands}


@pytest.mark.parametrize("kind", ["points", "points in metres", "areas"])
async def test_only_the_changed_parts_are_renewed_with_those_of_all_rows(
    database: Database, session: asyncpg.Connection, kind: str
) -> None:
    bench = await Bench.of(database, session, kind)
    needs = [bench.need(HALF), bench.need("number > 1000")]
    assert await bench.work(needs) == 3
    before = await bench.row()
    for change in (
        "UPDATE data.things SET number = number + 500 WHERE id BETWEEN 900 AND 905",
        f"DELETE FROM data.things WHERE {HALF} AND id % 499 = 0",
        "UPDATE data.things SET geom = (SELECT geom FROM data.things WHERE id = 751) WHERE id = 1001",
    ):
        await session.execute(change)
        await session.execute("SELECT pg_stat_force_next_flush()")
        bench.table, bench.state = await looked_at(database)
        assert await bench.work(needs) == 1, "all in one pass"
        row = await bench.row()
        for name, known in row.filtered.items():
            assert known.data_version == row.data_version == bench.state.version
            assert known.ladder.bands[0].name == before.filtered[name].ladder.bands[0].name
    parts = [await represented(session, row.filtered[need.filter].ladder) for need in needs]
    assert [sum(each[2] for each in bands[0]) for bands in parts] == [
        await session.fetchval(f"SELECT count(*) FROM data.things WHERE {text}")
        for text in (HALF, "number > 1000")
    ]
    whole = []
    for need in needs:
        builder = OverviewBuilder(bench.store, 0.5, MANY)
        assert await builder.build_filtered(session, bench.table, bench.state, need)
        whole.append(await represented(session, (await bench.row()).filtered[need.filter].ladder))
    assert parts == whole


async def test_what_was_made_before_the_overviews_of_all_rows_is_built_again(
    database: Database, session: asyncpg.Connection
) -> None:
    """Which cells have changed since then is not known any more."""
    bench = await Bench.of(database, session)
    assert await bench.work([bench.need(HALF)]) == 2
    await session.execute(f"DELETE FROM data.things WHERE {HALF} AND id % 3 = 0")
    await session.execute("SELECT pg_stat_force_next_flush()")
    bench.table, bench.state = await looked_at(database)
    builder = OverviewBuilder(bench.store, 0.5, MANY)
    await builder.build(session, bench.table, bench.state)
    await session.execute("UPDATE data.things SET value = 5 WHERE id = 751")
    await session.execute("SELECT pg_stat_force_next_flush()")
    bench.table, bench.state = await looked_at(database)
    assert await bench.work([bench.need(HALF)]) == 2, "of all rows in parts, of those that pass as a whole"
    rows = await session.fetchval(f"SELECT count(*) FROM data.things WHERE {HALF}")
    assert (await bench.filtered(HALF)).rows == rows


async def represented(session: asyncpg.Connection, ladder: Ladder) -> list[list[tuple[object, ...]]]:
    """Of each band, the representative of each cell and its weight."""
    return [
        [
            tuple(row)
            for row in await session.fetch(
                f'SELECT "@x", "@y", "@weight", number FROM {SCHEMA}.{band.name} ORDER BY 1, 2'
            )
        ]
        for band in ladder.bands
    ]


async def test_a_filter_that_fails_for_some_row_stays_a_sample(
    database: Database, session: asyncpg.Connection
) -> None:
    bench = await Bench.of(database, session)
    await bench.work([])
    overflow = bench.need("id ^ 100 > 5")
    assert await bench.job.is_due(bench.table, bench.state, MANY, [overflow], fresh=True)
    assert not await bench.job.run(session, bench.table, bench.state, MANY, [overflow])
    assert await bench.work([overflow, bench.need(HALF)]) == 1
    assert set((await bench.row()).filtered) == {filter_text(bench.filter(HALF))}


async def test_filters_that_nobody_follows_give_their_place_to_others(
    database: Database, session: asyncpg.Connection
) -> None:
    bench = await Bench.of(database, session)
    needs = [bench.need(f"number > {n}") for n in range(FILTERS)]
    assert await bench.work(needs) == 1 + FILTERS
    another = bench.need("number > 500")
    assert await bench.work([another]) == 0, "all are followed, by another server"
    await bench.idle(needs[1], needs[2])
    await session.execute(
        "UPDATE geoagent.overview SET needed = jsonb_set(needed, ARRAY[$1], '0')", needs[2].model_dump_json()
    )
    assert await bench.work([another]) == 1
    kept = {FilteredRows(filter=name) for name in (await bench.row()).filtered}
    assert kept == {another, needs[0], needs[1], needs[3]}, (
        "the one that was needed least recently is dropped"
    )


async def test_summaries_that_nobody_follows_give_their_place_to_others(
    database: Database, session: asyncpg.Connection
) -> None:
    bench = await Bench.of(database, session)
    needs = [
        Summary(column="value", filter=json.dumps(bench.filter(f"number > {n}")))
        for n in range(MAX_SUMMARIES)
    ]
    assert await bench.work(needs) == 1
    another = Summary(column="number")
    assert await bench.work([another]) == 0, "all are followed, by another server"
    await bench.idle(needs[3])
    assert await bench.work([another]) == 1
    ladder = (await bench.row()).ladder
    assert ladder is not None
    assert set(ladder.summaries or ()) == {another, *needs} - {needs[3]}
