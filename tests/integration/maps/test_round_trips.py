"""What one event costs in round trips to PostgreSQL, counted on the wire."""

from __future__ import annotations

import sqlalchemy

from server.app import Server
from server.maps.log.events import Change
from tests.support.looking import until
from tests.support.round_trips import Counter, counting
from tests.support.server import Client, client, local_server

MAX_TOOL_EVENT_TRIPS = 6
MAX_FIRST_JOIN_TRIPS = 1
MAX_LAYER_CHANGE_TRIPS = 4
WARMING = 3
COUNTED = 5


async def test_a_tool_event_costs_at_most_six_round_trips_until_everybody_has_it(samples_url: str) -> None:
    async with counting(samples_url) as counter, local_server(counter.url) as server, client(server) as one:
        await one.ask("join")
        trips = await least_trips(server, one, counter)
    assert len(trips) <= MAX_TOOL_EVENT_TRIPS, "\n".join(trips)


async def test_the_first_join_of_a_map_costs_one_round_trip(samples_url: str) -> None:
    async with counting(samples_url) as counter, local_server(counter.url) as server:
        counted = []
        for _ in range(WARMING + COUNTED):
            async with client(server) as one, client(server) as two:
                await one.ask("join")
                server.maps.log.forget()
                with counter.counted() as trips:
                    await two.ask("join", map_id=one.map_id)
                counted.append(trips)
    fewest = min(counted[WARMING:], key=len)
    assert len(fewest) == MAX_FIRST_JOIN_TRIPS, "\n".join(fewest)


async def test_a_change_of_a_layer_costs_at_most_four_round_trips(samples_url: str) -> None:
    async with counting(samples_url) as counter, local_server(counter.url) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports")
        counted = []
        for number in range(1, WARMING + COUNTED + 1):
            with counter.counted() as trips:
                await one.ask("layer_update", layer_id="airports", opacity=number / 10)
                await one.hears("layer_updated", number)
            counted.append(trips)
    fewest = min(counted[WARMING:], key=len)
    assert len(fewest) <= MAX_LAYER_CHANGE_TRIPS, "\n".join(fewest)


async def test_the_state_of_a_map_is_read_in_one_round_trip(samples_url: str) -> None:
    async with counting(samples_url) as counter, local_server(counter.url) as server, client(server) as one:
        await one.ask("join")
        reader = server.maps.log.reader
        assert (await reader.state(one.map_id)).layers == ()
        await one.ask("layer_add", table="data.airports")
        counted = []
        for _ in range(WARMING + COUNTED):
            with counter.counted() as trips:
                assert [layer.id for layer in (await reader.state(one.map_id)).layers] == ["airports"]
            counted.append(trips)
    fewest = min(counted, key=len)
    assert len(fewest) == 1, "\n".join(fewest)


async def least_trips(server: Server, one: Client, counter: Counter) -> list[str]:
    """Of several events the one that cost least: a server also looks around every few seconds."""
    log, server_id = server.maps.log, server.maps.liveness.id
    said = await server.maps.turns.submit(one.map_id, "work")
    await until(lambda: said.turn_id in str(one.named("turn_finished")))
    async with server.database.owner.begin() as connection:
        await connection.execute(
            sqlalchemy.text(
                "UPDATE geoagent.turn SET status = 'running', server_id = :server WHERE id = :id"
            ),
            {"server": server_id, "id": said.turn_id},
        )
    counted = []
    for number in range(WARMING + COUNTED):
        call = {"call_id": f"call_{number}", "name": "list_tables", "arguments": {}}
        with counter.counted() as trips:
            async with log.writing(one.map_id, said.turn_id, server_id) as writer:
                await writer.record(Change("tool_called", call))
            await one.hears("tool_called", number + 1)
        counted.append(trips)
    return min(counted[WARMING:], key=len)
