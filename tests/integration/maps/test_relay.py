"""Messages between servers, as PostgreSQL delivers them."""

from __future__ import annotations

import json

import asyncpg

from server.maps.log.tables import TRANSIENT_CHANNEL
from tests.support.looking import until
from tests.support.server import local_server

EQUAL = 5


async def test_equal_messages_of_one_transaction_all_arrive(samples_url: str) -> None:
    arrived: list[str] = []
    listening = await asyncpg.connect(samples_url)
    try:
        await listening.add_listener(TRANSIENT_CHANNEL, lambda *received: arrived.append(str(received[-1])))
        async with local_server(samples_url) as server:
            for _ in range(EQUAL):
                server.maps.hub.relay.send("wave", {"hand": "left"}, always=True)
            await until(lambda: [json.loads(one)[1] for one in arrived].count("wave") >= EQUAL)
    finally:
        await listening.close()
    waves = [json.loads(one) for one in arrived if json.loads(one)[1] == "wave"]
    numbers = [body.pop("number") for _, _, body in waves]
    assert [body for _, _, body in waves] == [{"hand": "left"}] * EQUAL
    assert numbers == sorted(set(numbers))
