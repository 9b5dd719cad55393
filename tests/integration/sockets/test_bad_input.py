"""Whatever a socket sends is answered with a clear fault, changes nothing, and never takes the server down."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
from hypothesis import given, settings
from hypothesis import strategies as st

from server.app import Server
from server.protocol import REQUESTS
from tests.support.looking import PATIENCE, until
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=20),
    st.binary(max_size=20),
    st.sampled_from(["\x00", "\ud800", "a" * 10_000, "'; DROP TABLE geoagent.map; --", "__proto__"]),
)
anything = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=10), inner, max_size=4)
    ),
    max_leaves=12,
)


payloads = st.one_of(anything, st.lists(anything, max_size=3).map(tuple))


def nearly(event: str, map_id: str) -> st.SearchStrategy[dict[str, Any]]:
    """Payloads with the fields of the request, but anything in them."""
    fields = dict.fromkeys(REQUESTS[event].model_fields, anything)
    if "map_id" in fields:
        fields["map_id"] = st.one_of(st.just(map_id), anything)
    return st.fixed_dictionaries({}, optional=fields)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def one(server: Server) -> AsyncIterator[Client]:
    """On a map with a layer."""
    async with client(server) as joined:
        await joined.ask("join")
        await joined.ask("layer_add", table="data.airports")
        yield joined


@pytest.mark.parametrize("event", ["join", "chat", "nonsense", "connect", "disconnect", "__proto__", ""])
@settings(max_examples=40)
@given(payload=payloads)
async def test_any_payload_is_answered(server: Server, one: Client, event: str, payload: Any) -> None:
    await check_answer(server, one, event, payload)


@pytest.mark.parametrize("event", REQUESTS)
@settings(max_examples=15)
@given(data=st.data())
async def test_anything_in_the_fields_of_a_request_is_answered(
    server: Server, one: Client, event: str, data: st.DataObject
) -> None:
    await check_answer(server, one, event, data.draw(nearly(event, one.map_id)))


async def check_answer(server: Server, one: Client, event: str, payload: Any) -> None:
    before = await server.maps.log.reader.seq(one.map_id)
    answer = await one.send(event, payload, timeout=PATIENCE)
    assert isinstance(answer, dict)
    assert isinstance(answer["ok"], bool)
    if answer["ok"]:
        assert event in REQUESTS
    else:
        assert answer["error"]["code"] != "internal", answer
        assert answer["error"]["message"]
        assert await server.maps.log.reader.seq(one.map_id) == before
    await one.ask("join", map_id=one.map_id)


@pytest.mark.parametrize(
    "payload",
    [
        None,
        [],
        "text",
        5,
        b"bytes",
        {},
        {"map_id": None},
        {"map_id": ["x"]},
        {"map_id": "../etc"},
        {"map_id": "m", "more": 1},
        {"map_id": {"a": {"b": b"c"}}},
    ],
    ids=repr,
)
async def test_malformed_payloads_are_invalid(one: Client, payload: Any) -> None:
    for event in set(REQUESTS) - {"join"}:
        answer = await one.send(event, payload)
        assert answer["error"]["code"] == "invalid_payload", event


@pytest.mark.parametrize(
    ("event", "fields"),
    [
        ("chat", {"text": "here", "focus": {"bounds": ["nan", 0, 1, 1]}}),
        ("chat", {"text": "here", "focus": {"bounds": [0, 0, "inf", 1]}}),
        ("chat", {"text": "here", "focus": {"zoom": "nan"}}),
        ("view", {"bounds": [0, 0, "nan", 1], "zoom": 3}),
        ("view", {"bounds": [0, 0, "1", 1], "zoom": 3}),
        ("view", {"bounds": [0, 0, 1, 1], "zoom": True}),
        ("join", {"after_seq": True}),
        ("join", {"after_seq": "3"}),
        ("layer_add", {"table": "data.cities", "opacity": "0.5"}),
        ("layer_add", {"table": "data.cities", "visible": "yes"}),
        ("layer_add", {"table": "data.cities", "style": {"classes": "5"}}),
        ("receipt", {"layer_id": "airports", "version": "1", "features": 0}),
    ],
    ids=repr,
)
async def test_text_and_booleans_are_no_numbers(
    server: Server, one: Client, event: str, fields: dict[str, Any]
) -> None:
    before = await server.maps.log.reader.seq(one.map_id)
    assert await one.refused(event, map_id=one.map_id, **fields) == "invalid_payload"
    assert await server.maps.log.reader.seq(one.map_id) == before


@pytest.mark.parametrize("name", ["", "   ", "\t\n"], ids=repr)
async def test_a_layer_has_a_name_that_can_be_read(server: Server, one: Client, name: str) -> None:
    before = await server.maps.log.reader.seq(one.map_id)
    assert await one.refused("layer_update", layer_id="airports", name=name) == "invalid_payload"
    assert await one.refused("layer_add", table="data.cities", name=name) == "invalid_payload"
    assert await server.maps.log.reader.seq(one.map_id) == before


SQUARE = [[0, 0], [1, 0], [1, 1.5], [0, 0]]


@pytest.mark.parametrize(
    "area",
    [
        {},
        {"type": "Polygon"},
        {"type": "Polygon", "coordinates": []},
        {"type": "Polygon", "coordinates": [[]]},
        {"type": "Polygon", "coordinates": [SQUARE[:3]]},
        {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]},
        {"type": "Polygon", "coordinates": [[["0", 0], [1, 0], [1, 1], ["0", 0]]]},
        {"type": "Polygon", "coordinates": [[[True, 0], [1, 0], [1, 1], [True, 0]]]},
        {"type": "Polygon", "coordinates": [SQUARE], "crs": {"type": "name"}},
        {"type": "Polygon", "coordinates": [[[0, 0], *[[1, 1]] * 10_000, [0, 0]]]},
        {"type": "MultiPolygon", "coordinates": [SQUARE]},
        {"type": "Point", "coordinates": [0, 0]},
        {"type": ["Polygon"], "coordinates": [SQUARE]},
    ],
    ids=lambda area: repr(area)[:60],
)
async def test_an_area_that_is_no_polygon_is_refused(
    server: Server, one: Client, area: dict[str, Any]
) -> None:
    before = await server.maps.log.reader.seq(one.map_id)
    assert await one.refused("chat", text="what is here?", focus={"area": area}) == "invalid_payload"
    assert await server.maps.log.reader.seq(one.map_id) == before


@pytest.mark.parametrize(
    "area",
    [
        {"type": "Polygon", "coordinates": [SQUARE]},
        {"type": "MultiPolygon", "coordinates": [[SQUARE], [SQUARE, SQUARE]]},
    ],
    ids=lambda area: area["type"],
)
async def test_polygons_are_areas(server: Server, area: dict[str, Any]) -> None:
    async with client(server) as another:
        await another.ask("join")
        await another.ask("chat", text="what is here?", focus={"area": area})
        assert (await another.hears("user_message"))["focus"]["area"] == area


async def test_whole_numbers_are_numbers(one: Client) -> None:
    await one.ask("view", bounds=[-10, 40.5, 10, 60], zoom=4)


def message(body: str) -> str:
    """A Socket.IO event with an acknowledgement, as it goes over the wire."""
    return f"421{body}"


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ('["chat",{"map_id":"m","text":' + "[" * 50_000 + "]" * 50_000 + "}]", "invalid_payload"),
        ('["chat",' + '{"a":' * 400 + "1" + "}" * 400 + "]", "invalid_payload"),
        ('["chat",{"map_id":"m","text":"' + "x" * 600_000 + '"}]', "too_large"),
        ('["chat",{"map_id":"m","text":"' + "x" * 3_000_000 + '"}]', "too_large"),
        ('["chat",{"map_id":"m","text":"' + "x" * 9_000 + '"}]', "invalid_payload"),
        ('["layer_reorder",{"map_id":"m","order":[' + ",".join(['"a"'] * 60_000) + "]}]", "too_large"),
        ('["chat",{"map_id":"m","text":NaN}]', "invalid_payload"),
        ('["chat",{"map_id":"m","text":"\\ud800"}]', "invalid_payload"),
        ('["chat",{"map_id":"m","text":"a\\u0000b"}]', "invalid_payload"),
        ('["chat",' + "9" * 5000 + "]", "invalid_payload"),
        ('["chat",{"map_id":', "invalid_payload"),
        ('[{"not":"a name"},{}]', "invalid_payload"),
        ("[]", "invalid_payload"),
        ("[null]", "invalid_payload"),
        ('["disconnect",{}]', "invalid_payload"),
        ('["connect",{}]', "invalid_payload"),
    ],
    ids=lambda value: value[:40],
)
async def test_what_no_client_library_would_send_is_answered_too(
    server: Server, body: str, code: str
) -> None:
    async with aiohttp.ClientSession() as session, raw_socket(session, server) as socket:
        await socket.send_str(message(body))
        answer = await acknowledgement(socket)
        assert answer["error"]["code"] == code
        await socket.send_str(message('["join",{}]'))
        assert (await acknowledgement(socket))["ok"] is True


@pytest.mark.parametrize(
    "packet", ["4", "49", "42{}", '45999999999-["chat"]', "47", "42x", "4" + "2" * 5000, "6"]
)
async def test_broken_packets_harm_nobody_else(server: Server, one: Client, packet: str) -> None:
    async with aiohttp.ClientSession() as session, raw_socket(session, server) as socket:
        await socket.send_str(packet)
        await asyncio.sleep(0.01)
    await one.ask("join", map_id=one.map_id)


async def test_a_huge_message_ends_its_connection_and_harms_nobody_else(server: Server, one: Client) -> None:
    async with aiohttp.ClientSession() as session, raw_socket(session, server) as socket:
        with suppress(aiohttp.ClientError, ConnectionError):
            await socket.send_str(message('["chat",{"map_id":"m","text":"' + "x" * 5_000_000 + '"}]'))
        await until(lambda: is_over(socket))
    await one.ask("join", map_id=one.map_id)


async def is_over(socket: aiohttp.ClientWebSocketResponse) -> bool:
    ended = (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.ERROR)
    return (await socket.receive(timeout=PATIENCE)).type in ended


async def test_a_flood_is_slowed_down_and_others_are_not(samples_url: str) -> None:
    async with (
        local_server(samples_url, ScriptedModel(), rate=0.2) as server,
        client(server) as flooder,
        client(server) as other,
    ):
        await flooder.ask("join")
        answers = [await flooder.send("undo", {"map_id": flooder.map_id}) for _ in range(60)]
        codes = [answer["error"]["code"] for answer in answers]
        assert "rate_limited" in codes
        assert codes[0] == "nothing_to_undo"
        await other.ask("join")


class raw_socket:
    """A websocket that speaks Engine.IO by hand."""

    def __init__(self, session: aiohttp.ClientSession, server: Server) -> None:
        self._session = session
        self._url = f"{server.url}/socket.io/?EIO=4&transport=websocket".replace("http", "ws", 1)

    async def __aenter__(self) -> aiohttp.ClientWebSocketResponse:
        self._socket = await self._session.ws_connect(self._url)
        await self._socket.receive_str(timeout=PATIENCE)
        await self._socket.send_str("40")
        await self._socket.receive_str(timeout=PATIENCE)
        return self._socket

    async def __aexit__(self, *_: object) -> None:
        await self._socket.close()


async def acknowledgement(socket: aiohttp.ClientWebSocketResponse) -> dict[str, Any]:
    while True:
        text = await socket.receive_str(timeout=PATIENCE)
        if text.startswith("431"):
            (answer,) = json.loads(text[3:])
            assert isinstance(answer, dict)
            return answer
