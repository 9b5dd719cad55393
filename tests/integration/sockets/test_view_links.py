"""View links: they show a map to all who have them, change nothing, reveal no other key, and can be withdrawn."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest
import pytest_asyncio

from server.app import Server
from server.maps.access import Access
from server.maps.faults import RequestFault
from server.protocol import REQUESTS, MapRequest
from server.sockets.connection import Connection
from server.sockets.limits import RateLimits
from server.sockets.rights import VIEWERS_MAY, admitted
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import Client, child_server, client

SELECTION = {"layer_id": "airports", "feature_ids": [1]}
REFUSED: dict[str, dict[str, Any]] = {
    "chat": {"text": "remove the airports"},
    "cancel": {},
    "approve": {"turn_id": "t", "call_id": "c", "approved": True},
    "layer_add": {"table": "data.cities"},
    "layer_update": {"layer_id": "airports", "visible": False},
    "layer_remove": {"layer_id": "airports"},
    "layer_reorder": {"order": ["airports"]},
    "layer_group": {"layers": ["airports"], "group": "Traffic"},
    "chart_add": {"chart": {"kind": "histogram", "layer_id": "airports", "x": "elevation_m"}},
    "chart_refresh": {"chart_id": "c"},
    "chart_remove": {"chart_id": "c"},
    "undo": {},
    "redo": {},
    "receipt": {"layer_id": "airports", "version": 1, "features": 5},
    "view": {"bounds": [0, 0, 1, 1], "zoom": 3},
    "find_place": {"text": "Paris"},
    "restore": {"seq": 0},
    "share": {"view": True},
    "gesture": {"selection": SELECTION},
}
"""What a viewer may not ask, with payloads that would be granted to others."""


@pytest_asyncio.fixture(loop_scope="session")
async def owner(server: Server) -> AsyncIterator[Client]:
    """On a map with airports."""
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        yield one


async def link(owner: Client) -> str:
    return str((await owner.ask("share", view=True))["view_key"])


ON_MAPS = sorted(name for name, model in REQUESTS.items() if issubclass(model, MapRequest))


@pytest.mark.parametrize("event", ON_MAPS)
async def test_whatever_is_not_meant_for_viewers_is_refused(server: Server, event: str) -> None:
    """Also a request that is new: its payload is not looked at before the right to ask."""
    connection = Connection("sid", "person", RateLimits(0))
    connection.maps["view_key"] = Access("map", "view_key")
    kind: type[Any] = REQUESTS[event]
    request = kind.model_construct(map_id="view_key")
    asking = admitted(connection, event, request, server.maps.links, server.maps.log)
    if event in VIEWERS_MAY:
        assert (await asking)[1] == connection.maps["view_key"]
    else:
        with pytest.raises(RequestFault) as refused:
            await asking
        assert refused.value.code == "read_only"


@pytest.mark.parametrize("event", sorted(REFUSED))
async def test_a_viewer_changes_nothing(server: Server, owner: Client, event: str) -> None:
    async with client(server) as viewer:
        joined = await viewer.ask("join", map_id=await link(owner))
        assert joined["may_change"] is False
        before = await server.maps.log.reader.seq(owner.map_id)
        answer = await viewer.send(event, {"map_id": viewer.map_id, **REFUSED[event]})
        assert answer["error"]["code"] == "read_only"
        assert "copy" in answer["error"]["message"]
        assert await server.maps.log.reader.seq(owner.map_id) == before
        assert not server.maps.hub.presence.is_watched(owner.map_id), "no evidence comes from viewers"


async def test_a_viewer_sees_everything_as_it_happens_and_never_the_maps_id(
    server: Server, owner: Client, model: ScriptedModel
) -> None:
    model.then([("add_map_layer", {"table": "data.cities"})], ["Here they are."])
    async with client(server) as viewer:
        joined = await viewer.ask("join", map_id=await link(owner))
        assert [layer["id"] for layer in joined["snapshot"]["layers"]] == ["airports"]
        await owner.says(f"show cities, as on /m/{owner.map_id}")
        changed = await owner.ask("layer_update", layer_id="airports", opacity=0.5)
        await viewer.hears("layer_updated")
        await until(lambda: owner.numbered()[-1][0] == changed["seq"])
        assert viewer.numbered() == [one for one in owner.numbered() if one[0] > joined["seq"]]
        missed = await viewer.ask("join", map_id=viewer.map_id, after_seq=0)
        assert len(missed["events"]) == len(owner.numbered())
        everything = json.dumps([joined, missed, viewer.events])
        assert owner.map_id not in everything
        assert viewer.map_id in everything
        async with aiohttp.ClientSession(server.url) as web:
            tiles = viewer.named("layer_added")[-1]["layer"]["tiles"].format(z=0, x=0, y=0)
            async with web.get(tiles) as tile:
                assert (tile.status, tile.content_type) == (200, "application/vnd.mapbox-vector-tile")
                assert await tile.read()


@pytest.mark.parametrize(
    "path", ["tilejson", "rows?limit=3", "stats?column=name", "export.geojson", "export.csv"]
)
async def test_a_view_key_reads_over_http_what_the_maps_id_reads(
    server: Server, owner: Client, path: str
) -> None:
    key = await link(owner)
    async with aiohttp.ClientSession(server.url) as web:
        async with web.get(f"/api/maps/{owner.map_id}/layers/airports/{path}") as own:
            expected = (own.status, (await own.text()).replace(owner.map_id, key))
        async with web.get(f"/api/maps/{key}/layers/airports/{path}") as seen:
            assert (seen.status, await seen.text()) == expected
        assert expected[0] == 200
        async with web.post(f"/api/maps/{key}/layers/airports/{path}", json={}) as changing:
            assert changing.status in (403, 405)


async def test_a_view_key_saves_the_map_as_a_file_that_does_not_tell_the_maps_id(
    server: Server, owner: Client
) -> None:
    address = f"{server.url}/api/maps/{await link(owner)}/map.html"
    async with aiohttp.ClientSession() as web, web.get(address) as answer:
        page = await answer.text()
    assert answer.status in (200, 503)
    assert owner.map_id not in page
    assert answer.status == 503 or '"name":"airports"' in page


async def test_a_link_is_the_same_until_it_is_withdrawn_and_then_shows_nothing(
    server: Server, owner: Client
) -> None:
    assert (await owner.ask("share"))["view_key"] is None
    key = await link(owner)
    assert (await link(owner), (await owner.ask("share"))["view_key"]) == (key, key)
    async with client(server) as viewer, client(server) as late:
        shown = (await viewer.ask("join", map_id=key))["snapshot"]["layers"][0]
        tile = shown["tiles"].format(z=0, x=0, y=0)
        async with aiohttp.ClientSession(server.url) as web, web.get(tile) as answer:
            assert (answer.status, shown["tiles"].count(key)) == (200, 1)
        assert (await owner.ask("share", view=False))["view_key"] is None
        assert (await viewer.hears("access_withdrawn"))["map_id"] == key
        heard = len(viewer.numbered())
        await owner.ask("layer_update", layer_id="airports", opacity=0.4)
        assert await viewer.refused("leave") == "unknown_map"
        assert len(viewer.numbered()) == heard
        assert await late.refused("join", map_id=key) == "unknown_map"
        address = f"{server.url}/api/maps/{key}/layers/airports/rows"
        async with aiohttp.ClientSession() as web, web.get(address) as answer:
            assert answer.status == 404
        async with aiohttp.ClientSession(server.url) as web, web.get(tile) as answer:
            assert answer.status == 404, "also of a tile that is in memory"
        assert await link(owner) != key
        assert await late.refused("join", map_id=key) == "unknown_map"


async def test_keys_that_were_never_given_open_nothing(server: Server, owner: Client) -> None:
    key = await link(owner)
    async with client(server) as stranger:
        for guess in (key[:-1], key[:-1] + ("A" if key[-1] != "A" else "B"), f"view_{owner.map_id}", "view_"):
            assert await stranger.refused("join", map_id=guess) == "unknown_map"


async def test_the_database_keeps_no_link(server: Server, owner: Client) -> None:
    key = await link(owner)
    async with server.database.owner.connect() as connection:
        rows = await connection.exec_driver_sql("SELECT row_to_json(map)::text FROM geoagent.map")
        kept = "".join(rows.scalars())
    assert key not in kept
    assert key.removeprefix("view_") not in kept


async def test_anybody_may_make_a_copy_of_their_own(server: Server, owner: Client) -> None:
    await owner.ask("layer_update", layer_id="airports", name="Aerodromes")
    async with client(server) as viewer:
        await viewer.ask("join", map_id=await link(owner))
        copied = (await viewer.ask("copy"))["map_id"]
        assert copied not in (owner.map_id, viewer.map_id)
        joined = await viewer.ask("join", map_id=copied)
        assert joined["may_change"] is True
        [layer] = joined["snapshot"]["layers"]
        assert (layer["name"], copied in layer["tiles"]) == ("Aerodromes", True)
        await viewer.ask("layer_remove", layer_id="airports")
    assert [layer.id for layer in (await server.maps.log.reader.state(owner.map_id)).layers] == ["airports"]


async def test_a_viewer_is_seen_as_one_and_leaves_like_everybody(server: Server, owner: Client) -> None:
    async with client(server) as viewer:
        await viewer.ask("join", map_id=await link(owner))
        await viewer.ask("introduce", name="  Vera ")
        await until(lambda: ("Vera", True) in known(owner))
        await viewer.ask("leave")
        await until(lambda: ("Vera", True) not in known(owner))


def known(one: Client) -> list[tuple[str, bool]]:
    told = one.named("presence")
    return [(each["name"], each["viewer"]) for each in told[-1]["known"]] if told else []


async def test_a_link_withdrawn_on_one_server_ends_on_the_other(samples_url: str) -> None:
    async with (
        child_server(samples_url) as here,
        child_server(samples_url) as there,
        client(here) as owner,
        client(there) as viewer,
    ):
        await owner.ask("join")
        key = await link(owner)
        await viewer.ask("join", map_id=key)
        await owner.ask("layer_add", table="data.airports")
        layer = (await viewer.hears("layer_added"))["layer"]
        assert owner.map_id not in json.dumps([layer, viewer.events])
        await owner.ask("share", view=False)
        await viewer.hears("access_withdrawn")
