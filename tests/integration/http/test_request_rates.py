"""What one network address asks too fast is answered 429 with the time to wait, and other addresses are served."""

from __future__ import annotations

import asyncio
from collections import Counter

import aiohttp
import pytest

from server.http.middleware import request_rates
from tests.support.looking import until
from tests.support.server import child_server, client, local_server

GREEDY, STRANGER = "127.0.0.2", "127.0.0.3"


def session(url: str, address: str) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(url, connector=aiohttp.TCPConnector(local_addr=(address, 0)))


async def test_an_address_that_asks_too_fast_is_refused_and_a_stranger_is_not(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_rates, "BURST_S", 1000.0)
    async with (
        local_server(samples_url, rate=1, http_rate=0.005) as server,
        session(server.url, GREEDY) as greedy,
        session(server.url, STRANGER) as stranger,
        client(server, address=GREEDY) as one,
    ):
        statuses = Counter(
            await asyncio.gather(*(status_of(greedy, "/api/tables?limit=1") for _ in range(12)))
        )
        assert statuses[200] == 4, "the handshake of the socket counts, too"
        assert set(statuses) == {200, 429}
        async with greedy.get("/tiles/a/b/1/0/0/0.mvt") as answer:
            assert answer.status == 429, "tiles count, too"
            assert 1 <= int(answer.headers["Retry-After"]) <= 200
            refused = (await answer.json())["error"]
            assert refused["code"] == "rate_limited"
            assert "Too many requests from this network address" in refused["message"]
        async with greedy.get("/readyz") as answer:
            assert answer.status == 200, "health checks are counted apart"
        async with greedy.get("/socket.io/?EIO=4&transport=polling") as answer:
            assert answer.status == 429, "polled sockets count, too"
        await one.ask("join")
        async with stranger.get("/api/tables?limit=1") as answer:
            assert answer.status == 200


async def status_of(session: aiohttp.ClientSession, path: str) -> int:
    async with session.get(path) as answer:
        await answer.read()
        return answer.status


@pytest.mark.parametrize("path", ["/readyz", "/healthz"])
async def test_a_flood_of_health_checks_is_refused_and_the_load_balancer_s_are_answered(
    samples_url: str, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_rates, "HEALTH_RATE", (0.001, 10.0))
    async with (
        local_server(samples_url, rate=1) as server,
        session(server.url, GREEDY) as greedy,
        session(server.url, STRANGER) as balancer,
    ):
        statuses: Counter[int] = Counter()

        async def is_refused() -> bool:
            """On a busy machine the process for health checks answers some of them, without counting."""
            statuses.update(await asyncio.gather(*(status_of(greedy, path) for _ in range(60))))
            return 429 in statuses

        await until(is_refused)
        assert set(statuses) == {200, 429}
        async with greedy.get(path) as answer:
            assert answer.status == 429
            assert 1 <= int(answer.headers["Retry-After"]) <= 1000
        for _ in range(5):
            assert await status_of(balancer, path) == 200
        assert await status_of(greedy, "/api/tables?limit=1") == 200, "its other requests are counted apart"


async def test_tiles_in_memory_count_as_requests(samples_url: str) -> None:
    async with (
        local_server(samples_url, rate=1, http_rate=1.0) as server,
        session(server.url, GREEDY) as greedy,
        client(server, address=STRANGER) as one,
    ):
        await one.ask("join")
        await one.ask("layer_add", table="data.countries")
        path = (await one.hears("layer_added"))["layer"]["tiles"].format(z=0, x=0, y=0)
        assert await status_of(greedy, path) == 200
        statuses = Counter(await asyncio.gather(*(status_of(greedy, path) for _ in range(30))))
        assert set(statuses) == {200, 429}


async def test_refusals_are_held_back_and_beyond_a_number_of_them_connections_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_rates, "MAX_DELAYED", 3)
    monkeypatch.setattr(request_rates, "REFUSAL_DELAY_S", 3600.0)
    rates = request_rates.RequestRates(1.0)
    waiting = [asyncio.create_task(rates.hold_back(GREEDY)) for _ in range(3)]
    _, held = await asyncio.wait(waiting, timeout=0)
    assert len(held) == 3
    assert await rates.hold_back(GREEDY) is False
    for each in waiting:
        each.cancel()
    await asyncio.wait(waiting)
    monkeypatch.setattr(request_rates, "REFUSAL_DELAY_S", 0.0)
    assert await rates.hold_back(GREEDY) is True


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
