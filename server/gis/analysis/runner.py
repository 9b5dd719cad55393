"""Runs one step of an analysis in PostGIS: after an estimate of its cost, in one transaction, and in portions if
possible.

A step is planned by its operation and stored as a table of the schema `analysis` by the writing role. Cancelling the
task cancels the statement in PostgreSQL and removes everything of the step; finished steps stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NoReturn, Protocol

from pydantic import ValidationError
from sqlalchemy import ColumnElement, Select, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.core.errors import faults_in
from agents.core.nearest import nearest
from agents.domain import Table
from agents.ports import TableRegistry
from agents.result_rows import origin
from agents.worded import Template, wordings_of
from server.database.quoting import quoted
from server.gis.analysis import ranges, storage
from server.gis.analysis.budget import Budget, check_cost, check_pairs, check_whole
from server.gis.analysis.counting import Breakdown, breakdown, counted, varying
from server.gis.analysis.disk import DiskWatch, room_error, temporary_space_error
from server.gis.analysis.inputs import inputs_of
from server.gis.analysis.narrowing import in_srid, narrowed
from server.gis.analysis.parts import with_parts
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.receipt import StepReceipt
from server.gis.analysis.verification import Comparison, compare_tables
from server.gis.analysis.watch import Report, StepWatch
from server.gis.analysis.workspace import StepWorkspace
from server.gis.errors import (
    InvalidQuestion,
    TooExpensive,
    UnknownTable,
    did_you_mean,
    is_undefined,
    listed,
    translated,
)
from server.gis.expressions.identifiers import join_id
from server.gis.operations import OPERATIONS
from server.gis.operations.support.base import Operation, Step

IN_SYSTEM = Template("step_in_system", "Shapes are in EPSG:{srid}, as those of the table.")
NOT_IN_SYSTEM = Template(
    "step_not_in_system", "Shapes are in EPSG:{own}: some have no place in EPSG:{srid}, that of the table."
)


NO_OPERATION = Template("step_no_operation", "There is no operation {name}.{hint} Operations: {names}.")
MANY_ROWS = Template(
    "step_many_rows", "{step} makes more than {n} rows. Filter its inputs, or aggregate first."
)
ARGUMENTS = Template("step_arguments", "The arguments of {operation} are not valid: {faults}.")

SAMPLED_TARGET = 30
"""PostgreSQL's `default_statistics_target` for tables of a step: ANALYZE reads a sample of 9,000 rows in place of
30,000, which is right to a percent."""
_LIMITS = text(
    "SELECT pg_backend_pid() AS pid, set_config('statement_timeout', :milliseconds, true),"
    f" set_config('default_statistics_target', '{SAMPLED_TARGET}', true),"
    # PostgreSQL ends the statements of a server that was killed, where it can detect that.
    " CASE WHEN current_setting('client_connection_check_interval', true) IS NOT NULL AND version() LIKE '%linux%'"
    " THEN set_config('client_connection_check_interval', '1000', true) END"
)

PARALLEL_COST = 1e5
"""Planner cost (some tenths of a second) from which on several processes are worth the time to start them."""
_PARALLEL = text(
    # Figures of few large areas take as long as copies of many rows; and PostgreSQL overestimates the cost of passing
    # on a row tenfold, compared with work on geometries.
    "SELECT set_config('min_parallel_table_scan_size', '0', true), set_config('parallel_tuple_cost', '0.01', true)"
)

_USUAL = text("SET LOCAL min_parallel_table_scan_size TO DEFAULT")
"""Keeps PostgreSQL from starting processes to build the key of ten rows."""


class LiveRegistry(TableRegistry, Protocol):
    """A registry that can be refreshed at once instead of at the next notification."""

    async def refresh(self, patience: float = ..., only: tuple[str, str] | None = ...) -> None:
        """Read changed tables now. `patience` is the time in seconds to wait until new tables have been probed;
        `only` is the schema and the name of the only table to read."""


PROBE_TIMEOUT_S = 5.0
"""Seconds to probe a result: the next step may need facts that only a probe finds."""


@dataclass(frozen=True)
class StepResult:
    """A stored result, and its entry for the receipt."""

    table: Table
    rows: int
    receipt: StepReceipt
    breakdown: Breakdown
    style: Mapping[str, Any] | None
    """What shows the finding, as in `Step.style`."""
    method: Sequence[str] = ()
    """Those notes of the receipt that say how it was computed, as in `Step.method`."""


@dataclass(frozen=True)
class Task:
    """A running step in the transaction of a connection; `room` is the space for its result in bytes."""

    connection: AsyncConnection
    operation: Operation[Any]
    arguments: Any
    workspace: StepWorkspace
    name: str
    watch: StepWatch
    disk: DiskWatch
    room: int


@dataclass(frozen=True)
class Computed:
    """How the rows were computed, for the receipt."""

    engine: str = "PostGIS"
    spark_sql: str | None = None
    notes: tuple[str, ...] = ()
    sampled: bool = False
    """The table holds a sample of the rows, from which nothing is concluded."""


class StepRunner:
    """Runs steps with the writer's rights. Safe for concurrent use; each running step takes one connection."""

    engine: ClassVar[str | None] = None
    """What progress calls an engine other than PostGIS."""

    def __init__(
        self, writer: AsyncEngine, registry: LiveRegistry, budget: Budget, owner: AsyncEngine | None = None
    ) -> None:
        """`owner` is used to measure a step's disk space while it runs; without it, space is measured between
        statements."""
        # All portions of a step use one snapshot: a row that is updated meanwhile moves to another page, and would be
        # read twice or not at all.
        self._writer = writer.execution_options(isolation_level="REPEATABLE READ")
        self._registry = registry
        self._budget = budget
        self._owner = owner

    @staticmethod
    def can_run(operation: str) -> bool:
        """Whether the engine has the operation of this name. Some of its options may still be refused."""
        return operation in OPERATIONS

    async def run(
        self,
        step: PlannedStep,
        results: Mapping[str, Table],
        name: str,
        report: Report,
        readable: TableRegistry | None = None,
        room: int | None = None,
    ) -> StepResult:
        """Store the step as `analysis.<name>`, in at most `room` bytes. `report` is awaited with the progress. Raises
        GisError.

        Names are looked up among the `results` of earlier steps by step id, then in what is `readable` (all tables, if
        left out)."""
        operation, arguments = parse(step)
        title = step.title or step.operation
        room = self._budget.bytes if room is None else room
        watch = StepWatch(title, report, self._writer, self.engine)
        workspace: StepWorkspace | None = None
        try:
            async with watch:
                async with self._writer.begin() as connection:
                    watch.pid = await self._limit(connection)
                    workspace = StepWorkspace(readable or self._registry, results, connection, name)
                    await workspace.examine(operation, arguments)
                    disk = DiskWatch(title, self._owner, watch.pid, room, self._budget.bytes, watch.stored)
                    task = Task(connection, operation, arguments, workspace, name, watch, disk, room)
                    async with disk:
                        planned, rows, computed = await self._compute(task)
                        inputs = await inputs_of(connection, workspace.tables_read)
                        watch.computed(1.0, rows)
                        typing = None
                        if not computed.sampled:
                            typing, computed = await self._typed(task, planned, computed)
                        await self._finish(task, planned)
                        await self._check_room(task)
                        classes = {} if computed.sampled else await breakdown(connection, name, planned)
                await self._registry.refresh(PROBE_TIMEOUT_S, (storage.SCHEMA, name))
                stored = self._registry.get(join_id(storage.SCHEMA, name))
        except Exception as error:
            await self._refuse(error, title, workspace)
        notes = (*planned.method, *planned.notes, *workspace.notes, *computed.notes)
        receipt = StepReceipt(
            step=step.id,
            operation=step.operation,
            arguments=step.arguments,
            title=title,
            table=stored.id,
            sql=storage.script(name, planned, typing),
            inputs=inputs,
            rows=rows,
            geometry_type=stored.geometry_type,
            srid=stored.srid,
            notes=notes,
            wording=wordings_of(notes),
            duration_ms=watch.elapsed_ms,
            engine=computed.engine,
            spark_sql=computed.spark_sql,
        )
        return StepResult(stored, rows, receipt, classes, planned.style, planned.method)

    async def varying(self, table: Table, columns: Sequence[str]) -> list[str]:
        """The columns of a result that have at least two different values."""
        async with self._writer.begin() as connection:
            await self._limit(connection)
            return await varying(connection, table, columns)

    async def compare(self, kept: Table, other: Table, reach: float | None = None) -> Comparison:
        """Compare two results as `compare_tables` does, and drop the other one."""
        async with self._writer.begin() as connection:
            await self._limit(connection)
            found = await compare_tables(connection, kept, other, reach)
            await connection.exec_driver_sql(f"DROP TABLE {quoted(other.schema_name, other.name)}")
        await self._registry.refresh(PROBE_TIMEOUT_S, (other.schema_name, other.name))
        return found

    async def _compute(self, task: Task) -> tuple[Step, int, Computed]:
        """Make the table of the result with all its rows; the step as planned, and how many rows."""
        title, connection = task.watch.name, task.connection
        planned = await self._plan(task)
        check_whole(task.workspace.tables_read, title)
        await check_pairs(connection, planned.pairs, self._budget, title)
        if planned.prepare:
            async with task.disk.preparing(connection):
                await self._prepare(connection, planned, task.watch)
        cost = await self._price(connection, planned.select, title, task.room)
        rows = await self._store(task, planned, cost)
        planned, notes = await counted(connection, task.name, planned)
        return planned, rows, Computed(notes=notes)

    async def _typed(self, task: Task, planned: Step, computed: Computed) -> tuple[str | None, Computed]:
        """Give the geometry of the result its type, and the reference system of the first table that was named; the
        statement that did."""
        connection, srid = task.connection, task.workspace.srid_of(task.operation, task.arguments)
        moved = None
        if planned.geometry_type is not None and srid > 0 and planned.srid not in (0, srid):
            moved = await in_srid(connection, storage.SCHEMA, task.name, planned, srid)
            note = (
                NOT_IN_SYSTEM(own=str(planned.srid), srid=str(srid))
                if moved is None
                else IN_SYSTEM(srid=str(srid))
            )
            computed = replace(computed, notes=(*computed.notes, note))
        typing = await narrowed(connection, storage.SCHEMA, task.name, planned)
        await storage.execute(connection, [typing] if typing else [])
        return ";\n".join(filter(None, (moved, typing))) or None, computed

    async def _plan(self, task: Task) -> Step:
        built = with_parts(await task.operation.build(task.arguments, task.workspace), task.arguments.parts)
        return storage.typed(storage.flat(built, task.workspace.tables_read))

    async def _refuse(self, error: Exception, title: str, workspace: StepWorkspace | None) -> NoReturn:
        """Raise the GisError that explains a database error. An unknown name is our fault unless a table changed
        meanwhile."""
        unchanged = False
        if is_undefined(error) and workspace is not None:
            await self._registry.refresh()
            unchanged = all(self._is_as_before(table) for table in workspace.tables_read)
        translated(error, title, unchanged=unchanged)

    def _is_as_before(self, table: Table) -> bool:
        try:
            now = self._registry.get(table.id)
        except UnknownTable:
            return False
        return [(each.name, each.sql_type) for each in now.columns] == [
            (each.name, each.sql_type) for each in table.columns
        ]

    async def _limit(self, connection: AsyncConnection, statements: int = 1) -> int:
        """Set the limits of the transaction, in which the next statement counts as `statements`; returns the id of the
        PostgreSQL process."""
        milliseconds = str(int(self._budget.seconds * 1000 * statements))
        return int((await connection.execute(_LIMITS, {"milliseconds": milliseconds})).one().pid)

    async def _prepare(self, connection: AsyncConnection, planned: Step, watch: StepWatch) -> None:
        """Create the tables that serve the step only; each is priced first."""
        await connection.exec_driver_sql(storage.FIND_PREPARED)
        for number, prepared in enumerate(planned.prepare):
            watch.part("preparing", number, len(planned.prepare))
            await self._price(connection, prepared.select, watch.name, self._budget.bytes)
            await ranges.prepare(connection, prepared)
            taken = await storage.passing_size(connection, planned.prepare[: number + 1])
            if taken > self._budget.bytes:
                raise temporary_space_error(watch.name, taken, self._budget.bytes)

    async def _price(
        self, connection: AsyncConnection, statement: Select[Any], title: str, room: int
    ) -> float:
        """The cost that the planner expects, as `check_cost` gives it. From PARALLEL_COST on, PostgreSQL is to use
        several processes where it can."""
        cost = await check_cost(connection, statement, self._budget, title, room)
        if cost > PARALLEL_COST:
            await connection.execute(_PARALLEL)
        return cost

    async def _store(self, task: Task, planned: Step, cost: float) -> int:
        """Create the table; returns the number of rows. A long step is stored in portions where nothing else would show
        its progress, else by one statement, which may take as long as they together."""
        connection, name = task.connection, task.name
        portions = await storage.portions(connection, planned.portion_source, cost)
        if portions and not await task.disk.sees():
            return await self._store_in_portions(task, planned, portions)
        task.watch.expect(await storage.expected_size(connection, planned) if portions else 0.0)
        pages = await self._ranges(task, planned, cost)
        address = None if planned.portion_source is None else planned.portion_source.address
        if address is not None and pages:
            await storage.execute(connection, ranges.begin(name, planned.select, address, pages))
        if portions:
            await self._limit(connection, len(portions))
        statement = storage.at_once(name, planned, ranges.rows(name) if pages else None)
        made = await connection.exec_driver_sql(statement)
        if portions:
            await self._limit(connection)
        await storage.execute(connection, ranges.end(name) if pages else [])
        return self._counted(made.rowcount, task.watch)

    async def _ranges(self, task: Task, planned: Step, cost: float) -> Sequence[int]:
        """The pages on which ranges of the source begin, for a step that PostgreSQL would compute in one process."""
        # Foreign tables, perhaps behind views, must not be read by several processes.
        is_here = all(each.kind in ("table", "materialized view") for each in task.workspace.tables_read)
        if cost < PARALLEL_COST or not is_here or await storage.is_parallel(task.connection, planned):
            return []
        return await storage.source_ranges(task.connection, planned.portion_source)

    async def _store_in_portions(
        self, task: Task, planned: Step, portions: Sequence[ColumnElement[bool]]
    ) -> int:
        connection, name, watch = task.connection, task.name, task.watch
        await storage.execute(connection, storage.create(name, planned))
        rows = 0
        for number, portion in enumerate(portions):
            watch.computed(number / len(portions), rows if number else None)
            result = await connection.execute(storage.fill(name, planned, portion))
            rows += result.rowcount
            if number + 1 < len(portions):
                self._counted(rows, watch)
                await self._check_room(task)
        return self._counted(rows, watch)

    def _counted(self, rows: int, watch: StepWatch) -> int:
        if rows > self._budget.rows:
            raise TooExpensive(MANY_ROWS(step=watch.name, n=self._budget.rows))
        return rows

    async def _finish(self, task: Task, planned: Step) -> None:
        workspace, watch = task.workspace, task.watch
        made_of = ", ".join(workspace.names_read)
        comment = origin(watch.name, task.operation.name, made_of, planned.rows_of)
        await task.connection.execute(_USUAL)
        finishing = list(storage.finish(task.name, planned, comment, workspace.tables_read))
        for number, statement in enumerate(finishing):
            watch.part("storing", number, len(finishing))
            await storage.execute(task.connection, [statement])
        for prepared in planned.prepare:
            await storage.execute(task.connection, storage.forget(prepared))

    async def _check_room(self, task: Task) -> None:
        size = await storage.size(task.connection, task.name)
        if size > task.room:
            raise room_error(task.watch.name, size, task.room)


def parse(step: PlannedStep) -> tuple[Operation[Any], Any]:
    """The operation and its checked arguments. Raises InvalidQuestion with what was expected."""
    operation = OPERATIONS.get(step.operation)
    if operation is None:
        close = nearest(step.operation, OPERATIONS)
        hint = did_you_mean(close)
        raise InvalidQuestion(
            NO_OPERATION(name=repr(step.operation), hint=hint, names=listed(sorted(OPERATIONS), 80))
        )
    try:
        return operation, operation.arguments.model_validate(step.arguments)
    except ValidationError as error:
        faults = faults_in("arguments", error)
        raise InvalidQuestion(ARGUMENTS(operation=step.operation, faults=faults)) from error
