"""Where a step runs: in PostGIS, or on Spark where somebody asked for that or PostGIS would not start it.

An analyst and a map do not know engines: they run steps through `Engines`, and the receipt says what computed them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from agents.domain import Table
from agents.ports import TableRegistry
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepResult, StepRunner
from server.gis.analysis.watch import Report
from server.gis.errors import InvalidQuestion, NotStarted

Engine = Literal["postgis", "spark"]


class SecondEngine(Protocol):
    """An engine for steps that are too expensive for PostGIS, such as Spark."""

    def can_run(self, operation: str) -> bool: ...

    async def run(
        self,
        step: PlannedStep,
        results: Mapping[str, Table],
        name: str,
        report: Report,
        readable: TableRegistry | None = None,
        room: int | None = None,
    ) -> StepResult: ...


class Engines:
    """Runs steps as `StepRunner` does. `spark` is None where none is configured."""

    def __init__(self, postgis: StepRunner, spark: SecondEngine | None = None) -> None:
        self._postgis = postgis
        self._spark = spark

    async def run(
        self,
        step: PlannedStep,
        results: Mapping[str, Table],
        name: str,
        report: Report,
        readable: TableRegistry | None = None,
        room: int | None = None,
        asked: Engine | None = None,
    ) -> StepResult:
        """Raises GisError. `asked` is the engine that somebody asked for; else PostGIS, and Spark for what PostGIS
        refuses to start as too expensive, where Spark can do it."""
        if asked == "spark":
            if self._spark is None:
                raise InvalidQuestion(
                    "No Spark is configured on this server (GEOAGENT_SPARK). Ask for it without “on Spark”."
                )
            return await self._spark.run(step, results, name, report, readable, room)
        try:
            return await self._postgis.run(step, results, name, report, readable, room)
        except NotStarted as refused:
            if asked == "postgis" or self._spark is None or not self._spark.can_run(step.operation):
                raise
            made = await self._spark.run(step, results, name, report, readable, room)
            note = f"On Spark, because in PostGIS {refused.message[0].lower()}{refused.message[1:]}"
            receipt = made.receipt.model_copy(update={"notes": (*made.receipt.notes, note)})
            return replace(made, receipt=receipt)

    async def varying(self, table: Table, columns: Sequence[str]) -> list[str]:
        """Those columns of a result that have at least two values; results are in PostGIS, whatever computed them."""
        return await self._postgis.varying(table, columns)
