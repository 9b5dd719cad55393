"""`python -m tests.bench.spark`, which is `make bench-spark`: the same steps in PostGIS, and on one and two workers of
Spark from rows of PostGIS and from GeoParquet, each with the same numbers. `--millions 1 10 50` for the record. Sizes
above `--rows-up-to` are not loaded into PostGIS, which takes longest: they are counted from GeoParquet only.

`--heap` is of each worker, in megabytes. `--spill 22` sorts as many million rows of 250 bytes on one worker with that
heap, from which only disk helps, and compares the answer with one computed without Spark. `--make FOLDER` only writes
the points of the first size as GeoParquet into `FOLDER/pings`, and the zones into `FOLDER/zones.geojson`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg
import pyarrow.parquet as pq
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
from tests.bench.spark.data import ZONES, highest, load_pings, write_pings, write_zones
from tests.support.children import temporary_folder
from tests.support.postgis import Postgis

UNLIMITED = Budget(cost=1e15, rows=100_000_000, pairs=10**15, seconds=7200, bytes=10**12)
NEAREST_UP_TO = 5
"""Millions of points, of a twentieth of which the nearest of another twentieth is looked for."""
NOTE = 200
"""Characters of a text in each row that is sorted on disk, so that few rows take much room."""
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
        figures = f"{made.rows:,} rows"
        for column in [each for each in ("count", "distance_m") if made.table.column(each) is not None]:
            async with self.database.owner.connect() as connection:
                total = await connection.scalar(text(f"SELECT sum({column}) FROM analysis.{name}"))
            figures = f"{figures}, {column} adds up to {round(total):,}"
        if made.receipt.engine and "Spark" in made.receipt.engine:
            said_by_spark = next(each for each in made.receipt.notes if each.startswith("Computed by"))
            note = f"{note}; {said_by_spark.partition('in ')[2].rstrip('.')}"
        self.rows.append(Row(what, f"{seconds:.1f} s", f"{figures}{note}"))
        print(f"{what}: {seconds:.1f} s ({figures}{note})", flush=True)
        return figures

    def spark(self, cluster: LocalCluster) -> SparkRunner:
        options = SparkOptions(cluster.url, self.folder / "rows", 7200, LakePaths([self.folder]))
        return SparkRunner(self.database.writer, self.registry, UNLIMITED, options)


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
                yield Bench(database, registry, folder, []), owner
            finally:
                await registry.stop()
                await owner.close()


async def measure(
    postgis: Postgis, millions: list[int], workers: list[int], heap: int, rows_up_to: int
) -> list[Row]:
    """Every step of the benchmark, by size and engine."""
    loaded = {size for size in millions if size <= rows_up_to}
    async with _opened(postgis) as (bench, owner):
        for size in millions:
            files = await asyncio.to_thread(write_pings, bench.folder / f"lake_{size}", size * 1_000_000)
            await Lake(bench.database.owner, LakePaths([bench.folder])).add(
                f"lake_{size}", str(files[0].parent)
            )
            if size in loaded:
                await _load(owner, files, size)
        await bench.registry.refresh(patience=60)
        figures = await _in_postgis(bench, sorted(loaded))
        for count in workers:
            with LocalCluster(ClusterSize(count, 1, heap, 1024)) as cluster:
                await _on_spark(bench, cluster, millions, count, figures, loaded)
        return bench.rows


async def _load(owner: asyncpg.Connection, files: list[Path], size: int) -> None:
    await load_pings(owner, files, f"pings_{size}")
    for number in range(2):
        some = f"some_{number}_{size}"
        await owner.execute(
            f"CREATE TABLE data.{some} AS SELECT id, value, geom FROM data.pings_{size} WHERE id % 20 = {number}"
        )
        await owner.execute(f"CREATE INDEX ON data.{some} USING gist (geom)")
        await owner.execute(f"ANALYZE data.{some}")


async def _in_postgis(bench: Bench, millions: list[int]) -> dict[tuple[int, str], str]:
    runner = StepRunner(bench.database.writer, bench.registry, UNLIMITED)
    figures: dict[tuple[int, str], str] = {}
    for size in millions:
        what = f"{size} M points in 1,600 zones, count and mean, PostGIS"
        arguments = _in_zones(f"data.pings_{size}")
        figures[size, "join"] = await bench.time(what, runner, "spatial_join", **arguments)
        if size <= NEAREST_UP_TO:
            figures[size, "nearest"] = await bench.time(
                f"the nearest of {size * 50} thousand points, PostGIS", runner, "nearest", **_nearest(size)
            )
    joined = {"source": "data.zones", "by": ["region"]}
    await bench.time("1,600 zones dissolved to 8, PostGIS", runner, "dissolve", **joined)
    return figures


async def _on_spark(
    bench: Bench,
    cluster: LocalCluster,
    millions: list[int],
    workers: int,
    figures: dict[tuple[int, str], str],
    loaded: set[int],
) -> None:
    """Raises SystemExit unless the numbers are those in `figures`, of PostGIS or of fewer workers."""
    runner, named = bench.spark(cluster), f"{workers} worker{'s' if workers > 1 else ''}"
    for size in millions:
        asked = [
            (
                f"{size} M points in 1,600 zones, count and mean",
                words,
                "join",
                "spatial_join",
                _in_zones(source),
            )
            for source, words in (
                (f"data.lake_{size}", "GeoParquet"),
                (f"data.pings_{size}", "rows of PostGIS"),
            )
            if words == "GeoParquet" or size in loaded
        ]
        nearest = f"the nearest of {size * 50} thousand points"
        if size in loaded and size <= NEAREST_UP_TO:
            asked.append((nearest, "rows of PostGIS", "nearest", "nearest", _nearest(size)))
        for title, words, kind, operation, arguments in asked:
            what = f"{title}, Spark, {named}, from {words}"
            with peak_memory(cluster) as peak:
                found = await bench.time(what, runner, operation, **arguments)
            if found != figures.setdefault((size, kind), found):
                raise SystemExit(f"{what}: {found}, and before it was {figures[size, kind]}")
            _add_peak(bench, peak[0])
    joined = {"source": "data.zones", "by": ["region"]}
    await bench.time(f"1,600 zones dissolved to 8, Spark, {named}", runner, "dissolve", **joined)


def _add_peak(bench: Bench, megabytes: float) -> None:
    last = bench.rows[-1]
    bench.rows[-1] = last._replace(note=f"{last.note}; peak {megabytes:,.0f} MB of all processes of Spark")


async def spill(postgis: Postgis, millions: int, heap: int) -> list[Row]:
    """The three highest values of each hour, for which each part of the rows is sorted with all columns."""
    async with _opened(postgis) as (bench, _owner):
        root = bench.folder / "lake_spill"
        files = await asyncio.to_thread(write_pings, root, millions * 1_000_000, NOTE)
        await Lake(bench.database.owner, LakePaths([bench.folder])).add("lake_spill", str(root))
        await bench.registry.refresh(patience=60)
        size = sum(_uncompressed(file) for file in files) / 1e6
        what = f"the 3 highest of each hour of {millions} M points ({size:,.0f} MB), Spark, 1 worker of {heap} MB"
        arguments = {"source": "data.lake_spill", "by": "value", "n": 3, "per": ["hour"]}
        with LocalCluster(ClusterSize(1, 1, heap, 1024)) as cluster, peak_memory(cluster) as peak:
            await bench.time(what, bench.spark(cluster), "top", **arguments)
        _add_peak(bench, peak[0])
        async with bench.database.owner.connect() as connection:
            found = (await connection.execute(text("SELECT hour, value FROM analysis.bench_0"))).all()
        if sorted(map(tuple, found)) != await asyncio.to_thread(highest, files, 3):
            raise SystemExit(f"{what}: the rows are not the highest")
        return bench.rows


def _uncompressed(file: Path) -> int:
    metadata = pq.read_metadata(file)
    return sum(metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups))


def _in_zones(points: str) -> dict[str, Any]:
    return {"source": "data.zones", "other": points, "aggregates": COUNT}


def _nearest(size: int) -> dict[str, Any]:
    return {"source": f"data.some_0_{size}", "target": f"data.some_1_{size}"}


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
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 5])
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--heap", type=int, default=768)
    parser.add_argument("--rows-up-to", type=int, default=10**6, help="millions")
    parser.add_argument("--spill", type=int, default=0)
    parser.add_argument("--make", type=Path)
    asked = parser.parse_args()
    if asked.make:
        files = write_pings(asked.make / "pings", asked.millions[0] * 1_000_000)
        write_zones(asked.make / "zones.geojson")
        print(f"{len(files)} files in {asked.make / 'pings'}, and zones.geojson beside them")
        return
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}", flush=True)
    if asked.spill:
        rows = with_postgis(lambda postgis: asyncio.run(spill(postgis, asked.spill, asked.heap)))
    else:
        rows = with_postgis(
            lambda postgis: asyncio.run(
                measure(postgis, asked.millions, asked.workers, asked.heap, asked.rows_up_to)
            )
        )
    print(table(rows))


if __name__ == "__main__":
    main()
