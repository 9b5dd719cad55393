"""Limits on the cost of one step, and the checks that run before the step starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from server.gis.errors import NotStarted, TooExpensive
from server.gis.expressions.literal_sql import literal_sql
from server.gis.operations.support.base import Pairs
from server.gis.operations.support.earth.units import length_text
from server.gis.query.guard import explained

MISJUDGED = 10.0
"""How many times too many rows the planner may expect before an honest step would be refused."""


@dataclass(frozen=True)
class Budget:
    """`cost` is in the planner's units, `rows` limits a result, `pairs` what a search by place may compare,
    `seconds` one statement, `bytes` a map's results together with what a step needs on the way.
    """

    cost: float = 2e11
    rows: int = 10_000_000
    pairs: float = 5e8
    seconds: float = 600.0
    bytes: int = 4 * 1024**3


def check_whole(tables: Sequence[Table], title: str) -> None:
    """Raise NotStarted for a lake table: its rows are in files, and figures of a sample would be wrong."""
    for table in tables:
        if table.lake is not None:
            raise NotStarted(
                f"{title} was not started: PostGIS holds only {table.lake.words} of the lake table {table.id}.",
                "Spark (GEOAGENT_SPARK) computes with all of them: it can filter, calculate, summarise, sort, join, "
                "select by location, count in a grid, clip and dissolve (docs/spark.md).",
            )


async def check_cost(
    connection: AsyncConnection, statement: Select[Any], budget: Budget, title: str, room: int | None = None
) -> float:
    """The cost that the planner expects. Raises TooExpensive when that, the rows or what they take on disk (of `room`
    bytes) is far more than there may be; says how to narrow the step.
    """
    plan = await explained(connection, literal_sql(statement))
    cost, rows = float(plan["Total Cost"]), float(plan["Plan Rows"])
    takes = rows * float(plan["Plan Width"])
    if cost > budget.cost or rows > MISJUDGED * budget.rows:
        raise NotStarted(
            f"{title} was not started: PostgreSQL expects {rows:,.0f} rows at a cost of {cost:,.0f} "
            f"(allowed: {budget.rows:,} rows, cost {budget.cost:,.0f}).",
            "Filter the inputs to fewer rows or a smaller area first, or join on a condition that fewer pairs meet.",
        )
    if room is not None and takes > MISJUDGED * room:
        raise TooExpensive(
            f"{title} was not started: PostgreSQL expects {rows:,.0f} rows of {readable_bytes(takes)}, and there is "
            f"room for {readable_bytes(room)} on this map. Drop results that are not needed, filter the inputs, or "
            "aggregate first."
        )
    return cost


async def check_pairs(connection: AsyncConnection, pairs: Pairs | None, budget: Budget, title: str) -> None:
    """Raise TooExpensive when a search by place would compare far too many pairs."""
    allowed = min(budget.pairs, 2.0 * budget.rows) if pairs is not None and pairs.kept else budget.pairs
    if pairs is None or pairs.most <= allowed:
        return
    expected = float(await connection.scalar(pairs.estimate) or 0.0)
    if expected > allowed:
        near, advice = "may meet", "Filter"
        if pairs.distance is not None:
            near, advice = (
                f"are within {length_text(pairs.distance)} of each other",
                "Take a shorter distance, or filter",
            )
        raise NotStarted(
            f"{title} was not started: about {expected:,.0f} pairs of features {near}, and at most {allowed:,.0f} are "
            "looked at.",
            f"{advice} the inputs to fewer rows or a smaller area first.",
        )


def readable_bytes(count: float) -> str:
    """`4.3 GB`, `120 MB`."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
