"""Searches the names of many tables at once: one statement asks a hundred of them (`together.py`).

The statements only find out which tables have such names; the places are read from those tables alone."""

from __future__ import annotations

import asyncio
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, cast

import sqlalchemy as sa
from rapidfuzz import process
from rapidfuzz.distance import DamerauLevenshtein

from server.gis.catalog.gazetteer import Searchable, folded_each
from server.gis.expressions.identifiers import Expression
from server.gis.expressions.literal_sql import literal_sql
from server.gis.filters.texts import without_accents
from server.gis.query.together import TOGETHER_TIMEOUT_S, column_text, relation_text, rows_of_all
from server.gis.statements.guard import Guard, Query, Record

MAX_FUZZY_ROWS = 60_000
"""Names of a table that are compared with a misspelled one; the most populous, where that is known."""
MAX_FUZZY_NAMES = 20
"""Similar names of a statement's tables."""
MAX_CODE_CHARS = 5
SUBJECT = "the names of places"


def lower(text: Expression) -> Expression:
    """The text without case and accents."""
    return sa.func.lower(without_accents(text))


def may_contain(text: Expression, pattern: Expression, spelling: Expression) -> Expression:
    """Whether the words of a name, as `words_pattern` and `words_spelling` give them, are in the text. That is so
    wherever the folded text contains the folded name.

    Most of the time of a search is spent here. Folding a text that is not ASCII takes ten times as long as reading it,
    so that it is compared with the spelling first, and for ASCII the collation of C finds lower case soonest."""
    is_ascii = sa.func.octet_length(text) == sa.func.length(text)
    return sa.or_(
        sa.and_(is_ascii, sa.func.lower(sa.collate(text, "C")).like(pattern)),
        sa.and_(sa.not_(is_ascii), text.op("~")(spelling), lower(text).like(pattern)),
    )


def words_pattern(wanted: str) -> str:
    """The words of a folded name in their order, for LIKE."""
    return f"%{'%'.join(escaped(wanted).split())}%"


def words_spelling(wanted: str) -> str:
    """The words of a folded name in their order, as a regular expression of all texts that fold to it: each of its
    letters is written in either case, or is any sign beyond ASCII, such as a letter with an accent."""
    return ".*".join(
        "".join(
            f"[{re.escape(run)}{run.upper() if run.isalpha() else ''}{_BEYOND_ASCII}]+"
            if run.isascii()
            else f"[{_BEYOND_ASCII}]+"
            for run in _ASCII_SIGN_OR_OTHERS.findall(word)
        )
        for word in wanted.split()
    )


_BEYOND_ASCII = r"\u0080-\U0010FFFF"
_ASCII_SIGN_OR_OTHERS = re.compile(r"[\x00-\x7f]|[^\x00-\x7f]+")


def escaped(text: str) -> str:
    """The text as a pattern of LIKE that matches nothing else."""
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def may_be_code(wanted: str) -> bool:
    """Whether a folded name can be the code of a place, such as an airport's."""
    return len(wanted) <= MAX_CODE_CHARS and " " not in wanted


async def tables_with(guard: Guard, tables: Sequence[Searchable], wanted: str) -> list[Searchable]:
    """Those of several small tables that may have a place called `wanted`, which is folded. Raises TooExpensive where
    one of them keeps the statement waiting, DataUnavailable or DataBusy."""
    is_code = may_be_code(wanted)

    def asking(number: int) -> str:
        where = tables[number]
        texts = [column_text(name) for name in ((*where.names, *where.codes) if is_code else where.names)]
        # Words that are spread over two columns match, too; the later search in that table rejects them.
        text = f"CAST({texts[0]} AS text)" if len(texts) == 1 else f"concat_ws(' ', {', '.join(texts)})"
        return f"SELECT {number}, {text} FROM {relation_text(where.table)}"  # noqa: S608 - quoted names only

    rows = await rows_of_all(
        guard,
        range(len(tables)),
        asking,
        {"pattern": words_pattern(wanted), "spelling": words_spelling(wanted)},
        SUBJECT,
        TOGETHER_TIMEOUT_S,
        _having,
    )
    return [tables[number] for number in sorted(row[0] for row in rows)]


async def locked_of(guard: Guard, tables: Sequence[Searchable]) -> set[str]:
    """The ids of the tables that another session has locked against reading. Raises GisError."""
    found = await guard.rows(cast("Query", _LOCKED), "the locks of tables", gate=False)
    locked = {(schema, name) for schema, name in found}
    return {each.table.id for each in tables if (each.table.schema_name, each.table.name) in locked}


async def similar_names(
    guard: Guard, tables: Sequence[Searchable], wanted: str, seconds: float
) -> list[tuple[Searchable, dict[str, float]]]:
    """The tables that have names similar to a folded one, with these names and their distance. Raises as
    `rows_of_all` does."""

    def asking(number: int) -> str:
        where = tables[number]
        name = f"CAST({column_text(where.names[0])} AS text)"
        order = f" ORDER BY {column_text(where.population)} DESC NULLS LAST" if where.population else ""
        limits = f"WHERE {name} IS NOT NULL{order} LIMIT {MAX_FUZZY_ROWS}"
        return f"(SELECT {number}, {name} FROM {relation_text(where.table)} {limits})"  # noqa: S608

    rows = await rows_of_all(guard, range(len(tables)), asking, {}, SUBJECT, seconds)
    found = await asyncio.to_thread(_likely, wanted, rows)
    return [(tables[number], names) for number, names in sorted(found.items())]


def _likely(wanted: str, rows: Sequence[Record]) -> dict[int, dict[str, float]]:
    """By number of a table, its names within a small edit distance (Damerau-Levenshtein); of names that fold
    alike only the first."""
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


_LOCKED = sa.text(
    "SELECT n.nspname, c.relname FROM pg_locks AS l JOIN pg_class AS c ON c.oid = l.relation"
    " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
    " WHERE l.mode = 'AccessExclusiveLock' AND l.granted AND l.pid <> pg_backend_pid()"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
_CONTAINS = literal_sql(
    may_contain(sa.literal_column("text"), sa.literal_column(":pattern"), sa.literal_column(":spelling"))
)


def _having(tables: str) -> str:
    """The numbers of the tables that have such names. The condition is written once, which halves the time of a search
    in 10,000 tables."""
    return f"SELECT DISTINCT number FROM ({tables}) AS named (number, text) WHERE {_CONTAINS}"  # noqa: S608
