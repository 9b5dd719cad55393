"""Runs the steps of a receipt again over the tables as they are now, each on the engine that computed it, and compares
what they make with what the receipt says and with the tables that were kept. Nothing of it stays."""

from __future__ import annotations

import secrets
from collections.abc import AsyncGenerator
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.analysis.engines import Engine, Engines
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.receipt import Receipt, StepReceipt
from server.gis.analysis.runner import LiveRegistry
from server.gis.analysis.verification import Comparison, compare_tables
from server.gis.analysis.watch import Progress
from server.gis.errors import UnknownTable
from server.gis.lake.results import LakeResults


@dataclass(frozen=True)
class Repeated:
    """One step as it ran before and now."""

    before: StepReceipt
    now: StepReceipt
    comparison: Comparison | None
    """With the rows that were kept; None where they are gone or stay in files."""

    @property
    def agrees(self) -> bool:
        """Whether the step gave the same number of rows, and the same rows where they could be compared."""
        compared = self.comparison is None or self.comparison.agrees
        return self.before.rows == self.now.rows and compared

    def changed_inputs(self) -> list[str]:
        """What is known of tables that are not as they were."""
        before = {used.table: used for used in self.before.inputs}
        changes = []
        for used in self.now.inputs:
            known = before.get(used.table)
            if known is None or used.version == known.version:
                continue
            if used.rows != known.rows:
                changes.append(f"{used.table} had {known.rows:,} rows, and has {used.rows:,}.")
            else:
                changes.append(f"{used.table} may have changed since: it has another version.")
        return changes


@dataclass(frozen=True)
class Rerun:
    """`results` is where large results stay as files, if anywhere."""

    engines: Engines
    registry: LiveRegistry
    writer: AsyncEngine
    results: LakeResults | None = None

    async def steps(self, receipt: Receipt) -> AsyncGenerator[Repeated]:
        """Each step once it ran. Raises GisError. Close the iterator, so that the tables go."""
        made: dict[str, Table] = {}
        try:
            async with self.writer.connect() as guard:
                # The server drops tables that belong to no analysis, unless they are locked.
                await guard.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
                for before in receipt.steps:
                    yield await self._step(before, made, guard)
        finally:
            for table in {table.id: table for table in made.values()}.values():
                await self._drop(table)

    async def _step(self, before: StepReceipt, made: dict[str, Table], guard: AsyncConnection) -> Repeated:
        engine: Engine = "postgis" if before.engine.startswith("PostGIS") else "spark"
        step = PlannedStep(
            id=before.step, operation=before.operation, arguments=before.arguments, title=before.title
        )
        name = f"again_{secrets.token_hex(6)}"
        result = await self.engines.run(step, made, name, _silent, asked=engine, room=None)
        # Later steps name it by its step, or as the table that it was.
        made[before.step] = made[before.table] = result.table
        table = quoted(result.table.schema_name, result.table.name)
        await guard.exec_driver_sql(f"LOCK TABLE {table} IN ACCESS SHARE MODE")
        return Repeated(before, result.receipt, await self._compared(before, result.table))

    async def _compared(self, before: StepReceipt, now: Table) -> Comparison | None:
        try:
            kept = self.registry.get(before.table)
        except UnknownTable:
            return None
        if kept.lake is not None or now.lake is not None:
            return None
        async with self.writer.connect() as connection:
            return await compare_tables(connection, kept, now)

    async def _drop(self, table: Table) -> None:
        async with self.writer.begin() as connection:
            await connection.exec_driver_sql(f"DROP TABLE {quoted(table.schema_name, table.name)}")
        if table.lake is not None and self.results is not None:
            await self.results.forget(table.name)


async def _silent(_progress: Progress) -> None:
    pass
