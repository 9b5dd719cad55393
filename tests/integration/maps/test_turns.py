"""Turns on a real database: order, one at a time, idempotence, cancel, crashes, what the model remembers."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack

import pytest
from sqlalchemy import text, update

from agents.core import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, Usage, UserMessage
from agents.core.loop.events import AgentEvent, AssistantText, Delta, Finished, ToolDone, ToolStarted
from agents.core.model import ModelError
from server.database.engines import Database
from server.maps.faults import RequestFault
from server.maps.log.events import Event, map_reset
from server.maps.log.replay import MapState
from server.maps.log.tables import turn_table
from server.maps.service import MapService
from server.maps.turns import queue
from tests.integration.maps.taking_turns import finished, names, orphan, say, server
from tests.support.agents import Scripted, echo, waits_for
from tests.support.looking import PATIENCE, until


async def test_a_message_is_answered_and_the_turn_ends_once(database: Database) -> None:
    async with server(database) as maps:
        map_id = await maps.log.create()
        turn_id = await say(maps, map_id, "hello")
        events = await finished(maps, map_id)
    assert names(events) == ["user_message", "ai_response", "turn_finished"]
    assert {event.turn_id for event in events} == {turn_id}
    assert events[1].payload["message"] == "hello"
    assert events[2].payload["status"] == "done"


async def test_turns_of_one_map_run_in_the_order_of_arrival_one_at_a_time(database: Database) -> None:
    busy: set[str] = set()
    most = 0

    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        nonlocal most
        busy.add(words)
        most = max(most, len(busy))
        await asyncio.sleep(0.02)
        busy.discard(words)
        yield Finished(words)

    async with server(database, play) as one, server(database, play) as other:
        map_id = await one.log.create()
        for number in range(8):
            await say((one, other)[number % 2], map_id, str(number))
        events = await finished(one, map_id, 8)
    assert [event.payload["message"] for event in events if event.name == "ai_response"] == list("01234567")
    assert most == 1


class Watching:
    """A follower of a map that only counts what it sees."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    def begin(self, state: MapState) -> None:
        self.seen.clear()

    def see(self, events: Sequence[Event]) -> None:
        self.seen += [event.seq for event in events]


async def test_who_follows_a_map_goes_on_when_another_stops_following_it(database: Database) -> None:
    first, second = Watching(), Watching()
    async with server(database) as maps:
        map_id = await maps.log.create()
        async with AsyncExitStack() as earlier:
            await earlier.enter_async_context(maps.hub.following(map_id, first))
            async with maps.hub.following(map_id, second):
                await earlier.aclose()
                await maps.log.append(map_id, [map_reset()])
                await until(lambda: second.seen == [1])
    assert first.seen == []


async def test_different_maps_are_answered_at_the_same_time_up_to_the_limit(database: Database) -> None:
    gate = asyncio.Event()
    async with server(database, waits_for(gate.wait), turns_at_once=3) as maps:
        ids = [await maps.log.create() for _ in range(5)]
        for map_id in ids:
            await say(maps, map_id, "go")
        await until(lambda: maps.runner.running == 3)
        await asyncio.sleep(0.1)
        assert maps.runner.running == 3
        gate.set()
        for map_id in ids:
            await finished(maps, map_id)


async def test_the_same_client_id_twice_is_one_turn(database: Database) -> None:
    async with server(database) as maps:
        map_id = await maps.log.create()
        sent = await asyncio.gather(*(maps.turns.submit(map_id, "hello", "c1") for _ in range(5)))
        assert len({(one.turn_id, one.seq) for one in sent}) == 1
        maps.runner.wake()
        events = await finished(maps, map_id)
    assert names(events).count("user_message") == 1


async def test_too_many_waiting_messages_are_refused(database: Database) -> None:
    gate = asyncio.Event()
    async with server(database, waits_for(gate.wait)) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "first")
        await until(lambda: maps.runner.running == 1)
        for _ in range(20):
            await say(maps, map_id, "more")
        with pytest.raises(RequestFault, match="waiting"):
            await say(maps, map_id, "too much")
        gate.set()
        await finished(maps, map_id, 21)


async def test_a_running_turn_can_be_cancelled(database: Database) -> None:
    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        yield ToolStarted(ToolCall("c", "count_features", "{}"), {})
        await asyncio.sleep(60)
        yield Finished("never")

    async with server(database, play) as maps:
        map_id = await maps.log.create()
        turn_id = await say(maps, map_id, "count")
        await until(lambda: has(maps, map_id, "tool_called"))
        assert await maps.runner.cancel(map_id) == turn_id
        events = await maps.log.reader.read(map_id, 0)
        assert await maps.runner.cancel(map_id) is None
    assert names(events) == ["user_message", "tool_called", "tool_finished", "ai_response", "turn_finished"]
    assert (events[2].payload["ok"], events[2].payload["summary"]) == (False, "stopped")
    assert events[-1].payload["status"] == "cancelled"


async def test_what_was_written_of_an_answer_that_was_stopped_stays(database: Database) -> None:
    written = asyncio.Event()

    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        yield Delta("Let me see.")
        yield AssistantText("Let me see.")
        yield Delta("The largest are ")
        yield Delta("Berlin and ")
        if words == "fail":
            yield Finished("The connection broke.", status="failed", reason="unavailable")
            return
        written.set()
        await asyncio.Event().wait()

    async with server(database, play) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "stop")
        await asyncio.wait_for(written.wait(), PATIENCE)
        await maps.runner.cancel(map_id)
        await say(maps, map_id, "fail")
        events = await finished(maps, map_id, 2)
    said = [event.payload for event in events if event.name == "ai_response"]
    partial = [("Let me see.", False), ("The largest are Berlin and", False)]
    assert [(each["message"], each["final"]) for each in said] == [
        *partial, (said[2]["message"], True), *partial, ("The connection broke.", True)
    ]  # fmt: skip
    assert said[2]["message"].startswith("Stopped.")


async def test_a_queued_turn_can_be_cancelled_and_never_runs(database: Database) -> None:
    gate = asyncio.Event()
    async with server(database, waits_for(gate.wait)) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "first")
        second = await say(maps, map_id, "second")
        await until(lambda: maps.runner.running == 1)
        assert await maps.runner.cancel(map_id, second) == second
        gate.set()
        events = await finished(maps, map_id, 2)
    statuses = {event.turn_id: event.payload["status"] for event in events if event.name == "turn_finished"}
    assert statuses[second] == "cancelled"
    assert [event.payload["message"] for event in events if event.name == "ai_response"] == ["done: first"]


async def test_a_turn_is_cancelled_through_another_server(database: Database) -> None:
    gate = asyncio.Event()
    async with (
        server(database, waits_for(gate.wait)) as one,
        server(database, echo, turns_at_once=0) as other,
    ):
        map_id = await one.log.create()
        turn_id = await say(one, map_id, "wait")
        await until(lambda: one.runner.running == 1)
        assert await other.runner.cancel(map_id) == turn_id
        events = await finished(one, map_id)
    assert events[-1].payload["status"] == "cancelled"


async def test_an_agent_that_breaks_ends_its_turn_with_words_that_betray_nothing(database: Database) -> None:
    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        yield ToolStarted(ToolCall("c", "x", "{}"), {})
        raise RuntimeError("password=secret")

    async with server(database, play) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "break")
        events = await finished(maps, map_id)
        await say(maps, map_id, "again")
        await finished(maps, map_id, 2)
    assert events[-1].payload["status"] == "failed"
    assert "error" in events[-2].payload["message"]
    assert "secret" not in str([event.payload for event in events])


async def test_a_model_that_failed_says_why(database: Database) -> None:
    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        error = ModelError("refused_key", "The key in OPENAI_API_KEY was refused.")
        yield Finished(str(error), status="failed", reason=error.code)

    async with server(database, play) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "hello")
        events = await finished(maps, map_id)
    assert events[-2].payload["message"] == "The key in OPENAI_API_KEY was refused."
    assert events[-1].payload["status"] == "failed"


async def test_stopping_the_server_interrupts_its_turns_and_says_so(database: Database) -> None:
    async with server(database, waits_for(asyncio.Event().wait)) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "long work")
        await until(lambda: maps.runner.running == 1)
    events = await maps.log.reader.read(map_id, 0)
    assert names(events) == ["user_message", "ai_response", "turn_finished"]
    assert events[-1].payload["status"] == "interrupted"


async def test_a_server_whose_turn_was_taken_away_writes_nothing_more(database: Database) -> None:
    gate = asyncio.Event()

    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        await gate.wait()
        yield AssistantText("too late")
        yield Finished("too late")

    async with server(database, play) as maps:
        map_id = await maps.log.create()
        turn_id = await say(maps, map_id, "work")
        await until(lambda: maps.runner.running == 1)
        async with database.owner.begin() as connection:
            taken = update(turn_table).where(turn_table.c.id == turn_id).values(status="interrupted")
            await connection.execute(taken)
        gate.set()
        await until(lambda: maps.runner.running == 0)
        assert names(await maps.log.reader.read(map_id, 0)) == ["user_message"]


async def test_the_database_itself_refuses_a_second_running_turn(database: Database) -> None:
    map_id = await orphan(database)
    async with database.owner.connect() as connection:
        with pytest.raises(Exception, match="turn_running"):
            await connection.execute(
                text(
                    "INSERT INTO geoagent.turn (id, map_id, text, status) VALUES ('t2', :m, 'x', 'running')"
                ),
                {"m": map_id},
            )


async def test_the_model_is_reminded_of_earlier_turns_with_every_call_answered(database: Database) -> None:
    received: list[list[Message]] = []

    async def play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        received.append(agent.history)
        call = ToolCall("call_1", "count_features", '{"table":"data.airports"}')
        yield AssistantText("Counting.")
        yield ToolStarted(call, {"table": "data.airports"})
        yield ToolDone(ToolResult("call_1", "count_features", "28000 features"), "28000 features")
        yield Finished("28000.", usage=Usage(10, 5), steps=2, model="m")

    async with server(database, play) as maps:
        map_id = await maps.log.create()
        await say(maps, map_id, "how many?")
        await say(maps, map_id, "and now?")
        events = await finished(maps, map_id, 2)
    assert received[0] == []
    asked, counting, counted, said = received[1]
    assert asked == UserMessage("how many?")
    assert isinstance(counting, AssistantMessage)
    assert (counting.text, counting.calls[0].name) == ("Counting.", "count_features")
    assert isinstance(counted, ToolMessage)
    assert counted.results[0].content == "28000 features"
    assert said == AssistantMessage("28000.")
    usage = events[-1].payload["usage"]
    assert (usage["input_tokens"], usage["output_tokens"], usage["steps"], usage["model"]) == (10, 5, 2, "m")


async def has(maps: MapService, map_id: str, name: str) -> bool:
    return name in names(await maps.log.reader.read(map_id, 0))


async def test_a_turn_is_answered_by_a_server_with_the_model_of_the_one_that_accepted_it(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def other_play(agent: Scripted, words: str) -> AsyncGenerator[AgentEvent, None]:
        yield Finished(f"another model says {words}")

    async with server(database, model="one") as one, server(database, other_play, model="other") as other:
        map_id = await one.log.create()
        await one.runner.drain(0)  # claims nothing any more
        await one.turns.submit(map_id, "hello")
        other.runner.wake()
        async with asyncio.timeout(PATIENCE):
            assert await other.turns.claim(map_id) is None
        monkeypatch.setattr(queue, "HANDOVER_S", 0.0)
        other.runner.wake()
        events = await finished(other, map_id)
    assert [event.payload["message"] for event in events if event.name == "ai_response"] == [
        "another model says hello"
    ]
