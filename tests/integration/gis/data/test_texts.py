"""Texts that are looked for in several tables at once, whatever their types and whoever has locked one of them."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from agents.text_search import TextSearch
from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.query import together
from server.gis.query.data import PostgisData

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETUP = (
    "CREATE EXTENSION citext SCHEMA public",
    "CREATE TYPE data.mood AS ENUM ('calm', 'wild')",
    'CREATE TABLE data.trees (id int, kind text, "a:b" varchar(20), state char(6), mood data.mood, tag citext)',
    "INSERT INTO data.trees VALUES (1, 'bur oak', 'ash', 'old', 'calm', 'Gate'),"
    " (2, 'Red Oak', 'x', 'new', NULL, 'no'), (3, '100% oak_', NULL, 'old', 'wild', 'no'),"
    " (4, NULL, 'elm', NULL, NULL, NULL)",
    "CREATE TABLE data.parks (id int, name text)",
    "INSERT INTO data.parks SELECT n, CASE WHEN n < 300 THEN 'ash' ELSE 'elm' END FROM generate_series(1, 301) AS n",
    "CREATE VIEW data.seen AS SELECT * FROM data.parks WHERE id > 298",
    "ANALYZE",
)
COLUMNS = {
    "data.trees": ("kind", "a:b", "state", "mood", "tag"),
    "data.parks": ("name",),
    "data.seen": ("name",),
}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def data(database: Database) -> AsyncIterator[PostgisData]:
    for statement in SETUP:
        async with database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
    known = Registry(database.reader)
    await known.refresh(patience=10)
    yield PostgisData(database.reader, known)


@pytest.mark.parametrize(
    ("text", "ids"),
    [("bur oak", 1), ("ash", 1), ("wild", 3), ("gate", 1), ("oak", 0), ("Bur oak", 0)],
)
async def test_a_text_is_found_in_columns_of_all_types(data: PostgisData, text: str, ids: int) -> None:
    found = await data.find_texts(TextSearch({"data.trees": COLUMNS["data.trees"]}, [text], {}, []))
    rows = found.get("data.trees", ())
    first = {1: "bur oak", 3: "100% oak_"}
    assert [row["kind"] for row in rows] == ([first[ids]] if ids else [])


@pytest.mark.parametrize(
    ("ending", "kinds"), [(" oak", ["bur oak", "Red Oak"]), (" oak_", ["100% oak_"]), ("%", [])]
)
async def test_endings_are_found_in_any_case_and_taken_literally(
    data: PostgisData, ending: str, kinds: list[str]
) -> None:
    search = TextSearch({"data.trees": ("kind", "state")}, [], {"data.trees": ("kind",)}, [ending])
    found = await data.find_texts(search)
    assert [row["kind"] for row in found.get("data.trees", ())] == kinds


async def test_tables_and_views_are_looked_through_each_up_to_the_limit(data: PostgisData) -> None:
    found = await data.find_texts(TextSearch(COLUMNS, ["ash", "elm"], {}, [], limit=200))
    assert {table: len(rows) for table, rows in found.items()} == {
        "data.trees": 2,
        "data.parks": 200,
        "data.seen": 3,
    }
    assert found["data.seen"][-1] == {"name": "elm"}


async def test_a_locked_table_is_left_out_and_the_others_are_found(
    data: PostgisData, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(together, "TOGETHER_TIMEOUT_S", 0.3)
    async with database.owner.begin() as connection:
        await connection.exec_driver_sql("LOCK TABLE data.trees")
        found = await data.find_texts(
            TextSearch({each: COLUMNS[each] for each in ("data.trees", "data.parks")}, ["elm"], {}, [])
        )
    assert set(found) == {"data.parks"}
