"""Many messages at once: whoever sends few waits for few, whoever sends many is told so, and everybody knows where
in the queue they are."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
import pytest_asyncio
from sqlalchemy import select

from agents.core.messages import UserMessage
from agents.core.model import ModelEvent, ModelRequest
from server.app import Server
from server.maps.log.tables import turn_table
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

ATTACKER, STRANGER = "127.0.0.2", "127.0.0.3"
LIMITS = {"turns": 2, "turns_per_address": 1, "waiting_turns": 16, "waiting_turns_per_address": 4}


class SlowModel(ScriptedModel):
    """Answers when the test lets it, and tells which messages it was asked, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.then([self.gate, "ok"])
        async for event in super().stream(request):
            yield event

    def asked(self) -> list[str]:
        return [
            message.text
            for request in self.requests
            if isinstance(message := request.messages[-1], UserMessage)
        ]


@pytest_asyncio.fixture(loop_scope="session")
async def model() -> SlowModel:
    return SlowModel()


@pytest_asyncio.fixture(loop_scope="session")
async def server(database_url: str, model: SlowModel) -> AsyncIterator[Server]:
    async with local_server(database_url, model, **LIMITS) as running:
        yield running
        model.gate.set()

        async def is_idle() -> bool:
            return not await running.maps.turns.open_turns()

        await until(is_idle)


async def crowd(stack: AsyncExitStack, server: Server, count: int) -> list[Client]:
    """So many maps of one address, each with a message that waits or runs."""
    people = [await stack.enter_async_context(client(server, address=ATTACKER)) for _ in range(count)]
    for number, one in enumerate(people):
        await one.ask("join")
        await one.ask("chat", text=f"first of {number}")
    return people


async def test_an_address_that_fills_its_share_does_not_delay_others(
    server: Server, model: SlowModel
) -> None:
    async with AsyncExitStack() as stack:
        people = await crowd(stack, server, 3)
        await until(lambda: len(model.requests) == 1)
        for _ in range(2):
            await people[0].ask("chat", text="again")
        stranger = await stack.enter_async_context(client(server, address=STRANGER))
        await stranger.ask("join")
        answer = await stranger.ask("chat", text="from a stranger")
        assert answer["ahead"] == 0
        # The attacker's model hangs; the stranger's turn runs beside it.
        await until(lambda: len(model.requests) == 2)
        assert model.asked()[1] == "from a stranger"
        model.gate.set()
        await stranger.hears("turn_finished")


async def test_maps_take_turns(server: Server, model: SlowModel) -> None:
    async with AsyncExitStack() as stack:
        greedy, modest = await crowd(stack, server, 2)
        for number in range(3):
            await greedy.ask("chat", text=f"more {number}")
        await until(lambda: model.requests)
        model.gate.set()
        await until(lambda: len(greedy.named("turn_finished")) == 4)
        assert model.asked() == ["first of 0", "first of 1", "more 0", "more 1", "more 2"]
        await modest.hears("turn_finished")


async def test_too_many_messages_are_refused_as_busy_and_quiet_maps_are_not(
    server: Server, model: SlowModel
) -> None:
    async with AsyncExitStack() as stack:
        people = await crowd(stack, server, 2)
        await until(lambda: model.requests)
        for _ in range(3):
            await people[1].ask("chat", text="more")
        answer = await people[1].send("chat", {"map_id": people[1].map_id, "text": "one too many"})
        assert answer["error"]["code"] == "busy"
        assert answer["error"]["retry_after"] > 0
        neighbour = await stack.enter_async_context(client(server, address=ATTACKER))
        await neighbour.ask("join")
        assert (await neighbour.ask("chat", text="behind the same address"))["ahead"] == 1
        model.gate.set()
        await neighbour.hears("turn_finished")
        await until(lambda: len(people[1].named("turn_finished")) == 4)
        assert await people[1].says("one too many")
        assert len({seq for seq, _ in people[1].numbered()}) == len(people[1].numbered())


async def test_waiting_clients_get_their_position_until_their_turn_starts(
    server: Server, model: SlowModel
) -> None:
    async with AsyncExitStack() as stack:
        people = await crowd(stack, server, 3)
        await until(lambda: model.requests)
        told = await people[2].hears("turn_waiting")
        assert told["ahead"] == 1
        late = await stack.enter_async_context(client(server, address=STRANGER))
        await late.ask("join", map_id=people[2].map_id)
        assert (await late.hears("turn_waiting"))["ahead"] == 1
        model.gate.set()
        await people[2].hears("turn_finished")
        assert people[2].named("turn_waiting")[-1] == {**told, "ahead": None}
        assert not people[0].named("turn_waiting")


async def test_the_address_of_a_turn_is_forgotten_when_it_ends(server: Server, model: SlowModel) -> None:
    async with client(server, address=ATTACKER) as one:
        await one.ask("join")
        answer = await one.ask("chat", text="hello")
        address = select(turn_table.c.address).where(turn_table.c.id == answer["turn_id"])
        async with server.database.owner.connect() as connection:
            assert (await connection.execute(address)).scalar_one() == ATTACKER
        model.gate.set()
        await one.hears("turn_finished")
        async with server.database.owner.connect() as connection:
            assert (await connection.execute(address)).scalar_one() is None


@pytest.mark.parametrize(
    ("trusted", "forwarded", "counted"),
    [
        (("127.0.0.2",), "198.51.100.7", "198.51.100.7"),
        (("127.0.0.2",), "2001:db8:1:2:3::4", "2001:db8:1:2::/64"),
        ((), "198.51.100.7", ATTACKER),
    ],
)
async def test_limits_count_by_the_address_that_a_trusted_proxy_names(
    database_url: str, model: SlowModel, trusted: tuple[str, ...], forwarded: str, counted: str
) -> None:
    headers = {"X-Forwarded-For": forwarded}
    async with (
        local_server(database_url, model, trusted_proxies=trusted) as server,
        client(server, address=ATTACKER, headers=headers) as one,
    ):
        await one.ask("join")
        await one.ask("chat", text="hello")
        assert [turn.address for turn in await server.maps.turns.open_turns()] == [counted]
        model.gate.set()
        await one.hears("turn_finished")


async def test_where_all_places_are_taken_the_newest_message_of_the_greediest_address_gives_way(
    server: Server, model: SlowModel
) -> None:
    async with AsyncExitStack() as stack:
        people: list[Client] = []
        for address in ("127.0.0.2", "127.0.0.4", "127.0.0.5"):
            for _ in range(7):
                one = await stack.enter_async_context(client(server, address=address))
                await one.ask("join")
                await one.send("chat", {"map_id": one.map_id, "text": "wait"})
                people.append(one)

        async def is_full() -> bool:
            return sum(turn.status == "queued" for turn in await server.maps.turns.open_turns()) == 16

        await until(is_full)
        stranger = await stack.enter_async_context(client(server, address=STRANGER))
        await stranger.ask("join")
        await stranger.ask("chat", text="from a stranger")
        await until(lambda: any(one.named("turn_finished") for one in people))
        ended = next(one for one in people if one.named("turn_finished"))
        assert ended.named("turn_finished")[0]["status"] == "failed"
        assert "network address" in ended.named("ai_response")[-1]["message"]
        model.gate.set()
        await stranger.hears("turn_finished")
        assert stranger.named("turn_finished")[0]["status"] == "done"
