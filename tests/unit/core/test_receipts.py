"""What is noted while a tool runs goes with its result; and fields that hooks add to an answer."""

from __future__ import annotations

import asyncio
from typing import Any

from agents.core import Agent, ToolBox, ToolCall, ToolFailed, dump_history, hook, load_history, tool
from agents.core.observe.receipts import collecting, note, wanted
from tests.unit.core.scripted import Scripted


class Desk:
    @tool
    async def count(self, shelf: str) -> int:
        """Count."""
        note({"shelf": shelf})
        await asyncio.sleep(0)
        note({"shelf": shelf, "again": True})
        return 5

    @tool(thread=True)
    def weigh(self) -> int:
        """In a thread."""
        note({"kilograms": 7})
        return 7

    @tool
    async def gather(self) -> int:
        """On tasks of its own."""

        async def ask(number: int) -> None:
            note({"number": number})

        await asyncio.gather(ask(1), ask(2))
        return 2

    @tool
    def fail(self) -> int:
        """Not."""
        note({"before": "the fault"})
        raise ToolFailed("no")

    @tool
    async def ask_another(self) -> str:
        """Through the toolbox of another desk."""
        result = await ToolBox.of(Desk()).invoke("count", {"shelf": "inner"})
        return result.content


async def receipts(name: str, **arguments: Any) -> list[Any]:
    return list((await ToolBox.of(Desk()).invoke(name, arguments)).receipts)


async def test_a_result_has_what_was_noted_during_its_call() -> None:
    assert await receipts("count", shelf="A") == [{"shelf": "A"}, {"shelf": "A", "again": True}]
    assert await receipts("weigh") == [{"kilograms": 7}]
    assert await receipts("gather") == [{"number": 1}, {"number": 2}]
    assert await receipts("fail") == [{"before": "the fault"}]


async def test_calls_side_by_side_do_not_mix() -> None:
    calls = [("count", {"shelf": letter}) for letter in "ABC"]
    results = await ToolBox.of(Desk()).invoke_many(calls)
    assert [{each["shelf"] for each in result.receipts} for _, result in results] == [{"A"}, {"B"}, {"C"}]


async def test_what_is_noted_in_a_call_within_a_call_goes_with_both() -> None:
    assert [each["shelf"] for each in await receipts("ask_another")] == ["inner", "inner"]


def test_outside_of_a_call_nothing_is_kept() -> None:
    assert not wanted()
    note({"lost": True})
    with collecting() as kept:
        assert wanted()
        note({"kept": True})
    assert kept == [{"kept": True}]


class Annotated(Agent):
    @tool
    def count(self) -> int:
        """Count."""
        note({"n": 5})
        return 5

    @hook.response
    def signed(self, text: str) -> str:
        return f"{text}!"

    @hook.annotation
    def length(self, text: str) -> dict[str, Any]:
        return {"length": len(text)}

    @hook.annotation
    async def broken(self, text: str) -> dict[str, Any]:
        raise RuntimeError("a bug")

    @hook.annotation
    async def last(self, text: str) -> None:
        return None


async def test_annotations_see_the_final_text_and_one_that_breaks_is_left_out() -> None:
    sent: list[dict[str, Any]] = []
    agent = Annotated(Scripted([ToolCall("c1", "count", "{}")], "Five"), socket_emit=sent.append)
    finished = await agent.run("how many?")
    assert (finished.text, dict(finished.extra)) == ("Five!", {"length": 5})
    await agent.chat("again?")
    assert set(sent[0]) == {"type", "message"}


async def test_receipts_survive_storing_the_history() -> None:
    agent = Annotated(Scripted([ToolCall("c1", "count", "{}")], "Five"))
    await agent.run("how many?")
    assert load_history(dump_history(agent.history))[2].results[0].receipts == ({"n": 5},)  # type: ignore[union-attr]
