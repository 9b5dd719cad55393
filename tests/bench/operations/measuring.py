"""The clocks: an operation as GeoAgent runs it, the same by hand in psql, and in GeoPandas.

Each is stopped at a cap, so that one slow case does not take the time of all others."""

from __future__ import annotations

import asyncio
import gc
import multiprocessing
import os
import shutil
import tempfile
import time
from collections.abc import Coroutine
from datetime import UTC, datetime
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, TypeVar

import asyncpg

from agents.core import ToolFailed
from server.database import migrate
from server.database.engines import Database
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepResult, StepRunner
from server.gis.analysis.watch import Progress
from server.gis.catalog.registry import Registry
from server.postgres.cluster import PrivateCluster
from server.settings import Settings
from tests.bench.operations import through_postgis
from tests.bench.operations.case import Case
from tests.bench.operations.data import Town, load, town
from tests.bench.operations.measured import Took

T = TypeVar("T")

BUDGET = Budget(cost=1e15, rows=100_000_000, seconds=3600.0, bytes=1 << 36)
"""No more bytes than are needed: while a step runs, a file is looked for twice a second for each gigabyte."""
HAND = f"hand_{os.getpid()}"
"""The table that is made in psql. Several sittings may use one town at once."""
FINISH = f"""ALTER TABLE analysis.{HAND} ADD PRIMARY KEY (fid);
{{index}}ANALYZE analysis.{HAND};
"""
TURNS, SHORT = 3, 25.0
"""How many turns at most, and after how many seconds there is no further one."""
TABLES = ("source", "other", "target", "mask")
"""The arguments of operations that name the tables they read; and `sources`, a list."""


class Measuring:
    """One town in one database. Made by `opened`."""

    def __init__(self, database: Database, registry: Registry, place: Town, cap: float) -> None:
        self._database = database
        self._registry = registry
        self._cap = cap
        self.place = place
        self._runner = StepRunner(database.writer, registry, BUDGET, database.owner)
        self._number = 0
        self._psql = [shutil.which("psql") or "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", database.url]
        self._read: dict[tuple[str, bool], float] = {}

    @classmethod
    async def opened(cls, cluster: PrivateCluster, rows: int, cap: float) -> Measuring:
        """The town of this size, made in the cluster unless it is there."""
        place = town(rows)
        url = await _loaded(cluster, place)
        database = await Database.connect(Settings(database_url=url))
        registry = Registry(database.reader, ("data", "analysis"), database.listen)
        await registry.start()
        await registry.settle()
        return cls(database, registry, place, cap)

    async def close(self) -> None:
        await self._execute(f"DROP TABLE IF EXISTS analysis.{HAND}, analysis.{through_postgis.FRAME}")
        await self._registry.stop()
        await self._database.close()

    async def small(self, case: Case) -> float | None:
        """Only the operation's seconds."""
        try:
            return (await self._ours(case))[0]
        except (ToolFailed, TimeoutError):
            return None

    async def took(self, case: Case, *, own: bool) -> Took:
        """All clocks of a case, one after the other; none begins with what another has left behind.

        The shortest of some turns counts: what is over in seconds, other work on the machine may double."""
        found: dict[str, Any] = {"case": case.name, "cap": self._cap}
        late: set[str] = set()
        began = time.perf_counter()
        try:
            for _turn in range(TURNS):
                try:
                    ours, result = await self._ours(case)
                except TimeoutError:
                    return Took(**found, late=("ours",), **_now())
                turn = {"ours": ours, **await self._rivals(case, result, own=own)}
                late |= {clock for clock, seconds in turn.items() if seconds is None}
                for clock, seconds in turn.items():
                    found[clock] = min((each for each in (found.get(clock), seconds) if each), default=None)
                found["rows"] = result.rows
                if time.perf_counter() - began > SHORT:
                    break
            if case.geopandas is not None:
                found["geopandas"], found["stored"] = await self._in_geopandas(case)
                late |= {"geopandas"} if found["geopandas"] is None else set()
        except (ToolFailed, AssertionError) as error:
            found["fault"] = str(error)
        return Took(**found, late=tuple(sorted(late)), **_now())

    async def _rivals(self, case: Case, result: StepResult, *, own: bool) -> dict[str, float | None]:
        """Seconds of the same in psql: by hand, and the operation's own SQL where that is asked for."""
        name, kind = result.table.name, result.table.geometry_type
        script = result.receipt.sql.replace(f'"{name}"', HAND).replace(name, HAND)
        seconds: dict[str, float | None] = {}
        if case.sql is not None:
            made = f"CREATE TABLE analysis.{HAND} AS SELECT row_number() OVER () AS fid, made.* FROM"
            begin = f"{case.first}\n{made} ({case.sql}) AS made;\n"
            seconds["hand"] = await self._in_psql(begin, kind, result.rows)
        if own or case.sql is None:
            seconds["own"] = await self._in_psql(script, kind, result.rows, keyed=True)
        return seconds

    async def _ours(self, case: Case) -> tuple[float, StepResult]:
        """Seconds, and the result, whose table is dropped again."""
        self._number += 1
        name = f"measured_{os.getpid()}_{self._number}"

        async def watch(progress: Progress) -> None:
            """As the map does: everybody is told; here nobody is."""

        step = PlannedStep(id="step_1", operation=case.operation, arguments=case.arguments, title=case.note)
        seconds, result = await clocked(self._runner.run(step, {}, name, watch), self._cap)
        await self._execute(f"DROP TABLE analysis.{name}")
        return seconds, result

    async def _in_psql(
        self, script: str, kind: str | None, rows: int, *, keyed: bool = False
    ) -> float | None:
        """Seconds; None when the cap was reached."""
        index = (
            f"CREATE INDEX ON analysis.{HAND} USING gist (geom);\n"
            if kind and " AS shape" not in script
            else ""
        )
        finish = FINISH.format(index=index)
        if keyed:
            finish = finish.partition("\n")[2]
        await self._execute(f"DROP TABLE IF EXISTS analysis.{HAND}")
        with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
            # Like the server's sessions, so that it is the statement that is compared.
            file.write(f"SET jit = off;\n{script}{finish}")
            file.flush()
            os.chmod(file.name, 0o644)
            try:
                seconds, _ = await clocked(self._run_psql(Path(file.name)), self._cap)
            except TimeoutError:
                return None
        found = await self._fetchval(f"SELECT count(*) FROM analysis.{HAND}")
        if abs(found - rows) > max(2, rows // 20):  # a few more at the edges of another projection
            raise AssertionError(f"by hand {found:,} rows, by the operation {rows:,}: not the same question")
        await self._execute(f"DROP TABLE analysis.{HAND}")
        return seconds

    async def _run_psql(self, file: Path) -> None:
        process = await asyncio.create_subprocess_exec(
            *self._psql, "-f", str(file), stderr=asyncio.subprocess.PIPE
        )
        try:
            _, told = await process.communicate()
        except asyncio.CancelledError:
            process.terminate()  # psql cancels its statement
            await process.wait()
            raise
        if process.returncode:
            raise AssertionError(f"psql: {told.decode()[:1000]}")

    async def _in_geopandas(self, case: Case) -> tuple[float | None, float | None]:
        """Seconds in memory; and with reading and writing, where the answer is a table. None from the cap on.

        In a process of its own, which shares the frames and can be stopped. What reading a table takes is measured
        once a sitting."""
        named = [case.arguments[each] for each in TABLES if each in case.arguments]
        tables = [*dict.fromkeys([*named, *case.arguments.get("sources", [])])]
        fork = multiprocessing.get_context("fork")
        ours, theirs = fork.Pipe(duplex=False)
        child = fork.Process(target=_in_memory, args=(theirs, case, self.place, self._psql), daemon=True)
        child.start()
        theirs.close()
        try:
            seconds = await asyncio.to_thread(_received, ours, self._cap)
            writing = await asyncio.to_thread(_received, ours, self._cap)
        finally:
            child.kill()
            child.join()
        await self._execute(f"DROP TABLE IF EXISTS analysis.{through_postgis.FRAME}")
        if seconds is None or writing is None:
            return seconds, None
        for table in tables:
            if (table, case.plane) not in self._read:
                reading = asyncio.to_thread(through_postgis.read, self._psql, table, plane=case.plane)
                self._read[table, case.plane] = await reading
        return seconds, seconds + writing + sum(self._read[table, case.plane] for table in tables)

    async def _execute(self, statement: str) -> None:
        async with self._database.owner.begin() as connection:
            await connection.exec_driver_sql(statement)
        await self._registry.refresh()

    async def _fetchval(self, question: str) -> int:
        async with self._database.owner.connect() as connection:
            return int((await connection.exec_driver_sql(question)).scalar_one())


async def _loaded(cluster: PrivateCluster, place: Town) -> str:
    """The URL of the database with the town, which is marked when it is whole."""
    name = f"town_{place.rows}"
    url = cluster.url(name)
    connection = await asyncpg.connect(cluster.url("postgres"))
    try:
        whole = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = $1"
        if await connection.fetchval(whole, name) != "whole":
            await connection.execute(f"DROP DATABASE IF EXISTS {name}")
            await connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
            await migrate.upgrade(url)
            inside = await asyncpg.connect(url)
            try:
                await load(inside, place)
            finally:
                await inside.close()
            await connection.execute(f"COMMENT ON DATABASE {name} IS 'whole'")
    finally:
        await connection.close()
    return url


def _in_memory(told: Connection, case: Case, place: Town, psql: list[str]) -> None:
    """Run in the process of its own: tell the seconds of the operation, then those of writing its answer."""
    assert case.geopandas is not None
    os.setsid()  # Linux shares a busy machine between sessions, and PostgreSQL runs in one of its own.
    began = time.perf_counter()
    answer = case.geopandas(place)
    told.send(time.perf_counter() - began)
    told.send(through_postgis.write(psql, answer, plane=case.plane))
    told.close()


def _received(connection: Connection, patience: float) -> float | None:
    """What was sent; None when nothing was in so many seconds."""
    if not connection.poll(patience):
        return None
    try:
        seconds: float | None = connection.recv()
    except EOFError as error:
        raise AssertionError("the process with GeoPandas ended early") from error
    return seconds


def _now() -> dict[str, Any]:
    return {"day": datetime.now(UTC).date().isoformat(), "load": round(os.getloadavg()[0], 1)}


async def clocked(work: Coroutine[Any, Any, T], cap: float) -> tuple[float, T]:
    """Seconds and what came of it. Raises TimeoutError at the cap."""
    gc.collect()
    began = time.perf_counter()
    async with asyncio.timeout(cap):
        found = await work
    return time.perf_counter() - began, found
