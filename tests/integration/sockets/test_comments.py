"""Comments on a map over the socket: threads at places and features, replies, resolving, and who may write."""

from __future__ import annotations

from typing import Any

from server.app import Server
from tests.support.server import Client, client

BERLIN = {"position": [13.4, 52.5]}
AIRPORT = {"position": [13.5, 52.4], "layer_id": "airports", "feature_id": 7, "label": "Schönefeld"}


async def threads_of(one: Client, map_id: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await one.ask("join", map_id=map_id))["snapshot"]["threads"]
    return found


async def test_a_thread_is_started_answered_resolved_and_opened_by_a_reply(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("introduce", name="Kim")
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        started = await one.ask("thread_start", place=AIRPORT, text="  Is this one still open? ")
        received = (await two.hears("thread_started"))["thread"]
        assert received["id"] == started["thread_id"]
        assert received["place"] == AIRPORT
        [comment] = received["comments"]
        assert (comment["text"], comment["author"]) == ("Is this one still open?", "Kim")
        assert comment["id"] == started["comment_id"]

        await two.ask("comment_add", thread_id=received["id"], text="Closed in 2020.")
        assert (await one.hears("comment_added"))["comment"]["text"] == "Closed in 2020."
        resolved = await one.ask("thread_resolve", thread_id=received["id"], resolved=True)
        assert (await two.hears("thread_resolved"))["author"] == "Kim"
        again = await two.ask("thread_resolve", thread_id=received["id"], resolved=True)
        assert again["seq"] == resolved["seq"], "what changes nothing is not an event"
        async with client(offline_server) as three:
            [thread] = await threads_of(three, one.map_id)
        assert (thread["resolved"], thread["resolved_by"], len(thread["comments"])) == (True, "Kim", 2)
        await two.ask("comment_add", thread_id=received["id"], text="No, wait.")
        async with client(offline_server) as three:
            [thread] = await threads_of(three, one.map_id)
        assert (thread["resolved"], thread["resolved_by"]) == (False, None)
        assert [each["text"] for each in thread["comments"]] == [
            "Is this one still open?",
            "Closed in 2020.",
            "No, wait.",
        ]


async def test_comments_and_threads_are_removed(offline_server: Server) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        first = await one.ask("thread_start", place=BERLIN, text="one")
        second = await one.ask("thread_start", place=BERLIN, text="two")
        third = await one.ask("thread_start", place=BERLIN, text="three")
        reply = await one.ask("comment_add", thread_id=first["thread_id"], text="reply")
        await one.ask("comment_remove", thread_id=first["thread_id"], comment_id=first["comment_id"])
        assert (await one.hears("comment_removed"))["comment_id"] == first["comment_id"]
        await one.ask("comment_remove", thread_id=second["thread_id"], comment_id=second["comment_id"])
        assert (await one.hears("thread_removed"))["thread_id"] == second["thread_id"]
        await one.ask("thread_remove", thread_id=third["thread_id"])
        async with client(offline_server) as other:
            [thread] = await threads_of(other, one.map_id)
        assert [each["id"] for each in thread["comments"]] == [reply["comment_id"]]
        gone = third["thread_id"]
        assert await one.refused("thread_remove", thread_id=gone) == "not_found"
        assert await one.refused("thread_resolve", thread_id=gone, resolved=True) == "not_found"
        assert await one.refused("comment_add", thread_id=gone, text="x") == "not_found"
        known = first["thread_id"]
        assert await one.refused("comment_remove", thread_id=known, comment_id="gone") == "not_found"
        assert await one.refused("comment_add", thread_id=known, text="   ") == "invalid_payload"
        assert await one.refused("comment_add", thread_id=known, text="x" * 2001) == "invalid_payload"
        assert await one.refused("thread_start", place={"position": [0, 91]}, text="x") == "invalid_payload"


async def test_undo_leaves_comments_and_a_reconnecting_client_hears_them(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("join")
        added = await one.ask("layer_add", table="data.airports")
        await one.ask("thread_start", place=BERLIN, text="Where are the trains?")
        await one.ask("undo")
        assert (await one.hears("layer_removed"))["undo_of"] == added["seq"]
        missed = (await two.ask("join", map_id=one.map_id, after_seq=added["seq"]))["events"]
        assert [each["event"] for each in missed] == ["thread_started", "layer_removed"]
        snapshot = (await one.ask("join", map_id=one.map_id))["snapshot"]
        assert [each["event"] for each in snapshot["chat"]] == []
        assert [each["comments"][0]["text"] for each in snapshot["threads"]] == ["Where are the trains?"]


async def test_a_view_link_reads_comments_and_writes_none_and_a_copy_has_none(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as viewer:
        await one.ask("join")
        started = await one.ask("thread_start", place=BERLIN, text="For everybody")
        key = (await one.ask("share", view=True))["view_key"]
        [thread] = (await viewer.ask("join", map_id=key))["snapshot"]["threads"]
        assert thread["comments"][0]["text"] == "For everybody"
        known = {"map_id": key, "thread_id": started["thread_id"]}
        assert await viewer.refused("thread_start", map_id=key, place=BERLIN, text="x") == "read_only"
        assert await viewer.refused("comment_add", **known, text="x") == "read_only"
        assert await viewer.refused("thread_resolve", **known, resolved=True) == "read_only"
        assert await viewer.refused("thread_remove", **known) == "read_only"
        comment = started["comment_id"]
        assert await viewer.refused("comment_remove", **known, comment_id=comment) == "read_only"
        copied = (await viewer.ask("copy", map_id=key))["map_id"]
        async with client(offline_server) as other:
            assert await threads_of(other, copied) == []
