"""Searches the names of many tables at once: one statement asks a hundred of them.

The statements are text with parameters. Compiling and sending one for each table would take the server a minute for
10,000 tables. They only find out which tables have such names; the places are read from those tables alone.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, cast

import sqlalchemy as sa
import structlog
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from server.database.quoting import quoted
from server.gis.catalog.gazetteer import Searchable, folded_each
from server.gis.errors import DataBusy, DataUnavailable, GisError, TooExpensive
from server.gis.expressions.identifiers import Expression, sql_name
from server.gis.expressions.literal_sql import literal_sql
from server.gis.filters.texts import without_accents
from server.gis.query.guard import Guard, Query, Record

log = structlog.get_logger(__name__)

MAX_ROWS_TOGETHER = 20_000
"""Of a table that is asked in one statement with others."""
TOGETHER_TIMEOUT_S = 1.0
"""For one statement about several small tables, which takes some 20 ms: beyond it one of them is locked or slow."""
TABLES_PER_STATEMENT = 100
ROWS_PER_STATEMENT = 300_000
MAX_FUZZY_ROWS = 60_000
"""Names of a table that are compared with a misspelled one; the most populous, where that is known."""
MAX_FUZZY_NAMES = 20
"""Similar names of a statement's tables."""
MAX_CODE_CHARS = 5


def lower(text: Expression) -> Expression:
    """Without case and accents."""
    return sa.func.lower(without_accents(text))


def may_contain(text: Expression, pattern: Expression) -> Expression:
    """Whether the words of a name, as `words_pattern` gives them, are in the text. That is so wherever the folded text
    contains the folded name, and is answered without a regular expression, which would take most of the time of a
    search.
    """
    return lower(text).like(pattern)


def words_pattern(wanted: str) -> str:
    """The words of a folded name in their order, for LIKE."""
    return f"%{'%'.join(escaped(wanted).split())}%"


def escaped(text: str) -> str:
    """The text as a pattern of LIKE that stands for itself."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def may_be_code(wanted: str) -> bool:
    """Whether a folded name can be the code of a place, such as an airport's."""
    return len(wanted) <= MAX_CODE_CHARS and " " not in wanted


def is_asked_together(where: Searchable) -> bool:
    """Whether a table is small, and its rows are in this database: those of views may take any time to compute."""
    return where.table.kind == "table" and where.table.row_estimate <= MAX_ROWS_TOGETHER


def batches(tables: Sequence[Searchable]) -> list[list[Searchable]]:
    """The tables in their order, by the statements that ask them; those that are not asked together alone."""
    found: list[list[Searchable]] = []
    rows, is_open = 0, False
    for each in tables:
        together = is_asked_together(each)
        rows += each.table.row_estimate
        if together and is_open and rows <= ROWS_PER_STATEMENT and len(found[-1]) < TABLES_PER_STATEMENT:
            found[-1].append(each)
        else:
            found.append([each])
            rows = each.table.row_estimate
        is_open = together
    return found


async def tables_with(guard: Guard, tables: Sequence[Searchable], wanted: str) -> list[Searchable]:
    """Those of several small tables that may have a place called `wanted`, which is folded. Raises TooExpensive where
    one of them keeps the statement waiting, DataUnavailable or DataBusy.
    """
    is_code = may_be_code(wanted)

    def asking(number: int) -> str:
        where = tables[number]
        columns = (*where.names, *where.codes) if is_code else where.names
        tests = [_CONTAINS.replace(_COLUMN, _column(name)) for name in columns]
        return f"(SELECT {number} FROM {_relation(where)} WHERE {' OR '.join(tests)} LIMIT 1)"  # noqa: S608

    numbers, values = list(range(len(tables))), {"pattern": words_pattern(wanted)}
    rows = await _asked(guard, numbers, asking, values, TOGETHER_TIMEOUT_S)
    return [tables[number] for number in sorted(row[0] for row in rows)]


async def locked_of(guard: Guard, tables: Sequence[Searchable]) -> set[str]:
    """The ids of the tables that another session has locked against reading. Raises GisError."""
    found = await guard.rows(cast("Query", _LOCKED), "the locks of tables", gate=False)
    locked = {(schema, name) for schema, name in found}
    return {each.table.id for each in tables if (each.table.schema_name, each.table.name) in locked}


async def similar_names(
    guard: Guard, tables: Sequence[Searchable], wanted: str, seconds: float
) -> list[tuple[Searchable, dict[str, float]]]:
    """The tables that have names similar to a folded one, with these names and their distance. Raises as `_asked`
    does.
    """

    def asking(number: int) -> str:
        where = tables[number]
        name = f"CAST({_column(where.names[0])} AS text)"
        order = f" ORDER BY {_column(where.population)} DESC NULLS LAST" if where.population else ""
        limits = f"WHERE {name} IS NOT NULL{order} LIMIT {MAX_FUZZY_ROWS}"
        return f"(SELECT {number}, {name} FROM {_relation(where)} {limits})"  # noqa: S608

    rows = await _asked(guard, list(range(len(tables))), asking, {}, seconds)
    found = await asyncio.to_thread(_likely, wanted, rows)
    return [(tables[number], names) for number, names in sorted(found.items())]


def _likely(wanted: str, rows: Sequence[Record]) -> dict[int, dict[str, float]]:
    """By the number of a table its names within a small edit distance (Damerau-Levenshtein), of those that fold alike
    the first.
    """
    folds = folded_each([row[1] for row in rows])
    slips = 1 if len(wanted) <= MAX_CODE_CHARS else 2 if len(wanted) <= 10 else 3
    distance: Any = DamerauLevenshtein.distance
    similar = process.extract(
        wanted, list(dict.fromkeys(folds)), scorer=distance, limit=MAX_FUZZY_NAMES, score_cutoff=slips
    )
    away = {fold: float(far) for fold, far, _ in similar}
    first: dict[int, dict[str, str]] = defaultdict(dict)
    for (number, name), fold in zip(rows, folds, strict=True):
        if fold in away:
            first[number].setdefault(fold, name)
    return {number: {name: away[fold] for fold, name in names.items()} for number, names in first.items()}


async def _asked(
    guard: Guard,
    numbers: list[int],
    asking: Callable[[int], str],
    values: dict[str, str],
    seconds: float,
) -> list[Record]:
    """The rows of all that is asked, in one statement; if it fails, in halves, so that only a table that cannot be
    read is left out. Raises DataUnavailable, DataBusy or TooExpensive.
    """
    statement = sa.text(" UNION ALL ".join(asking(number) for number in numbers)).bindparams(**values)
    try:
        as_query = cast("Query", statement)  # executed, and explained, as it is
        # The cost of a table that is asked alone is checked, as in all questions; several are small.
        alone = len(numbers) == 1
        return list(await guard.rows(as_query, "the names of places", seconds=seconds, gate=alone))
    except (DataUnavailable, DataBusy, TooExpensive):
        raise
    except GisError as error:
        if len(numbers) == 1:
            log.info("a table was left out of a search for a place", reason=error.message)
            return []
    half = len(numbers) // 2
    return [
        row
        for part in (numbers[:half], numbers[half:])
        for row in await _asked(guard, part, asking, values, seconds)
    ]


def _column(name: str) -> str:
    """Quoted, and without anything that text of SQLAlchemy takes for a parameter."""
    return quoted(name).replace(":", "\\:")


def _relation(where: Searchable) -> str:
    return sql_name(where.table).replace(":", "\\:")


_LOCKED = sa.text(
    "SELECT n.nspname, c.relname FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
    " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    " WHERE l.mode = 'AccessExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_COLUMN = "{column}"
_CONTAINS = literal_sql(
    may_contain(sa.cast(sa.literal_column(_COLUMN), sa.Text), sa.literal_column(":pattern"))
)
