"""Selects the engine of a step: PostGIS, or Spark on request or if PostGIS refuses to start the step; both, to verify
the result.

Analyst and map run steps through `Engines` only, and the receipt names the engine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

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

ON_SPARK = Template("engine_on_spark", "Computed on Spark. In PostGIS: {reason}")
NOT_VERIFIED = Template("engine_not_verified", "Not verified. In PostGIS: {reason}")
NOT_ON_SPARK = Template("engine_not_on_spark", "Not verified on Spark: {reason}")
ONE_DISTANCE = Template("engine_one_distance", "areas are compared by one distance, not by one of each row.")
OTHER_COUNT = Template(
    "engine_other_count", "Engines disagree: PostGIS made {n|one=# row|other=# rows}, and {engine} {other}."
)
SAME_COUNT = Template(
    "engine_same_count",
    "Verified: {engine} makes {n} rows, too. They are too many to be compared one by one.",
)
DIFFERENT = Template(
    "engine_different",
    "Engines disagree: {n} of {total|one=# row|other=# rows} {n|one=differs|other=differ} from those of "
    "{engine}{example}.",
)
SAME_ROWS = Template(
    "engine_same_rows", "Verified: {engine} makes the same {n|one=row|other=# rows} ({tolerance})."
)

Engine = Literal["postgis", "spark", "verify"]
"""`verify` runs a step on both, and its receipt says whether they agree."""
NAMES: Mapping[Engine | None, str] = {"spark": "Apache Spark", "verify": "PostGIS and Apache Spark"}
"""Names in plans of requested engines other than PostGIS alone."""
OTHER_ROWS = {
    "cluster": Template("engine_other_clusters", "it numbers clusters in another order there"),
    "sample": Template("engine_other_sample", "it picks other rows there, by another hash"),
    "make_valid": Template("engine_other_repair", "shapes are repaired by another method there"),
}
"""Operations whose rows differ between engines by design, with the reason."""
BUFFER_SHARE = 0.01
"""Share of its distance by which buffers may differ: JTS and GEOS leave out other corners of the outline."""


class Engines:
    """Runs steps as `StepRunner` does. `spark` is None if Spark is not configured."""

    def __init__(self, postgis: StepRunner, spark: StepRunner | None = None) -> None:
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
        """Run a step and store its result as `name`. `asked` is the requested engine; by default PostGIS, or
        Spark for a step that PostGIS refuses as too expensive and Spark supports. Raises GisError."""
        if asked in ("spark", "verify") and self._spark is None:
            raise InvalidQuestion(NO_SPARK())
        if asked == "spark" and self._spark is not None:
            return await self._spark.run(step, results, name, report, readable, room)
        try:
            made = await self._postgis.run(step, results, name, report, readable, room)
        except NotStarted as refused:
            if asked == "postgis" or self._spark is None or not self._spark.can_run(step.operation):
                raise
            made = await self._spark.run(step, results, name, report, readable, room)
            noted = _noted(made, ON_SPARK(reason=refused.reason))
            return _noted(noted, NOT_VERIFIED(reason=refused.reason)) if asked == "verify" else noted
        if asked != "verify" or self._spark is None:
            return made
        on_spark = partial(self._spark.run, step, results, second_name(name), report, readable, room)
        return await self._verified(step, made, on_spark)

    async def _verified(
        self, step: PlannedStep, made: StepResult, on_spark: Callable[[], Awaitable[StepResult]]
    ) -> StepResult:
        """The result of PostGIS, with a note whether Spark's has the same rows; that one is dropped again."""
        if step.operation in OTHER_ROWS:
            return _noted(made, NOT_ON_SPARK(reason=OTHER_ROWS[step.operation]() + "."))
        reach = None
        if step.operation == "buffer":
            distance = parse(step)[1].distance
            if distance is None:
                return _noted(made, NOT_ON_SPARK(reason=ONE_DISTANCE()))
            reach = BUFFER_SHARE * abs(distance)
        try:
            other = await on_spark()
        except DataUnavailable:
            raise
        except GisError as fault:
            return _noted(made, NOT_ON_SPARK(reason=fault.message))
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
    return replace(made, receipt=made.receipt.noting(note))


def _agreement(found: Comparison, engine: str) -> str:
    if found.rows != found.other_rows:
        return OTHER_COUNT(n=found.rows, engine=engine, other=found.other_rows)
    if found.counted_only:
        return SAME_COUNT(engine=engine, n=found.rows)
    if found.different:
        return DIFFERENT(n=found.different, total=found.rows, engine=engine, example=found.example)
    return SAME_ROWS(engine=engine, n=found.rows, tolerance=found.tolerance)
