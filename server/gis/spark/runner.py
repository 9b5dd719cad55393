"""Runs one step of an analysis on Spark: planned and checked in PostGIS, computed there, stored in PostGIS again.

The operation itself plans, so that names, types, notes and refusals are the same on both engines. Its tables are
copied to a folder (`staging`), Spark writes the rows of the result there, and they come back by COPY into the
table that the step makes in the same transaction. The folder is removed in any case, and the table if a part
fails."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from sqlalchemy import FromClause, Select, column, func, select, text, true
from sqlalchemy import table as sql_table
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from agents.worded import Worded, formatted
from server.database.engines import driver_of
from server.database.quoting import quoted
from server.gis.analysis import storage
from server.gis.analysis.budget import Budget
from server.gis.analysis.counting import counted
from server.gis.analysis.runner import Computed, LiveRegistry, StepRunner, Task
from server.gis.expressions.identifiers import exact, join_id
from server.gis.lake.results import LakeResults
from server.gis.lake.storage import LakeStorage
from server.gis.lake.store import dataset_of
from server.gis.operations.support.base import Step
from server.gis.spark import fault_texts as texts
from server.gis.spark.client import Done, SparkClient
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.local_files import in_folders
from server.gis.spark.names import SEDONA
from server.gis.spark.pruning import needed_box
from server.gis.spark.staging import count_rows, load, outgoing_rows, scratch, stage
from server.gis.spark.steps.compilers import COMPILERS, DIFFERENCES, compiler
from server.gis.spark.steps.halves import Halves
from server.gis.spark.translation import spark_sql
from server.gis.spark.views import FilesView, lake_view, needed_files

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
    lake: LakeStorage = field(default_factory=LakeStorage)
    """Storage of the files of lake tables."""
    results: LakeResults | None = None
    """Keeps results that are too many rows for PostGIS; without it they are refused."""


class SparkRunner(StepRunner):
    """A `StepRunner` whose rows are computed by Spark. Also raises SparkUnavailable, SparkFailed and NotOnSpark."""

    engine = "Apache Spark"

    def __init__(
        self,
        writer: AsyncEngine,
        registry: LiveRegistry,
        budget: Budget,
        options: SparkOptions,
        owner: AsyncEngine | None = None,
        client: SparkClient | None = None,
    ) -> None:
        """`client` may be shared with work in the background, which makes way for steps."""
        super().__init__(writer, registry, budget, owner)
        self.options = options
        self._client = client or SparkClient(options.url)

    @staticmethod
    def can_run(operation: str) -> bool:
        return operation in COMPILERS

    async def _compute(self, task: Task) -> tuple[Step, int, Computed]:
        compile_ = compiler(task.operation.name)
        if task.arguments.parts != "as_is":
            raise NotOnSpark(f"parts={task.arguments.parts!r}", texts.PARTS())
        named = {each: task.workspace.stored(each) for each in task.operation.tables(task.arguments)}
        task.workspace.trust()
        planned = await self._plan(task)
        if planned.prepare:  # Prepared tables stay empty, so nothing can be counted with them.
            planned = planned.without_counting()
        # Before rows are copied: what Spark cannot do is refused at once.
        made = compile_(task.arguments, task.workspace, planned)
        made = await made if isinstance(made, Awaitable) else made
        halves = made if isinstance(made, Halves) else None
        wanted = made.spark if isinstance(made, Halves) else self._flat(task, planned, made)
        tables = {table.id: (table, rows) for table, rows in named.values()}
        names = {(table.schema_name, table.name): f"t{n}" for n, (table, _) in enumerate(tables.values(), 1)}
        statement = spark_sql(wanted, names, task.operation.name)
        await self._may_wait(task)
        async with scratch(self.options.folder) as folder:
            views = await self._views(task, named, names, folder)
            declared = await self._empty(task, planned)
            types = declared if halves is None else halves.types(declared)
            task.watch.computed(None, None)
            done = await self._client.write(
                views,
                outgoing_rows(statement, types),
                str(folder / "result"),
                self.options.seconds,
                lambda share: task.watch.computed(share, None),
            )
            kept: tuple[str, ...] = ()
            if halves is not None:
                count = await self._laid_out(task, planned, halves, folder / "result", types)
            else:
                count, kept = await self._kept(task, planned, folder / "result", types)
        computed = _computed(
            done, statement, {name: tables[join_id(*name)][0] for name in names}, names, views
        )
        if any(table.lake is not None and table.lake.is_sampled for table, _ in tables.values()):
            planned = replace(planned, notes=tuple(map(_of_sample, planned.notes)))
            task.workspace.notes[:] = map(_of_sample, task.workspace.notes)
        counts: tuple[str, ...] = ()
        if not kept:
            planned, counts = await counted(task.connection, task.name, planned)
        other = [DIFFERENCES[each]() for each in (task.operation.name,) if each in DIFFERENCES]
        return (
            planned,
            count,
            replace(computed, notes=(*kept, *counts, *other, *computed.notes), sampled=bool(kept)),
        )

    def _flat(self, task: Task, planned: Step, select: Select[Any]) -> Select[Any]:
        return storage.flat(replace(planned, select=select), task.workspace.tables_read).select

    async def _views(
        self,
        task: Task,
        named: Mapping[str, tuple[Table, FromClause]],
        names: Mapping[tuple[str, str], str],
        folder: Path,
    ) -> Mapping[str, FilesView]:
        """What Spark reads under each name: rows that are copied to a folder, and files of lake tables."""
        tables = {table.id: (table, rows) for table, rows in named.values()}
        views: dict[str, FilesView] = {}
        loop = asyncio.get_running_loop()
        for number, (table, rows) in enumerate(tables.values()):
            task.watch.part("preparing", number, len(tables))

            def copied(share: float, number: int = number) -> None:
                place = 100 * number + round(100 * share)
                loop.call_soon_threadsafe(task.watch.part, "preparing", place, 100 * len(tables))

            view = names[table.schema_name, table.name]
            if table.lake is None:
                views[view] = await stage(task.connection, table, rows, folder / f"{view}.parquet")
            else:
                others = {name: each for name, (each, _) in named.items()}
                views[view] = await self._files(task, table, others, copied)
        return views

    async def _laid_out(
        self, task: Task, planned: Step, halves: Halves, written: Path, types: Mapping[str, str]
    ) -> int:
        """Bring the groups that Spark counted into PostGIS, and make the rows of the result of them; how many."""
        self._counted(await count_rows(written), task.watch)
        name = task.workspace.temporary("counted")
        columns = ", ".join(f"{quoted(each)} {declared}" for each, declared in types.items())
        await task.connection.exec_driver_sql(
            f"CREATE TEMPORARY TABLE {quoted(name)} ({columns}) ON COMMIT DROP"
        )
        await load(await driver_of(task.connection), written, "pg_temp", name, list(types))
        if halves.prepare is not None:
            await halves.prepare(task.connection, name)
        groups = sql_table(name, *(column(exact(each)) for each in types)).alias("counted")
        laid = storage.typed(replace(planned, select=halves.layout(groups)))
        made = await task.connection.execute(storage.fill(task.name, laid, true()))
        return self._counted(made.rowcount, task.watch)

    async def _kept(
        self, task: Task, planned: Step, written: Path, types: Mapping[str, str]
    ) -> tuple[int, tuple[str, ...]]:
        """Store what Spark wrote: in PostGIS, or in the lake where it is too many rows; how many, and what to note."""
        rows, results = await count_rows(written), self.options.results
        if results is None or rows <= self._budget.rows:
            self._counted(rows, task.watch)
            driver = await driver_of(task.connection)
            loaded = await load(driver, written, storage.SCHEMA, task.name, list(types))
            return self._counted(loaded, task.watch), ()
        shape = (planned.geometry_type, int(planned.srid)) if planned.geometry_type and planned.srid else None
        rows = await results.keep(task.connection, written, storage.SCHEMA, task.name, types, shape)
        return rows, (texts.IN_FILES(n=rows, most=self._budget.rows),)

    async def _may_wait(self, task: Task) -> None:
        """Nothing happens in the transaction while Spark computes, for which PostgreSQL would end it."""
        milliseconds = str(int((self.options.seconds + 60) * 1000))
        await task.connection.execute(
            select(func.set_config("idle_in_transaction_session_timeout", milliseconds, True))
        )

    async def _files(
        self, task: Task, table: Table, named: Mapping[str, Table], copied: Callable[[float], None]
    ) -> FilesView:
        """The files of a lake table, without those that lie where nothing of the step can be. `copied` is called
        with the share that is copied, where they must be."""
        dataset = await dataset_of(task.connection, table)
        await asyncio.to_thread(self.options.lake.check_present, dataset, table.id)
        boxes = [
            await needed_box(task.connection, task.operation.name, task.arguments, name, named)
            for name, each in named.items()
            if each.id == table.id
        ]
        # Where the table is used twice, both boxes matter.
        box = boxes[0] if len(boxes) == 1 else None
        dataset, size = await in_folders(
            self.options.lake, dataset, needed_files(dataset, box), table, self.options.seconds, copied
        )
        return replace(lake_view(dataset, box), copied=size)

    async def _empty(self, task: Task, planned: Step) -> Mapping[str, str]:
        """Make the result's table without rows, as PostGIS's own statement types it; its columns and their types."""
        for prepared in planned.prepare:
            empty = replace(prepared, select=prepared.select.limit(0))
            await storage.execute(task.connection, storage.prepare(empty, "TEMPORARY", schema=""))
        await storage.execute(task.connection, storage.create(task.name, planned))
        relation = f"{storage.SCHEMA}.{quoted(task.name)}"
        found = (await task.connection.execute(_TYPES, {"relation": relation})).all()
        return {str(row.attname): str(row.declared) for row in found}


def megabytes(size: float) -> Worded:
    """A size in bytes as megabytes with one decimal."""
    return formatted(size / 1e6, ",.1f")


def _of_sample(note: str) -> str:
    """What was found out about a lake table before a step is of its sample."""
    return texts.OF_SAMPLE(note=note)


def _computed(
    done: Done,
    select: str,
    tables: Mapping[tuple[str, str], Table],
    names: Mapping[tuple[str, str], str],
    views: Mapping[str, FilesView],
) -> Computed:
    origins: list[str] = []
    notes: list[str] = []
    for name, view in names.items():
        table, read = tables[name], views[view]
        if table.lake is None:
            origins.append(f"{view} holds the rows of {join_id(*name)}.")
            continue
        some = texts.SOME_FILES(
            files=len(read.files), all_files=table.lake.files, rows=read.rows, all_rows=table.lake.rows
        )
        origins.append(f"{view} is read from the Parquet files of {table.id}: {some}.")
        notes.append(texts.READ_FROM_FILES(table=table.id, some=some))
        if read.copied is not None:
            notes.append(texts.COPIED(size=megabytes(read.copied), table=table.id))
    work_done = texts.NOT_REPORTED()
    if done.rows_read is not None and done.bytes_shuffled is not None:
        work_done = texts.WORK_DONE(rows=done.rows_read, size=megabytes(done.bytes_shuffled))
    if done.bytes_spilled:
        work_done += texts.SPILLED(size=megabytes(done.bytes_spilled))
    notes.append(texts.COMPUTED(version=done.version, sedona=SEDONA, n=done.tasks, work=work_done))
    engine = f"Apache Spark {done.version}, Apache Sedona {SEDONA}"
    return Computed(engine, "\n".join([*(f"-- {each}" for each in origins), select]), tuple(notes))
