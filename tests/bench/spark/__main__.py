"""`python -m tests.bench.spark`, which is `make bench-spark`: the same steps in PostGIS, and on one and two workers of
Spark from rows of PostGIS and from GeoParquet. `--millions 1 10 50` for the record: 50 million rows take an hour and
30 GB of disk.

Nearest neighbours run in PostGIS only. `--heap` is of each worker, in megabytes: 50 million rows are more than ten
times as much as 512.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
from sqlalchemy import text

from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import Progress, StepRunner
from server.gis.catalog.registry import Registry
from server.gis.lake.paths import LakePaths
from server.gis.lake.register import Lake
from server.gis.spark.runner import SparkOptions, SparkRunner
from server.settings import OWN_SCHEMAS, Settings
from server.spark.cluster import ClusterSize, LocalCluster
from tests.bench.__main__ import table, with_postgis
from tests.bench.rows import Row
from tests.bench.spark.data import ZONES, load_pings, write_pings
from tests.support.children import temporary_folder
from tests.support.postgis import Postgis

UNLIMITED = Budget(cost=1e15, rows=100_000_000, pairs=10**15, seconds=7200, bytes=10**12)
COUNT = [{"function": "count"}, {"function": "mean", "column": "value"}]


@dataclass
class Bench:
    """Runs steps and keeps how long they took."""

    database: Database
    registry: Registry
    folder: Path
    rows: list[Row]

    async def time(
        self, what: str, runner: StepRunner, operation: str, note: str = "", **arguments: Any
    ) -> str:
        step = PlannedStep(id="step_1", operation=operation, arguments=arguments, title=what)
        name = f"bench_{len(self.rows)}"
        began = time.perf_counter()
        made = await runner.run(step, {}, name, _silent)
        seconds = time.perf_counter() - began
        said = f"{made.rows:,} rows"
        if made.table.column("count") is not None:
            async with self.database.owner.connect() as connection:
                total = await connection.scalar(text(f"SELECT sum(count) FROM analysis.{name}"))
            said = f"{said}, counts add up to {int(total):,}"
        self.rows.append(Row(what, f"{seconds:.1f} s", f"{said}{note}"))
        print(f"{what}: {seconds:.1f} s ({said}{note})", flush=True)
        return said

    def spark(self, cluster: LocalCluster) -> SparkRunner:
        options = SparkOptions(cluster.url, self.folder / "rows", 7200, LakePaths([self.folder]))
        return SparkRunner(self.database.writer, self.registry, UNLIMITED, options)


async def _silent(_progress: Progress) -> None:
    pass


async def measure(postgis: Postgis, millions: list[int], workers: list[int], heap: int) -> list[Row]:
    settings = Settings(database_url=postgis.url(postgis.migrated()))
    rows: list[Row] = []
    with temporary_folder("bench-spark") as folder:
        async with await Database.connect(settings) as database:
            owner = await asyncpg.connect(database.url)
            await owner.execute("CREATE SCHEMA IF NOT EXISTS data")
            await owner.execute(ZONES)
            await owner.execute("ANALYZE data.zones")
            registry = Registry(database.reader, OWN_SCHEMAS, database.listen)
            await registry.start()
            bench = Bench(database, registry, folder, rows)
            try:
                for size in millions:
                    await _prepare(bench, owner, size)
                await registry.refresh(patience=60)
                said = await _in_postgis(bench, millions)
                for count in workers:
                    with LocalCluster(ClusterSize(count, 1, heap, 1024)) as cluster:
                        await _on_spark(bench, cluster, millions, count, said)
            finally:
                await registry.stop()
                await owner.close()
    return rows


async def _prepare(bench: Bench, owner: asyncpg.Connection, size: int) -> None:
    files = await asyncio.to_thread(write_pings, bench.folder / f"lake_{size}", size * 1_000_000)
    await load_pings(owner, files, f"pings_{size}")
    await Lake(bench.database.owner, LakePaths([bench.folder])).add(f"lake_{size}", str(files[0].parent))
    for number in range(2):
        await owner.execute(
            f"CREATE TABLE IF NOT EXISTS data.some_{number} AS SELECT id, value, geom FROM data.pings_{size}"
            f" WHERE id % 50 = {number}"
        )
        await owner.execute(
            f"CREATE INDEX IF NOT EXISTS some_{number}_geom ON data.some_{number} USING gist (geom)"
        )
        await owner.execute(f"ANALYZE data.some_{number}")


async def _in_postgis(bench: Bench, millions: list[int]) -> Mapping[int, str]:
    runner, said = StepRunner(bench.database.writer, bench.registry, UNLIMITED), {}
    for size in millions:
        what = f"{size} M points in 1,600 zones, count and mean, PostGIS"
        arguments = {"source": "data.zones", "other": f"data.pings_{size}", "aggregates": COUNT}
        said[size] = await bench.time(what, runner, "spatial_join", **arguments)
    joined = {"source": "data.zones", "by": ["region"]}
    await bench.time("1,600 zones dissolved to 8, PostGIS", runner, "dissolve", **joined)
    near = {"source": "data.some_0", "target": "data.some_1"}
    await bench.time(f"the nearest of {millions[0] * 20} thousand points, PostGIS", runner, "nearest", **near)
    return said


async def _on_spark(
    bench: Bench, cluster: LocalCluster, millions: list[int], workers: int, said: Mapping[int, str]
) -> None:
    runner, named = bench.spark(cluster), f"{workers} worker{'s' if workers > 1 else ''}"
    for size in millions:
        for source, words in ((f"data.lake_{size}", "GeoParquet"), (f"data.pings_{size}", "rows of PostGIS")):
            what = f"{size} M points in 1,600 zones, count and mean, Spark, {named}, from {words}"
            arguments = {"source": "data.zones", "other": source, "aggregates": COUNT}
            with peak_memory(cluster) as peak:
                found = await bench.time(what, runner, "spatial_join", **arguments)
            if found != said[size]:
                raise SystemExit(f"{what}: {found}, and PostGIS has {said[size]}")
            bench.rows[-1] = bench.rows[-1]._replace(
                note=f"{found}; peak {peak[0]:,.0f} MB of all processes of Spark"
            )
    joined = {"source": "data.zones", "by": ["region"]}
    await bench.time(f"1,600 zones dissolved to 8, Spark, {named}", runner, "dissolve", **joined)


@contextmanager
def peak_memory(cluster: LocalCluster) -> Iterator[list[float]]:
    """The most memory that all processes of a cluster hold together, in megabytes, looked at twice a second."""
    peak, ended = [0.0], threading.Event()

    def look() -> None:
        while not ended.wait(0.5):
            peak[0] = max(peak[0], sum(_resident(each.pid) for each in cluster.processes) / 1e6)

    watching = threading.Thread(target=look, daemon=True)
    watching.start()
    try:
        yield peak
    finally:
        ended.set()
        watching.join()


def _resident(pid: int) -> float:
    """Bytes of a process and its children."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
        children = {
            int(each)
            for listed in Path(f"/proc/{pid}/task").glob("*/children")
            for each in listed.read_text().split()
        }
    except OSError:
        return 0.0
    return pages * float(os.sysconf("SC_PAGE_SIZE")) + sum(map(_resident, children))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--heap", type=int, default=768)
    asked = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    rows = with_postgis(
        lambda postgis: asyncio.run(measure(postgis, asked.millions, asked.workers, asked.heap))
    )
    print(table(rows))


if __name__ == "__main__":
    main()
