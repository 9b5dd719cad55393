"""Stop ends the statement in PostgreSQL, whatever it is at; what had finished is kept, and nothing else is left.

How long it takes is recorded, and asserted nowhere: docs/analysis.md has a table of it, made by tests/bench/stops.py.
"""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from server.app import Server
from tests.integration.analysis.asking import hand_over
from tests.support import large
from tests.support.looking import until
from tests.support.models import ScriptedModel, play
from tests.support.server import client
from tests.support.stopping import working

ROWS = 300_000
PLOTS = {"source": "data.plots"}
MANY = {"source": "data.many"}


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def look(samples_url: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(samples_url)
    await large.make(connection, "many", "plots", rows=ROWS)
    yield connection
    await connection.close()


@pytest.mark.parametrize(
    ("operation", "arguments"),
    [
        ("dissolve", PLOTS),
        ("buffer", {**MANY, "distance": "100 m", "dissolve": True}),
        ("nearest", {**MANY, "target": "data.many", "k": 5}),
        ("cluster", {**MANY, "method": "kmeans", "k": 300}),
        ("hot_spots", {**MANY, "column": "value", "k": 20}),
        ("simplify", {**PLOTS, "tolerance": "5 m"}),
    ],
)
async def test_stop_ends_the_statement_and_keeps_what_had_finished(
    server: Server,
    model: ScriptedModel,
    look: asyncpg.Connection,
    record_property: Callable[[str, object], None],
    operation: str,
    arguments: dict[str, Any],
) -> None:
    first = ("top", {**MANY, "by": "value", "n": 5, "title": "Five"})
    play(model, hand_over("long"), [first], [(operation, {**arguments, "title": "Long"})])
    async with client(server) as one:
        await one.ask("join")
        before = await tables(look)
        await one.ask("chat", text="long")
        await until(lambda: [each for each in one.named("analysis_progress") if each["step"] == 2], 120)
        await until(lambda: working(look, words="plots|many"), 120)
        stopped = time.monotonic()
        await one.ask("cancel")

        async def gone() -> bool:
            return not await working(look)

        await until(gone, 300)
        record_property("seconds_to_stop", round(time.monotonic() - stopped, 2))
        failed = await one.hears("analysis_failed")
        assert (failed["step"], failed["name"], failed["reason"]) == (2, "Long", "Stopped.")
        assert [step["title"] for step in failed["receipt"]["steps"]] == ["Five"]
        assert (await one.hears("turn_finished"))["status"] == "cancelled"

        async def only_the_first() -> bool:
            return await tables(look) - before == {failed["table"].removeprefix("analysis.")}

        await until(only_the_first, 60)
        assert await look.fetchval(TEMPORARY) == 0
        # The map and its connections go on.
        model.then(["Still here."])
        assert (await one.says("hello"))["status"] == "done"


TEMPORARY = (
    "SELECT count(*) FROM pg_class WHERE relnamespace::regnamespace::text LIKE 'pg\\_temp%' AND relkind = 'r'"
)


async def tables(look: asyncpg.Connection) -> set[str]:
    return {
        row[0]
        for row in await look.fetch(
            "SELECT relname FROM pg_class WHERE relnamespace = 'analysis'::regnamespace AND relkind = 'r'"
        )
    }
