"""`/healthz` answers whatever the server is doing, and no other request is lost by that."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress

import aiohttp
import asyncpg
import psutil
import pytest
import pytest_asyncio
from yarl import URL

from server.database import migrate
from server.http.health import routes
from tests.support.looking import PATIENCE, until
from tests.support.ports import reserved_port
from tests.support.server import Child, child_server, client

SILENT = 700
"""More than the health process holds."""
AT_MOST_S = 5.0
"""For an answer that takes 50 ms on a machine that does nothing else; a server that is held up never answers."""
GOAL_S = 0.1
"""Of several answers the fastest, because other tests share the machine."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def server(samples_url: str) -> AsyncIterator[Child]:
    async with child_server(samples_url) as child:
        await until(lambda: health_processes(child))
        yield child


def health_processes(child: Child) -> list[psutil.Process]:
    found = []
    for process in psutil.Process(child.process.pid).children():
        with suppress(psutil.NoSuchProcess):
            if any("health_child.py" in part for part in process.cmdline()):
                found.append(process)
    return found


@contextmanager
def held_up(child: Child) -> Iterator[None]:
    """The process gets no time at all: stricter than any computation or C library that holds the interpreter."""
    child.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        child.process.send_signal(signal.SIGCONT)


async def get(url: str, path: str, method: str = "GET") -> tuple[int, str]:
    """Over a connection of its own, as health checks ask."""
    timeout = aiohttp.ClientTimeout(total=AT_MOST_S)
    async with (
        aiohttp.ClientSession(timeout=timeout) as session,
        session.request(method, url + path, headers={"Connection": "close"}) as answer,
    ):
        return answer.status, await answer.text()


async def test_healthz_answers_while_the_server_is_held_up(server: Child) -> None:
    with held_up(server):
        await answers_soon(server.url)
        assert (await get(server.url, "/healthz", "HEAD"))[0] == 200
    assert await get(server.url, "/healthz") == (200, '{"ok": true}')


async def test_healthz_answers_although_hundreds_of_silent_connections_wait_for_a_server_that_is_held_up(
    server: Child,
) -> None:
    with held_up(server):
        silent = [await silent_connection(server) for _ in range(SILENT)]
        try:
            for _ in range(5):
                assert await get(server.url, "/healthz") == (200, '{"ok": true}')
        finally:
            for each in silent:
                each.close()
    await until(lambda: get(server.url, "/readyz"))


async def silent_connection(child: Child) -> socket.socket:
    return await asyncio.to_thread(socket.create_connection, (URL(child.url).host, URL(child.url).port))


async def test_requests_that_come_meanwhile_are_answered_afterwards(server: Child) -> None:
    with held_up(server):
        waiting = [asyncio.create_task(get(server.url, "/api/tables")) for _ in range(20)]
        silent = socket.create_connection((URL(server.url).host, URL(server.url).port))
        await get(server.url, "/healthz")
    for status, body in await asyncio.gather(*waiting):
        assert status == 200
        assert "data.airports" in body
    silent.sendall(b"GET /readyz HTTP/1.0\r\n\r\n")
    silent.settimeout(AT_MOST_S)
    assert (await asyncio.to_thread(silent.recv, 100)).startswith(b"HTTP/1.0 200 OK")
    silent.close()
    async with client(server) as one:
        assert (await one.ask("join"))["seq"] >= 0


async def test_a_health_process_that_was_killed_is_started_again(server: Child) -> None:
    (first,) = health_processes(server)
    first.kill()
    (second,) = await until(lambda: [one for one in health_processes(server) if one.pid != first.pid])
    with held_up(server):
        assert json.loads((await get(server.url, "/healthz"))[1]) == {"ok": True}
    assert second.is_running()


@pytest.mark.parametrize(
    "hold",
    [
        pytest.param(f"SELECT pg_advisory_lock({migrate.LOCK})", id="another server migrates"),
        pytest.param(
            "BEGIN; LOCK TABLE geoagent.alembic_version IN ACCESS EXCLUSIVE MODE", id="a migration hangs"
        ),
        pytest.param("BEGIN; LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE", id="the catalogue is locked"),
    ],
)
async def test_a_server_that_waits_for_the_database_answers_health_checks_and_becomes_ready(
    samples_url: str, hold: str
) -> None:
    with reserved_port() as port:
        url = f"http://127.0.0.1:{port}"
        other = await asyncpg.connect(samples_url)
        await other.execute("SET allow_system_table_mods = on")
        await other.execute(hold)
        start = asyncio.create_task(Child.start(samples_url, port=port))
        try:
            await until(lambda: answers(url))
            await answers_soon(url)
            status, body = await get(url, "/readyz")
            assert (status, json.loads(body)) == (
                503,
                {"ok": False, "checks": {"start": "the server is starting"}},
            )
            status, body = await get(url, "/api/tables")
            assert (status, json.loads(body)["error"]["code"]) == (503, "unavailable")
            assert not start.done()
            await other.close()
            child = await asyncio.wait_for(start, PATIENCE)
            assert child.url == url
            assert (await get(child.url, "/readyz"))[0] == 200
            assert await child.stop() == 0
        finally:
            await other.close()
            if not start.done():
                start.cancel()
            await asyncio.wait([start])


async def test_a_server_whose_catalogue_is_locked_answers_health_checks_and_is_ready_afterwards(
    server: Child, samples_url: str
) -> None:
    other = await asyncpg.connect(samples_url)
    await other.execute("SET allow_system_table_mods = on")
    try:
        await other.execute("BEGIN; LOCK TABLE pg_class IN ACCESS EXCLUSIVE MODE")
        await until(lambda: is_ready(server, False))
        await answers_soon(server.url)
    finally:
        await other.close()
    await until(lambda: is_ready(server, True))


async def is_ready(server: Child, wanted: bool) -> bool:
    return ((await get(server.url, "/readyz"))[0] == 200) == wanted


async def answers_soon(url: str) -> None:
    took = []
    for _ in range(10):
        began = time.perf_counter()
        assert await get(url, "/healthz") == (200, '{"ok": true}')
        took.append(time.perf_counter() - began)
    print(f"/healthz took {min(took) * 1000:.0f} to {max(took) * 1000:.0f} ms")
    assert min(took) < GOAL_S, took


async def answers(url: str) -> bool:
    with suppress(aiohttp.ClientConnectorError):
        return bool(await get(url, "/healthz"))
    return False


async def test_the_health_process_ends_with_a_server_that_was_killed(samples_url: str) -> None:
    async with child_server(samples_url) as child:
        (process,) = await until(lambda: health_processes(child))
        os.kill(child.process.pid, signal.SIGKILL)
        await asyncio.wait_for(child.process.wait(), PATIENCE)
        await until(lambda: not process.is_running() or process.status() == psutil.STATUS_ZOMBIE)
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind((URL(child.url).host, URL(child.url).port))
            again.listen()


async def test_the_checks_of_readyz_run_once_for_all_who_ask_at_the_same_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(routes, "KEPT_S", 3600.0)
    runs = 0

    async def check() -> str | None:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0)
        return "broken" if runs > 1 else None

    ready = routes.Readiness({"it": check})
    answers = await asyncio.gather(*(ready.answer() for _ in range(50)))
    assert set(answers) == {(200, b'{"ok": true, "checks": {"it": "ok"}}')}
    assert await ready.answer() == answers[0]
    assert runs == 1
    monkeypatch.setattr(ready, "_until", 0.0)
    assert await ready.answer() == (503, b'{"ok": false, "checks": {"it": "broken"}}')
    assert runs == 2
