"""Counts, statistics and rows are those of the database, whatever the types and names, and within the limits."""

from __future__ import annotations

import asyncio
import json
import tracemalloc
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
import sqlalchemy as sa
from sqlalchemy import event

from agents.ports import Filter
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.errors import InvalidQuestion, TooExpensive, UnknownColumn, UnknownTable
from server.gis.query.data import PostgisData
from server.gis.statements import guard
from tests.support.looking import until

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETUP = (
    "CREATE TYPE data.mood AS ENUM ('calm', 'wild')",
    "CREATE DOMAIN data.metres AS numeric(8,2) CHECK (VALUE > -500)",
    'CREATE TABLE data."My Table" (id bigint PRIMARY KEY, "select" text, "naïve""quote" data.metres, reach float8,'
    " mood data.mood, wet boolean, day date, at timestamptz, length interval, tags text[], grid int[][], facts jsonb,"
    " old json, raw bytea, code uuid, during tsrange, address inet, \"100%\" real, geom geometry(Point, 3857))",
    """INSERT INTO data."My Table" VALUES
        (1, 'one', 1.5, 'NaN', 'calm', true, '2020-01-01', '2020-01-01 10:00+02', '1 month', '{a,"b c"}',
         '{{1,2},{3,4}}', '{"x": [1, null]}', '{"y": "z"}', '\\x00ff', '11111111-1111-1111-1111-111111111111',
         '[2020-01-01,2020-02-01)', '10.0.0.1', 0.1, ST_Transform(ST_SetSRID(ST_MakePoint(8, 47), 4326), 3857)),
        (9007199254740993, 'two', 2.5, 'Infinity', 'wild', false, 'infinity', '-infinity', '1 day', '{}', NULL,
         'null', NULL, NULL, NULL, 'empty', NULL, NULL,
         ST_Transform(ST_SetSRID(ST_MakePoint(9, 48), 4326), 3857)),
        (3, 'three', 3.5, 4.25, 'calm', NULL, '0044-03-15 BC', '2024-02-29', '90 min', NULL, NULL, NULL, NULL, NULL,
         NULL, NULL, NULL, 2, NULL),
        (4, NULL, NULL, NULL, NULL, true, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
         ST_Transform(ST_SetSRID(ST_MakePoint(-70, 10), 4326), 3857))""",
    "CREATE TABLE data.many AS SELECT n AS id, n % 7 AS kind, n::text AS name,"
    " ST_SetSRID(ST_MakePoint(n % 360 - 180, n % 170 - 85), 4326) AS geom FROM generate_series(1, 30000) n",
    "CREATE TABLE data.plain (id int, note text)",
    "CREATE VIEW data.plainly AS SELECT * FROM data.plain",
    "CREATE TABLE data.lengthy AS SELECT n AS id, repeat(n || ' ', 700000) AS text FROM generate_series(1, 20) n",
    "CREATE VIEW data.dawdling AS SELECT id, pg_sleep(0.01)::text AS slow FROM data.many",
    "ANALYZE",
)  # fmt: skip


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def registry(database: Database) -> AsyncIterator[Registry]:
    for statement in SETUP:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
    known = Registry(database.reader)
    await known.refresh(patience=10)
    yield known


@pytest.fixture
def data(database: Database, registry: Registry) -> PostgisData:
    return PostgisData(database.reader, registry)


async def test_rows_are_counted_with_a_filter_and_within_a_geometry(data: PostgisData) -> None:
    square = {"type": "Polygon", "coordinates": [[[7, 46], [8.5, 46], [8.5, 47.5], [7, 47.5], [7, 46]]]}
    assert await data.count("data.My Table") == 4
    assert await data.count("My Table", "mood = 'calm'") == 2
    assert await data.count("My Table", None, square) == 1
    assert await data.count("My Table", "mood = 'wild'", square) == 0


async def test_the_extent_is_that_of_the_rows_that_pass(data: PostgisData) -> None:
    assert await data.extent("My Table", "wet IS NOT NULL") == pytest.approx((-70, 10, 9, 48), abs=1e-6)
    assert await data.extent("My Table", "mood = 'wild'") == pytest.approx((9, 48, 9, 48), abs=1e-6)
    assert await data.extent("My Table", "\"select\" = 'three'") is None


async def test_statistics_and_values_bring_no_long_text_into_the_server(data: PostgisData) -> None:
    questions = (data.stats("data.lengthy", "text"), data.values("data.lengthy", "text"))
    tracemalloc.start()
    try:
        found, values = await asyncio.gather(*questions)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found["distinct"], found["minimum"]) == (20, "1 " * 1000 + "…")
    assert len(found["top"]) == 10
    assert len(values) == 20
    assert {len(each["value"]) for each in values} == {2001}
    assert peak < 5_000_000, "the texts have 40 MB"


async def test_values_of_every_type_are_plain_json_and_true(data: PostgisData) -> None:
    answer = await data.query("My Table", sort="id")
    json.dumps(answer, allow_nan=False)
    first, third, _fourth, big = answer["rows"]
    assert first == {
        "id": 1, "select": "one", 'naïve"quote': 1.5, "reach": "NaN", "mood": "calm", "wet": True,
        "day": "2020-01-01", "at": "2020-01-01T08:00:00+00:00", "length": "1 mon", "tags": ["a", "b c"],
        "grid": [[1, 2], [3, 4]], "facts": {"x": [1, None]}, "old": {"y": "z"}, "raw": "2 bytes",
        "code": "11111111-1111-1111-1111-111111111111",
        "during": '["2020-01-01 00:00:00","2020-02-01 00:00:00")', "address": "10.0.0.1",
        "100%": pytest.approx(0.1),
    }  # fmt: skip
    assert (big["id"], big["reach"], big["day"], big["at"]) == (
        "9007199254740993", "Infinity", "infinity", "-infinity",
    )  # fmt: skip
    assert third["day"] == "0044-03-15 BC"
    assert (answer["total"], answer["truncated"]) == (4, False)
    assert "geom" not in answer["columns"]


async def test_a_geometry_is_geojson_when_it_is_asked_for(data: PostgisData) -> None:
    answer = await data.query("My Table", ["select", "geom"], "id = 1", lonlat=True)
    assert answer["columns"] == ["select", "geom"]
    point = answer["rows"][0]["geom"]
    assert point["type"] == "Point"
    assert point["coordinates"] == pytest.approx([8, 47], abs=1e-5)


async def test_rows_come_sorted_without_values_and_not_a_number_last(data: PostgisData) -> None:
    async def sorted_by(column: str, *, descending: bool) -> list[object]:
        answer = await data.query("My Table", ["select"], sort=column, descending=descending)
        return [row["select"] for row in answer["rows"]]

    assert await sorted_by("reach", descending=True) == ["two", "three", "one", None]
    assert await sorted_by("select", descending=False) == ["one", "three", "two", None]


async def test_a_cut_answer_says_of_how_many(data: PostgisData) -> None:
    answer = await data.query("many", ["id"], "kind = 3", limit=5)
    assert all(row["id"] % 7 == 3 for row in answer["rows"])
    assert (len(answer["rows"]), answer["total"], answer["truncated"]) == (5, 4286, True)
    assert len((await data.query("many", limit=100_000))["rows"]) == 1_000


async def test_statistics_of_numbers_leave_out_what_is_no_number(data: PostgisData) -> None:
    assert await data.stats("My Table", "reach") == {
        "count": 4, "nulls": 1, "not_finite": 2, "distinct": 1, "minimum": 4.25, "maximum": 4.25, "mean": 4.25,
        "median": 4.25, "sum": 4.25,
        "top": [{"value": 4.25, "count": 1}, {"value": "Infinity", "count": 1}, {"value": "NaN", "count": 1}],
    }  # fmt: skip
    kinds = await data.stats("many", "kind", "id <= 14")
    assert (kinds["count"], kinds["mean"], kinds["median"], kinds["sum"]) == (14, 3, 3, 42)
    assert kinds["top"][0] == {"value": 0, "count": 2}
    assert "top" not in await data.stats("many", "id")


async def test_statistics_of_other_types_are_those_that_make_sense(data: PostgisData) -> None:
    mood = await data.stats("My Table", "mood")
    assert mood["top"] == [{"value": "calm", "count": 2}, {"value": "wild", "count": 1}]
    assert (mood["nulls"], mood["distinct"], mood["minimum"], mood["maximum"]) == (1, 2, "calm", "wild")
    wet = await data.stats("My Table", "wet")
    assert wet["top"] == [{"value": True, "count": 2}, {"value": False, "count": 1}]
    day = await data.stats("My Table", "day")
    assert (day["minimum"], day["maximum"]) == ("0044-03-15 BC", "infinity")
    assert await data.stats("My Table", "geom") == {
        "count": 4, "nulls": 1, "top": [{"value": "POINT", "count": 3}],
    }  # fmt: skip
    for column in ("facts", "tags", "raw", "length"):
        assert set(await data.stats("My Table", column)) == {"count", "nulls"}


async def test_every_column_can_be_described_and_asked_whatever_its_name(
    data: PostgisData, registry: Registry
) -> None:
    for column in registry.get("My Table").columns:
        assert (await data.stats("My Table", column.name))["count"] == 4
        assert (await data.query("My Table", [column.name]))["total"] == 4


async def test_faults_name_what_would_be_right(data: PostgisData) -> None:
    with pytest.raises(UnknownTable, match=r"data\.many"):
        await data.count("manny")
    with pytest.raises(UnknownColumn, match="Did you mean 'select'"):
        await data.query("My Table", ["selekt"])
    with pytest.raises(UnknownColumn):
        await data.stats("many", "nothing")
    with pytest.raises(InvalidQuestion, match="cannot be sorted by 'facts'"):
        await data.query("My Table", sort="facts")
    with pytest.raises(InvalidQuestion):
        await data.query("many", limit=0)
    with pytest.raises(UnknownColumn):
        await data.count("plain", None, {"type": "Point", "coordinates": [0, 0]})


async def test_what_would_cost_too_much_is_not_begun(database: Database, registry: Registry) -> None:
    thrifty = PostgisData(database.reader, registry, cost=100)
    with pytest.raises(TooExpensive, match="cost the database too much"):
        await thrifty.count("many")
    assert await thrifty.count("plain") == 0


async def test_what_takes_too_long_is_ended(database: Database, registry: Registry) -> None:
    hasty = PostgisData(database.reader, registry, seconds=0.2)
    with pytest.raises(TooExpensive, match="took too long"):
        await hasty.stats("dawdling", "slow")
    assert await hasty.count("plain") == 0


async def test_what_goes_on_past_its_end_is_terminated_and_is_no_outage(
    database: Database, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with database.owner.begin() as connection:
        # As a call into GEOS, it hears no cancel; of all queries, only statistics meet it.
        await connection.exec_driver_sql(
            "CREATE FUNCTION data.stubborn(int) RETURNS int LANGUAGE plpgsql STABLE AS $$ BEGIN"
            " IF current_query() !~ 'DISTINCT' THEN RETURN $1; END IF;"
            " LOOP BEGIN PERFORM pg_sleep(3600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$"
        )
        await connection.exec_driver_sql("CREATE VIEW data.tangle AS SELECT data.stubborn(1) AS knots")
    await registry.refresh()
    monkeypatch.setattr(guard, "CONNECTION_GRACE_S", 0.3)
    monkeypatch.setattr(guard, "LANE_WAIT_S", 0)
    hasty = PostgisData(database.reader, registry, seconds=0.2)
    with pytest.raises(TooExpensive, match="did not stop"):
        await hasty.stats("tangle", "knots")
    running = (
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE state = 'active' AND query ~ 'tangle' AND pid <> pg_backend_pid()"
    )

    async def is_over() -> bool:
        async with database.owner.connect() as connection:
            return not (await connection.exec_driver_sql(running)).scalar()

    await until(is_over)
    assert await PostgisData(database.reader, registry).count("plain") == 0


async def test_a_table_dropped_a_moment_ago_is_unknown_not_a_crash(
    database: Database, registry: Registry, data: PostgisData
) -> None:
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql("CREATE TABLE data.brief (id int)")
    await registry.refresh()
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql("DROP TABLE data.brief")
    with pytest.raises(UnknownTable, match="does not exist any more"):
        await data.count("brief")


async def test_calculations_out_of_range_are_the_askers_fault(data: PostgisData) -> None:
    from server.gis.errors import InvalidFilter

    with pytest.raises(InvalidFilter, match="out of range"):
        await data.count("many", "id ^ 999 > 1")
    assert await data.count("many", "id / 0 > 1") == 0


async def test_a_plan_is_of_the_parameters_that_are_given_with_it(
    database: Database, registry: Registry
) -> None:
    """The text of EXPLAIN is compiled once for all statements of the same form."""
    id_ = sa.column("id")
    statements = [sa.select(id_).select_from(sa.text("data.many")).where(id_ < most) for most in (10, 20_000)]
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql("ANALYZE data.many")
        few, many = [(await guard.explained(connection, each))["Plan Rows"] for each in statements]
    assert few < 100
    assert many > 15_000


@pytest.mark.parametrize(
    ("table", "filter", "is_priced"),
    [
        ("plain", None, False),
        ("plain", "note = 'a'", False),
        ("plain", {"op": "in", "args": [{"property": "note"}, [f"long {n}" for n in range(300)]]}, True),
        ("many", None, True),
        ("plainly", None, True),
    ],
)
async def test_questions_are_priced_unless_table_and_filter_are_small(
    database: Database, data: PostgisData, table: str, filter: Filter, is_priced: bool
) -> None:
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        sent.append(statement)

    engine = database.reader.sync_engine
    event.listen(engine, "before_cursor_execute", note)
    try:
        await data.count(table, filter)
    finally:
        event.remove(engine, "before_cursor_execute", note)
    assert any(each.startswith("EXPLAIN") for each in sent) == is_priced
