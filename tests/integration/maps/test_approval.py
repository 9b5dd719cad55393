"""A tool that needs the user's word, over real sockets: asked, answered by anybody on the map, or stopped.

The wait belongs to the map and not to a server: it outlives one that is killed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from agents.core.messages import Message, ToolMessage
from server.database import migrate
from server.maps.turns.pending_approval import PendingApproval, add_usage
from server.protocol import TurnUsage
from tests.support.children import ran
from tests.support.looking import until
from tests.support.model_server import Call, ModelServer, Reply, Say
from tests.support.models import ScriptedModel
from tests.support.postgis import Postgis
from tests.support.server import ROOT, Client, child_server, client, local_server

TOOLS = '''
"""Tools of the tests: one that nobody minds, and one that asks first."""

from pathlib import Path

from agents.core import tool

SHELVES = Path(__file__).with_name("burnt.txt")


@tool(requires_approval=True)
def burn(shelf: str) -> str:
    """Burn all books of a shelf."""
    with SHELVES.open("a") as burnt:
        burnt.write(shelf + "\\\\n")
    return f"Shelf {shelf} is ashes."


@tool
def smell(shelf: str) -> str:
    """Find out how a shelf smells."""
    return f"Shelf {shelf} smells of paper."
'''.replace("\\\\n", "\\n")


class Library:
    """The module of the tools in a folder of its own, and what was done with them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "library_tools.py").write_text(TOOLS)

    @property
    def burnt(self) -> list[str]:
        file = self.folder / "burnt.txt"
        return file.read_text().split() if file.exists() else []

    def environment(self, model: ModelServer) -> dict[str, str]:
        """Of a server in a process of its own."""
        return {
            "GEOAGENT_MODEL": "openai:gpt-5.1",
            "OPENAI_API_KEY": "test",
            "OPENAI_BASE_URL": model.base_url,
            "GEOAGENT_TOOLS": "library_tools",
            "PYTHONPATH": str(self.folder),
        }


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Library]:
    monkeypatch.syspath_prepend(str(tmp_path))
    yield Library(tmp_path)
    sys.modules.pop("library_tools", None)


@asynccontextmanager
async def joined(database_url: str, model: ScriptedModel, people: int = 1) -> AsyncIterator[list[Client]]:
    """Some people on one new map of a server with the library's tools."""
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(local_server(database_url, model, tools=("library_tools",)))
        there = [await stack.enter_async_context(client(server)) for _ in range(people)]
        for one in there:
            await one.ask("join", **({"map_id": there[0].map_id} if there[0].map_id else {}))
        yield there


def results_read(model: ScriptedModel) -> str:
    """What the model read of the results of its last calls."""
    last: Message = model.requests[-1].messages[-1]
    assert isinstance(last, ToolMessage)
    return " ".join(result.content for result in last.results)


async def asked(one: Client, count: int = 1) -> dict[str, Any]:
    """What is to be sent with the answer to a question, once the turn waits."""
    event = await one.hears("approval_requested", count)
    return {"turn_id": event["turn_id"], "call_id": event["call_id"]}


async def waiting(one: Client) -> list[tuple[str, str]]:
    snapshot = (await one.ask("join", map_id=one.map_id))["snapshot"]
    return [(turn["text"], turn["status"]) for turn in snapshot["turns"]]


async def test_the_turn_asks_and_goes_on_when_it_is_allowed(database_url: str, library: Library) -> None:
    model = ScriptedModel(["Shelf B is old.", ("burn", {"shelf": "B"})], ["It is gone."])
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn shelf B")
        question = await asked(one)
        assert library.burnt == []
        snapshot = (await one.ask("join", map_id=one.map_id))["snapshot"]
        assert snapshot["turns"] == [
            {
                "turn_id": question["turn_id"],
                "text": "burn shelf B",
                "status": "waiting",
                "questions": [{"call_id": question["call_id"], "name": "burn", "arguments": {"shelf": "B"}}],
            }
        ]
        answer = await one.ask("approve", **question, approved=True)
        end = await one.hears("turn_finished")
    assert library.burnt == ["B"]
    assert [name for _, name in one.numbered()] == [
        "user_message",
        "ai_response",
        "approval_requested",
        "approval_answered",
        "tool_called",
        "tool_finished",
        "ai_response",
        "turn_finished",
    ]
    assert one.numbered()[3][0] == answer["seq"]
    assert (end["status"], end["usage"]["steps"], end["usage"]["input_tokens"]) == ("done", 2, 20)
    assert "Shelf B is ashes." in results_read(model)


async def test_the_model_reads_that_a_call_was_not_allowed(database_url: str, library: Library) -> None:
    model = ScriptedModel([("burn", {"shelf": "B"})], ["Then I leave it."])
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn shelf B")
        await one.ask("approve", **await asked(one), approved=False)
        assert (await one.hears("turn_finished"))["status"] == "done"
        assert one.named("ai_response")[-1]["message"] == "Then I leave it."
        finished = one.named("tool_finished")[0]
        assert (finished["ok"], finished["summary"]) == (False, "Not allowed by the user")
    assert library.burnt == []
    assert "The user did not allow burn." in results_read(model)


async def test_several_questions_are_answered_one_by_one_and_nothing_runs_before(
    database_url: str, library: Library
) -> None:
    model = ScriptedModel(
        [("burn", {"shelf": "A"}), ("smell", {"shelf": "A"}), ("burn", {"shelf": "B"})], ["Done."]
    )
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn and smell")
        first, second = await asked(one), await asked(one, 2)
        await one.ask("approve", **second, approved=True)
        assert (await waiting(one))[0][1] == "waiting"
        assert one.named("tool_called") == []
        assert await one.refused("approve", **second, approved=True) == "conflict"
        await one.ask("approve", **first, approved=False)
        await one.hears("turn_finished")
    assert library.burnt == ["B"]
    assert [event["ok"] for event in sorted(one.named("tool_finished"), key=lambda it: it["call_id"])] == [
        False,
        True,
        True,
    ]


async def test_everybody_on_the_map_is_asked_and_the_first_answer_counts(
    database_url: str, library: Library
) -> None:
    model = ScriptedModel([("burn", {"shelf": "B"})], ["It is gone."])
    async with joined(database_url, model, people=2) as (one, other):
        await one.ask("chat", text="burn shelf B")
        question = await asked(other)
        assert await asked(one) == question
        await other.ask("approve", **question, approved=True)
        assert await one.refused("approve", **question, approved=False) == "conflict"
        for person in (one, other):
            assert (await person.hears("approval_answered"))["approved"] is True
            assert (await person.hears("turn_finished"))["status"] == "done"
        assert await one.refused("approve", **question, approved=True) == "conflict"
        assert one.numbered() == other.numbered()
    assert library.burnt == ["B"]


async def test_only_open_questions_of_this_map_can_be_answered(database_url: str, library: Library) -> None:
    model = ScriptedModel([("burn", {"shelf": "B"})])
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn shelf B")
        question = await asked(one)
        assert await one.refused("approve", **{**question, "call_id": "other"}, approved=True) == "conflict"
        assert await one.refused("approve", **{**question, "turn_id": "turn_x"}, approved=True) == "conflict"
        assert await one.refused("approve", **question, approved="perhaps") == "invalid_payload"
        elsewhere = (await one.send("join", {}))["map_id"]
        assert await one.refused("approve", **question, map_id=elsewhere, approved=True) == "conflict"
        assert (await waiting(one))[0][1] == "waiting"
        await one.ask("cancel")
    assert library.burnt == []


async def test_a_turn_that_waits_can_be_cancelled(database_url: str, library: Library) -> None:
    model = ScriptedModel([("burn", {"shelf": "B"})], ["Hello."])
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn shelf B")
        question = await asked(one)
        assert (await one.ask("cancel"))["turn_id"] == question["turn_id"]
        assert (await one.hears("turn_finished"))["status"] == "cancelled"
        assert one.named("ai_response")[-1]["message"].startswith("Stopped.")
        assert await one.refused("approve", **question, approved=True) == "conflict"
        assert (await one.says("hello"))["status"] == "done"
    assert library.burnt == []


async def test_later_messages_stay_queued_behind_the_question(database_url: str, library: Library) -> None:
    model = ScriptedModel([("burn", {"shelf": "B"})], ["It is gone."], ["Hello."])
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn shelf B")
        question = await asked(one)
        later = await one.ask("chat", text="hello")
        assert await waiting(one) == [("burn shelf B", "waiting"), ("hello", "queued")]
        assert len(model.requests) == 1
        await one.ask("approve", **question, approved=True)
        await one.hears("turn_finished", 2)
    assert [end["turn_id"] for end in one.named("turn_finished")] == [question["turn_id"], later["turn_id"]]
    assert [said["message"] for said in one.named("ai_response")] == ["It is gone.", "Hello."]


async def test_a_turn_may_ask_again_and_counts_what_it_used_throughout(
    database_url: str, library: Library
) -> None:
    model = ScriptedModel([("burn", {"shelf": "A"})], [("burn", {"shelf": "B"})], ["Both are gone."])
    async with joined(database_url, model) as (one,):
        await one.ask("chat", text="burn A, then B")
        await one.ask("approve", **await asked(one), approved=True)
        await one.ask("approve", **await asked(one, 2), approved=True)
        end = await one.hears("turn_finished")
    assert library.burnt == ["A", "B"]
    assert (end["usage"]["steps"], end["usage"]["output_tokens"]) == (3, 15)


async def test_the_question_outlives_a_server_that_is_killed(database_url: str, library: Library) -> None:
    steps = Reply(Call("burn", {"shelf": "B"})), Reply(Say("It is gone."))
    async with ModelServer(*steps) as model:
        environment = library.environment(model)
        async with child_server(database_url, **environment) as killed, client(killed) as one:
            await one.ask("join")
            await one.ask("chat", text="burn shelf B")
            question = await asked(one)
            await one.ask("chat", text="hello")
            map_id = one.map_id
            await killed.kill()
        assert library.burnt == []
        async with child_server(database_url, **environment) as again, client(again) as one:
            await one.ask("join", map_id=map_id)
            assert await waiting(one) == [("burn shelf B", "waiting"), ("hello", "queued")]
            await one.ask("approve", **question, approved=True)
            await one.hears("turn_finished", 2)
    assert library.burnt == ["B"]
    ends = one.named("turn_finished")
    assert (ends[0]["turn_id"], ends[0]["status"]) == (question["turn_id"], "done")
    assert one.named("tool_finished")[0]["ok"]


async def test_another_server_answers_and_goes_on(database_url: str, library: Library) -> None:
    steps = Reply(Call("burn", {"shelf": "B"})), Reply(Say("It is gone."))
    async with ModelServer(*steps) as model:
        environment = library.environment(model)
        async with (
            child_server(database_url, **environment) as first,
            child_server(database_url, **environment) as second,
            client(first) as one,
            client(second) as other,
        ):
            await one.ask("join")
            await other.ask("join", map_id=one.map_id)
            await one.ask("chat", text="burn shelf B")
            question = await asked(other)
            await first.kill()
            await other.ask("approve", **question, approved=True)
            assert (await other.hears("turn_finished"))["status"] == "done"
    assert library.burnt == ["B"]


async def test_the_command_line_asks_in_the_terminal(database_url: str, library: Library) -> None:
    model = ScriptedModel([("burn", {"shelf": "A"}), ("burn", {"shelf": "B"})], ["One of them is gone."])
    async with local_server(database_url, model, tools=("library_tools",)) as server:
        command = (sys.executable, "-m", "server", "chat", "burn A and B", "--server", server.url)
        told = await ran(*command, stdin="no\ny\n", cwd=ROOT)
    assert library.burnt == ["B"]
    assert told.out == "One of them is gone.\n"
    assert 'Allow burn {"shelf": "A"}? [y/N]' in told.err
    assert "✓ burn: Shelf B is ashes." in told.err
    assert told.status == 0


async def test_a_tool_call_is_announced_before_its_changes_of_the_map(samples_url: str) -> None:
    model = ScriptedModel(
        [("add_map_layer", {"table": "data.airports"})], [("reset_map", {})], ["The map is empty."]
    )
    async with local_server(samples_url, model) as server, client(server) as one:
        await one.ask("join")
        await one.says("show airports, then clear the map")
        await until(lambda: one.named("turn_finished"))
    names = [name for _, name in one.numbered()]
    assert names[:7] == [
        "user_message",
        "tool_called",
        "layer_added",
        "tool_finished",
        "tool_called",
        "map_reset",
        "tool_finished",
    ]


async def test_an_older_version_ends_a_turn_that_it_cannot_ask_about(
    postgis: Postgis, library: Library
) -> None:
    url = postgis.url(postgis.migrated())
    async with joined(url, ScriptedModel([("burn", {"shelf": "B"})])) as (one,):
        await one.ask("chat", text="burn shelf B")
        question = await asked(one)
        map_id = one.map_id
    await migrate.downgrade(url, "0002")
    await migrate.upgrade(url)
    async with local_server(url, ScriptedModel()) as server, client(server) as one:
        events = (await one.ask("join", map_id=map_id, after_seq=0))["events"]
        assert events[-1]["data"]["status"] == "interrupted"
        assert await one.refused("approve", **question, approved=True) == "conflict"
        assert (await one.says("hello"))["status"] == "done"
    assert library.burnt == []


async def test_a_turn_whose_stored_state_cannot_be_read_ends_and_others_start(
    database_url: str, library: Library
) -> None:
    model = ScriptedModel([("burn", {"shelf": "B"})])
    async with joined(database_url, model) as (one,), joined(database_url, model) as (other,):
        await one.ask("chat", text="burn shelf B")
        await asked(one)
        connection = await asyncpg.connect(database_url)
        damaged = (
            "UPDATE geoagent.turn SET status = 'queued', pause = '{\"history\": \"?\"}' WHERE map_id = $1"
        )
        await connection.execute(damaged, one.map_id)
        await connection.close()
        assert (await other.says("hello"))["status"] == "done"
        assert (await one.hears("turn_finished"))["status"] == "failed"
    assert library.burnt == []


async def test_stopping_the_server_leaves_the_question_open(database_url: str, library: Library) -> None:
    async with joined(database_url, ScriptedModel([("burn", {"shelf": "B"})])) as (one,):
        await one.ask("chat", text="burn shelf B")
        question = await asked(one)
        map_id = one.map_id
    model = ScriptedModel(["It is gone."])
    async with joined(database_url, model) as (one,):
        await one.ask("join", map_id=map_id)
        await one.ask("approve", **question, approved=True)
        assert (await one.hears("turn_finished"))["status"] == "done"
    assert library.burnt == ["B"]
    assert "Shelf B is ashes." in results_read(model)


def test_what_is_stored_is_what_is_loaded() -> None:
    usage = TurnUsage(model="m", input_tokens=3, output_tokens=2, cost=0.5, steps=1, ms=4)
    pause = PendingApproval([], [], {"call_1": True}, usage)
    assert PendingApproval.load(pause.stored()) == pause
    assert add_usage(usage, TurnUsage(model="n", input_tokens=1, cost=0.25, steps=1)) == TurnUsage(
        model="n", input_tokens=4, output_tokens=2, cost=0.75, steps=2, ms=4
    )
    assert add_usage(usage, TurnUsage()).cost == 0.5


def test_a_partial_cost_is_not_reported_as_the_total() -> None:
    priced = TurnUsage(model="m", input_tokens=3, cost=0.5, steps=1)
    assert add_usage(priced, TurnUsage(model="n", input_tokens=1, steps=1)).cost is None
