"""Selects the engine of a step: PostGIS, or Spark on request or if PostGIS refuses to start the step; both, to verify
the result.

Analyst and map run steps through `Engines` only, and the receipt names the engine.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, Protocol

from agents.domain import Table
from agents.ports import TableRegistry
from agents.worded import Template
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepResult, StepRunner, parse
from server.gis.analysis.verification import Comparison
from server.gis.analysis.watch import Report
from server.gis.errors import DataUnavailable, GisError, InvalidQuestion, NotStarted

NO_SPARK = Template(
    "step_no_spark", "No Spark is configured on this server (GEOAGENT_SPARK). Ask for it without “on Spark”."
)

Engine = Literal["postgis", "spark", "verify"]
"""`verify` runs a step on both, and its receipt says whether they agree."""
NAMES: Mapping[Engine | None, str] = {"spark": "Apache Spark", "verify": "PostGIS and Apache Spark"}
"""What plans call an engine that was asked for, where that is not PostGIS alone."""
OTHER_ROWS = {
    "cluster": "it numbers clusters in another order there",
    "sample": "it picks other rows there, by another hash",
    "make_valid": "shapes are repaired by another method there",
}
"""Operations whose rows differ between engines by design, with the reason."""
BUFFER_SHARE = 0.01
"""Of its distance, by which a buffer may cover other places: JTS and GEOS leave out other corners of its outline."""


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
    """Runs steps as `StepRunner` does. `spark` is None if Spark is not configured."""

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
        """Raises GisError. `asked` is the requested engine; by default PostGIS, or Spark for a step that PostGIS
        refuses as too expensive and Spark supports."""
        if asked in ("spark", "verify") and self._spark is None:
            raise InvalidQuestion(NO_SPARK())
        if asked == "spark" and self._spark is not None:
            return await self._spark.run(step, results, name, report, readable, room)
        try:
            made = await self._postgis.run(step, results, name, report, readable, room)
        except NotStarted as refused:
            if asked == "postgis" or self._spark is None or not self._spark.can_run(step.operation):
                raise
            on_spark = await self._spark.run(step, results, name, report, readable, room)
            why = f"in PostGIS {refused.reason[0].lower()}{refused.reason[1:]}"
            noted = _noted(on_spark, f"On Spark, because {why}")
            return _noted(noted, f"Not verified, because {why}") if asked == "verify" else noted
        if asked != "verify" or self._spark is None:
            return made
        return await self._verified(made, self._spark, step, results, name, report, readable, room)

    async def _verified(
        self,
        made: StepResult,
        spark: SecondEngine,
        step: PlannedStep,
        results: Mapping[str, Table],
        name: str,
        report: Report,
        readable: TableRegistry | None,
        room: int | None,
    ) -> StepResult:
        """The result of PostGIS, with a note whether Spark's has the same rows; that one is dropped again."""
        if step.operation in OTHER_ROWS:
            return _noted(made, f"Not verified on Spark: {OTHER_ROWS[step.operation]}.")
        reach = None
        if step.operation == "buffer":
            distance = parse(step)[1].distance
            if distance is None:
                return _noted(
                    made, "Not verified on Spark: areas are compared by one distance, not by one of each row."
                )
            reach = BUFFER_SHARE * abs(distance)
        try:
            other = await spark.run(step, results, second_name(name), report, readable, room)
        except DataUnavailable:
            raise
        except GisError as fault:
            return _noted(made, f"Not verified on Spark: {fault.message}")
        found = await self._postgis.compare(made.table, other.table, reach)
        receipt = made.receipt.model_copy(update={"spark_sql": other.receipt.spark_sql})
        return _noted(replace(made, receipt=receipt), _agreement(found, other.receipt.engine))

    async def varying(self, table: Table, columns: Sequence[str]) -> list[str]:
        """Those columns of a result that have at least two values; results are in PostGIS, whatever computed them."""
        return await self._postgis.varying(table, columns)


def second_name(name: str) -> str:
    """The table that holds Spark's rows while they are compared with those of the table `name`."""
    return f"{name[-54:]}_on_spark"


def _noted(made: StepResult, note: str) -> StepResult:
    receipt = made.receipt.model_copy(update={"notes": (*made.receipt.notes, note)})
    return replace(made, receipt=receipt)


def _agreement(found: Comparison, engine: str) -> str:
    if found.rows != found.other_rows:
        return f"Engines disagree: PostGIS made {found.rows:,} rows, and {engine} {found.other_rows:,}."
    if found.counted_only:
        return (
            f"Verified: {engine} makes {found.rows:,} rows, too. They are too many to be compared one by one."
        )
    if found.different:
        example = f" ({found.example})" if found.example else ""
        return f"Engines disagree: {found.different:,} of {found.rows:,} rows differ from those of {engine}{example}."
    return f"Verified: {engine} makes the same {found.rows:,} rows ({found.tolerance})."
