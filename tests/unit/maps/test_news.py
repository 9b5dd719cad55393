"""Presence, receipts, and the words that servers pass to each other."""

from __future__ import annotations

import asyncio
import json

from hypothesis import given
from hypothesis import strategies as st

from server.maps.live.drafts import Drafts
from server.maps.live.gestures import Gestures
from server.maps.live.presence import MAX_NAMED_PEOPLE, Crowd, Presence, Receipts, Shown
from server.maps.live.relay import MAX_NOTIFY_BYTES, split_message
from server.protocol import Someone
from tests.support.looking import until

ANN = Someone(id="ann", name="Ann")


def crowd(*ids: str, watching: bool = False) -> Crowd:
    return Crowd({each: Someone(id=each) for each in ids}, set(ids) if watching else set())


def names(presence: Presence) -> list[str]:
    return [person.id for person in presence.people("m")]


async def test_a_receipt_is_found_whether_it_comes_before_or_after_the_wait_starts() -> None:
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


def test_a_receipt_is_described_in_a_sentence() -> None:
    assert Shown(812).describe() == "drawn: 812 features in view"
    assert Shown(812, None, "some").describe() == (
        "drawn: 812 features in view; not all features are drawn at this zoom level"
    )
    assert Shown(0, "tile 3/1/2 failed").describe() == "could not be drawn: tile 3/1/2 failed"


def test_a_map_is_watched_once_a_browser_said_what_it_shows() -> None:
    changed: list[str] = []
    presence = Presence(changed.append)
    presence.watches("m", "stranger")
    presence.enter("m", ANN)
    assert (presence.is_here("m"), presence.is_watched("m")) == (True, False)
    presence.watches("m", "ann")
    presence.watches("m", "ann")
    assert presence.is_watched("m")
    presence.leave("m", "ann")
    assert (presence.is_here("m"), presence.is_watched("m"), presence.people("m")) == (False, False, [])
    assert changed == ["m", "m", "m"]


def test_people_of_other_servers_count_until_their_server_is_gone() -> None:
    presence = Presence()
    presence.enter("m", ANN)
    presence.set_remote("server_b", "m", crowd("ben", watching=True))
    presence.set_remote("server_c", "m", crowd("cid"))
    assert (names(presence), presence.is_watched("m")) == (["ann", "ben", "cid"], True)
    assert presence.forget({"server_a", "server_c"}) == ["m"]
    assert (names(presence), presence.is_watched("m")) == (["ann", "cid"], False)
    presence.set_remote("server_c", "m", Crowd())
    assert names(presence) == ["ann"]


def test_a_servers_users_may_come_in_several_messages() -> None:
    presence = Presence()
    presence.set_remote("server_b", "m", crowd("ben"))
    presence.set_remote("server_b", "m", crowd("cid"), more=True)
    assert names(presence) == ["ben", "cid"]
    presence.set_remote("server_b", "m", crowd("dan"))
    assert names(presence) == ["dan"]


def test_of_a_large_crowd_editors_are_named_first_and_the_others_counted() -> None:
    presence = Presence()
    for number in range(200):
        presence.enter("m", Someone(id=f"viewer{number:03}", viewer=True))
    presence.enter("m", ANN)
    presence.set_remote("server_b", "m", Crowd({"ben": Someone(id="ben")}, unnamed=900, unnamed_viewers=899))
    assert (len(names(presence)), names(presence)[:2]) == (MAX_NAMED_PEOPLE, ["ann", "ben"])
    assert (presence.count("m"), presence.viewers("m")) == (1102, 1099)


@given(st.lists(st.text(max_size=40), max_size=300))
def test_people_are_relayed_in_words_that_fit(given_names: list[str]) -> None:
    people = [[f"id{number:06}", name, False, True] for number, name in enumerate(given_names)]
    pieces = split_message("presence", {"map_id": "m" * 22, "people": people})
    assert [person for piece in pieces for person in piece["people"]] == people
    assert [piece["more"] for piece in pieces] == [index > 0 for index in range(len(pieces))]
    assert all(
        len(json.dumps(["server_00000000", "presence", piece])) <= MAX_NOTIFY_BYTES for piece in pieces
    )


async def test_gestures_are_gathered_and_the_last_word_of_each_person_counts() -> None:
    told: list[tuple[str, list[dict[str, object]]]] = []
    gestures = Gestures(lambda map_id, people: told.append((map_id, people)))
    for step in range(20):
        gestures.point("m", "ann", {"pointer": [step, 0]})
    gestures.point("m", "ann", {"selection": None})
    gestures.point("m", "ben", {"pointer": [1, 2]})
    gestures.merge_remote("m", [{"person": "cid", "pointer": [3, 4]}])
    await until(lambda: told)
    ann = {"person": "ann", "pointer": [19, 0], "selection": None}
    assert told == [("m", [ann, {"person": "ben", "pointer": [1, 2]}])]
    assert len(gestures.now("m")) == 3
    gestures.keep("m", ["ann"])
    assert gestures.now("m") == [ann]


@given(st.text(max_size=20_000))
def test_a_long_delta_is_sent_in_pieces_that_fit_and_join_to_the_same_text(text: str) -> None:
    body = {
        "map_id": "m" * 22,
        "event": "ai_delta",
        "data": {"map_id": "m" * 22, "turn_id": "t", "text": text, "offset": 7},
    }
    pieces = split_message("emit", body)
    assert "".join(piece["data"]["text"] for piece in pieces) == text
    drafts = Drafts()
    drafts.add_delta({"map_id": "m", "turn_id": "t", "text": "7 units", "offset": 0})
    for piece in pieces:
        drafts.add_delta({**piece["data"], "map_id": "m"})
    assert drafts.now("m") == [{"turn_id": "t", "text": "7 units" + text}]
    assert all(len(json.dumps(["server_00000000", "emit", piece])) <= MAX_NOTIFY_BYTES for piece in pieces)


def test_a_draft_is_kept_only_as_long_as_nothing_of_it_is_missing() -> None:
    drafts = Drafts()

    def hear(text: str, offset: int) -> list[dict[str, str]]:
        drafts.add_delta({"map_id": "m", "turn_id": "t", "text": text, "offset": offset})
        return drafts.now("m")

    assert hear("tail", 5) == []
    assert hear("A \U0001f30d", 0) == [{"turn_id": "t", "text": "A \U0001f30d"}]
    assert hear(" is round", 4) == [{"turn_id": "t", "text": "A \U0001f30d is round"}]
    assert hear("again", 0) == [{"turn_id": "t", "text": "again"}]
    assert hear("gap", 9) == []
    hear("new", 0)
    drafts.end("m", "t")
    assert drafts.now("m") == []
