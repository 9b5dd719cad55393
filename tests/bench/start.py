"""From `geoagent serve` to the line that says it is ready, on a warm machine: the database and samples are there."""

from __future__ import annotations

import statistics
import time

from tests.bench.rows import Row
from tests.support.postgis import Postgis
from tests.support.server import Child

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
        Row(
            "start: from `serve` to ready", f"{min(ready):.2f} s", f"median {statistics.median(ready):.2f} s"
        ),
        Row(
            "stop: from SIGTERM to the end",
            f"{min(stopped):.2f} s",
            f"median {statistics.median(stopped):.2f} s",
        ),
    ]
