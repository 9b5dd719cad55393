"""Presence, receipts, and the words that servers pass to each other."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from server.maps.presence import Presence, Receipts, Shown
from server.maps.relay import NOTIFY_BYTES, fitting


async def test_a_receipt_is_found_whether_it_comes_before_or_after_somebody_waits() -> None:
    receipts = Receipts(wait=5)
    receipts.receive("m", "a", 1, Shown(3))
    assert await receipts.wait("m", "a", 1) == Shown(3)
    waiting = asyncio.create_task(receipts.wait("m", "a", 2))
    await asyncio.sleep(0)
    receipts.receive("m", "a", 3, Shown(9))
    receipts.receive("m", "a", 2, Shown(4, "no tiles"))
    assert await waiting == Shown(4, "no tiles")


async def test_without_a_receipt_waiting_ends() -> None:
    assert await Receipts(wait=0.01).wait("m", "a", 1) is None


def test_what_a_browser_says_is_told_in_words() -> None:
    assert Shown(812).say() == "drawn: 812 features in view"
    assert Shown(0, "tile 3/1/2 failed").say() == "could not be drawn: tile 3/1/2 failed"


def test_a_map_is_watched_once_a_browser_said_what_it_shows() -> None:
    changed: list[str] = []
    presence = Presence(changed.append)
    presence.watches("m", "stranger")
    presence.enter("m", "ann")
    assert (presence.is_here("m"), presence.is_watched("m")) == (True, False)
    presence.watches("m", "ann")
    presence.watches("m", "ann")
    assert presence.is_watched("m")
    presence.leave("m", "ann")
    assert (presence.is_here("m"), presence.is_watched("m"), presence.people("m")) == (False, False, [])
    assert changed == ["m", "m", "m"]


def test_people_of_other_servers_count_until_their_server_is_gone() -> None:
    presence = Presence()
    presence.enter("m", "ann")
    presence.heard("server_b", "m", ["ben"], ["ben"])
    presence.heard("server_c", "m", ["cid"], [])
    assert (presence.people("m"), presence.is_watched("m")) == (["ann", "ben", "cid"], True)
    assert presence.forget({"server_a", "server_c"}) == ["m"]
    assert (presence.people("m"), presence.is_watched("m")) == (["ann", "cid"], False)
    presence.heard("server_c", "m", [], [])
    assert presence.people("m") == ["ann"]


@given(st.text(max_size=20_000))
def test_a_long_delta_is_sent_in_pieces_that_fit_and_join_to_the_same_text(text: str) -> None:
    body = {
        "map_id": "m" * 22,
        "event": "ai_delta",
        "data": {"map_id": "m" * 22, "turn_id": "t", "text": text},
    }
    pieces = fitting("emit", body)
    assert "".join(piece["data"]["text"] for piece in pieces) == text
    assert all(len(json.dumps(["server_00000000", "emit", piece])) <= NOTIFY_BYTES for piece in pieces)
