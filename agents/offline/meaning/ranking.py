"""The first rows of a table by a column, for both lists and the map."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.answers import refusals
from agents.offline.conversation.memory import Rows
from agents.offline.language.conditions.explained_numbers import QUALITY, worst_is_greatest
from agents.offline.language.names.costs import years_in
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.columns import ranks_descending, top_column
from agents.offline.meaning.conditions import Compare, Condition, Group, Quantity, Top, all_of
from agents.offline.meaning.cql2 import combined, equals, is_null, negated, property_of
from agents.offline.meaning.scene import Calls, Refuse, Scene
from agents.ports import DataSource

MAX_SHARING = 100
"""Maximum number of rows listed because they share the last place."""


@dataclass(frozen=True, slots=True)
class FirstRows:
    """The ranking column, the arguments of `query_features` except its columns, and a call that counts all
    rows down to the last place if they are too many to list."""

    column: str
    query: dict[str, Any]
    tie: Calls


def without_covered_year(scene: Scene, table: Table, where: Condition | None, top: Top) -> Condition | None:
    """The condition without a year that the ranking column already covers: `the busiest route in 2023`,
    ranked by `riders_23`, “Boardings in 2023”."""
    parts = where.parts if isinstance(where, Group) and where.op == "and" else (where,)
    if not any(_is_of_year(column, _year_of(each)) for column in table.columns for each in parts):
        return where
    column = top_column(scene, table, top)
    kept = [each for each in parts if each and not _is_of_year(column, _year_of(each))]
    return all_of(*kept)


def of_its_year(table: Table, column: Column, where: Condition | None) -> tuple[Column, Condition | None]:
    """A column and a condition, where the column holds figures of one year and the condition names a year: `bicycles
    counted in 2022` are `cnt_2022` of all rows, also where the comment of `cnt_2023` has these words. Raises Refuse if
    there is no column of that year."""
    years, parts = (
        years_in(column.name),
        where.parts if isinstance(where, Group) and where.op == "and" else (where,),
    )
    asked = next(filter(None, map(_year_of, parts)), "")
    if len(years) != 1 or not asked:
        return column, where
    own = table.column(column.name.replace(next(iter(years)), asked))
    if own is None:
        raise Refuse(refusals.NO_COLUMN_FOR(text=f"{column.name.replace('_', ' ')}, {asked}"))
    return own, all_of(*(each for each in parts if _year_of(each) != asked))


def _year_of(condition: Condition | None) -> str:
    """The year of `in 2023`, unless it refers to a column; else empty."""
    if not isinstance(condition, Compare) or condition.column or condition.measure != "time":
        return ""
    is_year = condition.op == "=" and isinstance(condition.value, Quantity) and condition.value.unit is None
    return condition.value.text if is_year and isinstance(condition.value, Quantity) else ""


def _is_of_year(column: Column, year: str) -> bool:
    """Whether the column holds figures of this year."""
    is_short = column.name.endswith(f"_{year[2:]}") and year in (column.comment or "").split()
    return bool(year) and (year in years_in(column.name) or is_short)


async def first_rows(scene: Scene, table: Table, where: Cql2 | None, top: Top, limit: int) -> FirstRows:
    """The query for the first rows. Raises Ask for the `best` or `worst` of numbers without a scale.

    Includes all rows that share the last place if that at most doubles the list; for a single row, includes
    all that share it.
    """
    column = top_column(scene, table, top)
    known: Cql2 = negated(is_null(column.name))
    filters = combined("and", where, known)
    descending = ranks_descending(top, column)
    if top.word in QUALITY and column.kind != "text" and worst_is_greatest(column) is None:
        ends = ("highest", "lowest")  # `the worst traffic`: the data do not say which is worse
        question = refusals.VALUE_WHICH(text=top.word, first=ends[0], second=ends[1])
        descending = scene.choose(ends, question, top.word) == ends[0]
    if top.place > 1:
        return await _at_place(scene, table, filters, top, column, descending=descending)
    in_order = top.word == "sorted"  # sorted rows have no last place
    last = None
    if not in_order:
        last = await _last_place(scene, table, column, filters, limit, descending=descending)
    tie: Calls = []
    if last is not None:
        no_worse: Cql2 = {"op": ">=" if descending else "<=", "args": [property_of(column.name), last]}
        down_to = combined("and", filters, no_worse)
        sharing = await scene.data.count(table.id, down_to)
        if sharing <= min(MAX_SHARING, MAX_SHARING if limit == 1 else 2 * limit):
            limit = max(limit, sharing)
        elif sharing > limit:
            tie = [("count_features", {"table": table.id, "filters": down_to})]
    query = {
        "table": table.id,
        "filters": filters,
        "sort": column.name,
        "descending": descending,
        "limit": limit,
    }
    return FirstRows(column.name, query, tie)


async def listed_rows(data: DataSource, vocabulary: Vocabulary, rows: Rows | None) -> Rows | None:
    """The rows of a list or ranking, by their keys. None if there are none, or if further rows share the last
    place."""
    if rows is None or not rows.number:
        return rows
    table = vocabulary.table(rows.table)
    if table is None or len(table.key) != 1:
        return None
    columns = list(dict.fromkeys((table.key[0], rows.sort or table.key[0])))
    found = await data.query(
        table.id,
        columns,
        rows.filter,
        sort=rows.sort or None,
        descending=rows.descending,
        limit=rows.number + 1,
    )
    listed = list(found.get("rows", ()))
    first, more = listed[: rows.number], listed[rows.number :]
    if not first or any(each[columns[-1]] == first[-1][columns[-1]] for each in more):
        return None
    keys = equals(table.key[0], [each[table.key[0]] for each in first])
    return Rows(table.id, keys, sort=rows.sort, descending=rows.descending, number=len(first))


async def _at_place(
    scene: Scene, table: Table, filters: Cql2, top: Top, column: Column, *, descending: bool
) -> FirstRows:
    """The rows at one place of a ranking: `the second largest`. Raises Refuse if a better place is shared."""
    last = await _last_place(scene, table, column, filters, top.place, descending=descending)
    if last is None:
        raise Refuse(refusals.TOO_FEW(n=top.place, table=table.title, column=column.name))
    own = property_of(column.name)
    better: Cql2 = {"op": ">" if descending else "<", "args": [own, last]}
    if await scene.data.count(table.id, combined("and", filters, better)) != top.place - 1:
        raise Refuse(
            refusals.SHARED(table=table.title, column=column.name, word=top.word),
            refusals.ASK_FIRST(n=2 * top.place, column=column.name),
        )
    same = combined("and", filters, {"op": "=", "args": [own, last]})
    query = {
        "table": table.id, "filters": same, "sort": column.name, "descending": descending,
        "limit": min(await scene.data.count(table.id, same), MAX_SHARING),
    }  # fmt: skip
    return FirstRows(column.name, query, [])


async def _last_place(
    scene: Scene, table: Table, column: Column, filters: Cql2, limit: int, *, descending: bool
) -> Any:
    """The value of the last of the first rows, as CQL2; None if there are fewer."""
    first = await scene.data.query(
        table.id, [column.name], filters, sort=column.name, descending=descending, limit=limit
    )
    rows = list(first.get("rows", ()))
    if len(rows) < limit:
        return None
    value = rows[-1][column.name]
    return {column.kind: str(value)} if column.kind in ("date", "timestamp") else value
