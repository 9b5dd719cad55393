"""Stopping at any point, in any way, leaves a history that the next turn can use."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from agents.core import (
    Agent,
    AgentEvent,
    AssistantMessage,
    Delta,
    Finished,
    Limits,
    ModelError,
    ModelEvent,
    ModelRequest,
    Telemetry,
    TextDelta,
    ToolContext,
    ToolDone,
    ToolStarted,
    UserMessage,
    tool,
)
from agents.core.loop.clock import Clock
from agents.core.testing import ScriptedModel
from tests.support.looking import PATIENCE, until
from tests.unit.core.scripted import Scripted, call, events_of, is_whole, results_of


class Slow(Agent):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.log: list[str] = []

    @tool
    async def wait(self, name: str = "w", seconds: float = 10) -> str:
        self.log.append(f"{name}>")
        try:
            await asyncio.sleep(seconds)
        except asyncio.CancelledError:
            self.log.append(f"{name} stopped")
            raise
        return name

    @tool(sequential=True)
    async def later(self) -> str:
        self.log.append("later")
        return "later"

    @tool
    async def end_and_cancel(self, hops: int) -> str:
        """Ends, and cancels the turn so many rounds of the event loop after that."""

        def hop(left: int) -> None:
            if left:
                asyncio.get_running_loop().call_soon(hop, left - 1)
            else:
                self.cancel()

        hop(hops)
        return "ended"

    @tool
    def stop(self, context: ToolContext) -> str:
        context.agent.cancel()
        return "stopping"


@pytest.mark.parametrize("hops", range(8))
async def test_the_end_of_a_call_is_reported_even_if_the_turn_is_cancelled_at_that_moment(hops: int) -> None:
    agent = Slow(Scripted([call("end_and_cancel", hops=hops), call("wait")], "never"))
    events = await events_of(agent)
    started = [event.call.id for event in events if isinstance(event, ToolStarted)]
    done = [event.result.call_id for event in events if isinstance(event, ToolDone)]
    assert sorted(started) == sorted(done)
    assert is_whole(agent.history)


def script() -> Scripted:
    return Scripted(
        [
            "Let me ",
            lambda: asyncio.sleep(0),
            "look.",
            call("wait", seconds=0.003),
            call("wait", seconds=0.001),
        ],
        ["And ", lambda: asyncio.sleep(0), call("later")],
        ["done ", lambda: asyncio.sleep(0), "now."],
    )


async def test_cancel_stops_running_tools_and_gives_every_call_its_result() -> None:
    agent = Slow(
        Scripted([call("wait", name="a", seconds=0.001), call("wait", name="b"), call("later")], "never")
    )
    events: list[AgentEvent] = []

    async def read() -> None:
        async for event in agent.events("go"):
            events.append(event)

    task = asyncio.create_task(read())
    await until(lambda: agent.log[1:] == ["b>"] and any(isinstance(event, ToolDone) for event in events))
    assert agent.cancel()
    await task
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert (finished.status, finished.reason) == ("cancelled", "cancelled")
    assert [result.error for result in results_of(agent.history)] == [None, "cancelled", "cancelled"]
    assert agent.log == ["a>", "b>", "b stopped"]
    started = [event.call.id for event in events if isinstance(event, ToolStarted)]
    done = [event.result.call_id for event in events if isinstance(event, ToolDone)]
    assert sorted(started) == sorted(done)
    assert not agent.cancel()


async def test_cancel_in_the_middle_of_a_reply_keeps_what_was_said() -> None:
    is_thinking = asyncio.Event()

    async def think() -> None:
        is_thinking.set()
        await asyncio.sleep(10)

    model = Scripted(["I think ", think, "not"], "fine")
    agent = Slow(model)
    task = asyncio.create_task(agent.run("go"))
    await is_thinking.wait()
    agent.cancel()
    assert (await task).status == "cancelled"
    assert agent.history == [UserMessage("go"), AssistantMessage("I think ")]
    assert model.closed == 1
    assert (await agent.run("again")).text == "fine"


async def test_a_tool_may_cancel_its_own_turn_without_striking_the_reader() -> None:
    agent = Slow(Scripted([call("stop"), call("later")], "never"))
    events: list[Any] = []
    async for event in agent.events("go"):
        await asyncio.sleep(0)
        events.append(event)
    assert isinstance(events[-1], Finished)
    assert events[-1].status == "cancelled"
    assert is_whole(agent.history)
    assert results_of(agent.history)[0].content == "stopping"


@pytest.mark.parametrize("when", range(14))
@pytest.mark.parametrize("how", ["cancel", "task", "close"])
async def test_wherever_a_turn_is_stopped_its_history_is_whole(how: str, when: int) -> None:
    agent = Slow(script())
    count = 0

    async def read() -> None:
        nonlocal count
        events = agent.events("go")
        async for event in events:
            count += 1
            if count == when + 1:
                if how == "close":
                    await events.aclose()
                    return
                if how == "cancel":
                    agent.cancel()
                else:
                    current = asyncio.current_task()
                    assert current is not None
                    current.cancel()
            if isinstance(event, Finished):
                assert event.status in ("done", "cancelled")

    task = asyncio.create_task(read())
    await asyncio.wait([task])
    if task.cancelled():
        await asyncio.sleep(0.01)  # a generator left behind by its reader is closed by the event loop
    assert is_whole(agent.history)
    agent.model = Scripted("fine")
    assert (await agent.run("and now?")).text == "fine"
    assert is_whole(agent.history)


@pytest.mark.parametrize("milliseconds", [0, 1, 2, 3, 5, 8])
@pytest.mark.parametrize("how", ["cancel", "task"])
async def test_whenever_a_turn_is_stopped_its_history_is_whole(how: str, milliseconds: int) -> None:
    agent = Slow(script())
    task = asyncio.create_task(agent.run("go"))
    await asyncio.sleep(milliseconds / 1000)
    if how == "cancel":
        agent.cancel()
    else:
        task.cancel()
    await asyncio.wait([task])
    assert is_whole(agent.history)
    agent.model = Scripted("fine")
    assert (await agent.run("and now?")).text == "fine"


async def test_someone_elses_cancellation_goes_on_its_way() -> None:
    agent = Slow(Scripted([call("wait")], "never"))
    task = asyncio.create_task(agent.run("go"))
    await until(lambda: agent.log == ["w>"])
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert results_of(agent.history)[0].error == "cancelled"
    assert agent.log == ["w>", "w stopped"]


async def test_a_timeout_around_a_turn_works() -> None:
    agent = Slow(Scripted([call("wait")], "never"))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await agent.run("go")
    assert is_whole(agent.history)


async def test_a_tool_that_will_not_stop_does_not_hold_up_the_cancel_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("agents.core.loop.batch.GRACE_SECONDS", 0.02)
    is_held, release = asyncio.Event(), asyncio.Event()

    class Stubborn(Agent):
        @tool
        async def hold(self) -> str:
            is_held.set()
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return "at last"

    agent = Stubborn(Scripted([call("hold")], "never"))
    task = asyncio.create_task(agent.run("go"))
    await is_held.wait()
    agent.cancel()
    finished = await asyncio.wait_for(task, PATIENCE)
    release.set()
    assert finished.status == "cancelled"
    assert is_whole(agent.history)


class Busy(Agent):
    @tool
    async def work(self, context: ToolContext, seconds: float = 0.05) -> str:
        with context.own_time():
            await asyncio.sleep(seconds)
        return "worked"


async def test_two_tools_may_keep_their_own_time_at_once() -> None:
    agent = Busy(
        Scripted([call("work", seconds=0.15), call("work", seconds=0.02)], "done"), limits=Limits(seconds=0.1)
    )
    finished = await agent.run("go")
    assert finished.status == "done"
    assert [result.content for result in results_of(agent.history)] == ["worked", "worked"]


async def test_time_in_which_two_tools_keep_their_own_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("agents.core.loop.clock.perf_counter", lambda: now[0])
    expired: list[float] = []
    clock = Clock(1.0, lambda: expired.append(now[0]))
    clock.start()
    with clock.paused():
        with clock.paused():
            now[0] = 4.0
        now[0] = 5.0
    for now[0] in (5.9, 6.1):
        clock.stop()
        clock._check()
    assert expired == [6.1]


async def test_two_turns_on_one_history_do_not_run_at_once() -> None:
    gate = asyncio.Event()
    one, other = Slow(ScriptedModel([gate, "first"])), Slow(Scripted("second"))
    history: list[Any] = []
    running = asyncio.create_task(one.run("go", history=history))
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="in the middle of a turn"):
        await one.run("and this", history=history)
    with pytest.raises(RuntimeError, match="in the middle of a turn"):
        await other.run("and this", history=history)
    gate.set()
    assert (await running).text == "first"
    assert history == [UserMessage("go"), AssistantMessage("first")]
    assert (await other.run("and this", history=history)).text == "second"


async def test_an_agent_whose_turn_could_not_begin_is_not_busy_for_ever() -> None:
    class Tracing:
        broken = True

        def turn(self, agent: str) -> None:
            if self.broken:
                raise ConnectionError("the exporter is away")

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(name)

    agent = Slow(Scripted("fine"), telemetry=Telemetry(tracing=Tracing()))
    with pytest.raises(ConnectionError):
        await agent.run("go")
    agent.telemetry.tracing = None
    assert (await agent.run("again")).text == "fine"


def roles(messages: Any) -> list[str]:
    return [type(message).__name__.removesuffix("Message") for message in messages]


async def test_after_a_cancelled_turn_results_are_not_followed_by_the_users_next_message() -> None:
    model = Scripted([call("stop")], "fine")
    agent = Slow(model)
    assert (await agent.run("go")).status == "cancelled"
    await agent.run("again")
    sent = model.requests[-1].messages
    assert roles(sent) == ["User", "Assistant", "Tool", "Assistant", "User"]
    assert "stopped" in sent[3].text.lower()


async def test_after_a_turn_without_a_reply_the_user_does_not_speak_twice_in_a_row() -> None:
    model = Scripted([ModelError("refused_key", "The key was refused.")], "fine")
    agent = Slow(model)
    assert (await agent.run("go")).status == "failed"
    await agent.run("again")
    assert roles(model.requests[-1].messages) == ["User", "Assistant", "User"]


async def test_a_history_from_elsewhere_is_sent_with_speakers_in_turn() -> None:
    model = Scripted("fine")
    agent = Slow(model, history=[UserMessage("go"), UserMessage("are you there?")])
    await agent.run("hello?")
    assert roles(model.requests[0].messages) == ["User", "Assistant", "User", "Assistant", "User"]
    assert agent.history[:2] == [UserMessage("go"), UserMessage("are you there?")]


async def test_a_model_that_fails_while_it_is_closed_leaves_a_whole_history_and_an_idle_agent() -> None:
    class Stubborn(Scripted):
        async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
            try:
                yield TextDelta("half ")
                yield TextDelta("a reply")
            finally:
                raise RuntimeError("closed badly")

    agent = Agent(Stubborn("never"), telemetry=(telemetry := Telemetry()))
    events = agent.events("go")
    while not isinstance(await anext(events), Delta):
        pass
    with pytest.raises(RuntimeError, match="closed badly"):
        await events.aclose()
    assert agent.history == [UserMessage("go"), AssistantMessage("half ")]
    assert telemetry.turns == {"cancelled": 1}
    agent.cancel()  # there is nothing to cancel: the next turn must not be struck
    agent.model = Scripted("done")
    assert (await agent.run("again")).status == "done"
