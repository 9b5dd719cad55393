"""`python -m tests.bench.spark`, which is `make bench-spark`: the same steps in PostGIS, and on one and two workers of
Spark from rows of PostGIS and from GeoParquet, each with the same figures.

For the record: `--millions 1 10 50 --staged-up-to 10 --spill 5 --docs docs/spark.md`. Sizes above `--rows-up-to` are
not loaded into PostGIS, and those above `--staged-up-to` are not copied from there to Spark. `--heap` is of each
worker, in megabytes. `--spill 5` then sorts as many million rows of 1,000 bytes on one worker with a heap of 512 MB,
for which only disk helps, and compares the answer with one computed without Spark; `--millions` without sizes does
only that. `--make FOLDER` only writes the points of the first size as GeoParquet into `FOLDER/pings`, and the zones
into `FOLDER/zones.geojson`."""

from __future__ import annotations

import argparse
import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import asyncpg
import pyarrow.parquet as pq
from sqlalchemy import text

from server.cli.pages import require_part, write_part
from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.catalog.registry import Registry
from server.gis.lake.register import Lake
from server.gis.lake.storage import LakeStorage
from server.gis.spark.runner import SparkOptions, SparkRunner
from server.settings import OWN_SCHEMAS, Settings
from server.spark.cluster import ClusterSize, LocalCluster
from tests.bench.__main__ import with_postgis
from tests.bench.spark.data import ZONES, highest, load_pings, write_pings, write_zones
from tests.bench.spark.report import POSTGIS, Measured, announce, counter, page_part
from tests.support.children import temporary_folder
from tests.support.postgis import Postgis

UNLIMITED = Budget(cost=1e15, rows=100_000_000, pairs=10**15, seconds=7200, bytes=10**12)
PART = "spark"
NEAREST_UP_TO = 5
"""Millions of points, of a twentieth of which the nearest of another twentieth is looked for."""
NOTE = 950
"""Characters of a text in each row that is sorted on disk, so that few rows take much room."""
SPILL_HEAP = 512
"""Megabytes of the worker that sorts on disk."""
COUNT = [{"function": "count"}, {"function": "mean", "column": "value"}]


@dataclass(frozen=True)
class Task:
    """A step of the benchmark; `source` is where Spark reads its rows."""

    title: str
    operation: str
    arguments: dict[str, Any]
    source: str = ""
    millions: int = 0


@dataclass
class Bench:
    """Runs steps and keeps how long they took."""

    database: Database
    registry: Registry
    folder: Path
    rows: list[Measured] = field(default_factory=list)

    async def postgis(self, task: Task) -> None:
        runner = StepRunner(self.database.writer, self.registry, UNLIMITED)
        self._keep(await self._timed(task, runner, POSTGIS))

    async def spark(self, task: Task, cluster: LocalCluster, engine: str) -> None:
        options = SparkOptions(cluster.url, self.folder / "rows", 7200, LakeStorage([self.folder]))
        runner = SparkRunner(self.database.writer, self.registry, UNLIMITED, options)
        with peak_memory(cluster) as peak:
            made = await self._timed(task, runner, engine)
        self._keep(replace(made, megabytes=peak[0]))

    async def _timed(self, task: Task, runner: StepRunner, engine: str) -> Measured:
        step = PlannedStep(id="step_1", operation=task.operation, arguments=task.arguments, title=task.title)
        name = f"bench_{len(self.rows)}"
        began = time.perf_counter()
        made = await runner.run(step, {}, name, _silent)
        seconds = time.perf_counter() - began
        figures = f"{made.rows:,} rows"
        for column in [each for each in ("count", "distance_m") if made.table.column(each) is not None]:
            async with self.database.owner.connect() as connection:
                total = await connection.scalar(text(f"SELECT sum({column}) FROM analysis.{name}"))
            figures = f"{figures}, {column} adds up to {round(total):,}"
        computed = next((each for each in made.receipt.notes if each.startswith("Computed by")), "")
        note = f"; {computed.partition('in ')[2].rstrip('.')}" if computed else ""
        return Measured(task.title, engine, seconds, figures, task.source, note, millions=task.millions)

    def _keep(self, made: Measured) -> None:
        """Raises SystemExit unless the figures are those of the same step before it."""
        announce(made.line)
        before = next((each for each in self.rows if each.step == made.step), made)
        if made.figures != before.figures:
            raise SystemExit(f"{made.line}, and before it was: {before.line}")
        self.rows.append(made)


async def _silent(_progress: Progress) -> None:
    pass


@asynccontextmanager
async def _opened(postgis: Postgis) -> AsyncIterator[tuple[Bench, asyncpg.Connection]]:
    """A database with zones, and a folder."""
    settings = Settings(database_url=postgis.url(postgis.migrated()))
    with temporary_folder("bench-spark") as folder:
        async with await Database.connect(settings) as database:
            owner = await asyncpg.connect(database.url)
            await owner.execute("CREATE SCHEMA IF NOT EXISTS data")
            await owner.execute(ZONES)
            await owner.execute("ANALYZE data.zones")
            registry = Registry(database.reader, OWN_SCHEMAS, database.listen)
            await registry.start()
            try:
                yield Bench(database, registry, folder), owner
            finally:
                await registry.stop()
                await owner.close()


async def measure(postgis: Postgis, asked: argparse.Namespace) -> list[Measured]:
    """Every step of the benchmark, by size and engine."""
    loaded = [size for size in asked.millions if size <= asked.rows_up_to]
    async with _opened(postgis) as (bench, owner):
        for size in asked.millions:
            await _make(bench, owner, size, load=size in loaded)
        await bench.registry.refresh(patience=60)
        for size in loaded:
            for task in _tasks(size, f"data.pings_{size}"):
                await bench.postgis(task)
        await bench.postgis(DISSOLVE)
        for count in asked.workers:
            engine = f"Spark, {count} worker{'s' if count > 1 else ''}"
            announce(f"starting {engine}")
            with LocalCluster(ClusterSize(count, 1, asked.heap, 1024)) as cluster:
                for size in asked.millions:
                    await bench.spark(_counted(size, f"data.lake_{size}", "GeoParquet"), cluster, engine)
                    if size in loaded and size <= asked.staged_up_to:
                        for task in _tasks(size, f"data.pings_{size}", POSTGIS):
                            await bench.spark(task, cluster, engine)
                await bench.spark(replace(DISSOLVE, source=POSTGIS), cluster, engine)
        return bench.rows


async def _make(bench: Bench, owner: asyncpg.Connection, size: int, *, load: bool) -> None:
    rows = size * 1_000_000
    folder = bench.folder / f"lake_{size}"
    files = await asyncio.to_thread(
        write_pings, folder, rows, progress=counter(f"writing {size} M points as GeoParquet", rows)
    )
    await Lake(bench.database.owner, LakeStorage([bench.folder])).add(f"lake_{size}", str(folder))
    if not load:
        return
    await load_pings(owner, files, f"pings_{size}", counter(f"copying {size} M points to PostGIS", rows))
    if size > NEAREST_UP_TO:
        return
    for number in range(2):
        some = f"some_{number}_{size}"
        await owner.execute(
            f"CREATE TABLE data.{some} AS SELECT id, value, geom FROM data.pings_{size} WHERE id % 20 = {number}"
        )
        await owner.execute(f"CREATE INDEX ON data.{some} USING gist (geom)")
        await owner.execute(f"ANALYZE data.{some}")


DISSOLVE = Task("1,600 zones dissolved to 8", "dissolve", {"source": "data.zones", "by": ["region"]})


def _tasks(size: int, points: str, source: str = "") -> Iterator[Task]:
    """Steps with rows of PostGIS."""
    yield _counted(size, points, source)
    if size <= NEAREST_UP_TO:
        some = {"source": f"data.some_0_{size}", "target": f"data.some_1_{size}"}
        yield Task(f"the nearest of {size * 50},000 points", "nearest", some, source)


def _counted(size: int, points: str, source: str) -> Task:
    arguments = {"source": "data.zones", "other": points, "aggregates": COUNT}
    return Task(f"{size} million points in 1,600 zones", "spatial_join", arguments, source, size)


async def spill(postgis: Postgis, millions: int) -> list[Measured]:
    """The three highest values of each hour, for which each part of the rows is sorted with all columns."""
    rows = millions * 1_000_000
    async with _opened(postgis) as (bench, _owner):
        root = bench.folder / "lake_spill"
        files = await asyncio.to_thread(
            write_pings, root, rows, NOTE, counter(f"writing {millions} M rows with texts", rows)
        )
        await Lake(bench.database.owner, LakeStorage([bench.folder])).add("lake_spill", str(root))
        await bench.registry.refresh(patience=60)
        size = sum(_uncompressed(file) for file in files)
        title = (
            f"the 3 highest values of each hour, of {millions} million rows with {size / 1e9:.1f} GB, "
            f"by a worker of {SPILL_HEAP} MB"
        )
        arguments = {"source": "data.lake_spill", "by": "value", "n": 3, "per": ["hour"]}
        with LocalCluster(ClusterSize(1, 1, SPILL_HEAP, 1024)) as cluster:
            task = Task(title, "top", arguments, "GeoParquet")
            await bench.spark(task, cluster, "Spark, 1 worker")
        async with bench.database.owner.connect() as connection:
            found = (await connection.execute(text("SELECT hour, value FROM analysis.bench_0"))).all()
        if sorted(map(tuple, found)) != await asyncio.to_thread(highest, files, 3):
            raise SystemExit(f"{title}: the rows are not the highest")
        return bench.rows


def _uncompressed(file: Path) -> int:
    metadata = pq.read_metadata(file)
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


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
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--millions", type=int, nargs="*", default=[1, 5])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--heap", type=int, default=768)
    parser.add_argument("--rows-up-to", type=int, default=10**6, help="millions")
    parser.add_argument("--staged-up-to", type=int, default=10**6, help="millions")
    parser.add_argument("--spill", type=int, default=0, help="millions")
    parser.add_argument("--make", type=Path)
    parser.add_argument("--docs", type=Path, help="page whose part `spark` to write")
    asked = parser.parse_args()
    if asked.make:
        files = write_pings(asked.make / "pings", asked.millions[0] * 1_000_000)
        write_zones(asked.make / "zones.geojson")
        print(f"{len(files)} files in {asked.make / 'pings'}, and zones.geojson beside them")
        return
    if asked.docs:
        require_part(asked.docs, PART)
    load = os.getloadavg()[0]
    announce(f"{os.cpu_count()} cores, load {load:.1f}")
    rows: list[Measured] = []
    if asked.millions:
        rows += with_postgis(lambda postgis: asyncio.run(measure(postgis, asked)))
    if asked.spill:
        rows += with_postgis(lambda postgis: asyncio.run(spill(postgis, asked.spill)))
    part = page_part(rows, load, asked.heap)
    announce(f"done\n\n{part}")
    if asked.docs:
        write_part(asked.docs, PART, part)


if __name__ == "__main__":
    main()
