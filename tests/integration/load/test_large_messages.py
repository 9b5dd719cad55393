"""Reading a large message holds everybody up for a moment, so those of one network address are read at a bounded rate:
on one connection or on many, while the messages of others go on."""

from __future__ import annotations

import asyncio

import pytest

from server.sockets.limits import LARGE_MESSAGES_RATE
from tests.support.server import Client, client, local_server

SIZE = 200_000
LOOKING = {"bounds": [0, 0, 1, 1], "zoom": 3, "more": "x" * SIZE}
AT_ONCE = LARGE_MESSAGES_RATE[1] // SIZE
"""Messages of an address that are read without a pause."""


async def looks(one: Client, times: int) -> None:
    """So many messages, one after the other."""
    for _ in range(times):
        answer = await one.send("view", {"map_id": one.map_id, **LOOKING}, timeout=120)
        assert answer["error"]["code"] == "invalid_payload"


@pytest.mark.parametrize("transport", ["websocket", "polling"])
async def test_large_messages_of_an_address_wait_and_those_of_others_do_not(
    samples_url: str, transport: str
) -> None:
    async with (
        local_server(samples_url, rate=1) as server,
        client(server, address="127.0.0.66", transports=[transport]) as one,
        client(server, address="127.0.0.66", transports=[transport]) as other,
        client(server, address="127.0.0.9") as stranger,
    ):
        for each in (one, other, stranger):
            await each.ask("join")
        together_too_many = [asyncio.create_task(looks(each, AT_ONCE - 2)) for each in (one, other)]
        await looks(stranger, AT_ONCE)
        assert not all(task.done() for task in together_too_many)
        for task in together_too_many:
            task.cancel()
        await asyncio.gather(*together_too_many, return_exceptions=True)
