"""What one network address asks too fast is answered 429 with the time to wait, and other addresses are served."""

from __future__ import annotations

from collections import Counter

import aiohttp

from tests.support.server import child_server, client, local_server

GREEDY, STRANGER = "127.0.0.2", "127.0.0.3"


def session(url: str, address: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(local_addr=(address, 0)))


async def test_an_address_that_asks_too_fast_is_refused_and_a_stranger_is_not(samples_url: str) -> None:
    async with (
        local_server(samples_url, rate=1, http_rate=0.5) as server,
        session(server.url, GREEDY) as greedy,
        session(server.url, STRANGER) as stranger,
        client(server, address=GREEDY) as one,
    ):
        statuses: Counter[int] = Counter()
        for _ in range(12):
            async with greedy.get("/api/tables?limit=1") as answer:
                statuses[answer.status] += 1
        assert statuses[200] in (5, 6)
        assert set(statuses) == {200, 429}
        async with greedy.get("/tiles/a/b/1/0/0/0.mvt") as answer:
            assert answer.status == 429, "tiles count, too"
            assert 1 <= int(answer.headers["Retry-After"]) <= 2
            refused = (await answer.json())["error"]
            assert refused["code"] == "rate_limited"
            assert "Too many requests from this network address" in refused["message"]
        async with greedy.get("/readyz") as answer:
            assert answer.status == 200, "health checks are not counted"
        await one.ask("join")
        async with stranger.get("/api/tables?limit=1") as answer:
            assert answer.status == 200


async def test_searches_that_an_embedding_model_ranks_have_a_rate_of_their_own(samples_url: str) -> None:
    # Nothing answers at this address: tables are then searched by words, and the rate holds all the same.
    environment = {
        "GEOAGENT_EMBEDDINGS": "openai:text-embedding-3-small",
        "GEOAGENT_EMBEDDING_SEARCHES": "3",
        "OPENAI_API_KEY": "key",
        "OPENAI_BASE_URL": "http://127.0.0.1:9/v1",
        "GEOAGENT_MODEL": "offline",
    }
    async with (
        child_server(samples_url, **environment) as server,
        session(server.url, GREEDY) as greedy,
        session(server.url, STRANGER) as stranger,
    ):
        statuses = []
        for _ in range(4):
            async with greedy.get("/api/tables?q=airports") as answer:
                statuses.append(answer.status)
                told = await answer.json()
        assert statuses == [200, 200, 200, 429]
        assert 1 <= int(answer.headers["Retry-After"]) <= 20
        assert "Too many searches" in told["error"]["message"]
        async with greedy.get("/api/tables?limit=1") as answer:
            assert answer.status == 200, "only searches are counted"
        async with stranger.get("/api/tables?q=airports") as answer:
            assert answer.status == 200
