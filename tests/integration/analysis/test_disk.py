"""A map's results take so much disk and no more: looked at before a step and while it runs, with all it needs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy import text

from server.app import Server
from server.gis.analysis import disk
from server.gis.analysis.budget import Budget
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepRunner
from server.gis.analysis.watch import Progress
from server.gis.errors import TooExpensive
from tests.integration.analysis.asking import hand_over
from tests.support import large
from tests.support.models import ScriptedModel
from tests.support.server import client, local_server

ROWS = 400_000
ALL = {"source": "data.many", "name": "twice", "expression": "value * 2"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def tables(samples_url: str) -> AsyncIterator[str]:
    connection = await asyncpg.connect(samples_url)
    await large.make(connection, "many", rows=ROWS)
    await connection.close()
    yield samples_url


@pytest.mark.parametrize(
    ("megabytes", "operation", "arguments", "why"),
    [
        # Expected to be far too large: not begun.
        (1, "calculate", ALL, "was not started: PostgreSQL expects 400,000 rows"),
        # The rows of the result grow while one statement adds them.
        (12, "lines_from_points", {"source": "data.many", "order": "id"}, "temporary space"),
        (20, "calculate", ALL, "was stopped: it takes"),
        # Sorting needs more than that on the way, in files.
        (15, "sort", {"source": "data.many", "by": "value"}, "temporary space"),
        # So does a table that only serves the step.
        (15, "nearest", {"source": "data.cities", "target": "data.many"}, "temporary space"),
    ],
)
async def test_a_step_that_takes_too_much_disk_ends_and_leaves_nothing(
    tables: str,
    megabytes: int,
    operation: str,
    arguments: dict[str, Any],
    why: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # A fast machine is done within one of the usual pauses, and then only the stored result can be measured.
    monkeypatch.setattr(disk, "CHECK_INTERVAL_S", 0.02)
    model = ScriptedModel(hand_over("much"), [(operation, {**arguments, "title": "Much"})])
    async with local_server(tables, model, result_space=megabytes) as server, client(server) as one:
        await one.ask("join")
        await one.says("much")
        results = [str(request.messages[-1]) for request in model.requests]
        assert any(why in each for each in results), results[-2:]
        (failed,) = one.named("analysis_failed")
        assert (failed["step"], failed["name"], failed["table"]) == (1, "Much", None)
        assert await left(server) == []
        # The map goes on.
        model.then(
            hand_over("few"),
            [("top", {"source": "data.many", "by": "value", "n": 5, "title": "Five"})],
            [("finish", {"summary": "Done."})],
        )
        await one.says("few")
        (done,) = one.named("analysis_finished")
        assert done["rows"] == 5
        await one.ask("layer_remove", layer_id=one.named("layer_added")[0]["layer"]["id"])
        await one.ask("result_drop", table=done["table"])


@pytest.mark.parametrize(
    ("operation", "arguments", "why"),
    [
        ("calculate", ALL, "it takes"),
        ("nearest", {"source": "data.cities", "target": "data.many"}, "temporary"),
    ],
)
async def test_where_files_may_not_be_looked_at_a_step_is_measured_between_its_statements(
    tables: str, operation: str, arguments: dict[str, Any], why: str
) -> None:
    async def tell(_progress: Progress) -> None:
        """Nobody watches."""

    async with local_server(tables) as server:
        runner = StepRunner(server.database.writer, server.registry, Budget(bytes=20_000_000), owner=None)
        step = PlannedStep(id="step_1", operation=operation, arguments=arguments, title="Much")
        with pytest.raises(TooExpensive, match=why):
            await runner.run(step, {}, "much", tell)
        assert await left(server) == []


async def left(server: Server) -> list[str]:
    """Tables of analyses, and temporary ones of sessions that go on."""
    query = text(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND (relnamespace = 'analysis'::regnamespace"
        " OR relnamespace::regnamespace::text LIKE 'pg_temp%') ORDER BY 1"
    )
    async with server.database.owner.connect() as connection:
        return list((await connection.execute(query)).scalars())
