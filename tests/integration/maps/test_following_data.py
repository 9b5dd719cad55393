"""A change that psql makes to a table reaches every map that shows it, and only its layers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import asyncpg
import pytest
import pytest_asyncio

from server.app import Server
from server.maps.live import paces
from tests.integration.tiles.drawing import decoded
from tests.support.looking import until
from tests.support.server import Client, client, local_server

TOWNS = """
    DROP TABLE IF EXISTS data.towns CASCADE;
    CREATE TABLE data.towns (id integer PRIMARY KEY, people integer, geom geometry(Point, 4326));
    INSERT INTO data.towns SELECT n, n * 100, ST_SetSRID(ST_MakePoint(n, n), 4326) FROM generate_series(1, 20) AS n;
"""

Psql = Callable[[str], Awaitable[None]]
"""Runs a statement as `psql -c` does, on a connection of its own."""


@pytest_asyncio.fixture(loop_scope="session")
async def psql(server: Server, samples_url: str) -> Psql:
    async def run(statement: str) -> None:
        connection = await asyncpg.connect(samples_url)
        try:
            await connection.execute(statement)
        finally:
            await connection.close()

    await run(TOWNS)
    await server.registry.refresh(patience=10)
    return run


async def added(one: Client, table: str, **style: Any) -> dict[str, Any]:
    """The layer of a table, added by hand."""
    await one.ask("layer_add", table=table, style=style)
    found = await until(
        lambda: [each["layer"] for each in one.named("layer_added") if each["layer"]["table"] == table]
    )
    layer: dict[str, Any] = found[0]
    return layer


async def next_version(one: Client, layer: dict[str, Any]) -> dict[str, Any]:
    """The layer once its table has changed."""

    def updates() -> list[dict[str, Any]]:
        return [
            event
            for event in one.named("layer_updated")
            if event["layer"]["id"] == layer["id"] and event["layer"]["version"] > layer["version"]
        ]

    await until(lambda: bool(updates()))
    assert updates()[0]["cause"] == "data"
    newest: dict[str, Any] = updates()[-1]["layer"]
    return newest


async def tile(server: Server, layer: dict[str, Any]) -> tuple[str, list[Any]]:
    """`Cache-Control` and the features of the world's tile at the layer's address."""
    address = layer["tiles"].replace("{z}/{x}/{y}", "0/0/0")
    async with aiohttp.ClientSession() as session, session.get(f"{server.url}{address}") as answer:
        assert answer.status in (200, 204)
        body = await answer.read()
        return answer.headers["Cache-Control"], decoded(body).get("features", []) if body else []


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("INSERT INTO data.towns VALUES (21, 1, ST_SetSRID(ST_MakePoint(5, 50), 4326))", 21),
        ("DELETE FROM data.towns WHERE id > 5", 5),
        ("TRUNCATE data.towns", 0),
        ("ALTER TABLE data.towns ADD COLUMN mayor text DEFAULT 'somebody'", 20),
    ],
)
async def test_a_change_by_psql_gives_the_layer_a_new_address(
    server: Server, psql: Psql, statement: str, count: int
) -> None:
    async with client(server) as one:
        await one.ask("join")
        before = await added(one, "data.towns")
        other = await added(one, "data.airports")
        assert (await tile(server, before))[0].endswith("immutable")
        await psql(statement)
        after = await next_version(one, before)
        assert after["tiles"] != before["tiles"]
        assert after["count"] == count
        caching, features = await tile(server, after)
        assert caching.endswith("immutable")
        assert len(features) == count
        # Who still has the old address gets the present rows, which no cache may keep under it.
        server.tiles._cache.clear()
        caching, features = await tile(server, before)
        assert (caching, len(features)) == ("no-store", count)
        assert not [each for each in one.named("layer_updated") if each["layer"]["id"] == other["id"]]


async def test_classes_and_legend_follow_the_values(server: Server, psql: Psql) -> None:
    async with client(server) as one:
        await one.ask("join")
        layer = await added(one, "data.towns", kind="graduated", column="people")
        assert layer["legend"]["entries"][-1]["maximum"] == 2000
        await psql("UPDATE data.towns SET people = people * 10")
        after = await next_version(one, layer)
        assert after["legend"]["entries"][-1]["maximum"] == 20000


@pytest.mark.parametrize(
    ("style", "kind"),
    [
        ({"kind": "graduated", "column": "people", "label": "id"}, "single"),
        ({"kind": "grid", "column": "people", "statistic": "sum"}, "grid"),
        ({"kind": "single", "label": "people", "tooltip": ["id", "people"]}, "single"),
    ],
)
async def test_a_layer_whose_column_is_dropped_is_drawn_without_it_and_says_so(
    server: Server, psql: Psql, style: dict[str, Any], kind: str
) -> None:
    async with client(server) as one:
        await one.ask("join")
        before = await added(one, "data.towns", **style)
        await psql("ALTER TABLE data.towns DROP COLUMN people")
        await until(lambda: any(each["layer"]["legend"]["note"] for each in one.named("layer_updated")))
        after = one.named("layer_updated")[-1]["layer"]
        assert after["legend"]["note"] == "data.towns no longer has people, which is not shown."
        assert (after["style"]["kind"], after["style"]["column"], after["count"]) == (kind, None, 20)
        assert "people" not in (after["style"]["label"], *after["style"]["tooltip"])
        assert after["tiles"] != before["tiles"]
        caching, features = await tile(server, after)
        assert caching.endswith("immutable")
        assert features
        await psql("DELETE FROM data.towns WHERE id = 1")
        later = await next_version(one, after)
        assert later["count"] == 19
        assert later["legend"]["note"] == after["legend"]["note"], "until somebody changes the style"
        await one.ask("layer_update", layer_id=later["id"], style={"kind": "single", "color": "#123456"})
        await until(lambda: not one.named("layer_updated")[-1]["layer"]["legend"]["note"])


@pytest.mark.parametrize(
    "style",
    [
        {"kind": "graduated", "column": "people", "tooltip": ["id", "people"]},
        {"kind": "single", "label": "people"},
        {"kind": "single", "label": "{id} ({people} people)"},
    ],
)
async def test_a_layer_follows_its_column_to_another_name(
    server: Server, psql: Psql, style: dict[str, Any]
) -> None:
    async with client(server) as one:
        await one.ask("join")
        before = await added(one, "data.towns", **style)
        await one.ask("layer_update", layer_id=before["id"], filter="people > 500 AND id < 100")
        filtered = await until(
            lambda: [e["layer"] for e in one.named("layer_updated") if e["layer"]["filter"]]
        )
        await psql("ALTER TABLE data.towns RENAME COLUMN people TO residents")
        after = await next_version(one, filtered[0])
        assert after["style"]["column"] == ("residents" if "column" in style else None)
        assert after["style"]["label"] == {
            "people": "residents",
            "{id} ({people} people)": "{id} ({residents} people)",
        }.get(style.get("label", ""))
        assert after["style"]["kind"] == style["kind"]
        assert after["style"]["tooltip"] == [
            *style.get("tooltip", ())[:1],
            *(["residents"] if "tooltip" in style else []),
        ]
        assert after["legend"]["note"] is None
        assert after["count"] == filtered[0]["count"]
        _, features = await tile(server, after)
        assert features
        assert all("residents" in each.properties for each in features)


async def test_a_layer_follows_a_column_that_was_renamed_while_no_server_ran(
    samples_url: str, psql: Psql
) -> None:
    async with local_server(samples_url) as first, client(first) as one:
        await one.ask("join")
        before = await added(one, "data.towns", kind="graduated", column="people", label="people")
        map_id = one.map_id
    await psql("ALTER TABLE data.towns RENAME COLUMN people TO inhabitants")
    await psql("ALTER TABLE data.towns RENAME COLUMN inhabitants TO residents")
    async with local_server(samples_url) as second, client(second) as one:
        await one.ask("join", map_id=map_id)
        after = await next_version(one, before)
        style = after["style"]
        assert (style["kind"], style["column"], style["label"]) == ("graduated", "residents", "residents")
        assert after["legend"]["note"] is None


async def test_a_layer_whose_filter_names_a_dropped_column_gets_a_new_address(
    server: Server, psql: Psql
) -> None:
    async with client(server) as one:
        await one.ask("join")
        before = await added(one, "data.towns")
        await one.ask("layer_update", layer_id=before["id"], filter="people > 1000")
        filtered = await until(
            lambda: [e["layer"] for e in one.named("layer_updated") if e["layer"]["filter"]]
        )
        await psql("ALTER TABLE data.towns DROP COLUMN people")
        after = await next_version(one, filtered[0])
        assert after["tiles"] != filtered[0]["tiles"]


async def test_undo_takes_back_what_people_did_and_keeps_the_data_of_now(server: Server, psql: Psql) -> None:
    async with client(server) as one:
        await one.ask("join")
        layer = await added(one, "data.towns", color="#ff0000")
        await one.ask("layer_update", layer_id=layer["id"], opacity=0.5)
        await psql("DELETE FROM data.towns WHERE id > 12")
        faded = (await one.hears("layer_updated"))["layer"]
        after = await next_version(one, faded)
        assert (after["opacity"], after["count"]) == (0.5, 12)
        await one.ask("undo")
        await until(
            lambda: (
                one.named("layer_updated")[-1]["layer"]["count"] == 12
                and one.named("layer_updated")[-1]["layer"]["opacity"] == 1
            )
        )
        undone = one.named("layer_updated")[-1]["layer"]
        assert undone["tiles"].partition("?")[2] == after["tiles"].partition("?")[2]
        assert len((await tile(server, undone))[1]) == 12


async def test_a_view_follows_the_tables_that_it_reads(server: Server, psql: Psql) -> None:
    await psql("CREATE VIEW data.large_towns AS SELECT * FROM data.towns WHERE people > 1000")
    await server.registry.refresh(patience=10)
    async with client(server) as one:
        await one.ask("join")
        layer = await added(one, "data.large_towns")
        await psql("UPDATE data.towns SET people = 5000")
        assert (await next_version(one, layer))["count"] == 20


async def test_a_table_that_changes_all_the_time_does_not_fill_the_log(
    server: Server, psql: Psql, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paces, "QUICK_UPDATES", 2)
    async with client(server) as one:
        await one.ask("join")
        layer = await added(one, "data.towns")
        ended = time.monotonic() + 12
        count = 20
        while time.monotonic() < ended:
            count += 1
            await psql(f"INSERT INTO data.towns VALUES ({count}, 1, ST_SetSRID(ST_MakePoint(1, 1), 4326))")
            await asyncio.sleep(0.3)
        await until(lambda: one.named("layer_updated")[-1]["layer"]["count"] == count)
        assert len([each for each in one.named("layer_updated") if each["layer"]["id"] == layer["id"]]) < 8


@pytest.mark.parametrize("filter", ["null", '{"op": "isNull", "args": [{"property": "id"}]}'])
async def test_a_layer_that_cannot_be_read_keeps_no_other_map_from_the_data(
    server: Server, psql: Psql, filter: str
) -> None:
    async with client(server) as one, client(server) as two, client(server) as three:
        for each in (one, two, three):
            await each.ask("join")
            await added(each, "data.towns")
        await psql(
            f"UPDATE geoagent.layer SET document = document || jsonb_build_object('filter', '{filter}'::jsonb,"
            " 'style', document -> 'style' || '{\"kind\": \"spiral\"}')"
            f" WHERE map_id = '{two.map_id}'"
        )
        shown = [(each, each.named("layer_added")[0]["layer"]) for each in (one, three)]
        await psql("DELETE FROM data.towns WHERE id > 5")
        for each, before in shown:
            assert (await next_version(each, before))["count"] == 5
