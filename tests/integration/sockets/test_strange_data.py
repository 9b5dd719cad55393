"""Tables and columns with any name, through every door of the server: sockets, tiles, exports, chat."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from server.app import Server
from tests.integration.tiles.drawing import decoded
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

NAMES = (
    "select",
    "My Table",
    'naïve"quote',
    "a.b",
    "Ünï 😀",
    "'; DROP TABLE x; --",
    "100%",
    "line\nbreak",
    "a\tb\x1b[1m\u202ec\x7f",
)


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> ScriptedModel:
    return ScriptedModel()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(database_url: str, model: ScriptedModel) -> AsyncIterator[Server]:
    async with local_server(database_url, model) as running:
        yield running


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@pytest.mark.parametrize("name", NAMES)
async def test_a_table_of_any_name_works_everywhere(
    server: Server, model: ScriptedModel, database_url: str, name: str
) -> None:
    """The table, its column and its geometry column are all called so, and so is a value."""
    connection = await asyncpg.connect(database_url)
    try:
        await connection.execute(
            f"CREATE TABLE data.{quoted(name)} (id int PRIMARY KEY, {quoted(name)} text, {quoted('n ' + name)} int,"
            f" {quoted('geom ' + name)} geometry(Point, 4326))"
        )
        await connection.executemany(
            f"INSERT INTO data.{quoted(name)} VALUES ($1, $2, $1, ST_SetSRID(ST_MakePoint($3, $3), 4326))",
            [(number, name if number % 2 else "other", float(number)) for number in range(1, 11)],
        )
    finally:
        await connection.close()
    table = await until(
        lambda: next((one for one in server.registry.tables() if one.name == name and one.columns), None)
    )
    async with client(server) as one, aiohttp.ClientSession(server.url) as http:
        await one.ask("join")
        equal = {"op": "=", "args": [{"property": name}, name]}
        style = {"kind": "graduated", "column": f"n {name}", "label": name, "method": "equal"}
        await one.ask("layer_add", table=table.id, filter=equal, style=style)
        layer = (await one.hears("layer_added"))["layer"]
        assert (layer["count"], layer["table"]) == (5, table.id)
        assert {feature.properties[name] for feature in await features(http, layer)} == {name}
        await one.ask("layer_update", layer_id=layer["id"], style={"kind": "categorical", "column": name})
        updated = (await one.hears("layer_updated"))["layer"]
        assert name in {entry["value"] for entry in updated["legend"]["entries"]}
        for kind in ("geojson", "csv"):
            async with http.get(f"/api/maps/{one.map_id}/layers/{layer['id']}/export.{kind}") as answer:
                assert answer.status == 200
                # What follows a semicolon may become a cell of its own, and is made a text in CSV.
                written = name.replace("; --", ";' --") if kind == "csv" else name
                assert written in first_row(await answer.text(), kind)
        model.then([("count_features", {"table": table.id, "filters": equal})], ["Five."])
        assert (await one.says(f"how many in {name}?"))["status"] == "done"
        (counted,) = one.named("tool_finished")
        assert counted["ok"], counted
        assert "5" in counted["result"]
        assert await one.refused("layer_add", table=table.id, filter="nothing = 1") == "invalid_filter"


def first_row(exported: str, kind: str) -> dict[str, Any]:
    if kind == "csv":
        return next(csv.DictReader(io.StringIO(exported)))
    properties: dict[str, Any] = json.loads(exported)["features"][0]["properties"]
    return properties


async def features(http: aiohttp.ClientSession, layer: dict[str, Any]) -> list[Any]:
    """What the tile of the whole world holds."""
    async with http.get(layer["tiles"].format(z=0, x=0, y=0)) as tile:
        assert tile.status == 200, await tile.text()
        return decoded(await tile.read())["features"]


async def test_a_layer_by_very_large_numbers_can_still_be_changed(server: Server, database_url: str) -> None:
    """PostgreSQL's JSON writes them without exponents, so that they came back as other numbers."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        "CREATE TABLE data.posts AS SELECT n AS id, 1750000000000000000 + n * 1234567890124 AS post, "
        "1.2345678901234567e19::float8 * n AS size, ST_Point(n, n, 4326) AS geom FROM generate_series(1, 40) n;"
        "GRANT SELECT ON data.posts TO PUBLIC"
    )
    await connection.close()
    await until(lambda: any(one.id == "data.posts" and one.columns for one in server.registry.tables()))
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.posts", layer_id="posts")
        for kind, column in (("categorical", "post"), ("categorical", "size"), ("proportional", "size")):
            await one.ask("layer_update", layer_id="posts", style={"kind": kind, "column": column})
        await one.ask("layer_update", layer_id="posts", filter="post > 1750000000000000000")
        changed = await one.hears("layer_updated", 4)
        assert changed["layer"]["count"] == 40
        # Also a layer that another server has read from the log.
        async with local_server(database_url) as second, client(second) as other:
            await other.ask("join", map_id=one.map_id)
            await other.ask("layer_update", layer_id="posts", filter=None, map_id=one.map_id)


async def test_names_without_letters_keep_nobody_from_asking(server: Server, database_url: str) -> None:
    """One table with such a column made the built-in model fail at each request that it would have declined."""
    connection = await asyncpg.connect(database_url)
    await connection.execute(
        'CREATE TABLE data."★" (id int PRIMARY KEY, "😀" text, "-" text, "__" int, "😀 2" text, geom geometry(Point));'
        """INSERT INTO data."★" VALUES (1, 'a', 'b', 2, 'c', ST_Point(1, 2));"""
        'COMMENT ON COLUMN data."★"."😀 2" IS \'-\'; GRANT SELECT ON data."★" TO PUBLIC'
    )
    await connection.close()
    async with local_server(database_url) as offline, client(offline) as one:
        await until(lambda: any(table.name == "★" and table.columns for table in offline.registry.tables()))
        await one.ask("join")
        for text in (
            "flibber the gronk",
            "tell me about Germany",
            "show ★",
            "colour ★ by 😀",
            "top 5 ★ by __",
        ):
            assert (await one.says(text))["status"] == "done", text
