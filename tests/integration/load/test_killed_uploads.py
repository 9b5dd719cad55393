"""A server that is killed while it loads a file: nothing of the upload stays, and its name and its space are free."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import asyncpg
import psutil
import pytest
import pytest_asyncio
import sqlalchemy as sa

from server.app import Server
from server.database.quoting import quoted
from server.transfers.staging import StagedUploads
from server.transfers.uploads import Abandoned, Uploads
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import Child, child_server, local_server

ROWS = 400_000
ONE_ROW = "name,lon,lat\na,1,2\n"
COPYING = (
    "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'COPY%' AND datname = current_database())"
)
KNOWN = "SELECT count(*) FROM geoagent.upload WHERE table_name = $1"


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, ScriptedModel()) as running:
        yield running


@pytest.fixture(scope="module")
def many_rows() -> str:
    """The CSV of a file that takes a while to load."""
    return "name,lon,lat\n" + "".join(f"place {n},{n % 360 - 180},{n % 180 - 90}\n" for n in range(ROWS))


async def upload(child: Child, table: str, content: str) -> int:
    """The status of the answer; 0 where the connection broke."""
    form = aiohttp.FormData({"table": table})
    form.add_field("file", content.encode(), filename="a.csv")
    try:
        async with (
            aiohttp.ClientSession() as http,
            http.post(f"{child.url}/api/uploads", data=form) as answer,
        ):
            return answer.status
    except aiohttp.ClientError:
        return 0


async def test_a_server_that_is_killed_while_it_loads_leaves_nothing(
    server: Server, samples_url: str, many_rows: str, tmp_path: Path
) -> None:
    uploads, spool = Uploads(server.database.owner), {"TMPDIR": str(tmp_path)}
    database = await asyncpg.connect(samples_url)
    try:
        async with child_server(samples_url, **spool) as first, child_server(samples_url, **spool) as second:
            loading = asyncio.create_task(upload(first, "half loaded", many_rows))
            await until(lambda: database.fetchval(COPYING))
            started = psutil.Process(first.process.pid).children(recursive=True)
            await first.kill()
            assert await loading == 0
            await until(lambda: not any(each.is_running() for each in started))
            await until(lambda: ended(database))
            await uploads.sweep()
            assert await database.fetchval(KNOWN, "half loaded") == 1, (
                "its connection may be lost for a moment only"
            )
            await uploads.sweep()
            assert await database.fetchval(KNOWN, "half loaded") == 0
            assert await upload(second, "half loaded", ONE_ROW) == 201
            assert await database.fetchval('SELECT count(*) FROM data."half loaded"') == 1
        # What a killed server received is removed by the next one that starts there.
        async with child_server(samples_url, **spool):
            assert files(tmp_path) == []
    finally:
        await database.execute('DROP TABLE IF EXISTS data."half loaded"')
        await database.close()


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]


async def ended(database: asyncpg.Connection) -> bool:
    return not await database.fetchval(COPYING)


async def leave(server: Server, table: str, by: str | None) -> None:
    """A table and its upload, as a server leaves them that dies between loading and completing."""
    async with server.database.owner.begin() as connection:
        await connection.exec_driver_sql(f"CREATE TABLE data.{quoted(table)} (a int)")
        await connection.exec_driver_sql(
            f"DO $$ BEGIN EXECUTE format('ALTER TABLE data.{quoted(table)} OWNER TO %I',"
            " geoagent.role_name('loader')); END $$"
        )
        await connection.execute(
            sa.text(
                "INSERT INTO geoagent.upload (table_name, address, bytes, server) VALUES (:name, '::1', 1, :by)"
            ),
            {"name": table, "by": by},
        )


async def test_what_a_dead_server_did_not_complete_is_removed_and_what_others_load_stays(
    server: Server,
) -> None:
    await leave(server, "of the dead", "server_00000001")
    await leave(server, "of the living", server.maps.liveness.id)
    await leave(server, "of a tool", None)
    uploads = Uploads(server.database.owner)
    await uploads.sweep()
    await uploads.sweep()
    async with server.database.owner.begin() as connection:
        tables = await connection.scalars(
            sa.text("SELECT tablename FROM pg_tables WHERE schemaname = 'data' AND tablename LIKE 'of %'")
        )
        assert sorted(tables) == ["of a tool", "of the living"]
        await connection.execute(sa.text("DELETE FROM geoagent.upload WHERE table_name LIKE 'of %'"))
    await uploads.sweep()
    await uploads.sweep()


@pytest.mark.parametrize("is_staged", [False, True])
async def test_an_upload_that_was_taken_for_dead_is_refused_and_never_confirmed(
    server: Server, is_staged: bool
) -> None:
    owner = server.database.owner
    uploads = Uploads(owner)

    async def load() -> None:
        async with uploads.reserved("given up", None, "192.0.2.9", 1) as reservation:
            await leave(server, "given up", None)
            async with owner.begin() as connection:
                await connection.execute(sa.text("DELETE FROM geoagent.upload WHERE table_name = 'given up'"))
            if is_staged:
                await StagedUploads(owner, uploads, 60.0).stage(reservation)
            else:
                await uploads.complete(reservation, shared=True)

    with pytest.raises(Abandoned):
        await load()
    async with owner.connect() as connection:
        assert (
            await connection.scalar(
                sa.text("SELECT count(*) FROM geoagent.upload WHERE address = '192.0.2.9'")
            )
            == 0
        )
    await uploads.sweep()
    await uploads.sweep()
    async with owner.connect() as connection:
        assert await connection.scalar(sa.text("SELECT to_regclass('data.\"given up\"')")) is None
