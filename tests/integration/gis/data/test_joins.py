"""A table without geometry is joined by the columns whose values agree, whatever they are called."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio

from server.database.engines import Database
from server.gis.catalog.registry import Registry
from server.gis.query.data import PostgisData
from server.gis.query.joins import Join
from tests.support.server import local_server

pytestmark = pytest.mark.asyncio(loop_scope="session")

SETUP = (
    "CREATE TABLE data.income (land text, income int)",
    "INSERT INTO data.income VALUES ('ch ', 81), ('DE', 48), ('fr', 41), ('XX', 7)",
    "CREATE TABLE data.parts (continent_name text, plates int)",
    "INSERT INTO data.parts VALUES ('Africa', 5), ('Europe', 4), ('Asia', 9)",
    'CREATE TABLE data."Muni: cipalities" ("No: %" text, kind text, geom geometry(Point, 4326))',
    "INSERT INTO data.\"Muni: cipalities\" SELECT lpad((n * 7)::text, 5, '0'),"
    " CASE n % 2 WHEN 0 THEN 'yes' ELSE 'no' END, 'SRID=4326;POINT(9 48)' FROM generate_series(1, 300) AS n",
    "CREATE TABLE data.tax (number int, has_lake text, year int)",
    "INSERT INTO data.tax SELECT n * 14, CASE n % 2 WHEN 0 THEN 'yes' ELSE 'no' END, 2000 + n % 20"
    " FROM generate_series(1, 150) AS n",
    "CREATE TABLE data.counted (number int, what text)",
    "INSERT INTO data.counted SELECT n, 'thing ' || n FROM generate_series(1, 100) AS n",
    "CREATE TABLE data.numbered (number_of_row int PRIMARY KEY, geom geometry(Point, 4326))",
    "INSERT INTO data.numbered SELECT n, 'SRID=4326;POINT(9 48)' FROM generate_series(1, 500) AS n",
    "CREATE VIEW data.broken AS SELECT (1 / (random() * 0)::int)::text AS land,"
    " 'SRID=4326;POINT(9 48)'::geometry(Point, 4326) AS geom",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def data(samples: Database) -> AsyncIterator[PostgisData]:
    for statement in SETUP:
        async with samples.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
    registry = Registry(samples.reader)
    await registry.refresh(patience=20)
    yield PostgisData(samples.reader, registry)


async def test_columns_of_other_names_are_found_by_their_values(data: PostgisData) -> None:
    (best, *_) = await data.joins("data.income")
    assert best == Join("data.countries", "land", "iso_a2", matched=3, values=4)


async def test_rows_of_the_other_table_may_share_a_value(data: PostgisData) -> None:
    found = await data.joins("data.parts")
    assert found[0] == Join("data.countries", "continent_name", "continent", matched=3, values=3)


async def test_numbers_agree_with_texts_that_have_zeros_before_them(data: PostgisData) -> None:
    found = await data.joins("data.tax")
    assert Join("data.Muni: cipalities", "number", "No: %", matched=150, values=150) in found
    assert not [each for each in found if each.column != "number"], "flags and years are not keys"


async def test_numbers_of_rows_agree_by_chance_and_are_not_offered(data: PostgisData) -> None:
    assert await data.joins("data.counted") == []


async def test_a_locked_table_hides_no_other(data: PostgisData, samples: Database) -> None:
    async with samples.owner.begin() as connection:
        await connection.exec_driver_sql("LOCK TABLE data.numbered IN ACCESS EXCLUSIVE MODE")
        (best, *_) = await data.joins("data.income")
    assert best.other == "data.countries"


async def test_the_joins_of_a_table_are_answered_over_http(data: PostgisData, samples_url: str) -> None:
    async with local_server(samples_url) as server, aiohttp.ClientSession(server.url) as session:
        async with session.get("/api/tables/data.income/joins") as answer:
            (best, *_) = (await answer.json())["joins"]
        assert best == {
            "other": "data.countries",
            "column": "land",
            "other_column": "iso_a2",
            "matched": 3,
            "values": 4,
        }
        async with session.get("/api/tables/data.countries/joins") as answer:
            assert await answer.json() == {"joins": []}
