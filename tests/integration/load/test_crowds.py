"""Many people on one map: what they cost the database, and what they are told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import aiohttp
import pytest
from sqlalchemy import insert

from server.app import Server
from server.database import lanes
from server.database.lanes import MAX_WAITING
from server.maps.live.presence import MAX_NAMED_PEOPLE
from server.maps.log.tables import map_table
from tests.support.looking import until
from tests.support.round_trips import counting
from tests.support.server import client, local_server
from tests.support.wire import Wire, wires

CROWD = 120
WAIT_ON_A_BUSY_MACHINE_S = 60.0
MANY_MAPS = MAX_WAITING + 50
MAX_TRIPS_OF_A_CROWD = 120
"""A newcomer alone takes more than ten round trips: 120 of them would take 1,400."""


@asynccontextmanager
async def crowd(server: Server, count: int) -> AsyncIterator[list[Wire]]:
    async with wires(server.url, count) as connected:
        yield connected


async def test_people_who_come_at_once_share_readings_and_hear_everything_after_them(
    samples_url: str,
) -> None:
    async with counting(samples_url) as counter, local_server(counter.url) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        async with crowd(server, CROWD) as people:
            with counter.counted() as trips:
                coming = [asyncio.create_task(each.ask("join", {"map_id": one.map_id})) for each in people]
                changes = [
                    await one.ask("layer_update", layer_id="airports", opacity=step / 10) for step in (3, 6)
                ]
                joined = await asyncio.gather(*coming)
            newest = (await one.ask("layer_update", layer_id="airports", opacity=0.9))["seq"]
            for each, answer in zip(people, joined, strict=True):
                await until(lambda each=each: each.seqs() and each.seqs()[-1] == newest)
                assert answer["snapshot"]["seq"] == answer["seq"]
                assert each.seqs() == list(range(answer["seq"] + 1, newest + 1))
            assert newest > changes[-1]["seq"]
            assert len(trips) <= MAX_TRIPS_OF_A_CROWD, len(trips)
            again = await asyncio.gather(
                *(each.ask("join", {"map_id": one.map_id, "after_seq": newest - 1}) for each in people)
            )
            assert {len(answer["events"]) for answer in again} == {1}


async def test_people_who_come_back_with_different_seqs_share_readings_too(samples_url: str) -> None:
    async with counting(samples_url) as counter, local_server(counter.url) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        newest = 0
        for step in range(60):
            newest = (await one.ask("layer_update", layer_id="airports", opacity=(step + 1) / 100))["seq"]
        async with crowd(server, 50) as people:
            with counter.counted() as trips:
                answers = await asyncio.gather(
                    *(
                        each.ask("join", {"map_id": one.map_id, "after_seq": newest - behind})
                        for behind, each in enumerate(people)
                    )
                )
            for behind, answer in enumerate(answers):
                seqs = [event["data"]["seq"] for event in answer["events"]]
                assert seqs == list(range(newest - behind + 1, newest + 1))
                assert (answer["seq"], answer["more"]) == (newest, False)
            assert len(trips) <= MAX_TRIPS_OF_A_CROWD // 2, len(trips)


async def test_of_a_large_crowd_everybody_is_counted_and_fifty_are_named(samples_url: str) -> None:
    async with local_server(samples_url) as server, client(server) as one, crowd(server, CROWD) as people:
        await one.ask("join")
        before = len(one.named("presence"))
        view_key = (await one.ask("share", view=True))["view_key"]
        joined = await asyncio.gather(*(each.ask("join", {"map_id": view_key}) for each in people))
        assert [answer["error"] for answer in joined if not answer["ok"]] == []
        await until(lambda: last_presence(one.named("presence"))["count"] == CROWD + 1)
        sent = last_presence(one.named("presence"))
        assert (len(sent["people"]), len(sent["known"]), sent["viewers"]) == (
            MAX_NAMED_PEOPLE,
            MAX_NAMED_PEOPLE,
            CROWD,
        )
        assert any(not person["viewer"] for person in sent["known"]), (
            "the editor is among those who are named"
        )
        assert len(one.named("presence")) - before < CROWD
        await until(lambda: all(each.last("presence").get("count") == CROWD + 1 for each in people))
        assert all(one.map_id not in text for each in people for text in each.texts)


def last_presence(events: list[dict[str, Any]]) -> dict[str, Any]:
    return events[-1] if events else {"count": 0}


async def test_a_client_that_reads_nothing_is_let_go_before_much_waits_for_it(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.sockets.engine.MAX_WAITING_BYTES", 500_000)
    async with local_server(samples_url) as server, client(server) as one, crowd(server, 1) as (deaf,):
        await one.ask("join")
        await deaf.ask("join", {"map_id": one.map_id})
        deaf.stop_reading()
        sent = 0
        while server.sockets.connections == 2 and sent < 2000:
            sent += 1
            await server.sockets.emit(
                one.map_id, "view_requested", {"map_id": one.map_id, "text": "x" * 200_000}
            )
            await one.hears("view_requested", sent)
        assert server.sockets.connections == 1


async def test_a_client_that_asks_on_and_reads_no_answer_is_let_go(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.sockets.engine.MAX_WAITING_BYTES", 500_000)
    async with local_server(samples_url) as server, client(server) as one, crowd(server, 1) as (deaf,):
        # Else it would be let go because it answers no ping.
        monkeypatch.setattr(server.sockets._io.eio, "ping_timeout", 3600)
        await one.ask("join")
        for _ in range(10):
            await one.ask("layer_add", table="data.airports", name="n" * 200)
        deaf.stop_reading()
        with suppress(aiohttp.ClientError, ConnectionError):
            async with asyncio.timeout(60):
                while server.sockets.connections == 2:
                    for _ in range(50):
                        await deaf.send("join", {"map_id": one.map_id})
                    # At most 100 may wait; the others are refused in few words.
                    await one.ask("join", map_id=one.map_id)
        await until(lambda: server.sockets.connections == 1)


async def test_sockets_are_not_compressed_each_for_itself(samples_url: str) -> None:
    async with local_server(samples_url) as server, aiohttp.ClientSession() as session:
        url = f"{server.url}/socket.io/?EIO=4&transport=websocket"
        async with session.ws_connect(url, compress=15) as socket:
            assert socket.compress == 0


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lanes in which requests are refused by their number only, not by the time that the machine takes."""
    monkeypatch.setattr(lanes, "LANE_WAIT_S", WAIT_ON_A_BUSY_MACHINE_S)


@pytest.mark.usefixtures("patient")
async def test_people_who_come_to_hundreds_of_maps_at_once_are_all_let_in(samples_url: str) -> None:
    """As after a restart: more than may wait for the database at once."""
    async with local_server(samples_url) as server, crowd(server, CROWD) as people:
        maps = [f"map_{number}" for number in range(MANY_MAPS)]
        async with server.database.owner.begin() as connection:
            await connection.execute(insert(map_table), [{"id": map_id} for map_id in maps])
        joined = await asyncio.gather(
            *(people[place % CROWD].ask("join", {"map_id": map_id}) for place, map_id in enumerate(maps))
        )
        assert [answer["error"] for answer in joined if not answer["ok"]] == []


@pytest.mark.usefixtures("patient")
async def test_hundreds_of_maps_of_one_address_that_change_at_once_are_all_changed(samples_url: str) -> None:
    async with local_server(samples_url) as server, crowd(server, MANY_MAPS) as people:
        joined = await asyncio.gather(*(each.ask("join", {}) for each in people))
        requests = [{"map_id": answer["map_id"], "name": "Survey"} for answer in joined]
        answers = await asyncio.gather(
            *(each.ask("map_describe", request) for each, request in zip(people, requests, strict=True))
        )
        assert [answer["error"] for answer in answers if not answer["ok"]] == []
