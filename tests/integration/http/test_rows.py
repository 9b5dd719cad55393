"""The rows of a layer over HTTP: what the attribute table and the inspector of the client read."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

HIGH = {"op": ">", "args": [{"property": "elevation_m"}, 2000]}


class Rows:
    def __init__(self, session: aiohttp.ClientSession, base: str) -> None:
        self._session = session
        self._base = base

    async def get(self, what: str = "rows", status: int = 200, **query: str) -> dict[str, Any]:
        async with self._session.get(f"{self._base}/{what}", params=query) as answer:
            assert answer.status == status, await answer.text()
            body: dict[str, Any] = await answer.json()
            return body


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def high_airports(samples_url: str) -> AsyncIterator[Rows]:
    """A layer of the airports above 2000 m."""
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports", layer_id="high", filter=HIGH)
        async with aiohttp.ClientSession(server.url) as session:
            yield Rows(session, f"/api/maps/{one.map_id}/layers/high")


async def test_only_rows_that_the_layer_shows_are_there(high_airports: Rows) -> None:
    page = await high_airports.get(limit="1000")
    assert page["total"] == len(page["rows"]) == 379
    assert all(row["elevation_m"] > 2000 for row in page["rows"])
    assert "geom" not in page["columns"]
    assert page["key"] == ["id"]


async def test_values_of_every_type_are_there(database_url: str) -> None:
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE TABLE data.parcels (id uuid PRIMARY KEY, tags text[], facts jsonb, gap interval, price money, ip inet,"
        " during int4range, raw bytea, at time, geom geometry(Point, 4326));"
        "INSERT INTO data.parcels VALUES ('00000000-0000-0000-0000-00000000000a', '{a,b}', '{\"k\": [1]}', '1 day',"
        " 2.5, '10.0.0.1', '[1,5)', '\\x00ff', '12:00', ST_Point(1, 2, 4326));"
        "GRANT SELECT ON data.parcels TO PUBLIC"
    )
    await connection.close()
    async with local_server(database_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.parcels", layer_id="parcels")
        async with aiohttp.ClientSession(server.url) as session:
            rows = Rows(session, f"/api/maps/{one.map_id}/layers/parcels")
            (row,) = (await rows.get())["rows"]
            assert row == {
                "id": "00000000-0000-0000-0000-00000000000a", "tags": ["a", "b"], "facts": {"k": [1]}, "gap": "1 day",
                "price": "$2.50", "ip": "10.0.0.1", "during": "[1,5)", "raw": "2 bytes", "at": "12:00:00",
            }  # fmt: skip
            await rows.get(status=400, sort="facts")


async def test_pages_follow_each_other_in_the_order_that_was_asked(high_airports: Rows) -> None:
    asked = {"sort": "elevation_m", "descending": "true"}
    whole = await high_airports.get(limit="50", **asked)
    first = await high_airports.get(limit="20", **asked)
    second = await high_airports.get(limit="30", offset="20", **asked)
    assert first["rows"] + second["rows"] == whole["rows"]
    heights = [row["elevation_m"] for row in whole["rows"]]
    assert heights == sorted(heights, reverse=True)
    assert second["total"] == 379
    assert second["truncated"]


@pytest.mark.parametrize("deep", [5_000, 10], ids=["by offset", "by keys"])
@pytest.mark.parametrize("sort", [None, "elevation_m", "city", "iata"])
@pytest.mark.parametrize("descending", ["true", "false"])
async def test_a_page_is_the_same_from_whichever_end_it_is_read(
    high_airports: Rows, sort: str | None, descending: str, deep: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.gis.query.data.KEYS_FIRST_OFFSET", deep)
    asked = {"descending": descending, **({"sort": sort} if sort else {})}
    whole = (await high_airports.get(limit="1000", **asked))["rows"]
    for offset in (0, 100, 189, 190, 250, 350, 378):
        page = await high_airports.get(limit="50", offset=str(offset), total="379", **asked)
        assert page["rows"] == whole[offset : offset + 50]
        assert page["total"] == 379
        assert page["truncated"] == (offset + 50 < 379)
    assert (await high_airports.get(limit="50", offset="379", total="379", **asked))["rows"] == []


async def test_a_further_filter_holds_as_well(high_airports: Rows) -> None:
    swiss = {"op": "=", "args": [{"property": "country_code"}, "CH"]}
    some = await high_airports.get(filter=json.dumps(swiss))
    assert some["total"] < 379
    one = await high_airports.get(limit="1")
    key = {"op": "=", "args": [{"property": "id"}, one["rows"][0]["id"]]}
    assert (await high_airports.get(filter=json.dumps(key)))["rows"] == one["rows"]


async def test_a_column_is_summed_up(high_airports: Rows) -> None:
    stats = await high_airports.get("stats", column="elevation_m")
    assert stats["count"] == 379
    assert stats["minimum"] > 2000


async def test_features_in_a_part_of_the_earth_are_counted(high_airports: Rows) -> None:
    everywhere = await high_airports.get("count", bounds="-180,-90,180,90")
    assert everywhere == {"count": 379, "exact": True}
    west = await high_airports.get("count", bounds="-180,-90,20.0123,90")
    east = await high_airports.get("count", bounds="20.0123,-90,180,90")
    assert west["count"] + east["count"] == 379
    assert 0 < west["count"] < 379
    around = await high_airports.get("count", bounds="90,-90,-60,90")
    assert around["count"] > (await high_airports.get("count", bounds="90,-90,180,90"))["count"]


@pytest.mark.parametrize(
    ("what", "query", "status"),
    [
        ("count", {}, 400),
        ("count", {"bounds": "1,2,3"}, 400),
        ("count", {"bounds": "nan,0,1,1"}, 400),
        ("count", {"bounds": "0,0,1,91"}, 400),
        ("count", {"bounds": "0,1,1,0"}, 400),
        ("count", {"bounds": "0,0,0,0"}, 400),
        ("rows", {"limit": "0"}, 400),
        ("rows", {"limit": "1001"}, 400),
        ("rows", {"offset": "-1"}, 400),
        ("rows", {"offset": "²"}, 400),
        ("rows", {"sort": "no_such_column"}, 400),
        ("rows", {"filter": "1=1; DROP TABLE data.airports"}, 400),
        ("rows", {"filter": '{"op": "=", "args": [{"property": "no_such"}, 1]}'}, 400),
        ("stats", {"column": "no_such_column"}, 400),
    ],
)
async def test_bad_questions_are_refused_with_a_reason(
    high_airports: Rows, what: str, query: dict[str, str], status: int
) -> None:
    refused = await high_airports.get(what, status, **query)
    assert refused["error"]["message"]


async def test_rows_belong_to_a_map_and_a_layer(high_airports: Rows) -> None:
    async with high_airports._session.get("/api/maps/nobodys/layers/high/rows") as answer:
        assert answer.status == 404


WIDE = (
    "CREATE VIEW data.wide AS SELECT n AS id, ST_SetSRID(ST_MakePoint(n, 1), 4326)::geometry(Point, 4326) AS geom, "
    + ", ".join(f"repeat('x', 3000) AS c{n}" for n in range(300))
    + " FROM generate_series(1, 150) AS n"
)


async def test_a_page_of_a_wide_table_is_bounded_and_says_what_it_cut(samples_url: str) -> None:
    database = await asyncpg.connect(samples_url)
    await database.execute(WIDE)
    await database.close()
    async with local_server(samples_url, ScriptedModel(), profile_share=0) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.wide", layer_id="wide")
        async with aiohttp.ClientSession(server.url) as session:
            rows = Rows(session, f"/api/maps/{one.map_id}/layers/wide")
            page, few = await rows.get(limit="150"), await rows.get(limit="1")
    assert len(json.dumps(page)) < 12_000_000
    assert len(page["rows"]) == 150
    # Of 150 rows of 301 columns 10 million characters.
    assert len(page["rows"][0]["c7"]) == 10_000_000 // (150 * 301) + 1
    assert page["rows"][0]["c7"].endswith("x…")
    assert len(few["rows"][0]["c7"]) == 2001, "a page of few values has them longer"


async def test_rows_without_a_place_are_in_no_view(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(
        """CREATE TABLE data.placed AS SELECT n AS id, CASE n % 4 WHEN 0 THEN NULL
            WHEN 1 THEN ST_GeomFromText('POINT EMPTY', 4326) ELSE ST_SetSRID(ST_MakePoint(n, n / 2.0), 4326)
            END::geometry(Point, 4326) AS geom FROM generate_series(1, 100) AS n"""
    )
    await connection.close()
    async with local_server(samples_url) as server, client(server) as one:
        await server.registry.refresh(patience=10)
        await one.ask("join")
        for layer_id, filter in (("whole", None), ("part", "id <= 40")):
            await one.ask("layer_add", table="data.placed", layer_id=layer_id, filter=filter)
            async with aiohttp.ClientSession(server.url) as session:
                rows = Rows(session, f"/api/maps/{one.map_id}/layers/{layer_id}")
                world = await rows.get("count", bounds="-180,-90,180,90")
                assert world == {"count": 50 if filter is None else 20, "exact": True}
                assert (await rows.get("count", bounds="0,0,20,10.1"))["count"] == 10


async def test_a_table_of_shapes_alone_has_rows(samples_url: str) -> None:
    connection = await asyncpg.connect(samples_url)
    await connection.execute(
        "CREATE TABLE data.outlines AS SELECT ST_Point(n, n, 4326) AS geom FROM generate_series(1, 3) n;"
        "GRANT SELECT ON data.outlines TO PUBLIC"
    )
    await connection.close()
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.outlines", layer_id="outlines")
        async with aiohttp.ClientSession(server.url) as session:
            page = await Rows(session, f"/api/maps/{one.map_id}/layers/outlines").get()
    assert (page["columns"], page["total"], page["rows"]) == ([], 3, [{}, {}, {}])
