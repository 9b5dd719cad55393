"""A step that somebody asks to verify says whether two engines made the same rows."""

from __future__ import annotations

from typing import Any

import pytest

from server.gis.analysis.budget import Budget
from server.gis.analysis.engines import Engines
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepResult, StepRunner
from server.gis.analysis.watch import Progress
from tests.integration.operations.conftest import Bench

STEP = PlannedStep(
    id="step_1",
    operation="measure",
    arguments={"source": "data.countries", "measures": ["area"]},
    title="Areas",
)


class OtherEngine(StepRunner):
    """A second engine that runs another step, so that its rows differ in a known way."""

    step = STEP

    def can_run(self, _operation: str) -> bool:
        return True

    async def run(self, _step: PlannedStep, *rest: Any, **options: Any) -> StepResult:
        return await super().run(self.step, *rest, **options)


async def silent(_progress: Progress) -> None:
    pass


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (STEP, "Verified: PostGIS makes the same {rows} rows"),
        (
            STEP.model_copy(
                update={
                    "operation": "filter",
                    "arguments": {"source": "data.countries", "filter": "name <> 'Peru'"},
                }
            ),
            "Engines disagree: PostGIS made {rows} rows, and PostGIS",
        ),
        (
            STEP.model_copy(
                update={
                    "operation": "calculate",
                    "arguments": {"source": "data.countries", "name": "area_m2", "expression": "1.0 * id"},
                }
            ),
            "Engines disagree: {rows} of {rows} rows differ from those of PostGIS (for example id = ",
        ),
    ],
)
async def test_what_another_engine_makes_is_compared_row_by_row(
    bench: Bench, other: PlannedStep, said: str
) -> None:
    second = OtherEngine(bench.database.writer, bench.registry, Budget())
    second.step = other
    engines = Engines(StepRunner(bench.database.writer, bench.registry, Budget()), second)
    made = await engines.run(STEP, {}, f"verified_against_{other.operation}", silent, asked="verify")
    assert made.receipt.notes[-1].startswith(said.format(rows=made.rows))
    assert not [each.id for each in bench.registry.tables() if each.id.endswith("_on_spark")]


BUFFER = STEP.model_copy(
    update={"operation": "buffer", "arguments": {"source": "data.some_cities", "distance": "20 km"}}
)


@pytest.mark.parametrize(
    ("metres", "said"),
    [
        (20_150, "Verified: PostGIS makes the same {rows} rows (numbers to six digits, areas within 200 m)."),
        (20_300, "Engines disagree: {rows} of {rows} rows differ"),
    ],
)
async def test_buffers_cover_the_same_places_to_a_hundredth_of_the_distance(
    bench: Bench, metres: int, said: str
) -> None:
    await bench.make(
        "DROP TABLE IF EXISTS data.some_cities",
        "CREATE TABLE data.some_cities AS SELECT * FROM data.cities ORDER BY id LIMIT 50",
    )
    second = OtherEngine(bench.database.writer, bench.registry, Budget())
    second.step = BUFFER.model_copy(update={"arguments": {**BUFFER.arguments, "distance": f"{metres} m"}})
    engines = Engines(StepRunner(bench.database.writer, bench.registry, Budget()), second)
    made = await engines.run(BUFFER, {}, f"buffer_against_{metres}", silent, asked="verify")
    assert made.receipt.notes[-1].startswith(said.format(rows=made.rows))


async def test_what_cannot_be_compared_says_why(bench: Bench) -> None:
    runner = StepRunner(bench.database.writer, bench.registry, Budget())
    engines = Engines(runner, OtherEngine(bench.database.writer, bench.registry, Budget()))
    sample = STEP.model_copy(
        update={"operation": "sample", "arguments": {"source": "data.countries", "n": 5}}
    )
    made = await engines.run(sample, {}, "verified_sample", silent, asked="verify")
    assert made.receipt.notes[-1].startswith("Not verified on Spark: it picks other rows there")
