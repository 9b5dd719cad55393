"""Runs one step of an analysis in PostGIS: priced first, in one transaction, in portions where that is possible.

A step is planned by its operation and stored as a table of the schema `analysis` by the writing role. Cancelling
the task cancels the statement in PostgreSQL and leaves nothing of the step; steps that finished stay.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import ValidationError
from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Table
from agents.ports import TableRegistry
from server.gis.analysis import storage
from server.gis.analysis.budget import Budget, check_cost
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.receipt import InputUsed, StepReceipt
from server.gis.analysis.workspace import StepWorkspace
from server.gis.errors import InvalidQuestion, TooExpensive, listed, nearest, translated
from server.gis.operations import OPERATIONS
from server.gis.operations.base import Operation, Step
from server.gis.statements import join_id


class LiveRegistry(TableRegistry, Protocol):
    """A registry that can be told to look at once, instead of when the news arrive."""

    async def refresh(self) -> None: ...


@dataclass(frozen=True)
class Progress:
    """How far a step is. `percent` is None while nothing can be known."""

    name: str
    percent: float | None
    rows: int | None
    elapsed_ms: float


Report = Callable[[Progress], Awaitable[None]]


@dataclass(frozen=True)
class StepResult:
    table: Table
    rows: int
    receipt: StepReceipt


class StepRunner:
    """Runs steps with the writer's rights. Safe for concurrent use; each running step takes one connection."""

    def __init__(self, writer: AsyncEngine, registry: LiveRegistry, budget: Budget) -> None:
        self._writer = writer
        self._registry = registry
        self._budget = budget

    async def run(
        self, step: PlannedStep, results: Mapping[str, Table], name: str, report: Report
    ) -> StepResult:
        """Store the step as `analysis.<name>`. Raises GisError."""
        operation, arguments = parse(step)
        title = step.title or step.operation
        clock = _Clock(title, report)
        try:
            async with self._writer.begin() as connection:
                await self._set_timeout(connection)
                workspace = StepWorkspace(self._registry, results, connection, step.id)
                planned: Step = await operation.build(arguments, workspace)
                for prepared in planned.prepare:
                    await clock.tell(None, None)
                    await check_cost(connection, prepared.select, self._budget, title)
                    await storage.execute(connection, storage.prepare(prepared))
                await check_cost(connection, planned.select, self._budget, title)
                rows = await self._store(connection, planned, name, clock)
                origin = f"{title}: {step.operation} of {', '.join(workspace.names_read)}."
                await storage.execute(connection, storage.finish(name, planned, origin))
                for prepared in planned.prepare:
                    await storage.execute(connection, storage.forget(prepared))
            await self._registry.refresh()
            stored = self._registry.get(join_id(storage.SCHEMA, name))
        except Exception as error:
            translated(error, title)
        receipt = StepReceipt(
            step=step.id,
            operation=step.operation,
            title=title,
            table=stored.id,
            sql=storage.script(name, planned),
            inputs=tuple(
                InputUsed(table=table.id, version=self._registry.version, rows=table.row_estimate)
                for table in workspace.tables_read
            ),
            rows=rows,
            geometry_type=stored.geometry_type,
            srid=stored.srid,
            notes=planned.notes,
            duration_ms=clock.elapsed_ms,
        )
        return StepResult(stored, rows, receipt)

    async def _set_timeout(self, connection: AsyncConnection) -> None:
        milliseconds = str(int(self._budget.seconds * 1000))
        await connection.execute(select(func.set_config("statement_timeout", milliseconds, True)))

    async def _store(self, connection: AsyncConnection, planned: Step, name: str, clock: _Clock) -> int:
        """Make the table and fill it portion by portion; how many rows it has."""
        await storage.execute(connection, storage.create(name, planned))
        rows = 0
        portions = await storage.portions(connection, planned.partition)
        for number, portion in enumerate(portions):
            await clock.tell(100.0 * number / len(portions) if len(portions) > 1 else None, rows)
            result = await connection.execute(storage.fill(name, planned, portion))
            rows += result.rowcount
            if rows > self._budget.rows:
                raise TooExpensive(
                    f"{clock.name} makes more than {self._budget.rows:,} rows. Filter its inputs, or aggregate first."
                )
        await clock.tell(100.0, rows)
        return rows


def parse(step: PlannedStep) -> tuple[Operation[Any], Any]:
    """The operation and its checked arguments. Raises InvalidQuestion with what was expected."""
    operation = OPERATIONS.get(step.operation)
    if operation is None:
        close = nearest(step.operation, OPERATIONS)
        hint = f" Did you mean {' or '.join(close)}?" if close else ""
        raise InvalidQuestion(
            f"There is no operation {step.operation!r}.{hint} Operations: {listed(sorted(OPERATIONS), 80)}."
        )
    try:
        return operation, operation.arguments.model_validate(step.arguments)
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc']) or 'arguments'}: {fault['msg']}"
            for fault in error.errors(include_url=False)[:5]
        )
        raise InvalidQuestion(f"The arguments of {step.operation} are not valid: {faults}.") from error


class _Clock:
    """Tells how far a step is and how long it has taken."""

    def __init__(self, name: str, report: Report) -> None:
        self.name = name
        self._report = report
        self._start = time.perf_counter()

    @property
    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._start) * 1000

    async def tell(self, percent: float | None, rows: int | None) -> None:
        await self._report(Progress(self.name, percent, rows, self.elapsed_ms))
