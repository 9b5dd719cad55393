"""A map as a document over the socket: its name, base map and saved views, and the list of a person's maps."""

from __future__ import annotations

import aiohttp

from server.app import Server
from tests.support.server import Client, client

VIEW = {"center": [13.4, 52.5], "zoom": 9.5, "bearing": 10, "pitch": 0, "layers": ["airports"]}


async def listed(server_url: str, *keys: str) -> list[dict[str, object]]:
    async with (
        aiohttp.ClientSession(server_url) as session,
        session.post("/api/maps/summaries", json={"maps": list(keys)}) as answer,
    ):
        assert answer.status == 200, await answer.text()
        found: list[dict[str, object]] = (await answer.json())["maps"]
        return found


async def document_of(one: Client, map_id: str) -> dict[str, object]:
    document: dict[str, object] = (await one.ask("join", map_id=map_id))["snapshot"]["document"]
    return document


async def test_a_map_is_named_for_everyone_and_an_undo_leaves_its_name(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        await one.ask("layer_add", table="data.airports")
        await one.ask("map_describe", name="  Airports of Europe ", projection="globe")
        received = await two.hears("map_described")
        assert (received["name"], received["projection"], received["base_map"]) == (
            "Airports of Europe",
            "globe",
            None,
        )
        before = (await one.ask("map_describe", name="Airports of Europe"))["seq"]
        assert before == received["seq"], "what changes nothing is not an event"
        await one.ask("map_describe", base_map="")
        await one.ask("undo")
        assert (await one.hears("layer_removed"))["undo_of"] is not None
        async with client(offline_server) as three:
            document = await document_of(three, one.map_id)
        assert document == {
            "name": "Airports of Europe",
            "base_map": "",
            "projection": "globe",
            "bookmarks": [],
        }
        assert await one.refused("map_describe", name="two\nlines") == "invalid_payload"
        assert await one.refused("map_describe", projection="cube") == "invalid_payload"


async def test_views_are_saved_replaced_and_removed(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as two:
        await one.ask("join")
        await two.ask("join", map_id=one.map_id)
        saved = await one.ask("bookmark_save", name="Berlin", view=VIEW)
        received = (await two.hears("bookmark_saved"))["bookmark"]
        assert received == {"id": saved["bookmark_id"], "name": "Berlin", "view": VIEW}
        await two.ask("bookmark_save", name="Near Berlin", view=VIEW, bookmark_id=saved["bookmark_id"])
        await two.ask("bookmark_save", name="World", view={"center": [0, 0], "zoom": 1})
        async with client(offline_server) as three:
            document = await document_of(three, one.map_id)
        assert [each["name"] for each in document["bookmarks"]] == ["Near Berlin", "World"]  # type: ignore[attr-defined]
        await one.ask("bookmark_remove", bookmark_id=saved["bookmark_id"])
        assert (await two.hears("bookmark_removed"))["bookmark_id"] == saved["bookmark_id"]
        assert await one.refused("bookmark_remove", bookmark_id=saved["bookmark_id"]) == "not_found"
        assert await one.refused("bookmark_save", name="x", view=VIEW, bookmark_id="gone") == "not_found"


async def test_a_view_link_changes_no_document_and_its_copy_begins_with_it(offline_server: Server) -> None:
    async with client(offline_server) as one, client(offline_server) as viewer:
        await one.ask("join")
        await one.ask("map_describe", name="Shared")
        await one.ask("bookmark_save", name="Berlin", view=VIEW)
        key = (await one.ask("share", view=True))["view_key"]
        await viewer.ask("join", map_id=key)
        assert await viewer.refused("map_describe", map_id=key, name="Mine") == "read_only"
        assert await viewer.refused("bookmark_save", map_id=key, name="x", view=VIEW) == "read_only"
        copied = (await viewer.ask("copy", map_id=key))["map_id"]
        async with client(offline_server) as other:
            document = await document_of(other, copied)
        assert document["name"] == "Shared"
        assert [each["name"] for each in document["bookmarks"]] == ["Berlin"]  # type: ignore[attr-defined]


async def test_maps_are_summed_up_for_those_who_have_their_keys(offline_server: Server) -> None:
    async with client(offline_server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        named = await one.ask("map_describe", name="Airports")
        key = (await one.ask("share", view=True))["view_key"]
        found = await listed(offline_server.url, key, "no-such-map", one.map_id, "view_none")
        assert [(each["map_id"], each["may_change"]) for each in found] == [(key, False), (one.map_id, True)]
        assert {(each["name"], each["layers"]) for each in found} == {("Airports", 1)}
        described = await one.hears("map_described")
        assert named["seq"] == described["seq"]
        assert str(found[0]["changed_at"]).startswith(str(described["at"])[:19])
        async with aiohttp.ClientSession(offline_server.url) as session:
            for body in ({"maps": ["x"] * 101}, {"maps": ["../x"]}, {}):
                async with session.post("/api/maps/summaries", json=body) as answer:
                    assert answer.status == 400
