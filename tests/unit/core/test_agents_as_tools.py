"""Several agents: by name in a registry, and offered to each other as tools."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from agents.core import (
    Agent,
    AgentRegistry,
    AssistantSaid,
    Forwarded,
    Limits,
    Telemetry,
    ToolContext,
    Usage,
    tool,
)
from tests.unit.core.scripted import Scripted, call, events_of, results_of


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
    assert AssistantSaid("three", final=True) in forwarded
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

    class Sleeper(Agent):
        @tool
        async def sleep(self) -> str:
            try:
                await asyncio.sleep(10)
            finally:
                stopped.append("sleep")
            return ""

    agent = boss(Sleeper(Scripted([call("sleep")], "never")), [call("ask_sleeper", task="x")], "never")
    task = asyncio.create_task(agent.run("go"))
    await asyncio.sleep(0.02)
    agent.cancel()
    assert (await task).status == "cancelled"
    assert stopped == ["sleep"]


async def test_they_share_the_telemetry_they_are_given() -> None:
    telemetry = Telemetry()
    helper = Counting(Scripted([call("count", text="a")], "one", name="small"), telemetry=telemetry)
    await boss(helper, [call("ask_counting", task="x")], "done", telemetry=telemetry).run("go")
    assert telemetry.read()["tools"].keys() == {"count", "ask_counting"}
    assert telemetry.read()["turns"] == {"done": 2}


def test_a_registry_keeps_agents_by_name_and_offers_them_as_tools() -> None:
    registry = AgentRegistry()
    first = registry.register(Counting(Scripted("x")))
    second = registry.register(Agent(Scripted("x"), name="Map maker"))
    assert registry.names == ["Counting", "Map maker"]
    assert registry.get("Counting") is first
    assert registry.get("nobody") is None
    assert registry.as_tools().names == ["ask_counting", "ask_map_maker"]
    assert registry.as_tools(without=second).names == ["ask_counting"]
    described = registry.as_tools().get("ask_counting")
    assert described is not None
    assert described.description == "Counts things."
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
