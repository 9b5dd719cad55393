"""The clocks: an operation as GeoAgent runs it, the same by hand in psql, and in GeoPandas."""

from __future__ import annotations

import asyncio
import gc
import os
import shutil
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import asyncpg

from agents.core import ToolFailed
from server.database import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import Progress, StepRunner
from server.gis.registry import Registry
from server.settings import Settings
from tests.bench.operations.cases import Case
from tests.bench.operations.data import Town, load, town
from tests.support.postgis import Postgis

BUDGET = Budget(cost=1e15, rows=100_000_000, seconds=600.0, bytes=1 << 40)
FINISH = """ALTER TABLE analysis.hand ADD PRIMARY KEY (fid);
{index}ANALYZE analysis.hand;
"""


@dataclass(frozen=True)
class Took:
    """Seconds of one case; None where it could not be measured. `own` is the operation's own SQL in psql."""

    case: Case
    ours: float | None
    hand: float | None
    own: float | None
    geopandas: float | None
    rows: int = 0
    fault: str = ""


class Measuring:
    """One town in one database. Made by `opened`."""

    def __init__(self, database: Database, registry: Registry, place: Town) -> None:
        self._database = database
        self._registry = registry
        self.place = place
        self._runner = StepRunner(database.writer, registry, BUDGET)
        self._number = 0

    @classmethod
    async def opened(cls, postgis: Postgis, rows: int) -> Measuring:
        place = town(rows)
        url = postgis.url(postgis.migrated())
        connection = await asyncpg.connect(url)
        try:
            await load(connection, place)
        finally:
            await connection.close()
        database = await Database.connect(Settings(database_url=url))
        registry = Registry(database.reader, ("data", "analysis"), database.listen)
        await registry.start()
        await registry.settle()
        return cls(database, registry, place)

    async def close(self) -> None:
        await self._registry.stop()
        await self._database.close()

    async def took(self, case: Case, rounds: int, *, own: bool, rivals: bool = True) -> Took:
        """Medians of so many rounds, in turns; whoever is measured begins with nothing of the others' left."""
        ours: list[float] = []
        others: dict[str, list[float]] = {"hand": [], "own": [], "geopandas": []}
        rows = 0
        try:
            for _ in range(rounds):
                seconds, rows, script, kind = await self._ours(case)
                ours.append(seconds)
                if not rivals:
                    continue
                if case.sql is not None:
                    made = "CREATE TABLE analysis.hand AS SELECT row_number() OVER () AS fid, made.* FROM"
                    begin = f"{case.first}\n{made} ({case.sql}) AS made;\n"
                    others["hand"].append(await self._psql(begin, kind, rows))
                if own or case.sql is None:
                    others["own"].append(await self._psql(script, kind, rows, keyed=True))
                if case.geopandas is not None:
                    others["geopandas"].append(await clocked(asyncio.to_thread, case.geopandas, self.place))
        except (ToolFailed, AssertionError) as error:
            return Took(case, None, None, None, None, fault=str(error))
        medians = {name: statistics.median(each) if each else None for name, each in others.items()}
        return Took(case, statistics.median(ours), rows=rows, **medians)

    async def _ours(self, case: Case) -> tuple[float, int, str, str | None]:
        """Seconds, rows, the script of the receipt (which makes `analysis.hand`), and the type of its geometry."""
        self._number += 1
        name = f"measured_{self._number}"

        async def watch(progress: Progress) -> None:
            """As the map does: everybody is told; here nobody is."""

        step = PlannedStep(id="step_1", operation=case.operation, arguments=case.arguments, title=case.note)
        began = time.perf_counter()
        result = await self._runner.run(step, {}, name, watch)
        seconds = time.perf_counter() - began
        await self._execute(f"DROP TABLE analysis.{name}")
        script = result.receipt.sql.replace(f'"{name}"', "hand").replace(name, "hand")
        return seconds, result.rows, script, result.table.geometry_type

    async def _psql(self, script: str, kind: str | None, rows: int, *, keyed: bool = False) -> float:
        index = (
            "CREATE INDEX ON analysis.hand USING gist (geom);\n" if kind and " AS shape" not in script else ""
        )
        finish = FINISH.format(index=index)
        if keyed:
            finish = finish.partition("\n")[2]
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            # Like the server's sessions, so that it is the statement that is compared.
            # Rows are inserted by one process; the operation's own SQL is, too, so that what is left is the overhead.
            alone = "SET max_parallel_workers_per_gather = 0;\n" if keyed else ""
            file.write(f"SET jit = off;\n{alone}{script}{finish}")
            file.flush()
            os.chmod(file.name, 0o644)
            seconds = await clocked(self._run_psql, Path(file.name))
        found = await self._fetchval("SELECT count(*) FROM analysis.hand")
        if abs(found - rows) > max(2, rows // 20):  # a few more at the edges of another projection
            raise AssertionError(f"by hand {found:,} rows, by the operation {rows:,}: not the same question")
        await self._execute("DROP TABLE analysis.hand")
        return seconds

    async def _run_psql(self, file: Path) -> None:
        command = (
            shutil.which("psql") or "psql",
            "-X",
            "-q",
            "-v",
            "ON_ERROR_STOP=1",
            "-f",
            str(file),
            self._database.url,
        )
        process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
        _, told = await process.communicate()
        if process.returncode:
            raise AssertionError(f"psql: {told.decode()[:1000]}")

    async def _execute(self, statement: str) -> None:
        async with self._database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
        await self._registry.refresh()

    async def _fetchval(self, question: str) -> int:
        async with self._database.owner.connect() as connection:
            return int((await connection.exec_driver_sql(question)).scalar_one())


async def clocked(work: Callable[..., Awaitable[object]], *arguments: object) -> float:
    gc.collect()
    began = time.perf_counter()
    await work(*arguments)
    return time.perf_counter() - began
