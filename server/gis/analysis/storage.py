"""The SQL that turns a step's SELECT into a stored, indexed, described table; and portions of long steps.

Table names are made by us and quoted; values are literals rendered by SQLAlchemy where PostgreSQL takes no
parameters (DDL), and parameters everywhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import ceil
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Insert,
    Select,
    cast,
    column,
    func,
    insert,
    literal,
    select,
    table,
)
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from server.database.quoting import quoted, quoted_text
from server.gis.expressions.identifiers import exact, exported_as, readable_name, sql_name
from server.gis.expressions.literal_sql import literal_sql
from server.gis.operations.support.base import (
    FREE_ROW_ID,
    GEOMETRY,
    ROW_ID,
    Divided,
    Geometry,
    Prepared,
    Source,
    Step,
    Tid,
)
from server.gis.statements.guard import explained

SCHEMA = "analysis"
PORTION_PAGES = 2_000
"""Pages (8 kB each) of a source in one portion: about a second of simple work."""
PORTION_COST = 2e6
"""What else is worth a portion, in the planner's units: some seconds of searching and measuring for few rows."""
MAX_PORTIONS = 40
DIVIDED_BYTES = 1_000_000
"""Smallest size of a temporary table that is computed in several processes."""
MAX_RANGE_PAGES = 1_000
"""Most pages of a range, with those of large values apart; a union cannot be cancelled within a range."""
PAGE_BYTES = 8_192
LAST_PAGE = 2**32 - 1
"""No table has more pages."""
SAMPLED_PAGES, SAMPLED_ROWS = 64, 4
"""Pages of the source of a long step, and rows of each, from which the size of its result is estimated."""
SHORT_COST = 1e6
"""Planner cost up to which a step runs as one statement: it takes seconds only, separate statements for its portions
would cost as much as the rows, and PostgreSQL can run a single statement in several processes."""


FIND_PREPARED = f"SELECT set_config('search_path', current_setting('search_path') || ', {SCHEMA}', true)"
"""Statements name what was prepared without its schema, so that receipts can make temporary tables of it."""


def prepare(
    prepared: Prepared, kind: str = "UNLOGGED", schema: str = f"{SCHEMA}.", rows: str | None = None
) -> Iterator[str]:
    """Create a table for the time of the step, with its indexes and statistics. It is not a temporary one, which
    PostgreSQL reads in one process only; no other session sees it before it is dropped in the same transaction.
    `rows` is another SELECT that gives its rows."""
    name = f"{schema}{quoted(prepared.name)}"
    yield f"CREATE {kind} TABLE {name} AS {rows or literal_sql(prepared.select)}"
    for method, expression in prepared.indexes:
        yield f"CREATE INDEX ON {name} USING {method} ({quoted(expression)})"
    yield f"ANALYZE {name}"


def forget(prepared: Prepared) -> Iterator[str]:
    """Drop such a table."""
    yield f"DROP TABLE {quoted(prepared.name)}"


def flat(step: Step, tables: Iterable[Table]) -> Step:
    """The step with its geometry in two dimensions, if it declares no more and a table it reads may have heights."""
    declares_heights = (step.geometry_type or "").upper().endswith(("Z", "M"))
    if not step.geometry_type or not step.srid or declares_heights:
        return step
    if not any(_may_have_heights(each) for each in tables):
        return step
    return _with_geometry(step, lambda shape: func.ST_Force2D(shape, type_=Geometry()))


def _with_geometry(step: Step, change: Callable[[ColumnElement[Any]], ColumnElement[Any]]) -> Step:
    columns = [
        change(each).label(GEOMETRY) if each.name == GEOMETRY else each
        for each in step.select.selected_columns
    ]
    return replace(step, select=step.select.with_only_columns(*columns, maintain_column_froms=True))


def _may_have_heights(table: Table) -> bool:
    """Whether its geometry is declared with a third or fourth coordinate (`PointZ`), or not declared at all."""
    shape = table.column(table.geometry_column) if table.geometry_column else None
    declared = re.search(r"\((\w+)", shape.sql_type) if shape is not None else None
    return shape is not None and (declared is None or declared[1].upper().endswith(("Z", "M")))


def typed(step: Step) -> Step:
    """The step with its geometry in the type that the column of the result declares."""
    if not step.geometry_type or not step.srid or not step.geometry_type.isalpha():
        return step
    declared = Geometry(step.geometry_type, int(step.srid))
    return _with_geometry(step, lambda shape: cast(shape, declared))


def at_once(name: str, step: Step, rows: str | None = None) -> str:
    """Create the table with all its rows, numbered in order. The statement reports the number of rows. `rows` is
    another SELECT of the same rows. The key is the first column, which PostgreSQL finds in a row at once.

    `OFFSET 0`: else PostgreSQL would compute the columns where it numbers the rows, in a single process."""
    made = f"CREATE TABLE {quoted(SCHEMA, name)} AS SELECT row_number() OVER () AS {ROW_ID}, made.* FROM"
    each = f"SELECT * FROM (\n{rows or literal_sql(step.select)}\n) AS each_row OFFSET 0"  # noqa: S608 - our own statement
    return f"{made} ({each}) AS made"


def create(name: str, step: Step) -> Iterator[str]:
    """Create the empty table, with a generated key and the column types of the SELECT."""
    made, no_rows = quoted(SCHEMA, name), literal_sql(step.select.limit(0))
    yield f"CREATE TABLE {made} AS SELECT NULL::bigint AS {ROW_ID}, no_rows.* FROM (\n{no_rows}\n) AS no_rows"  # noqa: S608 - our own
    yield f"ALTER TABLE {made} ALTER {ROW_ID} SET NOT NULL"
    yield f"ALTER TABLE {made} ALTER {ROW_ID} ADD GENERATED ALWAYS AS IDENTITY"


def fill(name: str, step: Step, portion: ColumnElement[bool]) -> Insert:
    """Add the rows of one portion."""
    rows: Select[Any] = step.select.where(portion)
    names = [exact(selected.name) for selected in step.select.selected_columns]
    target = table(exact(name), *(column(each) for each in names), schema=SCHEMA)
    return insert(target).from_select(names, rows)


def finish(name: str, step: Step, origin: str, read: Sequence[Table]) -> Iterator[str]:
    """Add key, spatial index, statistics, and comments that name the origin of rows and columns."""
    qualified = quoted(SCHEMA, name)
    yield f"ALTER TABLE {qualified} ADD PRIMARY KEY ({ROW_ID})"
    if step.geometry_type:
        yield f"CREATE INDEX ON {qualified} USING gist ({GEOMETRY})"
    comments = [f"COMMENT ON TABLE {qualified} IS {quoted_text(origin)};"]
    for each in (selected.name for selected in step.select.selected_columns if selected.name != GEOMETRY):
        comment = step.comments.get(each) or _carried(each, read) or f"Calculated: {origin}"
        comments.append(f"COMMENT ON COLUMN {qualified}.{quoted(each)} IS {quoted_text(comment)};")
    # One statement: one for each column would be most of a step's round trips.
    body = " ".join(comments)
    yield f"DO {quoted_text(f'BEGIN {body} END')}"
    yield f"ANALYZE {qualified}"


def _carried(name: str, read: Sequence[Table]) -> str | None:
    """The origin of a column: the first source that has it, whose value takes precedence."""
    for each in read:
        found = each.column(name)
        if name == FREE_ROW_ID and each.schema_name != SCHEMA and each.column(ROW_ID) is not None:
            return f"From {each.id}, column {ROW_ID}. {exported_as(ROW_ID)}"
        if found is not None:
            comment = found.comment or ""
            if each.schema_name == SCHEMA and comment:
                return comment  # The comment names the origin already.
            return f"From {each.id}: {comment}".removesuffix(": ")
    for each in read:
        own = each.column(name.removeprefix(f"{readable_name(each)}_"))
        if own is not None:
            return f"From {each.id}, column {own.name}: {own.comment or ''}".removesuffix(": ")
    return None


def script(name: str, step: Step, typing: str | None = None) -> str:
    """The same statements as a script for psql, without the indexes of the result."""
    parts = [each for prepared in step.prepare for each in prepare(prepared, "TEMPORARY", schema="")]
    parts.append(at_once(name, step))
    parts += [typing] if typing else []
    parts.append(f"ALTER TABLE {quoted(SCHEMA, name)} ADD PRIMARY KEY ({ROW_ID})")
    return "\n".join(f"{part.strip()};" for part in parts)


async def size(connection: AsyncConnection, name: str) -> int:
    """Size on disk of a result table, with indexes, in bytes."""
    named = func.to_regclass(quoted(SCHEMA, name))
    return int(await connection.scalar(select(func.pg_total_relation_size(named))) or 0)


async def passing_size(connection: AsyncConnection, tables: Sequence[Prepared]) -> int:
    """Size on disk of what was prepared, with indexes, in bytes."""
    names = [func.to_regclass(quoted(each.name)) for each in tables]
    sizes = [func.coalesce(func.pg_total_relation_size(name), 0) for name in names]
    return sum([int(size) for size in (await connection.execute(select(*sizes))).one()])


async def execute(connection: AsyncConnection, statements: Iterable[str]) -> None:
    """Run statements one after another."""
    for statement in statements:
        await connection.exec_driver_sql(statement)


async def portions(
    connection: AsyncConnection, source: Source | None, cost: float
) -> Sequence[ColumnElement[bool]]:
    """Conditions on ctid that together select each row of the source once; empty if all are computed in one
    statement, because the source is small or the planner expects little work."""
    address = None if source is None else source.address
    if source is None or address is None or cost <= SHORT_COST:
        return []
    pages = await _pages(connection, sql_name(source.table))
    edges = first_pages(pages, max(pages // PORTION_PAGES, int(cost / PORTION_COST)))
    return [in_range(address, *(cast(literal(edge), Tid()) for edge in each)) for each in range_edges(edges)]


async def source_ranges(connection: AsyncConnection, source: Source | None) -> Sequence[int]:
    """The pages on which ranges of the source begin, for several processes; none where it is not divided."""
    if source is None or source.address is None:
        return []
    return first_pages(await _pages(connection, sql_name(source.table)), MAX_PORTIONS)


async def prepared_ranges(connection: AsyncConnection, divided: Divided | None) -> Sequence[int]:
    """The same for a temporary table; none where it is small."""
    if divided is None:
        return []
    name = quoted(divided.name)
    size = int(await connection.scalar(select(func.pg_table_size(func.to_regclass(name)))) or 0)
    if size < DIVIDED_BYTES:
        return []
    pages = await _pages(connection, name)
    least = 2 if divided.prefers_few_ranges else MAX_PORTIONS
    return first_pages(pages, max(least, ceil(size / (MAX_RANGE_PAGES * PAGE_BYTES))), pages)


def first_pages(pages: int, count: int, most: int = MAX_PORTIONS) -> Sequence[int]:
    """The pages on which about so many portions begin, but no more than `most`; none where there is one."""
    count = min(most, pages, count)
    return [pages * number // count for number in range(count)] if count > 1 else []


def range_edges(pages: Sequence[int]) -> Iterator[tuple[str, str]]:
    """The first address of each portion, and the first one after it. Together they have each row once."""
    for first, following in pairwise([*pages, LAST_PAGE] if pages else []):
        yield f"({first},0)", f"({following},0)"


def in_range(
    address: ColumnElement[Any], first: ColumnElement[Any], following: ColumnElement[Any]
) -> ColumnElement[bool]:
    """The condition that an address is at least `first` and before `following`."""
    return (address >= first) & (address < following)


async def is_parallel(connection: AsyncConnection, step: Step) -> bool:
    """Whether PostgreSQL would compute the rows in several processes, if one statement stored all."""
    plan = json.dumps(await explained(connection, literal_sql(step.select)))
    return '"Gather' in plan


async def expected_size(connection: AsyncConnection, step: Step) -> float:
    """Bytes that the rows of a long step will take on disk, estimated from some rows of its source; 0 if unknown."""
    source = step.portion_source
    address = None if source is None else source.address
    if source is None or address is None:
        return 0.0
    pages = await _pages(connection, sql_name(source.table))
    some = [
        cast(literal(f"({page},{row})"), Tid())
        for page in first_pages(pages, SAMPLED_PAGES, SAMPLED_PAGES) or [0]
        for row in range(1, SAMPLED_ROWS + 1)
    ]
    rows = literal_sql(step.select.where(address.in_(some)))
    await connection.exec_driver_sql(f"CREATE TEMPORARY TABLE sampled_rows AS {rows}")
    size = await connection.scalar(select(func.pg_total_relation_size("pg_temp.sampled_rows")))
    await connection.exec_driver_sql("DROP TABLE sampled_rows")
    return float(size or 0) * source.table.row_estimate / len(some)


async def _pages(connection: AsyncConnection, name: str) -> int:
    return int(
        await connection.scalar(select(func.pg_relation_size(func.to_regclass(name)) / PAGE_BYTES)) or 0
    )
