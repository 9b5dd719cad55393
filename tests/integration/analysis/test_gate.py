"""What would never end is refused before anything of it starts, and what is merely large is not: on a million rows.

Tests with a server of their own come first: the shared one would take their turns."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import asyncpg
import pytest
import pytest_asyncio
from sqlalchemy import event

from server.app import Server
from tests.integration.analysis.asking import hand_over
from tests.support import large
from tests.support.looking import until
from tests.support.models import ScriptedModel, play
from tests.support.server import client, local_server

PAIRS = {"source": "data.many", "other": "data.many"}
REFUSED: list[tuple[str, dict[str, Any], str]] = [
    ("distance_matrix", {**PAIRS, "name": "id", "other_name": "id"}, "Filter the tables first"),
    ("spatial_join", {**PAIRS, "predicate": "within_distance", "distance": "50 km"}, "Use a shorter"),
    (
        "spatial_join",
        {**PAIRS, "predicate": "within_distance", "distance": "1 km", "rows": "matched"},
        "Use a shorter",
    ),
    ("spatial_join", {"source": "data.wide", "other": "data.wide"}, "Filter the inputs"),
    ("spatial_join", {"source": "data.wide", "other": "data.wide", "rows": "all"}, "Filter the inputs"),
    ("intersection", {"source": "data.wide", "other": "data.wide"}, "Filter the inputs"),
    ("union", {"source": "data.wide", "other": "data.wide"}, "Filter the inputs"),
    ("clip", {"source": "data.many", "mask": "data.wide"}, "Filter the inputs"),
    ("cluster", {"source": "data.many", "distance": "20 km"}, "Use a shorter"),
    ("hot_spots", {"source": "data.many", "column": "value", "distance": "10 km"}, "Use a shorter"),
]
WIDE = """
    DROP TABLE IF EXISTS data.wide;
    CREATE TABLE data.wide AS SELECT id, value, ST_Expand(geom, 0.1)::geometry(Polygon, 4326) AS geom FROM data.many
    WHERE id % 10 = 0;
    CREATE INDEX ON data.wide USING gist (geom);
    ANALYZE data.wide
"""
ZONES = """
    DROP TABLE IF EXISTS data.zones;
    CREATE TABLE data.zones AS SELECT i AS id, ST_MakeEnvelope(8 + (i % 20) * 0.02, 48 + (i / 20) * 0.015,
        8.02 + (i % 20) * 0.02, 48.015 + (i / 20) * 0.015, 4326)::geometry(Polygon, 4326) AS geom
    FROM generate_series(0, 399) AS i;
    CREATE INDEX ON data.zones USING gist (geom);
    ANALYZE data.zones
"""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def million(samples_url: str) -> AsyncIterator[str]:
    connection = await asyncpg.connect(samples_url)
    await large.make(connection, "many")
    await connection.execute(WIDE)
    await connection.execute(ZONES)
    await connection.close()
    yield samples_url


@contextmanager
def written(server: Server) -> Iterator[list[str]]:
    """The statements that the role of analyses sends meanwhile."""
    engine, seen = server.database.writer.sync_engine, []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        seen.append(statement.strip())

    event.listen(engine, "before_cursor_execute", note)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", note)


async def test_honest_steps_on_a_million_rows_are_done(million: str) -> None:
    steps = [
        ("top", {"source": "data.many", "by": "value", "n": 10, "title": "Ten"}),
        (
            "spatial_join",
            {
                "source": "step_1",
                "other": "data.many",
                "predicate": "within_distance",
                "distance": "500 m",
                "title": "Around",
            },
        ),
        ("spatial_join", {"source": "data.zones", "other": "data.many", "title": "Counted"}),
    ]
    model = ScriptedModel(
        hand_over("figures"), *([step] for step in steps), [("finish", {"summary": "Done."})]
    )
    async with local_server(million, model, analysis_timeout=3600) as server, client(server) as one:
        await one.ask("join")
        await one.ask("chat", text="figures")
        done = await until(lambda: one.named("analysis_finished", "analysis_failed"), 600)
        assert [step["rows"] for step in done[0]["receipt"]["steps"]] == [10, 10, 400]


@pytest.mark.parametrize(("operation", "arguments", "advice"), REFUSED)
async def test_what_compares_all_with_all_is_refused_before_it_starts(
    million: str, operation: str, arguments: dict[str, Any], advice: str, server: Server, model: ScriptedModel
) -> None:
    play(model, hand_over("all pairs"), [(operation, {**arguments, "title": "All pairs"})])
    async with client(server) as one:
        await one.ask("join")
        with written(server) as statements:
            await one.says("all pairs")
        result = next(
            str(request.messages[-1]) for request in model.requests if advice in str(request.messages[-1])
        )
        assert "All pairs was not started" in result or "pairs; at most" in result
        assert [each for each in statements if not each.startswith(("SELECT", "EXPLAIN", "WITH"))] == []
        assert one.named("analysis_finished") == []
        (failed,) = one.named("analysis_failed")
        assert (failed["step"], failed["table"]) == (1, None)


LARGE: list[tuple[str, dict[str, Any]]] = [
    ("buffer", {"source": "data.many", "distance": "50 m"}),
    ("spatial_join", {**PAIRS, "predicate": "within_distance", "distance": "100 m"}),
    ("nearest", {"source": "data.many", "target": "data.many", "k": 3}),
    ("cluster", {"source": "data.many", "distance": "20 m"}),
]


@pytest.mark.parametrize(("operation", "arguments"), LARGE)
async def test_long_steps_on_a_million_rows_are_begun(
    million: str, operation: str, arguments: dict[str, Any], server: Server, model: ScriptedModel
) -> None:
    """Each would take minutes; that it has begun to make something is enough."""
    play(model, hand_over("long"), [(operation, {**arguments, "title": "Long"})])
    async with client(server) as one:
        await one.ask("join")
        with written(server) as statements:
            await one.ask("chat", text="long")
            await until(lambda: any(each.startswith(("CREATE", "INSERT")) for each in statements), 300)
        await one.ask("cancel")
        assert (await one.hears("analysis_failed"))["reason"] == "Stopped."
