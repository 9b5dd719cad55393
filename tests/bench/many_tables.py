"""A whole server with 10, 100 and 10,000 tables: its start, what it costs while nothing happens, and how long people
wait for a list, a search, an analysis, a new table, and for the first request to a model to leave.

`python -m tests.bench.many_tables 10 10000` measures only these numbers of tables."""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp
import asyncpg
import psutil

from tests.bench.registry import fill
from tests.bench.rows import Row
from tests.support.looking import until
from tests.support.model_server import ModelServer, Reply, Say
from tests.support.postgis import Postgis
from tests.support.server import Child, Client, child_server, client

SIZES = (10, 100, 10_000)
STARTS = 3
TIMES = 7
IDLE_S = 60.0
QUIET_SHARE = 0.05
"""Of a core: below it what a start does in the background has ended."""
CHATS = {
    "chat: which tables are there?": "which tables are there?",
    "chat: a search": "find tables about wells of district 3",
    "chat: add a layer": "show wells_3",
    "chat: an analysis": "buffer roads_0 by 1 km",
}


@dataclass
class Found:
    """Seconds, shares of a core, and bytes, each by its name in the table."""

    seconds: dict[str, list[float]] = field(default_factory=dict)
    shares: dict[str, float] = field(default_factory=dict)
    memory: int = 0

    async def timed(self, what: str, work: Callable[[], Awaitable[object]], times: int = TIMES) -> None:
        taken = self.seconds.setdefault(what, [])
        for _ in range(times):
            begun = time.perf_counter()
            await work()
            taken.append(time.perf_counter() - begun)


async def measure(postgis: Postgis, sizes: Sequence[int] = SIZES) -> list[Row]:
    found = {}
    for size in sizes:
        name = postgis.migrated()
        try:
            await fill(postgis.url(name), size)
            found[size] = await measured(postgis.url(name))
        finally:
            postgis.drop(name)
    return rows(found)


def rows(found: dict[int, Found]) -> list[Row]:
    sizes = list(found)
    first = found[sizes[0]]

    def row(what: str, values: Sequence[str]) -> Row:
        return Row(what, values[0], "; ".join(values[1:]))

    each = list(found.values())
    return [
        row("Tables", [f"{size:,}" for size in sizes]),
        *(
            row(f"  {what}", [f"{statistics.median(one.seconds[what]) * 1000:,.0f} ms" for one in each])
            for what in first.seconds
        ),
        *(row(f"  {what}", [f"{one.shares[what]:.2%}" for one in each]) for what in first.shares),
        row("  memory of the server", [f"{one.memory / 2**20:.0f} MB" for one in each]),
    ]


async def measured(url: str) -> Found:
    found = Found()
    await found.timed("start", lambda: started(url), STARTS)
    async with child_server(url) as server:
        process = psutil.Process(server.process.pid)
        begun = time.perf_counter()
        await settled(process)
        found.seconds["work in the background after the start"] = [time.perf_counter() - begun]
        async with connected(server) as one:
            await asked(found, server, one)
            await found.timed("a table made by SQL is known", lambda: noticed(url, server, found), 5)
            await settled(process)
            found.memory = process.memory_info().rss
            await idle(found, url, process)
    await first_request(found, url)
    return found


async def started(url: str) -> None:
    await (await Child.start(url)).kill()


async def settled(process: psutil.Process) -> None:
    """When the server has done nothing for three seconds."""
    quiet = 0
    while quiet < 3:
        before = cpu(process)
        await asyncio.sleep(1)
        quiet = quiet + 1 if cpu(process) - before < QUIET_SHARE else 0


def cpu(process: psutil.Process) -> float:
    times = process.cpu_times()
    return times.user + times.system


@asynccontextmanager
async def connected(server: Child) -> AsyncIterator[Client]:
    async with client(server) as one:
        await one.ask("join")
        yield one


async def asked(found: Found, server: Child, one: Client) -> None:
    async with aiohttp.ClientSession(server.url) as http:

        async def get(path: str) -> None:
            async with http.get(path) as response:
                response.raise_for_status()
                await response.read()

        await found.timed("GET /api/tables?limit=100", lambda: get("/api/tables?limit=100"))
        await found.timed("GET /api/tables?q=wells", lambda: get("/api/tables?q=wells&limit=20"))
        everywhere = "wells of district 67"
        await found.timed(
            "GET /api/tables?q= with words of all tables", lambda: get(f"/api/tables?q={everywhere}&limit=20")
        )
    for what, text in CHATS.items():
        await found.timed(what, lambda text=text: finished(one, text))  # type: ignore[misc]


async def finished(one: Client, text: str) -> None:
    end = await one.says(text)
    if end["status"] != "done":
        raise RuntimeError(f"{text!r} ended as {end}: {one.named('ai_response')[-1:]}")


async def noticed(url: str, server: Child, found: Found) -> None:
    """From the end of CREATE TABLE until the server shows the table."""
    number = len(found.seconds["a table made by SQL is known"])
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"CREATE TABLE data.noticed_{number} (id int)")
    finally:
        await connection.close()
    async with aiohttp.ClientSession(server.url) as http:

        async def known() -> bool:
            async with http.get(f"/api/tables/data.noticed_{number}") as response:
                return response.status == 200

        await until(known)


async def idle(found: Found, url: str, process: psutil.Process) -> None:
    """Somebody looks at a map with layers, and nothing happens. Autovacuum, which PostgreSQL does for itself, is not
    counted."""
    backends = await backends_of(url)
    before = [cpu(each) for each in (process, *backends)]
    await asyncio.sleep(IDLE_S)
    spent = [
        cpu(each) - was for each, was in zip((process, *backends), before, strict=True) if each.is_running()
    ]
    found.shares["of a core when idle, the server"] = spent[0] / IDLE_S
    found.shares["of a core when idle, its PostgreSQL connections"] = sum(spent[1:]) / IDLE_S


async def backends_of(url: str) -> list[psutil.Process]:
    connection = await asyncpg.connect(url)
    try:
        found = await connection.fetch(
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
    finally:
        await connection.close()
    return [psutil.Process(row["pid"]) for row in found]


async def first_request(found: Found, url: str) -> None:
    """Of a turn to a language model: from sending the message until the model is asked."""
    async with (
        ModelServer() as model,
        child_server(
            url, GEOAGENT_MODEL="openai:gpt-5.1", OPENAI_API_KEY="k", OPENAI_BASE_URL=model.base_url
        ) as server,
        connected(server) as one,
    ):
        await settled(psutil.Process(server.process.pid))

        async def request() -> None:
            answered = len(one.named("turn_finished"))
            asked = len(model.requests)
            model.script([Reply(Say("Here."))])
            await one.ask("chat", text="show me the wells of district 3")
            await until(lambda: len(model.requests) > asked, pause=0.001)
            await one.hears("turn_finished", answered + 1)

        await found.timed("first request to a model", request)


def main(*asked: str) -> None:
    """With the numbers of tables that were asked for, else all."""
    from tests.bench.__main__ import table, with_postgis

    sizes = [int(each) for each in asked] or SIZES
    print(table(with_postgis(lambda postgis: asyncio.run(measure(postgis, sizes)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
