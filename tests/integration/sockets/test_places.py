"""Looking for a place over the socket, as the search box does: with the right to the map, and harmless whatever
is typed."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from sqlalchemy import text

from server.app import Server
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

ENDLESS = (
    "CREATE VIEW data.endless_places AS SELECT a.name, a.geom FROM data.cities a CROSS JOIN data.cities b"
    " CROSS JOIN data.cities c"
)
"""The planner refuses to search it."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, ScriptedModel()) as server:
        yield server


async def test_a_place_is_found_with_where_it_is_and_which_table_says_so(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        places = (await one.ask("find_place", text="zurich", limit=3))["places"]
        assert len(places) == 3
        city = next(place for place in places if place["kind"] == "city")
        assert (city["name"], city["table"]) == ("Zürich", "data.cities")
        assert city["longitude"] == pytest.approx(8.55, abs=0.1)
        assert city["latitude"] == pytest.approx(47.38, abs=0.1)
        west, south, east, north = city["bounds"]
        assert west < city["longitude"] < east
        assert south < city["latitude"] < north
        assert one.numbered() == [], "looking is not an event"


@pytest.mark.parametrize("words", ["'; DROP TABLE data.cities; --", "100%", "\\", "' OR 1=1", "🗺️" * 50])
async def test_whatever_is_typed_finds_places_or_nothing(server: Server, words: str) -> None:
    async with client(server) as one:
        await one.ask("join")
        assert (await one.ask("find_place", text=words))["places"] == []
        assert (await one.ask("find_place", text="Paris"))["places"]


async def test_a_table_that_takes_too_long_is_named_with_the_places(samples_url: str) -> None:
    """The place that is meant may be in it, so it is not left out silently, and a calculation is declined."""
    async with local_server(samples_url) as server, client(server) as one:
        async with server.database.owner.begin() as connection:
            await connection.execute(text(ENDLESS))
        await until(lambda: server.registry.find("data.endless_places") is not None)
        await one.ask("join")
        found = await one.ask("find_place", text="Berlin")
        assert found["places"][0]["name"] == "Berlin"
        assert found["not_searched"] == ["data.endless_places"]
        for words, expected in (
            ("where is Berlin?", "Not searched"),
            ("zoom to Berlin", "Not searched"),
            (
                "how many airports are within 50 km of Berlin?",
                "too long to look for “Berlin” in data.endless",
            ),
        ):
            await one.says(words)
            assert expected in one.named("ai_response")[-1]["message"]
        assert one.named("view_requested")
        async with server.database.owner.begin() as connection:
            await connection.execute(text("DROP VIEW data.endless_places"))


@pytest.mark.parametrize("name", ["2024", "Районы", "المدن", "🌳"])
async def test_tables_of_any_name_leave_places_to_be_found(samples_url: str, name: str) -> None:
    """One whose name has no letter from a to z kept everybody from finding anything."""
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        async with server.database.owner.begin() as connection:
            await connection.execute(
                text(f'CREATE TABLE data."{name}" AS SELECT \'Paris\' AS "тип", ST_Point(1, 2, 4326) AS geom')
            )
            await connection.execute(text(f'GRANT SELECT ON data."{name}" TO PUBLIC'))
        try:
            await until(
                lambda: any(table.name == name and table.columns for table in server.registry.tables())
            )
            await one.ask("join")
            places = (await one.ask("find_place", text="Paris"))["places"]
            assert places[0]["table"] in ("data.cities", "data.countries")
        finally:
            async with server.database.owner.begin() as connection:
                await connection.execute(text(f'DROP TABLE data."{name}"'))


async def test_only_who_is_on_the_map_may_look(server: Server) -> None:
    async with client(server) as one, client(server) as other:
        await one.ask("join")
        assert await other.refused("find_place", map_id=one.map_id, text="Paris") == "not_joined"
        assert await other.refused("find_place", map_id="nowhere", text="Paris") == "unknown_map"
        for empty in ("  ", "-", "_"):
            assert await one.refused("find_place", text=empty) == "invalid_payload"
        assert await one.refused("find_place", text="Paris", limit=1000) == "invalid_payload"


async def test_looking_too_often_is_refused_and_leaves_other_requests_alone(samples_url: str) -> None:
    async with local_server(samples_url, ScriptedModel(), rate=0.2) as server, client(server) as one:
        await one.ask("join")
        answers = [await one.send("find_place", {"map_id": one.map_id, "text": "Paris"}) for _ in range(12)]
        codes = {answer["error"]["code"] for answer in answers if not answer["ok"]}
        assert codes == {"rate_limited"}
        assert await one.ask("layer_add", table="data.cities")
