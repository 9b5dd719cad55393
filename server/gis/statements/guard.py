"""Limits on queries: read-only, with a time limit, and a check of the planner's cost before they run.

All queries of models and users go through `Guard.rows`. It retries once if the connection turns out to be dead (the
pool replaces it) and raises only GisError. Waiting for a connection is limited by the lane, which raises DataBusy,
and does not count towards the query's time."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql.base import PGCompiler
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.visitors import InternalTraversal

from agents.worded import Template, formatted
from server.database.engines import driver_of, is_unavailable
from server.database.lanes import LANE_WAIT_S, LaneBusy
from server.database.pools import pool_of, replace_connections
from server.gis.errors import UNAVAILABLE, DataUnavailable, TooExpensive, translated

TOO_EXPENSIVE = Template(
    "data_too_expensive",
    "This question about {subject} would cost the database too much (estimated {cost}, allowed {most}). "
    "Narrow it with a filter.",
)

CONNECTION_GRACE_S = 10.0
"""Time for connecting and answering, in addition to the statement's own limit."""

UNSTOPPABLE = (
    "The question about {subject} took too long, and PostgreSQL did not stop working on it in time: some of its shapes "
    "have very many vertices. Simplify or subdivide them first, or filter them out."
)

SET_LIMITS = sa.text(
    "SELECT set_config('transaction_read_only', 'on', true), set_config('statement_timeout', :milliseconds, true)"
)
"""Makes the transaction read-only, and limits the time of each of its statements."""

Record = sa.Row[*tuple[Any, ...]]
Query = sa.Select[*tuple[Any, ...]]


class Explain(sa.Executable, sa.ClauseElement):
    """EXPLAIN of a statement, with the same parameters; with `measured`, it runs and counts rows and pages."""

    inherit_cache = True
    _traverse_internals = [
        ("statement", InternalTraversal.dp_clauseelement),
        ("measured", InternalTraversal.dp_boolean),
    ]

    def __init__(self, statement: Query, measured: bool = False) -> None:
        self.statement = statement
        self.measured = measured


@compiles(Explain)
def _explain(element: Explain, compiler: PGCompiler, **kw: Any) -> str:
    measures = "ANALYZE, BUFFERS, TIMING OFF, " if element.measured else ""
    text = f"EXPLAIN ({measures}FORMAT JSON) " + compiler.process(element.statement, **kw)
    # The result is a plan and must not be read as the statement's columns.
    compiler._result_columns = []
    return text


@dataclass(frozen=True)
class Guard:
    """Limits per statement. `cost` is in the planner's units, about 1 per page read sequentially; 20 million is
    some minutes; statements without a limit, `inf`, are not priced first."""

    engine: AsyncEngine
    seconds: float = 15.0
    cost: float = 20_000_000.0

    async def rows(
        self, statement: Query, subject: str, *, seconds: float | None = None, gate: bool = True
    ) -> Sequence[Record]:
        """All rows of a statement; `subject` names its topic in errors. The statement must limit its rows
        itself. Raises GisError."""
        # PostgreSQL limits the statement, and the lane the wait for a connection; this limits the wait for a
        # PostgreSQL that does not respond or does not stop.
        time_limit_s = LANE_WAIT_S + (seconds or self.seconds) + CONNECTION_GRACE_S
        for attempt in (1, 2):
            pid: int | None = None
            try:
                async with asyncio.timeout(time_limit_s), self.engine.connect() as connection:
                    pid = (await driver_of(connection)).get_server_pid()
                    await limit(connection, seconds or self.seconds)
                    if gate and self.cost < math.inf:
                        await self._check_cost(connection, statement, subject)
                    found: Sequence[Record] = (await connection.execute(statement)).all()
                    return found
            except TimeoutError as error:
                if pid is not None and await pool_of(self.engine).backends.terminate(pid):
                    raise TooExpensive(UNSTOPPABLE.format(subject=subject)) from error
                # The pool's other connections are most likely dead, too.
                replace_connections(self.engine)
                raise DataUnavailable(UNAVAILABLE) from error
            except (SQLAlchemyError, OSError) as error:
                if attempt == 1 and is_unavailable(error) and not isinstance(error, LaneBusy):
                    continue
                translated(error, subject)
        raise AssertionError("unreachable")

    async def row(self, statement: Query, subject: str, *, seconds: float | None = None) -> Record | None:
        """As `rows`, but the first row only; None without one."""
        found = await self.rows(statement, subject, seconds=seconds)
        return found[0] if found else None

    async def count(self, passing: sa.Select[Any], subject: str) -> int:
        """Number of rows that a statement without columns selects."""
        row = await self.row(passing.add_columns(sa.func.count()), subject)
        return int(row[0]) if row else 0

    async def _check_cost(self, connection: AsyncConnection, statement: Query, subject: str) -> None:
        plan = await explained(connection, statement)
        cost = float(plan["Total Cost"])
        if cost > self.cost:
            raise TooExpensive(
                TOO_EXPENSIVE(
                    subject=subject, cost=formatted(cost, ",.0f"), most=formatted(self.cost, ",.0f")
                )
            )


async def explained(
    connection: AsyncConnection, statement: Query | str, *, measured: bool = False
) -> Mapping[str, Any]:
    """The top node of the planner's plan for a statement, which may be text without parameters. With `measured` it is
    run, and the node says what it read."""
    if isinstance(statement, str):
        asked = await connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}")
    else:
        asked = await connection.execute(Explain(statement, measured=measured))
    found = asked.scalar_one()
    plan: Mapping[str, Any] = (json.loads(found) if isinstance(found, str) else found)[0]["Plan"]
    return plan


async def limit(connection: AsyncConnection, seconds: float) -> None:
    """Make this transaction read-only and limit its statements to so many seconds."""
    milliseconds = str(max(1, int(seconds * 1000)))
    await connection.execute(SET_LIMITS, {"milliseconds": milliseconds})
