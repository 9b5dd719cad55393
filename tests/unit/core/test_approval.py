"""A tool that requires approval waits for the user's word, even across a restart."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from agents.core import Agent, ApprovalNeeded, Finished, Limits, ToolStarted, dump_history, load_history, tool
from tests.unit.core.scripted import Scripted, call, events_of, is_whole, results_of


class Dangerous(Agent):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.done: list[str] = []

    @tool(requires_approval=True, params={"reason": {"resolve": lambda: "because"}})
    def delete(self, name: str, reason: str) -> str:
        self.done.append(name)
        return f"deleted {name}"

    @tool
    def look(self) -> str:
        self.done.append("look")
        return "seen"

    @tool(requires_approval=lambda self, arguments: arguments["amount"] > 100)
    async def pay(self, amount: int) -> str:
        return f"paid {amount}"


async def test_the_user_is_asked_before_anything_of_the_reply_runs() -> None:
    asked: list[ApprovalNeeded] = []

    async def approve(needed: ApprovalNeeded) -> bool:
        asked.append(needed)
        assert agent.done == []
        return True

    agent = Dangerous(Scripted([call("look"), call("delete", name="roads")], "done"), approvals=approve)
    events = await events_of(agent)
    assert asked[0].arguments == {"name": "roads", "reason": "because"}
    assert asked[0] in events
    assert agent.done == ["look", "roads"]
    kinds = [type(event) for event in events]
    assert kinds.index(ApprovalNeeded) < kinds.index(ToolStarted)


async def test_a_no_becomes_a_result_and_the_turn_goes_on() -> None:
    async def refuse(needed: ApprovalNeeded) -> bool:
        return False

    agent = Dangerous(Scripted([call("delete", name="roads"), call("look")], "I left it."), approvals=refuse)
    finished = await agent.run("go")
    assert (finished.status, finished.text) == ("done", "I left it.")
    assert agent.done == ["look"]
    assert [result.error for result in results_of(agent.history)] == ["denied", None]


async def test_a_user_who_cannot_be_asked_has_not_allowed_it() -> None:
    async def broken(needed: ApprovalNeeded) -> bool:
        raise ConnectionError

    agent = Dangerous(Scripted([call("delete", name="roads")], "done"), approvals=broken)
    await agent.run("go")
    assert results_of(agent.history)[0].error == "denied"


async def test_approval_may_depend_on_the_arguments_and_invalid_calls_are_not_asked_about() -> None:
    asked: list[Any] = []

    async def approve(needed: ApprovalNeeded) -> bool:
        asked.append(needed.arguments)
        return True

    agent = Dangerous(
        Scripted([call("pay", amount=5), call("pay", amount=500), call("pay", amount="many")], "done"),
        approvals=approve,
    )
    await agent.run("go")
    assert asked == [{"amount": 500}]
    assert [result.error for result in results_of(agent.history)] == [None, None, "invalid_arguments"]


async def test_the_time_the_user_takes_does_not_count() -> None:
    async def slow(needed: ApprovalNeeded) -> bool:
        await asyncio.sleep(0.15)
        return True

    agent = Dangerous(
        Scripted([call("delete", name="roads")], "done"), approvals=slow, limits=Limits(seconds=0.1)
    )
    assert (await agent.run("go")).status == "done"


async def test_without_anyone_to_ask_the_turn_waits_and_goes_on_in_another_process() -> None:
    wanted = call("delete", "one", name="roads")
    first = Dangerous(Scripted([wanted, call("delete", "two", name="rivers"), call("look")], "never"))
    events = await events_of(first)
    assert [event.call.id for event in events if isinstance(event, ApprovalNeeded)] == ["one", "two"]
    finished = events[-1]
    assert isinstance(finished, Finished)
    assert finished.status == "waiting"
    assert first.done == []
    stored = json.dumps(dump_history(first.history))

    second = Dangerous(Scripted("done"), history=load_history(json.loads(stored)))
    finished = await second.run(resume={"one": True, "two": False})
    assert (finished.status, finished.text) == ("done", "done")
    assert second.done == ["roads", "look"]
    assert [result.error for result in results_of(second.history)] == [None, "denied", None]
    assert is_whole(second.history)


async def test_a_turn_may_be_resumed_with_someone_to_ask() -> None:
    first = Dangerous(Scripted([call("delete", name="roads")], "never"))
    await first.run("go")

    async def approve(needed: ApprovalNeeded) -> bool:
        return True

    second = Dangerous(Scripted("done"), history=first.history, approvals=approve)
    assert (await second.run(resume=True)).status == "done"
    assert second.done == ["roads"]


async def test_a_history_stored_while_the_user_was_being_asked_can_be_resumed() -> None:
    stored: list[Any] = []
    is_asked = asyncio.Event()

    async def crash(needed: ApprovalNeeded) -> bool:
        stored.extend(dump_history(agent.history))
        is_asked.set()
        await asyncio.sleep(10)
        return True

    agent = Dangerous(Scripted([call("delete", "one", name="roads")], "never"), approvals=crash)
    task = asyncio.create_task(agent.run("go"))
    await is_asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    second = Dangerous(Scripted("done"), history=load_history(stored))
    assert (await second.run(resume={"one": True})).status == "done"
    assert second.done == ["roads"]


async def test_a_new_message_in_place_of_an_answer_closes_what_was_waiting() -> None:
    agent = Dangerous(Scripted([call("delete", name="roads")], "fine"))
    await agent.run("go")
    finished = await agent.run("never mind")
    assert finished.text == "fine"
    assert results_of(agent.history)[0].error == "cancelled"
    assert is_whole(agent.history)


async def test_resuming_what_is_finished_changes_nothing() -> None:
    model = Scripted("done")
    agent = Dangerous(model)
    await agent.run("go")
    finished = await agent.run(resume=True)
    assert (finished.text, len(model.requests)) == ("done", 1)


class Forgetful(Agent):
    """Fills in whatever is selected at the moment it is asked."""

    selected = "rivers"
    limit = 10

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.done: list[tuple[str, int]] = []

    @tool(
        requires_approval=True,
        params={
            "name": {"resolve": lambda self: self.selected},
            "most": {"default": lambda self: self.limit},
        },
    )
    def delete(self, name: str, most: int) -> str:
        self.done.append((name, most))
        return f"deleted {name}"


async def test_what_runs_after_a_wait_is_what_the_user_approved() -> None:
    first = Forgetful(Scripted([call("delete", "one")], "never"))
    events = await events_of(first)
    asked = next(event.arguments for event in events if isinstance(event, ApprovalNeeded))
    assert asked == {"name": "rivers", "most": 10}
    stored = json.dumps(dump_history(first.history))

    second = Forgetful(Scripted("done"), history=load_history(json.loads(stored)))
    second.selected, second.limit = "roads", 99
    await second.run(resume={"one": True})
    assert second.done == [("rivers", 10)]
    assert "rivers" in results_of(second.history)[0].content.partition("Filled in for you")[2]


async def test_nothing_is_filled_in_after_the_user_was_asked_about_a_call_without_it() -> None:
    class Free(Agent):
        note: str | None = None
        told = "unset"

        @tool(requires_approval=True, params={"note": {"resolve": lambda self: self.note}})
        def burn(self, shelf: str, note: str | None = None) -> str:
            self.told = str(note)
            return "ashes"

    first = Free(Scripted([call("burn", "one", shelf="B")], "never"))
    await first.run("go")
    second = Free(Scripted("done"), history=load_history(dump_history(first.history)))
    second.note = "and the cellar"
    await second.run(resume={"one": True})
    assert second.told == "None"


async def test_a_value_that_has_become_invalid_since_the_user_was_asked_is_refused() -> None:
    class Atlas(Agent):
        tables = ["rivers", "roads"]
        dropped: list[str] = []

        @tool(requires_approval=True, params={"table": {"enum": lambda self: self.tables}})
        def drop(self, table: str) -> str:
            self.dropped.append(table)
            return "gone"

    first = Atlas(Scripted([call("drop", "one", table="rivers")], "never"))
    await first.run("go")
    second = Atlas(Scripted("done"), history=load_history(dump_history(first.history)))
    second.tables = ["roads"]
    await second.run(resume={"one": True})
    assert second.dropped == []
    assert results_of(second.history)[0].error == "invalid_arguments"


async def test_an_argument_that_was_dropped_before_the_user_was_asked_does_not_come_back() -> None:
    class Painter(Agent):
        colors = ["red"]
        painted: list[str] = []

        @tool(
            requires_approval=True, params={"color": {"enum": lambda self: self.colors, "drop_invalid": True}}
        )
        def paint(self, wall: str, color: str | None = "white") -> str:
            self.painted.append(f"{wall} {color}")
            return "painted"

    first = Painter(Scripted([call("paint", "one", wall="north", color="black")], "never"))
    asked = [event.arguments for event in await events_of(first) if isinstance(event, ApprovalNeeded)]
    assert asked == [{"wall": "north"}]
    second = Painter(
        Scripted("done"), history=load_history(json.loads(json.dumps(dump_history(first.history))))
    )
    second.colors = ["red", "black"]
    await second.run(resume={"one": True})
    assert second.painted == ["north white"]
