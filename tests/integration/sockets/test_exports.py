"""Files that a conversation or a person asks for: made once, linked, and read by who may read the map."""

from __future__ import annotations

import asyncio
import io
import re
import tracemalloc
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import asyncpg
import pyogrio
import pytest
import pytest_asyncio
from sqlalchemy import text

from agents.exports import ExportItem, ExportRequest
from agents.models.build import build
from agents.ports import TableRegistry
from server.app import Server
from server.gis.export.deliverable import resolved, wanted_of, write
from server.gis.export.source import CHUNK_ROWS
from server.transfers import deliveries
from server.transfers.deliveries import KEPT_SHARE, Deliveries
from server.transfers.spool import Spool
from tests.support.looking import until
from tests.support.model_server import Call, ModelServer, Reply, Say
from tests.support.server import Client, client, local_server

ROWS = 150_000
MOST_MEMORY = 8_000_000
LARGE = (
    "CREATE TABLE IF NOT EXISTS data.readings AS SELECT n AS id, md5(n::text) || md5((n + 1)::text) AS sensor, "
    "n * 0.5 AS value, ST_SetSRID(ST_MakePoint(n % 360 - 180, n % 170 - 85), 4326)::geometry(Point, 4326) AS geom "
    "FROM generate_series(1, {rows}) n"
)
TOWNS = {"source": "data.cities", "name": "towns", "columns": ["name", "population AS people"]}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def model() -> AsyncIterator[ModelServer]:
    async with ModelServer() as running:
        yield running


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str, model: ModelServer) -> AsyncIterator[Server]:
    keys = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": model.base_url}
    async with local_server(samples_url, build("openai:gpt-5.1", keys)) as running:
        yield running


async def post(server: Server, key: str, **request: Any) -> tuple[int, dict[str, Any]]:
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/api/maps/{key}/exports", json=request) as answer,
    ):
        return answer.status, await answer.json()


async def fetched(server: Server, key: str, link: str) -> tuple[int, bytes, str]:
    async with (
        aiohttp.ClientSession() as session,
        session.get(f"{server.url}/api/maps/{key}/{link}") as answer,
    ):
        return answer.status, await answer.read(), answer.headers.get("Content-Disposition", "")


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("a\0b\x85c", "a_b_c"),
        ("\u202egnp.exe", "_gnp.exe"),
        ("🗺" * 100, "🗺" * 50),
        ("\0", "_"),
    ],
)
async def test_a_file_may_be_named_by_any_text(server: Server, one: Client, name: str, written: str) -> None:
    items = [{"source": "data.cities", "columns": ["name"], "filter": "name = 'Paris'"}]
    status, report = await post(
        server, one.map_id, items=items, format="geojson", file_name=name, members={"title": name}
    )
    assert (status, report.get("file_name")) == (201, f"{written}.geojson"), report
    status, body, _ = await fetched(server, one.map_id, report["link"])
    assert status == 200
    assert b"Paris" in body
    items[0]["name"] = name[:100]
    assert (await post(server, one.map_id, items=items, format="gpkg"))[1]["file_name"] == f"{written}.gpkg"


async def test_a_model_delivers_a_file_of_layers_and_the_answer_links_it(
    server: Server, model: ModelServer, one: Client
) -> None:
    await one.ask("layer_add", table="data.airports", filter="elevation_m > 3000", name="High airports")
    call = {
        "items": ["airports", TOWNS],
        "format": "gpkg",
        "file_name": "delivery",
        "options": {"crs": "EPSG:3857", "precision": 2},
    }
    model.script([Reply(Call("export", call)), Reply(Say("The file is ready."))])
    await one.says("export both as GeoPackage in EPSG:3857")
    (finished,) = one.named("tool_finished")
    assert finished["ok"], finished
    assert one.map_id not in str(model.requests[-1].json), "the map's id is a right, and no model needs it"
    answer = one.named("ai_response")[-1]["message"]
    link = re.search(r"\[delivery\.gpkg\]\((exports/[^)]+)\)", answer)
    assert link is not None, answer
    status, body, disposition = await fetched(server, one.map_id, link[1])
    assert status == 200
    assert 'filename="delivery.gpkg"' in disposition
    high = pyogrio.read_dataframe(io.BytesIO(body), layer="High airports")
    assert high.crs.to_epsg() == 3857
    assert len(high) > 0
    assert (high["elevation_m"] > 3000).all()
    assert list(pyogrio.read_info(io.BytesIO(body), layer="towns")["fields"]) == ["name", "people"]


async def test_what_the_model_asked_wrongly_it_may_repair(
    server: Server, model: ModelServer, one: Client
) -> None:
    wrong = {"items": [{"source": "data.cities", "columns": ["nam"]}], "format": "csv"}
    model.script(
        [
            Reply(Call("export", wrong)),
            Reply(
                Call("export", {"items": ["data.cities"], "format": "csv", "options": {"members": {"a": 1}}})
            ),
            Reply(Say("It does not work.")),
        ]
    )
    await one.says("export the cities")
    first, second = one.named("tool_finished")
    assert not first["ok"]
    assert "name" in first["result"]
    assert "only geojson and json have room" in second["result"]


async def test_a_person_exports_by_http_and_the_link_is_written_again_where_it_is_needed(
    server: Server, one: Client
) -> None:
    status, made = await post(server, one.map_id, items=[{"source": "data.countries"}], format="shp")
    assert status == 201, made
    assert made["file_name"] == "countries.zip"
    assert made["layers"][0]["geometry"] == "MultiPolygon"
    status, body, _ = await fetched(server, one.map_id, made["link"])
    assert (status, len(body)) == (200, made["bytes"])
    async with local_server(server.database.url) as other:
        status, again, _ = await fetched(other, one.map_id, made["link"])
        assert status == 200
        assert again[:4] == b"PK\x03\x04"
    status, fault = await post(server, one.map_id, items=[], format="shp")
    assert (status, fault["error"]["code"]) == (400, "invalid_payload")


async def test_links_need_the_right_to_the_map_and_to_what_they_hold(server: Server, one: Client) -> None:
    await one.ask("layer_add", table="data.airports")
    _, shown = await post(server, one.map_id, items=[{"source": "airports"}], format="csv")
    async with server.database.owner.begin() as connection:
        await connection.execute(text("CREATE TABLE data.hidden AS SELECT 1 AS id"))
        own = text(
            "INSERT INTO geoagent.upload (table_name, map_id, address, bytes, loaded_at) "
            "VALUES ('hidden', :map, '', 1, now())"
        )
        await connection.execute(own, {"map": one.map_id})
        loaded = "EXECUTE format('ALTER TABLE data.hidden OWNER TO %I', geoagent.role_name('loader'))"
        await connection.exec_driver_sql(f"DO $$ BEGIN {loaded}; END $$")
    await server.registry.refresh()
    status, hidden = await post(server, one.map_id, items=[{"source": "data.hidden"}], format="csv")
    assert status == 201, hidden
    async with client(server) as stranger:
        await stranger.ask("join")
        assert (await fetched(server, stranger.map_id, shown["link"]))[0] == 404
    view_key = (await one.ask("share", view=True))["view_key"]
    assert (await fetched(server, view_key, shown["link"]))[0] == 200
    assert (await fetched(server, view_key, hidden["link"]))[0] == 403
    status, fault = await post(server, view_key, items=[{"source": "airports"}], format="csv")
    assert (status, fault["error"]["code"]) == (403, "read_only")


async def test_a_withdrawn_view_link_opens_no_file_and_the_map_still_does(
    server: Server, one: Client
) -> None:
    await one.ask("layer_add", table="data.airports")
    _, made = await post(server, one.map_id, items=[{"source": "airports"}], format="csv")
    key = (await one.ask("share", view=True))["view_key"]
    assert (await fetched(server, key, made["link"]))[0] == 200
    await one.ask("share", view=False)
    withdrawn = await fetched(server, key, made["link"])
    invented = await fetched(server, "no-map-has-this-key", made["link"])
    assert withdrawn[0] == invented[0] == 404
    renewed = (await one.ask("share", view=True))["view_key"]
    assert renewed != key
    for status, working in ((404, key), (200, renewed), (200, one.map_id)):
        assert (await fetched(server, working, made["link"]))[0] == status


async def test_a_file_is_read_by_its_own_id_only(server: Server, one: Client) -> None:
    """Its name in the link is for people: another one opens no other file."""
    _, made = await post(server, one.map_id, items=[TOWNS], format="json")
    folder, export_id, _ = made["link"].split("/")
    assert (await fetched(server, one.map_id, f"{folder}/{export_id[:-1]}/towns.json"))[0] == 404
    status, body, disposition = await fetched(server, one.map_id, f"{folder}/{export_id}/other.csv")
    assert (status, len(body)) == (200, made["bytes"])
    assert 'filename="towns.json"' in disposition


async def test_links_work_for_as_many_hours_as_the_setting_says(samples_url: str) -> None:
    for hours in (0.0004, 2.0):  # the first are 1.4 seconds
        async with local_server(samples_url, export_hours=hours) as other, client(other) as owner:
            await owner.ask("join")
            asked = datetime.now(UTC)
            file = (await owner.ask("export", items=[TOWNS], format="json"))["file"]
            promised = datetime.fromisoformat(file["expires_at"]) - asked
            assert abs(promised - timedelta(hours=hours)) < timedelta(minutes=2)

            async def status(found: Server = other, key: str = owner.map_id, link: str = file["link"]) -> int:
                return (await fetched(found, key, link))[0]

            if hours > 1:
                assert await status() == 200
                continue

            async def is_gone(asking: Callable[[], Awaitable[int]] = status) -> bool:
                return await asking() == 404

            await until(is_gone)


async def test_links_expire(server: Server, one: Client) -> None:
    _, made = await post(server, one.map_id, items=[{"source": "data.cities"}], format="json")
    async with server.database.owner.begin() as connection:
        await connection.execute(text("UPDATE geoagent.export SET expires_at = now() - interval '1 s'"))
    status, body, _ = await fetched(server, one.map_id, made["link"])
    assert status == 404
    assert b"expired" in body


def deliveries_of(server: Server, spool: Spool, hours: float) -> Deliveries:
    """As of another server on the same database."""

    async def readable(_map_id: str) -> TableRegistry:
        return server.registry

    database = server.database
    return Deliveries(
        database.owner, database.exporter, readable, server.maps.lookup.current, spool, hours=hours
    )


async def test_a_link_that_several_open_at_once_is_written_to_disk_once(
    server: Server, one: Client, tmp_path: Path
) -> None:
    _, made = await post(server, one.map_id, items=[{"source": "data.cities"}], format="json")
    spool = Spool(100_000_000, tmp_path)
    deliveries = deliveries_of(server, spool, hours=1)

    async def size() -> int:
        async with deliveries.opened(one.map_id, made["link"].split("/")[1]) as path:
            return path.stat().st_size

    assert set(await asyncio.gather(size(), size(), size())) == {made["bytes"]}
    assert spool.used == made["bytes"]
    await deliveries.close()
    assert spool.used == 0
    spool.close()


async def test_links_that_are_opened_again_keep_no_more_than_their_part_of_the_spool(
    server: Server, one: Client, tmp_path: Path
) -> None:
    made = [(await post(server, one.map_id, items=[TOWNS], format="json"))[1] for _ in range(6)]
    spool = Spool(made[0]["bytes"] * 8, tmp_path)
    deliveries = deliveries_of(server, spool, hours=1)
    for each in made:
        async with deliveries.opened(one.map_id, each["link"].split("/")[1]) as path:
            assert path.stat().st_size == each["bytes"]
    assert spool.used <= spool.budget * KEPT_SHARE
    await deliveries.close()
    spool.close()


async def test_an_export_ends_when_the_program_that_asked_for_it_leaves(
    server: Server, one: Client, samples_url: str
) -> None:
    database = await asyncpg.connect(samples_url)

    async def waits() -> bool:
        return bool(await database.fetchval("SELECT count(*) FROM pg_locks WHERE NOT granted"))

    async def is_idle() -> bool:
        return not await waits()

    try:
        async with database.transaction():
            await database.execute("LOCK TABLE data.cities IN ACCESS EXCLUSIVE MODE")
            asking = asyncio.create_task(post(server, one.map_id, items=[TOWNS], format="json"))
            await until(waits)
            asking.cancel()
            await until(is_idle)
    finally:
        await database.close()


async def test_no_file_is_kept_once_its_link_has_expired(server: Server, one: Client, tmp_path: Path) -> None:
    spool = Spool(100_000_000, tmp_path)
    deliveries = deliveries_of(server, spool, hours=0)
    request = ExportRequest(items=(ExportItem(source="data.cities"),), format="json")
    await deliveries.make(one.map_id, request)
    assert spool.used == 0
    spool.close()


async def test_a_large_export_tells_everyone_on_the_map_how_far_it_is(
    server: Server, model: ModelServer, one: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "PROGRESS_INTERVAL_S", 0.02)
    async with server.database.owner.begin() as connection:
        await connection.execute(text(LARGE.format(rows=ROWS)))
    await server.registry.refresh()
    model.script(
        [
            Reply(Call("export", {"items": ["data.readings"], "format": "csv"})),
            Reply(Say("The file is ready.")),
        ]
    )
    async with client(server) as other:
        await other.ask("join", map_id=one.map_id)
        await one.says("export all readings as csv")
        for person in (one, other):
            await person.hears("turn_finished")
            updates = person.named("export_progress")
            assert {each["name"] for each in updates} == {"data.readings"}
            assert {each["total"] for each in updates} <= {0, ROWS}, "0 until the rows are counted"
            rows = [each["rows"] for each in updates]
            assert rows == sorted(rows)
            assert any(0 < each < ROWS for each in rows), rows
    link = re.search(r"\((exports/[^)]+)\)", one.named("ai_response")[-1]["message"])
    assert link is not None
    status, body, _ = await fetched(server, one.map_id, link[1])
    assert (status, body.count(b"\n")) == (200, ROWS + 1)


@pytest.mark.parametrize("kind", ["geojson", "gpkg", "parquet"])
async def test_a_large_file_is_written_as_its_rows_come(server: Server, tmp_path: Path, kind: str) -> None:
    """Only a few chunks of rows are ever in memory: the names of the sensors alone would take more than is allowed."""
    async with server.database.owner.begin() as connection:
        await connection.execute(text(LARGE.format(rows=ROWS)))
    await server.registry.refresh()
    request = ExportRequest(items=(ExportItem(source="data.readings"),), format=kind)  # type: ignore[arg-type]
    wanted = [wanted_of(request.items[0], server.registry.get("data.readings"))]
    parts = await resolved(server.database.reader, request, wanted)
    updates: list[int] = []
    tracemalloc.start()
    try:
        path, report = await write(request, parts, tmp_path, lambda done, total: updates.append(done))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert report.layers[0].rows == updates[-1] == ROWS
    assert len(updates) >= ROWS / CHUNK_ROWS
    assert peak < MOST_MEMORY < ROWS * 64
    assert path.stat().st_size == report.bytes


async def test_a_program_hears_how_far_its_own_export_is(
    server: Server, one: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deliveries, "PROGRESS_INTERVAL_S", 0.02)
    async with server.database.owner.begin() as connection:
        await connection.execute(text(LARGE.format(rows=ROWS)))
    await server.registry.refresh()
    async with client(server) as other:
        await other.ask("join", map_id=one.map_id)
        wanted = {"items": [{"source": "data.readings", "name": "readings"}], "format": "csv"}
        file = (await one.ask("export", **wanted))["file"]
        updates = one.named("export_progress")
        named = {(each["map_id"], each["turn_id"], each["name"]) for each in updates}
        assert named == {(one.map_id, None, "readings")}
        rows = [each["rows"] for each in updates]
        assert rows == sorted(rows)
        assert any(0 < each < ROWS for each in rows), rows
        assert not other.named("export_progress"), "only who asked for the file hears of it"
    assert file["layers"][0]["rows"] == ROWS
