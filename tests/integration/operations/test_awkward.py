"""Every operation on every awkward table gives a result, or a clear fault that says what to do: never ours.

Arguments come from the operations' schemas, so an operation that is added is swept without a word here."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from itertools import count
from typing import Any

import pytest
import pytest_asyncio
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.domain import Table
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.catalog.registry import Registry
from server.gis.errors import GisError, InternalFault
from server.gis.operations import OPERATIONS
from tests.integration.operations.arguments import variants
from tests.integration.operations.awkward import AWKWARD, statements
from tests.integration.operations.conftest import Bench

THOROUGH = ("every kind of column", "awful names", *(name for name in AWKWARD if name.startswith("taken")))
WHOLE = os.environ.get("SWEEP") == "whole"
"""Try every combination (some minutes) instead of a part that meets each table, choice and kind of column."""
UNEXPLAINED = "PostGIS could not do this"
_numbers = count(1)


class _Still:
    """A registry that does not look again: what the sweep makes is not looked at, so it need not be found."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._registry, name)

    async def refresh(self, patience: float = 0.0, only: object = None) -> None:
        """Nothing that the sweep reads has changed."""

    def get(self, name: str) -> Table:
        if name.startswith("analysis."):
            return Table(id=name, schema_name="analysis", name=name.partition(".")[2], columns=())
        return self._registry.get(name)


class _Rehearsal:
    """The writer, but every step is undone in the end: thousands of tables would be slow to drop."""

    def __init__(self, writer: AsyncEngine) -> None:
        self._writer = writer

    def __getattr__(self, name: str) -> Any:
        return getattr(self._writer, name)

    @asynccontextmanager
    async def begin(self) -> AsyncIterator[AsyncConnection]:
        async with self._writer.connect() as connection, connection.begin() as step:
            yield connection
            await step.rollback()


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def runner(bench: Bench) -> StepRunner:
    await bench.make(*statements())
    # Awkward tables would be probed again and again beside the sweep, which does not look at what changes.
    await bench.registry.stop()
    return StepRunner(_Rehearsal(bench.database.writer), _Still(bench.registry), Budget(seconds=30))  # type: ignore[arg-type]


async def _tell(_progress: Progress) -> None:
    pass


async def _tried(runner: StepRunner, operation: str, arguments: dict[str, Any]) -> GisError | None:
    step = PlannedStep(id="step_1", operation=operation, arguments=arguments)
    try:
        await runner.run(step, {}, f"swept_{next(_numbers)}", _tell)
    except GisError as fault:
        return fault
    return None


def _cases(bench: Bench, name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each table by itself, before a plain partner, and some before themselves. A value that an argument had before is
    tried again only beside one that is new."""
    seen: set[str] = set()
    place = list(OPERATIONS).index(name)
    for turn, (what, table_id) in enumerate(AWKWARD.items(), place):
        thorough = what in THOROUGH
        partners = ("plain", what) if WHOLE or (turn % 4 == 0 and not thorough) else ("plain",)
        step = 1 if WHOLE else 16 if thorough else 24
        for partner in partners:
            tables = bench.registry.get(table_id), bench.registry.get(AWKWARD[partner])
            for arguments in variants(OPERATIONS[name], *tables, thorough=thorough, step=step, turn=turn):
                values = {json.dumps(pair, sort_keys=True) for pair in arguments.items()}
                if WHOLE or not values <= seen:
                    seen |= values
                    yield what, arguments


@pytest.mark.parametrize("name", OPERATIONS)
async def test_awkward_data_gives_a_result_or_a_clear_fault(
    bench: Bench, runner: StepRunner, name: str
) -> None:
    cases = list(_cases(bench, name))
    slots = asyncio.Semaphore(4)

    async def tried(what: str, arguments: dict[str, Any]) -> tuple[str, dict[str, Any], GisError | None]:
        async with slots:
            return what, arguments, await _tried(runner, name, arguments)

    outcomes = await asyncio.gather(*(tried(*case) for case in cases))
    ours = [case for case in outcomes if isinstance(case[2], InternalFault) or UNEXPLAINED in str(case[2])]
    assert not ours, "\n".join(f"{what}: {given} {str(fault.__cause__)[:300]}" for what, given, fault in ours)
    assert any(fault is None for _what, _arguments, fault in outcomes), "refused everywhere"
    assert all(len(str(fault)) > 30 for _what, _arguments, fault in outcomes if fault is not None)
