"""Files that programs ask for over the socket."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator

import aiohttp
import pyogrio
import pytest_asyncio

from server.app import Server
from tests.support.models import ScriptedModel
from tests.support.server import Client, client, local_server


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, ScriptedModel()) as running:
        yield running


async def test_a_program_exports_over_the_socket(server: Server, one: Client) -> None:
    await one.ask("layer_add", table="data.countries", filter="continent = 'Europe'")
    wanted = {
        "items": [{"source": "countries", "columns": ["name", "population AS people"]}],
        "format": "gpkg",
    }
    file = (await one.ask("export", **wanted, crs="EPSG:3035", file_name="europe"))["file"]
    assert (file["file_name"], file["layers"][0]["crs"]) == ("europe.gpkg", "EPSG:3035")
    link = f"{server.url}/api/maps/{one.map_id}/{file['link']}"
    async with aiohttp.ClientSession() as session, session.get(link) as answer:
        assert answer.status == 200
        body = await answer.read()
    info = pyogrio.read_info(io.BytesIO(body))
    assert (list(info["fields"]), info["crs"]) == (["name", "people"], "EPSG:3035")
    assert info["features"] == file["layers"][0]["rows"] > 30
    assert await one.refused("export", items=[{"source": "data.nothing"}], format="csv") == "unknown_table"
    assert await one.refused("export", items=[], format="csv") == "invalid_payload"
    wrong = {"items": [{"source": "countries"}], "format": "csv", "members": {"a": 1}}
    assert await one.refused("export", **wrong) == "invalid_payload"


async def test_who_only_looks_exports_nothing_over_the_socket(server: Server, one: Client) -> None:
    key = (await one.ask("share", view=True))["view_key"]
    async with client(server) as viewer:
        await viewer.ask("join", map_id=key)
        wanted = {"items": [{"source": "data.countries"}], "format": "csv"}
        assert await viewer.refused("export", map_id=key, **wanted) == "read_only"
