"""What one step may cost, and the check before it starts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Select
from sqlalchemy.ext.asyncio import AsyncConnection

from server.gis.errors import TooExpensive
from server.gis.guard import explained


@dataclass(frozen=True)
class Budget:
    """`cost` is in the planner's units, `rows` limits a result, `seconds` one statement, `bytes` a map's results."""

    cost: float = 5e10
    rows: int = 10_000_000
    seconds: float = 600.0
    bytes: int = 4 * 1024**3


async def check_cost(connection: AsyncConnection, statement: Select[Any], budget: Budget, title: str) -> None:
    """Raise TooExpensive when the planner expects more than the budget allows; says how to narrow the step."""
    plan = await explained(connection, statement)
    cost, rows = float(plan["Total Cost"]), float(plan["Plan Rows"])
    if cost <= budget.cost and rows <= 10 * budget.rows:
        return
    raise TooExpensive(
        f"{title} was not started: PostgreSQL expects {rows:,.0f} rows at a cost of {cost:,.0f} "
        f"(allowed: {budget.rows:,} rows, cost {budget.cost:,.0f}). Filter the inputs to fewer rows or a smaller "
        "area first, or join on a condition that fewer pairs meet."
    )


def readable_bytes(count: float) -> str:
    """`4.3 GB`, `120 MB`."""
    return f"{count / 1e9:.1f} GB" if count >= 1e9 else f"{count / 1e6:.0f} MB"
