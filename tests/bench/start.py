"""From `geoagent serve` to the line that says it is ready, and how long commands take, on a warm machine: the database
and samples are there."""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import time

import asyncpg

from tests.bench.rows import Row
from tests.support.postgis import Postgis
from tests.support.server import ROOT, Child

ROUNDS = 5


async def measure(postgis: Postgis) -> list[Row]:
    url = postgis.url(postgis.with_samples())
    ready, stopped = [], []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        child = await Child.start(url, {"GEOAGENT_SAMPLES": "true"})
        ready.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        await child.stop()
        stopped.append(time.perf_counter() - begun)
    return [
        *await commands(url),
        Row(
            "start: from `serve` to ready", f"{min(ready):.2f} s", f"median {statistics.median(ready):.2f} s"
        ),
        Row(
            "stop: from SIGTERM to the end",
            f"{min(stopped):.2f} s",
            f"median {statistics.median(stopped):.2f} s",
        ),
    ]


async def commands(url: str) -> list[Row]:
    """Whole processes of the command line, `chat` with a message to a running server."""
    child = await Child.start(url, {"GEOAGENT_SAMPLES": "true"})
    try:
        rows = [await command(url, "--help"), await command(url, "tables")]
        rows.append(await command(url, "chat", "--server", child.url, "help"))
        connection = await asyncpg.connect(url)
        try:
            await connection.execute("CREATE TABLE data.never_analysed AS SELECT * FROM data.cities")
            rows.append(await command(url, "tables", remark="one of the tables was never analysed"))
            await connection.execute("DROP TABLE data.never_analysed")
        finally:
            await connection.close()
    finally:
        await child.stop()
    return rows


async def command(url: str, *arguments: str, remark: str = "") -> Row:
    took = []
    for _ in range(ROUNDS):
        begun = time.perf_counter()
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "server", *arguments, cwd=ROOT, env={**os.environ, "DATABASE_URL": url},
            stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        if await process.wait() != 0:
            raise RuntimeError(f"geoagent {' '.join(arguments)} failed")
        took.append(time.perf_counter() - begun)
    median = f"median {statistics.median(took):.2f} s"
    return Row(f"geoagent {arguments[0]}", f"{min(took):.2f} s", f"{median}; {remark}" if remark else median)
