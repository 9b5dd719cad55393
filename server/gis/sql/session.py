"""Fourth layer: restrictions by PostgreSQL itself, which hold whatever the statement is.

A separate session as the reader role, closed afterwards, so that no setting, lock or temporary table remains. It runs
one READ ONLY transaction that is always rolled back, with limits on time and on waiting for locks. The statement is
prepared, so it is a single one; it runs as a subquery, so it is a SELECT; and its plan is checked first: a statement
that costs too much, reads system catalogues or calls set-returning functions that are not on the list is not started.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import asyncpg
import structlog

from agents.worded import Template
from server.database.engines import is_unavailable
from server.database.sqlstates import INSUFFICIENT_PRIVILEGE, LOCK_NOT_AVAILABLE, sqlstate
from server.gis.errors import UNAVAILABLE, DataUnavailable, TooExpensive, by_sqlstate
from server.gis.query.values import plain
from server.gis.sql.dialect import InvalidSql
from server.gis.sql.functions import FUNCTIONS

READING_ONLY = Template(
    "sql_reading_only", "Raw SQL is not run here: the database gave a session with more than reading rights."
)
STATEMENT_COST = Template(
    "sql_cost",
    "This statement would cost the database too much (estimated {cost}, allowed {most}). Narrow it with WHERE, or "
    "join on a condition that fewer pairs meet.",
)
LOCKED = Template("sql_locked", "A table is locked by another transaction. Try again in a moment.")


log = structlog.get_logger(__name__)

Connect = Callable[[Mapping[str, str]], AbstractAsyncContextManager[asyncpg.Connection]]
"""Opens a separate session as the reader role, with these settings."""

CLOSED_SCHEMAS = ("pg_catalog", "information_schema", "pg_toast", "geoagent")
CONNECTION_GRACE_S = 10.0
"""Time in seconds for connecting and answering, in addition to the statement's own limit."""
UNSTOPPABLE = (
    "This statement took too long, and PostgreSQL has not let go of it yet: it puts many geometries together at once "
    "(a union, a Voronoi diagram). Do that with fewer of them."
)
MAX_NUMBER_CHARS = 400
_NUMBERS = ("int2", "int4", "int8", "float4", "float8", "numeric")


@dataclass(frozen=True)
class Limits:
    """`cost` is in the planner's units, `characters` limits one value, `bytes` all rows as JSON."""

    seconds: float = 15.0
    lock_seconds: float = 2.0
    cost: float = 20_000_000.0
    rows: int = 200
    columns: int = 60
    characters: int = 2_000
    bytes: int = 40_000

    @property
    def settings(self) -> dict[str, str]:
        """Settings of the session by which PostgreSQL enforces the limits."""
        return {
            "default_transaction_read_only": "on",
            "statement_timeout": str(int(self.seconds * 1000)),
            "lock_timeout": str(int(self.lock_seconds * 1000)),
            "idle_in_transaction_session_timeout": "30000",
            "standard_conforming_strings": "on",
            "max_parallel_workers_per_gather": "0",
            "application_name": "geoagent sql",
        }


@dataclass(frozen=True)
class QueryRows:
    """Rows as plain JSON values; `truncated` if there were more than the limits allow."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    truncated: bool


async def run(connect: Connect, sql: str, limits: Limits) -> QueryRows:
    """Run one SELECT. Raises InvalidSql, TooExpensive or DataUnavailable, and no other database error."""
    answers = False
    try:
        async with asyncio.timeout(limits.seconds + CONNECTION_GRACE_S), connect(limits.settings) as session:
            answers = True
            transaction = session.transaction(readonly=True)
            await transaction.start()
            try:
                return await _answer(session, sql, limits)
            finally:
                if not session.is_closed():
                    await transaction.rollback()
    except TimeoutError as error:
        raise (TooExpensive(UNSTOPPABLE) if answers else DataUnavailable(UNAVAILABLE)) from error
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        raise _fault(error) from error


async def _answer(session: asyncpg.Connection, sql: str, limits: Limits) -> QueryRows:
    await _check_session(session)
    shape = (await session.prepare(sql)).get_attributes()
    if not 1 <= len(shape) <= limits.columns:
        raise InvalidSql(f"A statement gives 1 to {limits.columns} columns; this one gives {len(shape)}.")
    bounded = wrapped(sql, shape, limits)
    explained = await session.fetchval(f"EXPLAIN (VERBOSE, FORMAT JSON) {bounded}")
    check_plan(json.loads(explained)[0]["Plan"], limits)
    records = await session.fetch(bounded)
    rows: list[tuple[Any, ...]] = []
    size = 0
    for record in records[: limits.rows]:
        row = tuple(
            json_value(kind.type.name, value, limits) for kind, value in zip(shape, record, strict=True)
        )
        size += len(json.dumps(row, ensure_ascii=False).encode())
        if size > limits.bytes and rows:
            break
        rows.append(row)
    return QueryRows(tuple(kind.name for kind in shape), tuple(rows), len(rows) < len(records))


async def _check_session(session: asyncpg.Connection) -> None:
    """Raise DataUnavailable if the role or the transaction could write: settings alone are not trusted."""
    reads_only = await session.fetchval(
        "SELECT current_setting('transaction_read_only') = 'on' AND NOT rolsuper AND NOT rolcreaterole"
        " FROM pg_roles WHERE rolname = current_user"
    )
    if reads_only is not True:
        raise DataUnavailable(READING_ONLY())


def wrapped(sql: str, shape: Sequence[asyncpg.Attribute], limits: Limits) -> str:
    """The statement as a subquery whose values are shortened in the database."""
    names = [f"c{number}" for number in range(len(shape))]
    values = [_bounded(name, kind.type.name, limits) for name, kind in zip(names, shape, strict=True)]
    # On separate lines, so that a comment at the end of the statement does not hide the rest.
    return (
        f"SELECT {', '.join(values)} FROM (\n{sql}\n) AS answer ({', '.join(names)}) LIMIT {limits.rows + 1}"  # noqa: S608
    )


def _bounded(name: str, kind: str, limits: Limits) -> str:
    if kind == "bool":
        return name
    if kind in _NUMBERS:
        return f"left({name}::text, {MAX_NUMBER_CHARS + 1})"
    if kind in ("geometry", "geography"):
        return f"left(ST_AsEWKT({name}::geometry, 6), {limits.characters + 1})"
    if kind == "bytea":
        return f"octet_length({name}) || ' bytes'"
    return f"left({name}::text, {limits.characters + 1})"


def json_value(kind: str, value: Any, limits: Limits) -> Any:
    """A selected value as plain JSON, numbers from their text."""
    if value is None or isinstance(value, bool):
        return value
    if kind in _NUMBERS and len(value) <= MAX_NUMBER_CHARS:
        try:
            return plain(Decimal(value))
        except InvalidOperation:
            return value
    return value if len(value) <= limits.characters else f"{value[: limits.characters]}…"


def check_plan(plan: Mapping[str, Any], limits: Limits) -> None:
    """Raise InvalidSql or TooExpensive for a plan that reads closed schemas, calls unlisted functions or costs
    too much."""
    for node in _nodes(plan):
        relation, function = node.get("Relation Name"), node.get("Function Name")
        if relation is not None and node.get("Schema") in CLOSED_SCHEMAS:
            raise InvalidSql(f"{node.get('Schema')}.{relation} may not be read.")
        if function is not None and function not in FUNCTIONS:
            raise InvalidSql(f"The function {function} may not be called.")
        if node["Node Type"] == "Table Function Scan":
            raise InvalidSql("Tables made from XML may not be read.")
    cost = float(plan["Total Cost"])
    if cost > limits.cost:
        raise TooExpensive(STATEMENT_COST(cost=round(cost), most=round(limits.cost)))


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("Plans", ()):
        yield from _nodes(child)


def _fault(error: BaseException) -> Exception:
    """Database messages are passed on only if they are about the statement and cannot contain data (class 42)."""
    if is_unavailable(error):
        return DataUnavailable(UNAVAILABLE)
    state = sqlstate(error)
    if state == INSUFFICIENT_PRIVILEGE:
        return InvalidSql("Something in this statement may not be read or called.")
    if state.startswith("42"):
        advice = getattr(error, "hint", None)
        hint = f" {str(advice)[:200]}" if advice else ""
        return InvalidSql(f"PostgreSQL says: {str(error.args[0])[:300]}.{hint}")
    if state in ("25001", "25006", "0A000"):
        return InvalidSql("The statement does more than reading, or what cannot be done in a SELECT.")
    if state == LOCK_NOT_AVAILABLE:
        return TooExpensive(LOCKED())
    fault = by_sqlstate(state, "the statement", str(error))
    if fault is None and state.startswith("22"):
        return InvalidSql("A value in this statement is not one that its functions take. Use valid values.")
    if fault is None:
        log.warning("a raw statement failed", sqlstate=state, error=str(error)[:300])
        fault = InvalidSql("The database could not run this statement. The log of the server says why.")
    return fault
