"""Clients that dawdle, leave or come all at once: uploads and exports of everybody else go on."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit

import aiohttp
import pytest
import pytest_asyncio
import sqlalchemy as sa

from server.app import Server
from server.http.middleware import slow_clients
from server.transfers.spool import PREFIX
from tests.integration.load.test_hostile_files import copying_reader
from tests.support.looking import until
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

CSV = b"name,lon,lat\na,1,2\n"
DAWDLERS = 20
QUICK_S = 60.0
"""By far enough for what ends by itself, and far less than what never ends."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Server]:
    async with local_server(samples_url, ScriptedModel(), idle_timeout=2.0) as running:
        yield running


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_clients, "IDLE_TIMEOUT_S", 1.0)
    monkeypatch.setattr(slow_clients, "RATE_WINDOW_S", 1.0)
    monkeypatch.setattr(slow_clients, "SEND_TIMEOUT_S", 1.0)


def head(path: str, size: int = 1_000_000) -> bytes:
    return (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {size}\r\n"
        'Content-Type: multipart/form-data; boundary="x"\r\n\r\n'
        '--x\r\nContent-Disposition: form-data; name="file"; filename="slow.csv"\r\n\r\n'
    ).encode()


@asynccontextmanager
async def dawdling(
    server: Server, opening: bytes, drip: bytes = b"", addresses: Sequence[str] = ("127.0.0.1",)
) -> AsyncIterator[list[asyncio.Task[bytes]]]:
    """Connections of each address that send `opening` and then a drop now and then; each task ends with what was
    answered."""
    parts = urlsplit(server.url)

    async def one(address: str) -> bytes:
        reader, writer = await asyncio.open_connection(parts.hostname, parts.port, local_addr=(address, 0))
        try:
            writer.write(opening)
            reading = asyncio.create_task(_received(reader))
            while not reading.done():
                writer.write(drip)
                await asyncio.wait({reading}, timeout=0.2)
            return reading.result()
        finally:
            writer.close()

    tasks = [asyncio.create_task(one(address)) for address in addresses for _ in range(DAWDLERS)]
    try:
        yield tasks
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _received(reader: asyncio.StreamReader) -> bytes:
    """All that comes before the end of the connection, or before it is reset."""
    found = b""
    with suppress(ConnectionError):
        while piece := await reader.read(4096):
            found += piece
    return found


async def upload(server: Server, table: str, content: bytes = CSV) -> int:
    form = aiohttp.FormData({"table": table})
    form.add_field("file", content, filename="a.csv")
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{server.url}/api/uploads", data=form) as answer,
    ):
        assert answer.status == 201, await answer.text()
        return answer.status


@pytest.mark.parametrize("drip", [b"x", b"x" * 50], ids=["next to nothing", "below the minimum rate"])
async def test_slow_uploads_delay_no_one_and_end(server: Server, impatient: None, drip: bytes) -> None:
    async with dawdling(server, head("/api/uploads"), drip) as slow:
        assert await asyncio.wait_for(upload(server, f"of_a_stranger_{len(drip)}"), QUICK_S) == 201
        answers = await asyncio.wait_for(asyncio.gather(*slow), QUICK_S)
    answered = [answer for answer in answers if answer]
    assert answered, "a connection may be reset before its answer is read, but not each of them"
    assert all(b" 408 " in answer.split(b"\r\n")[0] and b"too_slow" in answer for answer in answered)


async def test_several_addresses_with_slow_uploads_leave_a_place_for_a_stranger(server: Server) -> None:
    crowd = [f"127.0.0.{number}" for number in range(2, 8)]
    async with dawdling(server, head("/api/uploads"), b"x", crowd) as slow:
        await until(lambda: len(being_received()) >= len(slow) * 2 // 3)
        assert await upload(server, "of_a_stranger_among_many") == 201


def being_received() -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"{PREFIX}*/*/upload"))


async def test_a_steady_upload_without_an_end_is_ended(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slow_clients, "TRANSFER_TIMEOUT_S", 2.0)
    async with dawdling(server, head("/api/uploads", 500_000_000), b"x" * 4096) as steady:
        answers = await asyncio.wait_for(asyncio.gather(*steady), QUICK_S)
    answered = [answer for answer in answers if answer]
    assert answered
    assert all(b" 408 " in answer.split(b"\r\n")[0] and b"too_slow" in answer for answer in answered)


@pytest.mark.parametrize(
    "opening",
    [b"", b"GET /healthz HTTP/1.1\r\nHost: loc", head("/api/uploads")[:200]],
    ids=["silent", "half a header", "half a body"],
)
async def test_connections_without_a_request_are_closed(
    server: Server, impatient: None, opening: bytes
) -> None:
    async with dawdling(server, opening) as silent:
        await asyncio.wait_for(asyncio.gather(*silent), QUICK_S)


async def test_a_small_body_that_never_ends_is_refused(server: Server, impatient: None) -> None:
    half = b"POST /api/maps/x/tables/y/share HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{"
    async with dawdling(server, half) as slow:
        answers = await asyncio.wait_for(asyncio.gather(*slow), QUICK_S)
    assert all(b" 408 " in answer.split(b"\r\n")[0] for answer in answers)


async def test_unread_exports_hold_no_transaction(server: Server, impatient: None) -> None:
    async with server.database.owner.begin() as connection:
        await connection.exec_driver_sql(
            "CREATE TABLE data.wide AS SELECT n AS id, repeat(md5(n::text), 100) AS text,"
            " ST_SetSRID(ST_MakePoint(n % 180, n % 90), 4326)::geometry(Point, 4326) AS geom"
            " FROM generate_series(1, 8000) n"
        )
        await connection.exec_driver_sql("ALTER TABLE data.wide ADD PRIMARY KEY (id)")
    await server.registry.refresh(patience=5)
    async with client(server) as one:
        await one.ask("join")
        await one.ask("layer_add", table="data.wide", layer_id="wide")
        path = f"/api/maps/{one.map_id}/layers/wide/export.geojson"
    ask = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
    parts = urlsplit(server.url)
    unread = [await asyncio.open_connection(parts.hostname, parts.port, limit=1024) for _ in range(8)]
    try:
        for _, writer in unread:
            writer.write(ask)
        async with aiohttp.ClientSession() as session, session.get(server.url + path) as answer:
            assert len((await answer.json(content_type=None))["features"]) == 8000
        await until(lambda: no_transaction(server))
    finally:
        for _, writer in unread:
            writer.transport.abort()


async def no_transaction(server: Server) -> bool:
    """Whether no reader of the database is in a transaction."""
    async with server.database.owner.connect() as connection:
        query = sa.text(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = geoagent.role_name('reader')"
            " AND state LIKE 'idle in transaction%'"
        )
        return not await connection.scalar(query)


async def test_every_role_ends_transactions_in_which_nothing_happens(server: Server) -> None:
    async with server.database.owner.connect() as connection:
        query = sa.text(
            "SELECT split_part(setting, '=', 2)::int FROM pg_roles, unnest(rolconfig) AS setting WHERE rolname IN"
            " (geoagent.role_name('reader'), geoagent.role_name('writer'), geoagent.role_name('loader'))"
            " AND setting LIKE 'idle_in_transaction_session_timeout=%'"
        )
        limits = (await connection.scalars(query)).all()
        assert len(limits) == 3
        assert all(0 < limit <= 60_000 for limit in limits)


async def test_an_upload_whose_client_left_ends_and_leaves_nothing(server: Server) -> None:
    rows = b"name,lon,lat\n" + b"abc,1.5,2.5\n" * 500_000
    uploading = asyncio.create_task(upload(server, "abandoned", rows))
    await until(lambda: copying_reader())
    uploading.cancel()
    await asyncio.gather(uploading, return_exceptions=True)
    await until(lambda: copying_reader() is None, seconds=QUICK_S)
    await until(lambda: nothing_left(server, "abandoned"), seconds=QUICK_S)
    assert await upload(server, "after_it") == 201


async def nothing_left(server: Server, table: str) -> bool:
    """Whether no upload is under way, and no table came of one."""
    async with server.database.owner.connect() as connection:
        under_way = await connection.scalar(
            sa.text("SELECT count(*) FROM geoagent.upload WHERE loaded_at IS NULL")
        )
        made = await connection.scalar(sa.text(f"SELECT to_regclass('data.{table}')::text"))
        return not under_way and made is None
