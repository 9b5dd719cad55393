"""`python -m tests.bench.stops`: how long PostgreSQL goes on with a step of an analysis after somebody has stopped it.

On a million points and as many plots. Prints a Markdown table and writes it into docs/analysis.md."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import asyncpg

from agents.core import ToolFailed
from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.catalog.registry import Registry
from server.gis.sql import PostgisSql
from server.settings import Settings
from tests.support import large
from tests.support.postgis import Postgis, private_cluster, temporary_home
from tests.support.stopping import seconds_to_stop

DOCS = Path(__file__).resolve().parents[2] / "docs" / "analysis.md"
BEGIN, END = "<!-- stops: begin (python -m tests.bench.stops) -->", "<!-- stops: end -->"
MOMENTS = (1.0, 4.0, 10.0)
"""Seconds after which each is stopped, so that it is met at different work."""
MANY, PLOTS = {"source": "data.many"}, {"source": "data.plots"}
CASES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("sort", {**PLOTS, "by": "value"}),
    ("calculate", {**PLOTS, "name": "twice", "expression": "value * 2"}),
    ("measure", {**PLOTS, "measures": ["area", "perimeter"]}),
    ("buffer", {**MANY, "distance": "50 m"}),
    ("buffer", {"source": "data.sites", "distance": "300 m", "dissolve": True}),
    ("distance_bands", {"source": "data.sites", "distances": ["100 m", "300 m"]}),
    ("dissolve", {**PLOTS, "by": ["block"]}),
    ("dissolve", {**PLOTS, "by": ["kind"]}),
    ("dissolve", PLOTS),
    ("hull", MANY),
    ("intersection", {**PLOTS, "other": "data.blocks"}),
    ("nearest", {**MANY, "target": "data.many", "k": 3}),
    ("distance_matrix", {"source": "data.stops", "other": "data.stops", "name": "id", "other_name": "id"}),
    ("cluster", {**MANY, "distance": "20 m"}),
    ("cluster", {**MANY, "method": "kmeans", "k": 200}),
    ("hot_spots", {"source": "data.sites", "column": "value", "k": 100}),
    ("voronoi", {"source": "data.tenth"}),
    ("delaunay", MANY),
    ("simplify", {**PLOTS, "tolerance": "10 m"}),
)
SQL = "SELECT count(*) FROM generate_series(1, 1500000000)"
MORE = (
    ("sites", "SELECT * FROM data.many WHERE id % 50 = 0"),
    ("tenth", "SELECT * FROM data.many WHERE id % 10 = 0"),
    ("stops", "SELECT * FROM data.many WHERE id % 600 = 0"),
    ("blocks", "SELECT block, ST_Envelope(ST_Collect(geom)) AS geom FROM data.plots GROUP BY block"),
)


async def prepared(url: str) -> None:
    connection = await asyncpg.connect(url)
    await large.make(connection, "many", "plots")
    await connection.execute("ALTER TABLE data.plots ADD COLUMN kind int GENERATED ALWAYS AS (id % 8) STORED")
    for name, rows in MORE:
        await connection.execute(f"CREATE TABLE data.{name} AS {rows}")
        await connection.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
    await connection.execute("ANALYZE")
    await connection.close()


async def measured(url: str) -> list[str]:
    await prepared(url)
    look = await asyncpg.connect(url)
    lines = ["| step | stopped after 1 s | 4 s | 10 s |", "| --- | ---: | ---: | ---: |"]
    async with await Database.connect(Settings(database_url=url)) as database:
        registry = Registry(database.reader, ("data", "analysis"), database.listen)
        await registry.start()
        await registry.settle()
        runner = StepRunner(database.writer, registry, Budget(), database.owner)
        for operation, arguments in CASES:
            took = [await _stopped(look, runner, operation, arguments, moment) for moment in MOMENTS]
            lines.append(f"| {operation}: {_told(arguments)} | {' | '.join(took)} |")
            print(lines[-1], flush=True)
        sql = PostgisSql(database.reader_session, registry)
        took = [
            _seconds(
                await seconds_to_stop(
                    look, sql.run(SQL), role="reader", words="generate_series", after=moment
                )
            )
            for moment in MOMENTS
        ]
        lines.append(f"| `run_sql`: counting | {' | '.join(took)} |")
        await registry.stop()
    await look.close()
    return lines


async def _stopped(
    look: asyncpg.Connection, runner: StepRunner, operation: str, arguments: dict[str, Any], moment: float
) -> str:
    async def tell(_progress: Progress) -> None:
        """Nobody watches."""

    step = PlannedStep(id="step_1", operation=operation, arguments=arguments, title="Stopped")
    work = runner.run(step, {}, "stopped", tell)
    try:
        return _seconds(await seconds_to_stop(look, work, after=moment))
    except ToolFailed as fault:
        return fault.message
    finally:
        await look.execute("DROP TABLE IF EXISTS analysis.stopped")


def _seconds(took: float | None) -> str:
    return "done before" if took is None else f"{took:.2f} s"


def _told(arguments: dict[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in arguments.items())


def main() -> None:
    with temporary_home() as home, private_cluster(home) as cluster:
        postgis = Postgis(cluster)
        lines = asyncio.run(measured(postgis.url(postgis.migrated())))
    before, _, rest = DOCS.read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.0f}"
    DOCS.write_text(f"{before}{BEGIN}\n{chr(10).join(lines)}\n\nMeasured with {load}.\n{END}{after}")


if __name__ == "__main__":
    main()
