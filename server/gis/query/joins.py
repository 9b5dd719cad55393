"""Which tables with geometry a table without one can be joined to: those with a column of the same values.

Values are compared, not names: a column `country` of income joins `iso_a2` of countries. Samples are read from both
sides, of at most `MAX_SAMPLE_ROWS` rows, for at most `SEARCH_TIMEOUT_S`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from agents.domain import Column, Table
from server.gis.query.together import column_text, relation_text, rows_of_all, rows_of_tables
from server.gis.statements.guard import Guard, Record

MAX_JOINS = 3
MAX_TABLES = 500
MAX_COLUMNS = 40
"""Columns of a table that are compared."""
MAX_VALUES = 200
"""Different values of a column that are looked for in others."""
MAX_SAMPLE_ROWS = 20_000
SEARCH_TIMEOUT_S = 5.0
"""Time limit for all tables; what is running by then is finished."""
MIN_SHARE = 0.5
"""Share of the values of a column that must be in the other, too."""
NEARLY_UNIQUE = 0.9
CHANCE_NUMBERS = 50
"""Other numbers from the range of a column of integers that are looked for, too."""
_SUBJECT = "columns with the same values"
_IS_NUMBER = re.compile(r"\d{1,18}")
_ROW_NUMBERS = frozenset(("id", "fid", "gid", "ogc_fid", "objectid"))


@dataclass(frozen=True)
class Join:
    """Rows agree where `column` of the table equals `other_column` of the table `other`. Of `values` different values
    that were compared, `matched` are also there."""

    other: str
    column: str
    other_column: str
    matched: int
    values: int


@dataclass(frozen=True)
class _Key:
    """A column that may hold keys, with a sample of its values in lower case."""

    table: Table
    column: Column
    values: frozenset[str]
    is_unique: bool

    def read_with(self, other: _Key) -> frozenset[str]:
        """Texts that are compared with numbers are read as numbers: `007` agrees with 7."""
        if self.column.kind == other.column.kind:
            return self.values
        return frozenset(each.lstrip("0") for each in self.values)


async def possible_joins(guard: Guard, table: Table, others: Iterable[Table]) -> list[Join]:
    """The best joins of a table, one for each other table. Raises DataUnavailable."""
    keys = await _keys(guard, table)
    candidates = [each for each in others if each.geometry_column is not None and each.id != table.id]
    if not keys or not candidates:
        return []
    names = {key.column.name.lower() for key in keys}

    def promise(other: Table) -> tuple[bool, bool, int]:
        shares_name = any(each.name.lower() in names for each in other.columns)
        return (not shares_name, other.is_result, other.row_estimate)

    best: dict[str, tuple[float, bool, Join]] = {}
    for theirs in await _matching(guard, keys, sorted(candidates, key=promise)[:MAX_TABLES]):
        for found in filter(None, (_join(mine, theirs) for mine in keys)):
            id = theirs.table.id
            best[id] = max(best.get(id, found), found, key=lambda each: each[:2])
    ranked = sorted(best.values(), key=lambda each: (*each[:2], each[2].matched), reverse=True)
    return [join for *_, join in ranked[:MAX_JOINS]]


def _join(mine: _Key, theirs: _Key) -> tuple[float, bool, Join] | None:
    """The join of two columns, how good it is, and whether it shows areas; None if their values do not agree, or agree
    only by chance."""
    own, others = mine.read_with(theirs), theirs.read_with(mine)
    matched = len(own & others)
    is_named_alike = mine.column.name.lower() == theirs.column.name.lower()
    share = matched / len(own)
    if share < MIN_SHARE or matched < min(2, len(own)) or not (mine.is_unique or theirs.is_unique):
        return None
    if mine.column.kind == theirs.column.kind == "integer" and not is_named_alike:
        chance = _by_chance(own)
        if not chance or len(chance & others) / len(chance) > share / 2:
            return None
    score = share + is_named_alike / 2 + theirs.is_unique / 4
    has_areas = theirs.table.geometry_family == "polygon"
    return score, has_areas, Join(theirs.table.id, mine.column.name, theirs.column.name, matched, len(own))


def _comparable(table: Table) -> list[Column]:
    """Columns that may hold keys. Numbers of rows agree by chance."""
    found = [each for each in table.columns if each.kind in ("text", "integer")]
    return [each for each in found if each.name.lower() not in _ROW_NUMBERS][:MAX_COLUMNS]


def _grouped(table: Table, column: Column) -> str:
    """The different values of a column as `v`, lower-case and without outer spaces, each with its number of rows."""
    name = column_text(column.name)
    sample = (
        f"SELECT {name} AS c FROM {relation_text(table)} WHERE {name} IS NOT NULL LIMIT {MAX_SAMPLE_ROWS}"  # noqa: S608
    )
    return f"(SELECT lower(btrim(CAST(c AS text))) AS v, count(*) AS n FROM ({sample}) AS s GROUP BY 1) AS g"  # noqa: S608


async def _keys(guard: Guard, table: Table) -> list[_Key]:
    columns = _comparable(table)

    def select(number: int) -> str:
        # Ordered by a hash, so that the values are not neighbours of each other.
        some = f"(array_agg(v ORDER BY md5(v)) FILTER (WHERE length(v) BETWEEN 1 AND 100))[1:{MAX_VALUES}]"
        return f"SELECT {number}, {some}, count(v), sum(n) FROM {_grouped(table, columns[number])}"  # noqa: S608

    if not columns:
        return []
    rows = await rows_of_all(guard, range(len(columns)), select, {}, _SUBJECT, guard.seconds)
    return [_key(table, columns[row[0]], row) for row in rows if row[1]]


def _key(table: Table, column: Column, row: Record) -> _Key:
    _, values, different, total = row
    return _Key(table, column, frozenset(values), different >= int(total) * NEARLY_UNIQUE)


def _by_chance(values: frozenset[str]) -> frozenset[str]:
    """Other numbers between the least and the greatest of these: so many of them are elsewhere by chance."""
    low, high = min(map(int, values)), max(map(int, values))
    step = max(1, (high - low) // CHANCE_NUMBERS)
    return frozenset(map(str, range(low, high, step))) - values


async def _matching(guard: Guard, keys: Sequence[_Key], others: Sequence[Table]) -> list[_Key]:
    """The columns of other tables that have some of the values, with those."""
    wanted = frozenset[str]().union(*(key.values for key in keys))
    chances = (_by_chance(key.values) for key in keys if key.column.kind == "integer")
    wanted = wanted.union(*chances)
    numbers = {each.lstrip("0") for each in wanted if _IS_NUMBER.fullmatch(each)} - {""}
    parameters = {"wanted": sorted(wanted), "numbers": sorted(numbers)}
    asked = [(other, column) for other in others for column in _comparable(other)]
    is_wanted = "v = ANY(CAST(:wanted AS text[])) OR ltrim(v, '0') = ANY(CAST(:numbers AS text[]))"

    def select(number: int) -> str:
        there = f"array_agg(v) FILTER (WHERE {is_wanted})"
        return f"SELECT {number}, {there}, count(v), sum(n) FROM {_grouped(*asked[number])}"  # noqa: S608

    deadline = asyncio.get_running_loop().time() + SEARCH_TIMEOUT_S
    tables = [other for other, _ in asked]
    rows = await rows_of_tables(guard, tables, select, parameters, _SUBJECT, deadline=deadline)
    return [_key(*asked[row[0]], row) for row in rows if row[1]]
