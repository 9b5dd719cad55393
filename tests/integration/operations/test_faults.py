"""Whose fault it is: a statement that we built wrong is ours and in the log; a table that changed is said to have."""

from __future__ import annotations

import pytest
from sqlalchemy import column, func, select
from sqlalchemy.sql.elements import ColumnElement
from structlog.testing import capture_logs

from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.errors import InternalFault, InvalidFilter, UnknownColumn
from server.gis.operations import OPERATIONS
from server.gis.operations.support.base import Arguments, Operation, Step, Workspace, table_argument
from tests.integration.operations.conftest import Bench

WRONG: dict[str, ColumnElement[object]] = {
    "a column that is not there": column("no_such_column"),
    "a function that is not there": func.no_such_function(),
    "a shape that its column does not take": func.ST_GeomFromText("POINT Z(1 2 3)", 4326),
}


class _WrongArguments(Arguments):
    source: str = table_argument("The table.")


class _Wrong:
    """An operation with a mistake in its SQL. (No Operation by class, which would offer it to everybody.)"""

    arguments = _WrongArguments
    computes = False

    def __init__(self, mistake: ColumnElement[object]) -> None:
        self._mistake = mistake

    async def build(self, arguments: _WrongArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        statement = select(self._mistake.label("geom")).select_from(source.rows)
        return Step(statement, geometry_type="Point", srid=4326)


@pytest.fixture
def wrong(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    operation: Operation[_WrongArguments] = _Wrong(WRONG[request.param])  # type: ignore[assignment]
    monkeypatch.setitem(OPERATIONS, "wrong", operation)
    return


@pytest.mark.parametrize("wrong", WRONG, indirect=True)
async def test_a_statement_built_wrong_is_our_fault_and_logged(bench: Bench, wrong: None) -> None:
    with capture_logs() as logged, pytest.raises(InternalFault, match="fault of GeoAgent") as fault:
        await bench.run("wrong", source="data.cities")
    assert fault.value.code == "internal"
    assert "no_such" not in fault.value.message
    assert [line["log_level"] for line in logged if "database" in line["event"]] == ["error"]


async def test_a_column_that_was_dropped_meanwhile_is_not_an_internal_error(bench: Bench) -> None:
    await bench.make("CREATE TABLE data.shrinking (id int PRIMARY KEY, gone int)")

    async def tell(_progress: Progress) -> None:
        pass

    known = bench.registry.get("data.shrinking")
    await bench.make("ALTER TABLE data.shrinking DROP COLUMN gone")
    step = PlannedStep(id="step_1", operation="top", arguments={"source": "before", "by": "gone"})
    runner = StepRunner(bench.database.writer, bench.registry, Budget())
    with capture_logs() as logged, pytest.raises(UnknownColumn, match="does not exist any more"):
        await runner.run(step, {"before": known}, "shrunk", tell)
    assert not [line for line in logged if line["log_level"] == "error"]


async def test_a_value_that_cannot_be_computed_with_says_what_it_is(bench: Bench) -> None:
    with pytest.raises(InvalidFilter, match="becomes too large"):
        await bench.run("calculate", source="data.cities", name="x", expression="exp(population + 1000)")
