"""Limits on the cost of one step, and the checks that run before the step starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from agents.worded import Template, formatted
from server.gis.errors import NotStarted, TooExpensive
from server.gis.expressions.literal_sql import literal_sql
from server.gis.operations.support.base import Pairs
from server.gis.operations.support.earth.units import length_text
from server.gis.statements.guard import explained

COST = Template(
    "step_cost",
    "{step} was not started: PostgreSQL expects {rows} rows at a cost of {cost} (allowed: {most_rows} "
    "rows, cost {most_cost}).",
)
NARROW = Template(
    "step_narrow",
    "Filter the inputs to fewer rows or a smaller area first, or join on a condition that fewer pairs meet.",
)
NO_ROOM = Template(
    "step_no_room",
    "{step} was not started: PostgreSQL expects {rows} rows of {size}, and there is room for {room} on "
    "this map. Drop results that are not needed, filter the inputs, or aggregate first.",
)
PAIRS = Template(
    "step_pairs",
    "{step} was not started: about {n} pairs of features {near}, and at most {most} are looked at.",
)
NARROW_BY = Template("step_narrow_by", "{how} the inputs to fewer rows or a smaller area first.")
NEAR = Template("step_near", "are within {distance} of each other")
SHORTER = Template("step_shorter", "Use a shorter distance, or filter")
MAY_MEET = Template("step_may_meet", "may meet")
FILTER = Template("step_filter", "Filter")
LAKE = Template("step_lake", "{step} was not started: PostGIS holds only {sample} of the lake table {table}.")
ON_SPARK = Template(
    "step_on_spark",
    "Spark (GEOAGENT_SPARK) computes with all of them: it can filter, calculate, summarise, sort, join, "
    "select by location, count in a grid, clip and dissolve (docs/spark.md).",
)

PLANNER_ERROR_FACTOR = 10.0
"""Factor by which the planner may overestimate rows before a reasonable step would be refused."""


@dataclass(frozen=True)
class Budget:
    """`cost` is in the planner's units, `rows` limits a result, `pairs` what a search by place may compare,
    `seconds` one statement, `bytes` a map's results together with what a step needs on the way."""

    cost: float = 2e11
    rows: int = 10_000_000
    pairs: float = 5e8
    seconds: float = 600.0
    bytes: int = 4 * 1024**3


def check_whole(tables: Sequence[Table], title: str) -> None:
    """Raise NotStarted for a lake table: its rows are in files, and figures of a sample would be wrong."""
    for table in tables:
        if table.lake is not None:
            raise NotStarted(LAKE(step=title, sample=table.lake.words, table=table.id), ON_SPARK())


async def check_cost(
    connection: AsyncConnection, statement: Select[Any], budget: Budget, title: str, room: int | None = None
) -> float:
    """The cost that the planner expects. Raises TooExpensive when that, the rows or what they take on disk (of `room`
    bytes) is far more than there may be; says how to narrow the step."""
    plan = await explained(connection, literal_sql(statement))
    cost, rows = float(plan["Total Cost"]), float(plan["Plan Rows"])
    takes = rows * float(plan["Plan Width"])
    if cost > budget.cost or rows > PLANNER_ERROR_FACTOR * budget.rows:
        raise NotStarted(
            COST(
                step=title,
                rows=formatted(rows, ",.0f"),
                cost=formatted(cost, ",.0f"),
                most_rows=budget.rows,
                most_cost=formatted(budget.cost, ",.0f"),
            ),
            NARROW(),
        )
    if room is not None and takes > PLANNER_ERROR_FACTOR * room:
        raise TooExpensive(
            NO_ROOM(
                step=title,
                rows=formatted(rows, ",.0f"),
                size=readable_bytes(takes),
                room=readable_bytes(room),
            )
        )
    return cost


async def check_pairs(connection: AsyncConnection, pairs: Pairs | None, budget: Budget, title: str) -> None:
    """Raise TooExpensive when a search by place would compare far too many pairs."""
    allowed = min(budget.pairs, 2.0 * budget.rows) if pairs is not None and pairs.kept else budget.pairs
    if pairs is None or pairs.most <= allowed:
        return
    expected = float(await connection.scalar(pairs.estimate) or 0.0)
    if expected > allowed:
        near, advice = MAY_MEET(), FILTER()
        if pairs.distance is not None:
            near, advice = NEAR(distance=length_text(pairs.distance)), SHORTER()
        raise NotStarted(
            PAIRS(step=title, n=formatted(expected, ",.0f"), near=near, most=formatted(allowed, ",.0f")),
            NARROW_BY(how=advice),
        )


def readable_bytes(count: float) -> str:
    """`4.3 GB`, `120 MB`."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
