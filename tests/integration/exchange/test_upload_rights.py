"""Who sees an upload, and how much may be uploaded."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
import asyncpg
import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from server.app import Server
from server.gis.ingest.limits import NoDiskSpace
from server.gis.ingest.load import _fault
from server.gis.ingest.table import plan_table
from server.http.errors import STATUS
from server.maps.live.joins import Joined
from server.protocol import Someone
from server.transfers.uploads import LOCK, Quota, QuotaExceeded, Uploads
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

CSV = b"name,lon,lat\na,1,2\n"


async def uploaded(http: aiohttp.ClientSession, table: str, map_id: str = "") -> tuple[int, dict[str, Any]]:
    form = aiohttp.FormData({"table": table, "map": map_id})
    form.add_field("file", CSV, filename="a.csv")
    async with http.post("/api/uploads", data=form) as answer:
        return answer.status, await answer.json()


async def listed(http: aiohttp.ClientSession, map_id: str = "") -> set[str]:
    path = f"/api/maps/{map_id}/tables" if map_id else "/api/tables"
    async with http.get(path) as answer:
        return {table["id"] for table in (await answer.json())["tables"]}


async def test_only_the_map_that_it_came_from_sees_an_upload_until_it_is_shared(
    server: Server, http: aiohttp.ClientSession
) -> None:
    async with client(server) as one, client(server) as other:
        await one.ask("join")
        await other.ask("join")
        status, report = await uploaded(http, "secret plans", one.map_id)
        assert (status, report["shared"]) == (201, False)
        assert "data.secret plans" in await listed(http, one.map_id)
        assert "data.secret plans" not in await listed(http)
        assert "data.secret plans" not in await listed(http, other.map_id)
        async with http.get("/api/tables/data.secret plans") as answer:
            assert answer.status == 404
        assert await other.refused("layer_add", table="data.secret plans", layer_id="x") == "unknown_table"
        await one.ask("layer_add", table="data.secret plans", layer_id="x")

        path = "/api/maps/{}/tables/data.secret plans/share"
        async with http.post(path.format(other.map_id)) as answer:
            assert answer.status == 404
        async with http.post(path.format(one.map_id)) as answer:
            assert answer.status == 200
        assert "data.secret plans" in await listed(http, other.map_id)
        await other.ask("layer_add", table="data.secret plans", layer_id="x")


async def test_sharing_waits_only_shortly_for_those_who_read_and_not_at_all_when_shared(
    server: Server, http: aiohttp.ClientSession
) -> None:
    async with client(server) as one:
        await one.ask("join")
        await uploaded(http, "much read", one.map_id)
        path = f"/api/maps/{one.map_id}/tables/data.much read/share"
        read = sa.text('SELECT count(*) FROM data."much read"')
        async with server.database.reader.begin() as reading:
            await reading.execute(read)
            async with http.post(path) as answer:
                assert (answer.status, (await answer.json())["error"]["code"]) == (503, "busy")
        async with http.post(path) as answer:
            assert answer.status == 200
        async with server.database.reader.begin() as reading:
            await reading.execute(read)
            async with http.post(path) as answer:
                assert answer.status == 200


async def test_a_view_link_shows_no_upload_that_is_not_on_the_map(
    server: Server, http: aiohttp.ClientSession
) -> None:
    async with client(server) as one:
        await one.ask("join")
        await uploaded(http, "on the map", one.map_id)
        await uploaded(http, "in the drawer", one.map_id)
        await one.ask("layer_add", table="data.on the map", layer_id="x")
        view = (await one.ask("share", view=True))["view_key"]
        assert {"data.on the map", "data.in the drawer"} <= await listed(http, one.map_id)
    seen = await listed(http, view)
    assert {"data.on the map", "data.countries"} <= seen
    assert "data.in the drawer" not in seen
    for table, status in (("on the map", 200), ("in the drawer", 404)):
        async with http.get(f"/api/maps/{view}/tables/data.{table}") as answer:
            assert answer.status == status


async def test_a_client_that_leaves_while_it_is_admitted_delays_no_one(server: Server) -> None:
    async with client(server) as one:
        await one.ask("join")
        hub = server.maps.hub

        async def leave() -> None:
            leaving.cancel()
            await asyncio.sleep(0)

        async def stay() -> None:
            pass

        leaving = asyncio.create_task(hub.joins.enter(one.map_id, Someone(id="leaving"), None, leave))
        staying = asyncio.create_task(hub.joins.enter(one.map_id, Someone(id="staying"), None, stay))
        ended = await asyncio.gather(leaving, staying, return_exceptions=True)
        assert isinstance(ended[0], asyncio.CancelledError)
        assert isinstance(ended[1], Joined)
        hub.leave(one.map_id, "staying")


async def test_an_upload_to_no_map_is_shared(http: aiohttp.ClientSession) -> None:
    _, report = await uploaded(http, "for all")
    assert report["shared"] is True
    assert "data.for all" in await listed(http)


async def test_a_view_link_uploads_nothing_and_shares_nothing(
    server: Server, http: aiohttp.ClientSession
) -> None:
    async with client(server) as one:
        await one.ask("join")
        view = (await one.ask("share", view=True))["view_key"]
    assert (await uploaded(http, "by a viewer", view))[0] == 403
    assert (await uploaded(http, "by nobody", "no-such-map"))[0] == 404
    async with http.post(f"/api/maps/{view}/tables/data.x/share") as answer:
        assert answer.status == 403


async def test_a_name_that_another_map_uses_is_taken_and_shows_nothing(
    server: Server, http: aiohttp.ClientSession
) -> None:
    async with client(server) as one, client(server) as other:
        await one.ask("join")
        await other.ask("join")
        assert (await uploaded(http, "taken", one.map_id))[0] == 201
        assert (await uploaded(http, "taken", other.map_id))[0] == 409
        assert "data.taken" not in await listed(http, other.map_id)


async def test_sharing_all_uploads_is_a_setting(samples_url: str) -> None:
    async with (
        local_server(samples_url, ScriptedModel(), share_uploads=True) as server,
        client(server) as one,
        aiohttp.ClientSession(server.url) as http,
    ):
        await one.ask("join")
        _, report = await uploaded(http, "old way", one.map_id)
        assert report["shared"] is True
        assert "data.old way" in await listed(http)


async def test_the_loading_role_reads_nothing_of_others(server: Server) -> None:
    async with server.database.loader_session({}) as session:
        for query in ("SELECT count(*) FROM data.countries", "SELECT count(*) FROM geoagent.map"):
            with pytest.raises(Exception, match="permission denied"):
                await session.fetchval(query)
        with pytest.raises(Exception, match="permission denied"):
            await session.execute("CREATE TABLE analysis.x (a int)")


@pytest.mark.parametrize("setting", ["upload_quota", "upload_space"])
async def test_a_quota_is_reported_and_enforced(samples_url: str, setting: str) -> None:
    async with (
        local_server(samples_url, ScriptedModel(), **{setting: 0.2}) as server,
        aiohttp.ClientSession(server.url) as http,
    ):
        await forget_uploads(server)  # of the tests before
        answers = [await uploaded(http, f"{setting} {number}") for number in range(12)]
        await forget_uploads(server)
    statuses = [status for status, _ in answers]
    assert statuses[0] == 201
    assert statuses[-1] == 413
    assert (
        "of the 0 MB allowed" in answers[-1][1]["error"]["message"]
        or "are left" in (answers[-1][1]["error"]["message"])
    )
    if setting == "upload_quota":
        assert answers[0][1]["quota"]["limit"] == int(0.2 * 1024 * 1024)


async def forget_uploads(server: Server) -> None:
    async with server.database.owner.begin() as connection:
        await connection.execute(sa.text("DELETE FROM geoagent.upload"))


async def test_what_an_interrupted_server_left_is_swept(server: Server) -> None:
    owner = server.database.owner
    async with owner.begin() as connection:
        for name, hours in (("old", 100), ("young", 0)):
            await connection.exec_driver_sql(f"CREATE TABLE data.left_{name} (a int)")
            await connection.exec_driver_sql(
                f"DO $$ BEGIN EXECUTE format('ALTER TABLE data.left_{name} OWNER TO %I',"
                " geoagent.role_name('loader')); END $$"
            )
            await connection.exec_driver_sql(
                "INSERT INTO geoagent.upload (table_name, address, bytes, started_at)"
                f" VALUES ('left_{name}', '::1', 1, now() - interval '{hours} hours')"
            )
    await Uploads(owner, Quota()).sweep()
    async with owner.connect() as connection:
        found = await connection.execute(
            sa.text("SELECT to_regclass('data.left_old')::text, to_regclass('data.left_young')::text")
        )
        assert tuple(found.one()) == (None, "data.left_young")


async def make_private(owner: AsyncEngine, name: str, rows: int = 1) -> None:
    """A table as an upload makes it that is not shared."""
    async with owner.begin() as connection:
        await connection.exec_driver_sql(
            f"CREATE TABLE data.{name} AS SELECT repeat('x', 1000) AS a FROM generate_series(1, {rows})"
        )
        await connection.exec_driver_sql(
            f"DO $$ BEGIN EXECUTE format('ALTER TABLE data.{name} OWNER TO %I',"
            " geoagent.role_name('loader')); END $$"
        )


async def exists(owner: AsyncEngine, name: str) -> bool:
    async with owner.connect() as connection:
        return await connection.scalar(sa.text(f"SELECT to_regclass('data.{name}') IS NOT NULL")) is True


async def test_a_table_that_no_upload_knows_is_swept_when_it_is_seen_again(server: Server) -> None:
    owner, uploads = server.database.owner, Uploads(server.database.owner)
    await make_private(owner, "of_nobody")
    await uploads.sweep()
    assert await exists(owner, "of_nobody"), "`geoagent load` may be about to share it"
    await uploads.sweep()
    assert not await exists(owner, "of_nobody")


async def test_an_upload_is_forgotten_when_its_table_was_dropped_by_hand(
    server: Server, http: aiohttp.ClientSession
) -> None:
    owner = server.database.owner
    assert (await uploaded(http, "dropped by hand"))[0] == 201
    count = sa.text("SELECT count(*) FROM geoagent.upload WHERE table_name = 'dropped by hand'")
    async with owner.begin() as connection:
        assert await connection.scalar(count) == 1
        await connection.exec_driver_sql('DROP TABLE data."dropped by hand"')
    await Uploads(owner).sweep()
    async with owner.connect() as connection:
        assert await connection.scalar(count) == 0


async def test_an_upload_is_forgotten_as_soon_as_its_table_is_dropped(
    samples_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.transfers.uploads.SWEEP_INTERVAL_S", 1e6)
    async with local_server(samples_url) as own, aiohttp.ClientSession(own.url) as http:
        assert (await uploaded(http, "dropped at once"))[0] == 201
        await until(lambda: any(table.name == "dropped at once" for table in own.registry.tables()))
        async with own.database.owner.begin() as connection:
            await connection.exec_driver_sql('DROP TABLE data."dropped at once"')
        count = sa.text("SELECT count(*) FROM geoagent.upload WHERE table_name = 'dropped at once'")

        async def is_forgotten() -> bool:
            async with own.database.owner.connect() as connection:
                return await connection.scalar(count) == 0

        await until(is_forgotten)


async def test_of_two_small_files_that_become_large_tables_the_quota_takes_one(server: Server) -> None:
    owner = server.database.owner
    await forget_uploads(server)
    uploads = Uploads(owner, Quota(per_address=1_500_000))

    async def load(name: str) -> None:
        async with uploads.reserved(name, None, "192.0.2.1", 1000) as reservation:
            await make_private(owner, name, rows=900)
            both.release()
            await ready.wait()
            await uploads.complete(reservation, shared=False)

    both, ready = asyncio.Semaphore(0), asyncio.Event()
    loading = [asyncio.create_task(load(f"grown_{number}")) for number in range(2)]
    for _ in loading:
        await both.acquire()
    ready.set()
    answers = await asyncio.gather(*loading, return_exceptions=True)
    assert [type(answer) for answer in answers if answer is not None] == [QuotaExceeded]
    kept = [await exists(owner, f"grown_{number}") for number in range(2)]
    assert sorted(kept) == [False, True]
    assert (await uploads.used("192.0.2.1"))["used"] > 900_000


async def test_an_upload_that_is_cancelled_while_it_is_completed_leaves_no_orphan(server: Server) -> None:
    owner = server.database.owner
    uploads = Uploads(owner)

    async def load() -> None:
        async with uploads.reserved("half_done", None, "192.0.2.2", 1000) as reservation:
            await make_private(owner, "half_done")
            loaded.set()
            await uploads.complete(reservation, shared=False)

    loaded = asyncio.Event()
    async with owner.begin() as connection:
        loading = asyncio.create_task(load())
        # Completing waits for the lock of all uploads.
        await until(lambda: holds_reservation(owner))
        await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        await loaded.wait()
        loading.cancel()
    await asyncio.gather(loading, return_exceptions=True)
    async with owner.connect() as connection:
        rows = await connection.scalar(
            sa.text("SELECT count(*) FROM geoagent.upload WHERE table_name = 'half_done'")
        )
    assert await exists(owner, "half_done") == bool(rows)


async def holds_reservation(owner: AsyncEngine) -> bool:
    async with owner.connect() as connection:
        query = "SELECT count(*) FROM geoagent.upload WHERE table_name = 'half_done'"
        return bool(await connection.scalar(sa.text(query)))


def test_a_full_disk_of_the_database_is_called_one() -> None:
    plan = plan_table("data", "roads", [], None)
    fault = _fault(asyncpg.DiskFullError("could not extend file"), plan)
    assert isinstance(fault, NoDiskSpace)
    assert (STATUS[fault.code], "no disk space left" in fault.message) == (507, True)
