"""Stopping at any point, in any way, leaves a history that the next turn can use."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.core import (
    Agent,
    AssistantMessage,
    Finished,
    ToolContext,
    ToolDone,
    ToolStarted,
    UserMessage,
    tool,
)
from tests.support.looking import PATIENCE
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
async def test_a_call_that_ends_just_as_the_turn_is_cancelled_has_its_end_told(hops: int) -> None:
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
    task = asyncio.create_task(events_of(agent))
    await asyncio.sleep(0.03)
    assert agent.cancel()
    events = await task
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
    model = Scripted(["I think ", lambda: asyncio.sleep(10), "not"], "fine")
    agent = Slow(model)
    task = asyncio.create_task(agent.run("go"))
    await asyncio.sleep(0.01)
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
    await asyncio.sleep(0.01)
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
    monkeypatch.setattr("agents.core.batch.GRACE_SECONDS", 0.02)
    release = asyncio.Event()

    class Stubborn(Agent):
        @tool
        async def hold(self) -> str:
            while not release.is_set():
                try:
                    await release.wait()
                except asyncio.CancelledError:
                    continue
            return "at last"

    agent = Stubborn(Scripted([call("hold")], "never"))
    task = asyncio.create_task(agent.run("go"))
    await asyncio.sleep(0.01)
    agent.cancel()
    finished = await asyncio.wait_for(task, PATIENCE)
    release.set()
    assert finished.status == "cancelled"
    assert is_whole(agent.history)
