"""People on a map: by what names they are known, who said what, and what they point at; also across servers."""

from __future__ import annotations

import asyncio

from server.app import Server
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import Client, child_server, client, local_server

SELECTION = {"layer_id": "airports", "feature_ids": [3, "06eb045a-4b69-4735-91d2-bd1832e1df11"]}


def names(one: Client) -> list[str]:
    told = one.named("presence")
    return sorted(each["name"] for each in told[-1]["known"]) if told else []


def pointing(one: Client, person: str) -> dict[str, object]:
    """All that was heard of a person's gestures, as it stands."""
    merged: dict[str, object] = {}
    for event in one.named("gestures"):
        for each in event["people"]:
            if each["person"] == person:
                merged |= each
    return merged


async def test_names_are_sent_to_others_and_can_be_changed(server: Server) -> None:
    async with client(server) as ann, client(server) as ben:
        await ann.ask("introduce", name="Ann")
        await ann.ask("join")
        await ben.ask("join", map_id=ann.map_id)
        await until(lambda: names(ben) == ["", "Ann"])
        await ben.ask("introduce", name="بن")
        await until(lambda: names(ann) == ["Ann", "بن"])
        assert await ben.refused("introduce", name="a" * 41) == "invalid_payload"
        assert await ben.refused("introduce", name="two\nlines") == "invalid_payload"


async def test_messages_say_who_asked(server: Server) -> None:
    async with client(server) as ann:
        await ann.ask("join")
        await ann.says("hello")
        await ann.ask("introduce", name="Ann")
        await ann.says("hello again")
        assert [event["author"] for event in ann.named("user_message")] == [None, "Ann"]


async def test_what_one_points_at_is_seen_by_the_others(server: Server) -> None:
    async with client(server) as ann, client(server) as ben:
        person = (await ann.ask("join"))["person"]
        await ben.ask("join", map_id=ann.map_id)
        await ann.ask("gesture", pointer=[8.5, 47.25])
        await ann.ask("gesture", selection=SELECTION)
        await ann.ask("view", bounds=[5, 45, 11, 48], zoom=6)
        expected = {
            "person": person,
            "pointer": [8.5, 47.25],
            "selection": SELECTION,
            "bounds": [5, 45, 11, 48],
        }
        await until(lambda: pointing(ben, person) == expected)
        await ann.ask("gesture", pointer=None)
        await until(lambda: pointing(ben, person) == {**expected, "pointer": None})
        async with client(server) as late:
            joined = await late.ask("join", map_id=ann.map_id)
            assert {**expected, "pointer": None} in joined["gestures"]
        await ann.ask("leave")
        async with client(server) as later:
            await until(lambda: not server.maps.hub.gestures.now(ben.map_id))
            assert (await later.ask("join", map_id=ben.map_id))["gestures"] == []


async def test_impossible_gestures_are_refused(server: Server) -> None:
    async with client(server) as ann:
        await ann.ask("join")
        for wrong in (
            {"pointer": [0, 91]},
            {"pointer": [1]},
            {"selection": {"layer_id": "x"}},
            {"pointer": "here"},
        ):
            assert await ann.refused("gesture", **wrong) == "invalid_payload"
        many = {"layer_id": "x", "feature_ids": list(range(201))}
        assert await ann.refused("gesture", selection=many) == "invalid_payload"


async def test_a_storm_of_gestures_becomes_a_few_events(server: Server) -> None:
    async with client(server) as ann, client(server) as ben:
        person = (await ann.ask("join"))["person"]
        await ben.ask("join", map_id=ann.map_id)
        for start in range(0, 300, 50):  # as fast as they are taken
            some = (ann.ask("gesture", pointer=[step / 10, 1]) for step in range(start, start + 50))
            await asyncio.gather(*some)
        await until(lambda: pointing(ben, person).get("pointer") == [29.9, 1])
        assert len(ben.named("gestures")) < 150


async def test_names_and_gestures_cross_servers(samples_url: str) -> None:
    async with (
        child_server(samples_url) as here,
        child_server(samples_url) as there,
        client(here) as ann,
        client(there) as ben,
    ):
        person = (await ann.ask("join"))["person"]
        await ann.ask("introduce", name="Ann")
        await ben.ask("join", map_id=ann.map_id)
        await until(lambda: names(ben) == ["", "Ann"])
        await ann.ask("gesture", selection=SELECTION, pointer=[1.5, 2.5])
        await until(lambda: pointing(ben, person).get("selection") == SELECTION)
        async with client(there) as late:
            joined = await late.ask("join", map_id=ann.map_id)
            assert person in [each["person"] for each in joined["gestures"]]


async def test_too_many_requests_are_refused_with_a_delay_to_retry_after(samples_url: str) -> None:
    async with local_server(samples_url, ScriptedModel(), rate=0.1) as server, client(server) as one:
        await one.ask("join")
        for _ in range(100):
            answer = await one.send("undo", {"map_id": one.map_id})
            if answer["error"]["code"] == "rate_limited":
                break
        assert 0 < answer["error"]["retry_after"] <= 1
        assert str(answer["error"]["retry_after"]) in answer["error"]["message"]


async def test_the_same_client_id_with_another_text_is_a_conflict(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        first = await one.ask("chat", text="hello", client_id="c1")
        assert (await one.ask("chat", text=" hello ", client_id="c1"))["turn_id"] == first["turn_id"]
        assert await one.refused("chat", text="something else", client_id="c1") == "conflict"
        await one.says("something else")
        assert [event["text"] for event in one.named("user_message")] == ["hello", "something else"]


async def test_a_restore_is_one_step(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        await one.ask("layer_add", table="data.cities")
        wanted = (await one.ask("layer_update", layer_id="airports", opacity=0.5))["seq"]
        then = (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]
        await one.ask("layer_remove", layer_id="cities")
        await one.ask("layer_update", layer_id="airports", name="Aerodromes", filter="elevation_m > 100")
        await one.ask("layer_add", table="data.countries")
        before = (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]

        await one.ask("restore", seq=wanted)
        restored = (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]
        assert looks(restored) == looks(then)
        assert (await one.ask("restore", seq=wanted))["seq"] == (await one.ask("join", map_id=one.map_id))[
            "seq"
        ]
        await one.ask("undo")
        undone = (await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]
        assert looks(undone) == looks(before)
        await one.ask("redo")
        assert looks((await one.ask("join", map_id=one.map_id))["snapshot"]["layers"]) == looks(then)
        versions = [
            (event["layer"]["id"], event["layer"]["version"])
            for event in one.named("layer_added", "layer_updated")
        ]
        assert len(set(versions)) == len(versions), "a version never comes again"
        assert await one.refused("restore", seq=10_000) == "invalid_payload"


def looks(layers: list[dict[str, object]]) -> list[dict[str, object]]:
    return [{name: value for name, value in layer.items() if name != "version"} for layer in layers]


async def test_a_selection_does_not_pass_to_another_layer_of_that_name(samples_url: str) -> None:
    """What was selected before its layer went is not taken for features of the one that has its id now."""
    async with local_server(samples_url) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.countries", layer_id="places")
        seen = (await one.hears("layer_added"))["seq"]
        focus = {"layer_id": "places", "feature_ids": [1]}
        question = "how many countries are selected?"
        await one.says(question, focus={**focus, "seq": seen})
        assert "1" in one.named("ai_response")[-1]["message"]
        await one.ask("layer_remove", layer_id="places")
        await one.ask("layer_add", table="data.countries", layer_id="places")
        await one.says(question, focus={**focus, "seq": seen})
        assert "not on the map any more" in one.named("ai_response")[-1]["message"]
        await one.says(question, focus={**focus, "seq": one.named("layer_added")[-1]["seq"]})
        assert "not on the map any more" not in one.named("ai_response")[-1]["message"]


async def test_a_filter_that_others_have_changed_is_not_overwritten_unseen(server: Server) -> None:
    async with client(server) as one, client(server) as other:
        await one.ask("join")
        await other.ask("join", map_id=one.map_id)
        await other.ask("introduce", name="Kim")
        await one.ask("layer_add", table="data.airports")
        added = (await one.hears("layer_added"))["layer"]
        high = {"op": ">", "args": [{"property": "elevation_m"}, 2000]}
        await other.ask("layer_update", layer_id="airports", filter=high, seen_version=added["version"])
        changed = await one.hears("layer_updated")
        assert changed["author"] == "Kim"

        low = {"op": "<", "args": [{"property": "elevation_m"}, 10]}
        wish = {"layer_id": "airports", "filter": low}
        assert await one.refused("layer_update", **wish, seen_version=added["version"]) == "conflict"
        await one.ask("layer_update", **wish, seen_version=changed["layer"]["version"])
