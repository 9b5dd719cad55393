"""How the values of a layer's column are spread, over HTTP: what sliders, histograms and the filter builder read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from tests.integration.http.test_rows import Rows
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.quakes import APART, COUNT, FIRST, WITHOUT_TIME, make_quakes
from tests.support.server import client, local_server

EARLY = {"op": "<", "args": [{"property": "id"}, 100]}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def quakes(samples_url: str) -> AsyncIterator[Rows]:
    """A layer of the first hundred earthquakes."""
    await make_quakes(samples_url)
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        await until(lambda: "data.quakes" in {table.id for table in server.registry.tables()})
        await one.ask("join")
        await one.ask("layer_add", table="data.quakes", layer_id="q", filter=EARLY)
        async with aiohttp.ClientSession(server.url) as session:
            yield Rows(session, f"/api/maps/{one.map_id}/layers/q")


async def test_instants_are_counted_in_equal_bins_of_seconds(quakes: Rows) -> None:
    spread = await quakes.get("histogram", column="at", bins="10", filter="null")
    assert spread["minimum"] == FIRST + APART, "the first one has no time"
    assert spread["maximum"] == FIRST + (COUNT - 1) * APART
    assert (spread["from"], spread["to"]) == (spread["minimum"], spread["maximum"])
    assert len(spread["counts"]) == 10
    assert sum(spread["counts"]) == COUNT - WITHOUT_TIME
    assert spread["nulls"] == WITHOUT_TIME
    assert all(30 <= count <= 42 for count in spread["counts"])


async def test_only_what_the_layer_shows_is_counted_unless_another_filter_is_given(quakes: Rows) -> None:
    assert sum((await quakes.get("histogram", column="id"))["counts"]) == 100
    late = {"op": ">=", "args": [{"property": "id"}, 390]}
    assert sum((await quakes.get("histogram", column="id", filter=json.dumps(late)))["counts"]) == 10
    nothing = {"op": "=", "args": [{"property": "id"}, -1]}
    empty = await quakes.get("histogram", column="id", filter=json.dumps(nothing))
    assert (empty["counts"], empty["minimum"]) == ([], None)


@pytest.mark.parametrize(
    ("column", "bins", "counts", "start", "end"),
    [
        ("year", "40", [200, 200], 2019.5, 2021.5),
        ("year", "1", [400], 2019.5, 2021.5),
        ("id", "50", [8] * 50, -0.5, 399.5),
    ],
)
async def test_whole_numbers_are_never_cut_apart(
    quakes: Rows, column: str, bins: str, counts: list[int], start: float, end: float
) -> None:
    spread = await quakes.get("histogram", column=column, bins=bins, filter="null")
    assert len(spread["counts"]) == len(counts)
    assert sum(spread["counts"]) == COUNT
    assert (spread["from"], spread["to"]) == (start, end)
    if column == "id":
        assert spread["counts"] == counts


async def test_days_begin_their_bins(quakes: Rows) -> None:
    spread = await quakes.get("histogram", column="day", bins="100", filter="null")
    assert spread["from"] == FIRST
    assert (spread["to"] - spread["from"]) % 86_400 == 0
    assert spread["to"] > spread["maximum"]
    assert sum(spread["counts"]) == COUNT


async def test_numbers_that_are_none_are_left_out(samples_url: str) -> None:
    import asyncpg

    connection = await asyncpg.connect(samples_url)
    try:
        await connection.execute(
            "CREATE TABLE data.odd (id int PRIMARY KEY, v float8, at timestamp, geom geometry(Point, 4326));"
            "INSERT INTO data.odd VALUES (1, 'NaN', 'infinity'), (2, 'Infinity', '-infinity'), (3, 5, '2020-01-01'),"
            " (4, NULL, NULL)"
        )
    finally:
        await connection.close()
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        await until(lambda: "data.odd" in {table.id for table in server.registry.tables()})
        await one.ask("join")
        await one.ask("layer_add", table="data.odd", layer_id="odd")
        async with aiohttp.ClientSession(server.url) as session:
            odd = Rows(session, f"/api/maps/{one.map_id}/layers/odd")
            for column, value in (("v", 5), ("at", FIRST)):
                spread = await odd.get("histogram", column=column)
                assert spread["counts"] == [1]
                assert (spread["minimum"], spread["maximum"], spread["nulls"]) == (value, value, 3)


async def test_values_come_by_how_often_they_are(quakes: Rows) -> None:
    found = await quakes.get("values", column="place", filter="null")
    assert [each["value"] for each in found["values"]] == [f"Place {n}" for n in (0, 1, 2, 3, 4, 5, 6)][:7]
    assert sum(each["count"] for each in found["values"]) == COUNT
    assert [each["value"] for each in (await quakes.get("values", column="place", q="CE 3"))["values"]] == [
        "Place 3"
    ]
    assert (await quakes.get("values", column="place", q="%"))["values"] == []
    assert len((await quakes.get("values", column="id", limit="5"))["values"]) == 5


@pytest.mark.parametrize(
    ("what", "query"),
    [
        ("histogram", {"column": "place"}),
        ("histogram", {"column": "no_such"}),
        ("histogram", {"column": "at", "bins": "0"}),
        ("histogram", {"column": "at", "bins": "101"}),
        ("histogram", {"column": "at", "filter": "1=1"}),
        ("histogram", {"column": "at", "filter": "[]"}),
        ("histogram", {"column": "at", "filter": '{"op":"=","args":[{"property":"x"},1]}'}),
        ("values", {"column": "geom"}),
        ("values", {"column": "place", "limit": "0"}),
        ("values", {"column": "'; DROP TABLE data.quakes; --"}),
    ],
)
async def test_bad_questions_are_refused_with_a_reason(
    quakes: Rows, what: str, query: dict[str, Any]
) -> None:
    refused = await quakes.get(what, 400, **query)
    assert refused["error"]["message"]
