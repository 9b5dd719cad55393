"""Servers as processes: two on one database, killed ones, stopped ones, and a database that goes away."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from tests.support.looking import PATIENCE, until
from tests.support.model_server import Call, ModelServer, Reply, Say
from tests.support.postmaster import Postmaster, postmaster
from tests.support.server import Child, Client, child_server, client

SLOW = Reply(Say("Thinking about it for a long time. " * 40, piece=5), pause=0.2)


def speaking_to(model: ModelServer) -> dict[str, str]:
    """The environment of a server whose model is that one."""
    return {"GEOAGENT_MODEL": "openai:gpt-5.1", "OPENAI_API_KEY": "test", "OPENAI_BASE_URL": model.base_url}


@asynccontextmanager
async def both(database_url: str, **environment: str) -> AsyncIterator[tuple[Child, Child]]:
    """Two servers; the environment is for the first one."""
    async with child_server(database_url, **environment) as one, child_server(database_url) as other:
        yield one, other


async def test_two_servers_on_one_database_are_one(samples_url: str) -> None:
    async with both(samples_url) as (one, other), client(one) as here, client(other) as there:
        await here.ask("join")
        await there.ask("join", map_id=here.map_id)
        await until(lambda: here.named("presence") and len(here.named("presence")[-1]["people"]) == 2)
        assert (await here.says("show airports in red"))["status"] == "done"
        assert (await there.says("only the ones above 2000 m"))["status"] == "done"
        await there.ask("undo")
        for watcher in (here, there):
            await watcher.hears("layer_updated", 2)
            await watcher.hears("turn_finished", 2)
        assert here.numbered() == there.numbered()
        assert [seq for seq, _ in here.numbered()] == list(range(1, len(here.numbered()) + 1))
        answers = [event["message"] for event in here.named("ai_response")]
        for watcher in (here, there):
            await until(lambda watcher=watcher: streamed(watcher) == "".join(answers))  # type: ignore[misc]


def streamed(one: Client) -> str:
    """All that the model has said, piece by piece."""
    return "".join(event["text"] for event in one.named("ai_delta"))


async def test_a_streamed_text_of_equal_pieces_reaches_the_other_server_whole(samples_url: str) -> None:
    text = "ab" * 4500
    async with (
        ModelServer(Reply(Say(text, piece=len(text)))) as model,
        both(samples_url, **speaking_to(model)) as (one, other),
        client(one) as here,
        client(other) as there,
    ):
        await here.ask("join")
        await there.ask("join", map_id=here.map_id)
        await until(lambda: here.named("presence") and len(here.named("presence")[-1]["people"]) == 2)
        await here.says("say the same again and again")
        await here.ask("introduce", name="After all of it")
        await until(
            lambda: (
                there.named("presence")[-1]["known"][0]["name"]
                or there.named("presence")[-1]["known"][1]["name"]
            )
        )
        assert streamed(there) == text


async def test_a_receipt_given_to_one_server_reaches_the_turn_on_the_other(samples_url: str) -> None:
    model = ModelServer(Reply(Call("add_map_layer", {"table": "data.airports"})), Reply(Say("Done.")))
    async with (
        model,
        both(samples_url, **speaking_to(model)) as (one, other),
        client(one) as asking,
        client(other) as watching,
    ):
        await asking.ask("join")
        await watching.ask("join", map_id=asking.map_id)
        await watching.ask("view", bounds=[-10, 40, 10, 60], zoom=4)
        await until(lambda: asking.named("presence") and len(asking.named("presence")[-1]["people"]) == 2)
        turn = asyncio.create_task(asking.says("show airports"))
        layer = (await watching.hears("layer_added"))["layer"]
        await watching.ask("receipt", layer_id=layer["id"], version=layer["version"], features=4711)
        await turn
        assert "4711" in asking.named("tool_finished")[0]["result"]


async def test_a_server_killed_in_the_middle_of_a_turn_leaves_the_map_as_the_log_says(
    samples_url: str,
) -> None:
    steps = Reply(Call("add_map_layer", {"table": "data.airports"})), SLOW
    async with (
        ModelServer(*steps) as model,
        child_server(samples_url, **speaking_to(model)) as killed,
        client(killed) as one,
    ):
        await one.ask("join")
        await one.ask("chat", text="show airports, then think", client_id="c1")
        await one.ask("chat", text="and then this", client_id="c2")
        await one.hears("ai_delta")
        before = one.numbered()
        map_id = one.map_id
        await killed.kill()
    async with child_server(samples_url) as again, client(again) as one:
        await one.ask("join", map_id=map_id, after_seq=0)
        await until(lambda: is_over(again, map_id))
        events = (await one.ask("join", map_id=map_id, after_seq=0))["events"]
        assert [(event["data"]["seq"], event["event"]) for event in events][: len(before)] == before
        assert [event["data"]["seq"] for event in events] == list(range(1, len(events) + 1))
        ends = [event["data"] for event in events if event["event"] == "turn_finished"]
        assert [end["status"] for end in ends] == ["interrupted", "done"]
        told = next(event["data"] for event in events if event["event"] == "ai_response")
        assert "stopped while I was working" in told["message"]
        snapshot = (await one.ask("join", map_id=map_id))["snapshot"]
        assert [layer["id"] for layer in snapshot["layers"]] == ["airports"]
        assert snapshot["turns"] == []
        once = await one.ask("chat", text="show airports, then think", client_id="c1")
        assert once["seq"] == 1
        assert (await one.says("remove the airports"))["status"] == "done"


async def is_over(child: Child, map_id: str) -> bool:
    async with client(child) as looking:
        return not (await looking.ask("join", map_id=map_id))["snapshot"]["turns"]


async def test_another_server_takes_over_when_one_is_killed(samples_url: str) -> None:
    async with (
        ModelServer(SLOW) as model,
        child_server(samples_url) as other,
        child_server(samples_url, **speaking_to(model)) as killed,
        client(killed) as one,
        client(other) as there,
    ):
        await one.ask("join")
        await there.ask("join", map_id=one.map_id)
        await one.ask("chat", text="think")
        await one.hears("ai_delta")
        await one.ask("chat", text="show airports")
        await killed.kill()
        assert (await there.hears("turn_finished"))["status"] == "interrupted"
        assert (await there.hears("turn_finished", 2))["status"] == "done"
        assert there.named("layer_added")


async def test_sigterm_interrupts_running_turns_and_ends_well(samples_url: str) -> None:
    """On standard output there was the one line with the address, and nothing else."""
    async with ModelServer(SLOW) as model:
        async with child_server(samples_url, **speaking_to(model)) as child, client(child) as one:
            await one.ask("join")
            await one.ask("chat", text="think")
            await one.hears("ai_delta")
            assert await child.stop() == 0
            assert (await one.hears("turn_finished"))["status"] == "interrupted"
        assert child.process.stdout is not None
        assert await child.process.stdout.read() == b""


async def ready(url: str) -> dict[str, Any]:
    async with aiohttp.ClientSession() as session, session.get(f"{url}/readyz") as answer:
        found: dict[str, Any] = await answer.json()
        return {**found, "status": answer.status}


async def test_a_database_that_goes_away_and_comes_back() -> None:
    """PostgreSQL is stopped hard; requests say so at once, and everything goes on when it is back."""
    with postmaster() as (postgresql, postgis):
        url = postgis.url(postgis.with_samples())
        async with child_server(url) as child, client(child) as one, client(child) as other:
            await through_an_absence(postgresql, child, one, other)


async def through_an_absence(postgresql: Postmaster, child: Child, one: Client, other: Client) -> None:
    await one.ask("join")
    await other.ask("join", map_id=one.map_id)
    await one.ask("layer_add", table="data.airports")
    with postgresql.away():
        for event, payload in {
            "layer_add": {"table": "data.airports"},
            "chat": {"text": "show airports"},
            "undo": {},
        }.items():
            assert await one.refused(event, **payload) == "unavailable"
        assert await one.refused("join") == "unavailable"
        assert (await ready(child.url))["status"] == 503
    await until(lambda: is_ready(child.url))
    await until(lambda: comes_back(one))
    assert (await one.says("remove the airports"))["status"] == "done"
    await other.hears("layer_removed")
    await other.hears("turn_finished")
    assert [seq for seq, _ in other.numbered()] == list(range(1, len(other.numbered()) + 1))
    assert other.numbered() == one.numbered()


async def is_ready(url: str) -> bool:
    return bool((await ready(url))["ok"])


async def comes_back(one: Client) -> bool:
    answer = await one.send("layer_update", {"map_id": one.map_id, "layer_id": "airports", "opacity": 0.5})
    return bool(answer["ok"])


async def test_a_turn_outlives_a_short_absence_of_the_database() -> None:
    model = ModelServer(Reply(Say("Well. " * 20, piece=6), pause=0.1))
    with postmaster() as (postgresql, postgis):
        url = postgis.url(postgis.migrated())
        async with model, child_server(url, **speaking_to(model)) as child, client(child) as one:
            await one.ask("join")
            await one.ask("chat", text="think")
            await one.hears("ai_delta")
            with postgresql.away():
                await asyncio.sleep(3)
            assert (await one.hears("turn_finished"))["status"] == "done"
            assert one.named("ai_response")[0]["message"].count("Well.") == 20


async def test_a_server_that_shuts_down_finishes_its_turn_and_leaves_the_next_one_queued(
    samples_url: str,
) -> None:
    thinking = Reply(Say("Thinking about it. " * 20, piece=10), pause=0.1)
    async with (
        ModelServer(thinking, thinking) as model,
        child_server(samples_url, GEOAGENT_GRACE="60", **speaking_to(model)) as ending,
        client(ending) as one,
    ):
        await one.ask("join")
        begun = await one.ask("chat", text="think")
        await one.hears("ai_delta")
        ending.process.send_signal(signal.SIGTERM)
        await until_not_ready(ending.url)
        queued = await one.ask("chat", text="and again")
        ended = await one.hears("turn_finished")
        assert (ended["turn_id"], ended["status"]) == (begun["turn_id"], "done")
        assert 0 < (await one.hears("server_closing"))["reconnect_after_ms"] <= 1000
        assert await asyncio.wait_for(ending.process.wait(), PATIENCE) == 0
        async with child_server(samples_url, **speaking_to(model)) as next_one, client(next_one) as again:
            await again.ask("join", map_id=one.map_id)
            finished = await until(
                lambda: [
                    each for each in again.named("turn_finished") if each["turn_id"] == queued["turn_id"]
                ]
            )
            assert finished[0]["status"] == "done"


async def test_a_second_signal_ends_a_server_without_waiting_for_its_turns(samples_url: str) -> None:
    async with (
        ModelServer(SLOW) as model,
        child_server(samples_url, GEOAGENT_GRACE="3600", **speaking_to(model)) as ending,
        client(ending) as one,
    ):
        await one.ask("join")
        await one.ask("chat", text="think")
        await one.hears("ai_delta")
        ending.process.send_signal(signal.SIGTERM)
        await until_not_ready(ending.url)
        ending.process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(ending.process.wait(), PATIENCE) == 0
        assert (await one.hears("turn_finished"))["status"] == "interrupted"


async def until_not_ready(url: str) -> None:
    async def turned() -> bool:
        async with aiohttp.ClientSession() as session, session.get(f"{url}/readyz") as answer:
            return answer.status == 503 and (await answer.json())["checks"]["turns"] != "ok"

    await until(turned)
