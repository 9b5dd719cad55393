"""Addresses that no map or layer can have are answered as unknown, not as a mistake of the server."""

from __future__ import annotations

from collections.abc import AsyncIterator

import aiohttp
import pytest
import pytest_asyncio
from yarl import URL

from tests.support.models import ScriptedModel
from tests.support.server import client, local_server


class Site:
    def __init__(self, url: str, map_id: str) -> None:
        self.url = url
        self.map_id = map_id


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def site(samples_url: str) -> AsyncIterator[Site]:
    async with local_server(samples_url, ScriptedModel()) as server, client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.airports", layer_id="airports")
        yield Site(server.url, one.map_id)


@pytest.mark.parametrize("odd", ["%00", "a%00b", "%F0%9F%97%BA", "..%5C", "a%20b", "x" * 65, "a%0A"])
@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/tiles/ODD/x/1/0/0/0.mvt", "unknown_map"),
        ("/tiles/MAP/ODD/1/0/0/0.mvt", "unknown_layer"),
        ("/api/maps/ODD/layers/x/tilejson", "unknown_map"),
        ("/api/maps/MAP/layers/ODD/tilejson", "unknown_layer"),
        ("/api/maps/MAP/layers/ODD/rows", "unknown_layer"),
        ("/api/maps/MAP/layers/ODD/stats?column=name", "unknown_layer"),
        ("/api/maps/ODD/layers/x/export.csv", "unknown_map"),
    ],
)
async def test_what_cannot_be_an_id_is_unknown(site: Site, path: str, code: str, odd: str) -> None:
    address = URL(site.url + path.replace("MAP", site.map_id).replace("ODD", odd), encoded=True)
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        assert answer.status == 404
        assert (await answer.json())["error"]["code"] == code


@pytest.mark.parametrize(
    "path", ["rows?sort=%00", "rows?filter=%00", "rows?filter=%22%5Cu0000%22", "stats?column=%00"]
)
async def test_nul_characters_in_a_query_are_refused(site: Site, path: str) -> None:
    address = URL(f"{site.url}/api/maps/{site.map_id}/layers/airports/{path}", encoded=True)
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        assert 400 <= answer.status < 500
        assert (await answer.json())["error"]["message"]


@pytest.mark.parametrize("path", ["analyses/%00/recipe", "exports/%00/x", "exports/x/%00"])
async def test_nul_characters_in_other_ids_are_unknown_addresses(site: Site, path: str) -> None:
    address = URL(f"{site.url}/api/maps/{site.map_id}/{path}", encoded=True)
    async with aiohttp.ClientSession() as session, session.get(address) as answer:
        assert answer.status == 404


@pytest.mark.parametrize("path", ["exports", "uploads/1"])
async def test_a_body_nested_too_deeply_is_refused_as_any_that_cannot_be_read(site: Site, path: str) -> None:
    address = f"{site.url}/api/maps/{site.map_id}/{path}"
    async with aiohttp.ClientSession() as session, session.post(address, data=b"[" * 4000) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]["code"] == "invalid_payload"


async def test_the_page_of_any_map_is_the_clients(site: Site) -> None:
    async with aiohttp.ClientSession() as session:
        async with session.get(f"{site.url}/m/{site.map_id}") as right:
            status = right.status
        async with session.get(URL(f"{site.url}/m/a%20b", encoded=True)) as odd:
            assert odd.status == status
