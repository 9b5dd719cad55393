"""Runs one step of an analysis on Spark: planned and checked in PostGIS, computed there, stored in PostGIS again.

The operation itself plans, so that names, types, notes and refusals are the same on both engines. Its tables are
copied to a folder (`staging`), Spark writes the rows of the result there, and they come back by COPY into the
table that the step makes in the same transaction. Whatever happens in between, nothing of it is left.
"""

from __future__ import annotations

import asyncio
import secrets
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.database.quoting import quoted
from server.gis.analysis import storage
from server.gis.analysis.budget import Budget
from server.gis.analysis.runner import Computed, LiveRegistry, StepRunner, Task
from server.gis.expressions.identifiers import join_id
from server.gis.operations.support.base import Step
from server.gis.spark.client import Done, SparkClient
from server.gis.spark.compilers import COMPILERS, compiler
from server.gis.spark.errors import NotOnSpark, SparkFailed
from server.gis.spark.staging import Staged, count_rows, load, outgoing, stage
from server.gis.spark.translation import spark_sql
from server.spark.jars import JARS

SEDONA = next(jar.version for jar in JARS if jar.group == "org.apache.sedona")

_TYPES = text(
    "SELECT attname, format_type(atttypid, atttypmod) AS declared FROM pg_attribute"
    " WHERE attrelid = to_regclass(:relation) AND attnum > 0 AND NOT attisdropped AND attidentity = ''"
    " ORDER BY attnum"
)


@dataclass(frozen=True)
class SparkOptions:
    """`folder` is seen under the same path by this server and all of Spark; `seconds` is what one step may take."""

    url: str
    folder: Path
    seconds: float = 1500.0


class SparkRunner(StepRunner):
    """A `StepRunner` whose rows are computed by Spark. Also raises SparkUnavailable, SparkFailed and NotOnSpark."""

    def __init__(
        self,
        writer: AsyncEngine,
        registry: LiveRegistry,
        budget: Budget,
        options: SparkOptions,
        owner: AsyncEngine | None = None,
    ) -> None:
        super().__init__(writer, registry, budget, owner)
        self._options = options
        self._client = SparkClient(options.url)

    @staticmethod
    def can_run(operation: str) -> bool:
        """Whether the operation is ported; some forms of it may be refused all the same."""
        return operation in COMPILERS

    async def _compute(self, task: Task) -> tuple[Step, int, Computed]:
        compile_ = compiler(task.operation.name)
        if task.arguments.parts != "as_is":
            raise NotOnSpark(
                f"parts={task.arguments.parts!r}", "single and multi-part results are not ported"
            )
        named = {each: task.workspace.stored(each) for each in task.operation.tables(task.arguments)}
        task.workspace.trust()
        planned = await self._plan(task)
        # Before rows are copied: what Spark cannot do is refused at once.
        chosen = storage.flat(
            replace(planned, select=compile_(task.arguments, task.workspace, planned)),
            task.workspace.tables_read,
        )
        tables = {table.id: (table, rows) for table, rows in named.values()}
        views = {(table.schema_name, table.name): f"t{n}" for n, (table, _) in enumerate(tables.values(), 1)}
        select = spark_sql(chosen.select, views, task.operation.name)
        async with self._folder() as folder:
            staged: dict[str, Staged] = {}
            for number, (table, rows) in enumerate(tables.values()):
                task.watch.part("preparing", number, len(tables))
                view = views[table.schema_name, table.name]
                staged[view] = await stage(task.connection, table, rows, folder / f"{view}.parquet")
            types = await self._empty(task, planned)
            sql = _outgoing(select, types)
            task.watch.computed(None, None)
            done = await self._client.write(
                {view: each.view for view, each in staged.items()},
                sql,
                str(folder / "result"),
                self._options.seconds,
                lambda share: task.watch.computed(share, None),
            )
            self._counted(await count_rows(folder / "result"), task.watch)
            loaded = await load(task.connection, folder / "result", storage.SCHEMA, task.name, list(types))
        return planned, self._counted(loaded, task.watch), _computed(done, select, views)

    async def _empty(self, task: Task, planned: Step) -> Mapping[str, str]:
        """Make the result's table without rows, as PostGIS's own statement types it; its columns and their types."""
        for prepared in planned.prepare:
            empty = replace(prepared, select=prepared.select.limit(0))
            await storage.execute(task.connection, storage.prepare(empty))
        await storage.execute(task.connection, storage.create(task.name, planned))
        relation = f"{storage.SCHEMA}.{quoted(task.name)}"
        found = (await task.connection.execute(_TYPES, {"relation": relation})).all()
        return {str(row.attname): str(row.declared) for row in found}

    @asynccontextmanager
    async def _folder(self) -> AsyncIterator[Path]:
        """A folder for one step, which goes with it."""
        folder = self._options.folder / f"step-{secrets.token_hex(8)}"
        try:
            await asyncio.to_thread(folder.mkdir, parents=True)
        except OSError as error:
            raise SparkFailed(
                f"The folder GEOAGENT_SPARK_FOLDER cannot be written to: {error.strerror}."
            ) from error
        try:
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))


def _outgoing(select: str, types: Mapping[str, str]) -> str:
    columns = ", ".join(outgoing(name, declared) for name, declared in types.items())
    return f"SELECT {columns} FROM ({select}) AS made"  # noqa: S608 - quoted names, translated statement


def _computed(done: Done, select: str, views: Mapping[tuple[str, str], str]) -> Computed:
    copied = [f"{view} holds the rows of {join_id(*name)}." for name, view in views.items()]
    note = (
        f"Computed by Apache Spark {done.version} with Apache Sedona {SEDONA}, in {done.tasks:,} tasks: "
        f"{done.rows_read:,} rows read, {done.bytes_shuffled / 1e6:,.1f} MB shuffled."
    )
    engine = f"Apache Spark {done.version}, Apache Sedona {SEDONA}"
    return Computed(engine, "\n".join([*(f"-- {each}" for each in copied), select]), (note,))
