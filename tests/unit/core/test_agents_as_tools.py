"""Several agents: by name in a registry, and offered to each other as tools."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.core import (
    Agent,
    AgentRegistry,
    AssistantMessage,
    AssistantText,
    Finished,
    Forwarded,
    Limits,
    Result,
    Telemetry,
    ToolContext,
    Usage,
    tool,
)
from tests.support.looking import until
from tests.unit.core.scripted import Scripted, call, events_of, is_whole, results_of


class Counting(Agent):
    description = "Counts things."

    @tool
    def count(self, text: str) -> int:
        return len(text)


def boss(helper: Agent, *replies: Any, **options: Any) -> Agent:
    return Agent(Scripted(*replies), toolbox=[helper.as_tool()], name="boss", **options)


async def test_an_agent_hands_a_task_to_another_one_and_reads_its_answer() -> None:
    model = Scripted([call("count", text="abc")], "three letters")
    helper = Counting(model)
    agent = boss(helper, [call("ask_counting", task="how long is abc?")], "It has three.")
    assert await agent.chat("abc?") == "It has three."
    (result,) = results_of(agent.history)
    assert result.content == "three letters"
    assert [message.text for message in model.requests[0].messages] == ["how long is abc?"]
    assert helper.history == []


async def test_its_events_are_forwarded_and_its_tokens_counted() -> None:
    helper = Counting(Scripted("three"))
    events = await events_of(boss(helper, [call("ask_counting", task="x")], "done"))
    forwarded = [event.event for event in events if isinstance(event, Forwarded)]
    assert AssistantText("three", final=True) in forwarded
    assert events[-1].usage == Usage(30, 15)


async def test_it_works_within_its_own_limits_and_says_so_when_it_could_not() -> None:
    numbers = iter(range(100))
    model = Scripted(lambda request: [call("count", text="x" * next(numbers))])
    helper = Counting(model, limits=Limits(steps=2))
    agent = boss(helper, [call("ask_counting", task="x")], "it gave up")
    assert (await agent.run("go")).status == "done"
    (result,) = results_of(agent.history)
    assert result.error == "failed"
    assert "2 steps" in result.content


async def test_the_same_agent_may_be_asked_several_things_at_once() -> None:
    helper = Counting(
        Scripted(lambda request: [lambda: asyncio.sleep(0.01), f"re: {request.messages[0].text}"])
    )
    agent = boss(helper, [call("ask_counting", task="a"), call("ask_counting", task="b")], "done")
    await agent.run("go")
    assert [result.content for result in results_of(agent.history)] == ["re: a", "re: b"]


async def test_agents_that_ask_each_other_in_a_circle_are_stopped() -> None:
    one = Agent(Scripted([call("ask_two", task="x")], "one is done"), name="one")
    two = Agent(Scripted([call("ask_one", task="y")], "two is done"), name="two")
    one.toolbox.register(two.as_tool())
    two.toolbox.register(one.as_tool())
    finished = await one.run("go")
    assert finished.text == "one is done"
    assert results_of(one.history)[0].content == "two is done"


async def test_cancelling_the_one_cancels_the_other() -> None:
    stopped: list[str] = []
    is_asleep = asyncio.Event()

    class Sleeper(Agent):
        @tool
        async def sleep(self) -> str:
            is_asleep.set()
            try:
                await asyncio.sleep(10)
            finally:
                stopped.append("sleep")
            return ""

    agent = boss(Sleeper(Scripted([call("sleep")], "never")), [call("ask_sleeper", task="x")], "never")
    task = asyncio.create_task(agent.run("go"))
    await is_asleep.wait()
    agent.cancel()
    assert (await task).status == "cancelled"
    assert stopped == ["sleep"]


async def test_they_share_the_telemetry_they_are_given() -> None:
    telemetry = Telemetry()
    helper = Counting(Scripted([call("count", text="a")], "one", name="small"), telemetry=telemetry)
    await boss(helper, [call("ask_counting", task="x")], "done", telemetry=telemetry).run("go")
    assert telemetry.read()["tools"].keys() == {"count", "ask_counting"}
    assert telemetry.read()["turns"] == {"done": 2}


def test_a_registry_keeps_agents_by_name() -> None:
    registry = AgentRegistry()
    first = registry.register(Counting(Scripted("x")))
    registry.register(Agent(Scripted("x"), name="Map maker"))
    assert registry.names == ["Counting", "Map maker"]
    assert registry.get("Counting") is first
    assert registry.get("nobody") is None
    with pytest.raises(ValueError, match="already"):
        registry.register(Counting(Scripted("x")))


async def test_a_tool_tells_of_its_progress_while_it_runs() -> None:
    class Working(Agent):
        @tool
        async def work(self, context: ToolContext) -> str:
            for percent in (0, 50, 100):
                context.emit(Forwarded("work", percent))
                await asyncio.sleep(0.001)
            context.add_usage(Usage(100, 0))
            return "worked"

    events = await events_of(Working(Scripted([call("work")], "done")))
    names = [type(event).__name__ for event in events]
    assert names[:5] == ["ToolStarted", "Forwarded", "Forwarded", "Forwarded", "ToolDone"]
    assert events[-1].usage.input_tokens == 120


async def test_what_is_left_of_the_callers_tokens_bounds_it() -> None:
    numbers = iter(range(100))
    model = Scripted(lambda request: [call("count", text="x" * next(numbers))])
    agent = boss(Counting(model), [call("ask_counting", task="x")], "never", limits=Limits(tokens=60))
    finished = await agent.run("go")
    assert (finished.status, finished.reason) == ("limit", "tokens")
    assert finished.usage.total_tokens == 60  # 15 a call: one of the boss, three of the helper
    assert len(model.requests) == 3
    assert results_of(agent.history)[0].error == "failed"


async def test_what_it_used_counts_although_it_was_stopped() -> None:
    helper = Counting(Scripted([call("count", text="abc")], [lambda: asyncio.sleep(10), "never"]))
    agent = boss(helper, [call("ask_counting", task="x")], "never")
    running = asyncio.create_task(agent.run("go"))
    await until(lambda: len(helper.model.requests) == 2)  # type: ignore[attr-defined]
    agent.cancel()
    finished = await running
    assert finished.status == "cancelled"
    assert finished.usage.total_tokens == 30


async def test_a_tool_may_end_the_turn_with_an_answer() -> None:
    class Closing(Agent):
        @tool
        def close(self, words: str) -> Result:
            return Result({"closed": True}, answer=words)

        @tool
        def look(self) -> str:
            return "seen"

    model = Scripted(["Wait. ", call("look"), call("close", words="That is all.")], "never")
    agent = Closing(model)
    events = await events_of(agent)
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert (finished.text, finished.status, finished.steps) == ("That is all.", "done", 1)
    assert AssistantText("That is all.", final=True) in events
    assert len(model.requests) == 1
    assert agent.history[-1] == AssistantMessage("That is all.")
    assert is_whole(agent.history)


async def test_hidden_tools_are_shown_once_they_are_revealed_and_behind_the_others() -> None:
    class Shop(Agent):
        @tool
        def rare(self) -> str:
            return "rare"

        @tool
        def common(self) -> str:
            return "common"

        @tool
        def find(self) -> str:
            self.toolbox.reveal(["rare"])
            return "rare is there now"

    model = Scripted([call("rare")], [call("find")], "done")
    agent = Shop(model)
    agent.toolbox.hide(["rare"])
    await agent.run("go")
    shown = [[spec.name for spec in request.tools] for request in model.requests]
    assert shown == [["common", "find"], ["common", "find"], ["common", "find", "rare"]]
    assert results_of(agent.history)[0].content == "rare"  # it may be called by who knows of it


async def test_a_parameter_may_be_shown_shorter_than_it_is_checked() -> None:
    class Painter(Agent):
        @tool(params={"style": {"enum": ["plain", "fancy"], "shown": {"type": "string"}}})
        def paint(self, style: str) -> str:
            """Paint.

            Args:
                style: As for draw.
            """
            return style

    model = Scripted([call("paint", style="fanci")], "done")
    agent = Painter(model)
    await agent.run("go")
    assert model.requests[0].tools[0].parameters["properties"]["style"] == {
        "type": "string",
        "description": "As for draw.",
    }
    (refused,) = results_of(agent.history)
    assert refused.error == "invalid_arguments"
    assert '"enum":["plain","fancy"]' in refused.content


def test_nothing_left_to_hand_over_lets_no_step_begin_and_is_said_in_words() -> None:
    spent = Limits(tokens=100, cost=0.5).left(Usage(80, 20, cost=0.5))
    for caller, name in ((Limits(tokens=spent.tokens), "tokens"), (Limits(cost=spent.cost), "cost")):
        limits = Limits().within(caller)
        assert limits.reached(0, Usage()) == name
        assert "what this message may use is used up" in limits.message(name)
    assert "cost 0 US dollars" in Limits(cost=0.0).message("cost")
    own = Limits(cost=0.1).within(Limits(cost=0.4))
    assert "cost 0.1 US dollars, which is the limit" in own.message("cost")
