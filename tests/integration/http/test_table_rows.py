"""The rows of a result without geometry: who may read them, and what the end of the analysis says of it."""

from __future__ import annotations

import aiohttp

from tests.support.server import client, local_server


async def test_rows_of_a_result_are_read_by_its_map_only(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one, client(server) as other:
        await one.ask("join")
        await other.ask("join")
        await one.says("summarise countries by continent with total population")
        (done,) = one.named("analysis_finished")
        (result,) = done["tables"]
        assert (result["table"], result["rows"]) == (done["table"], 8)
        async with aiohttp.ClientSession(server.url) as session:
            base = f"/api/maps/{one.map_id}/tables/{done['table']}"
            async with session.get(f"{base}/rows", params={"sort": "continent", "limit": "3"}) as answer:
                page = await answer.json()
            assert page["columns"] == ["continent", "count", "sum_population"]
            assert (page["total"], [row["continent"] for row in page["rows"]]) == (
                8,
                ["Africa", "Antarctica", "Asia"],
            )
            async with session.get(f"{base}/stats", params={"column": "continent"}) as answer:
                assert (await answer.json())["count"] == 8
            elsewhere = base.replace(str(one.map_id), str(other.map_id))
            for what in ("rows", "stats?column=continent"):
                async with session.get(f"{elsewhere}/{what}") as answer:
                    assert answer.status == 404, await answer.text()


async def test_a_result_that_is_drawn_is_no_table_of_the_conversation(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.says("buffer the airports in Peru by 5 km")
        (done,) = one.named("analysis_finished")
        assert (done["rows"] or 0) > 0
        assert done["tables"] == []
