"""The answer to a question about rows: one row, ties for first place, two compared, or a list."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from agents.core.nearest import fold
from agents.domain import Table
from agents.geo.wording.phrases import listed, number, row_values, table_rows, value
from agents.offline.answers import texts
from agents.offline.answers.wording import (
    Facts,
    columns_to_show,
    measured,
    name_of,
    plain,
    where_words,
    without_known,
)
from agents.offline.language.conditions.flags import NO, YES
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import holds_years
from agents.offline.meaning.cql2 import columns_in
from agents.offline.meaning.intents import Command, Lookup, Rows, Show
from agents.offline.meaning.row_names import has_row_names
from agents.offline.meaning.scene import Done
from agents.offline.meaning.units import in_unit
from agents.units import Unit
from agents.worded import joined

MAX_LISTED = 100


def unit_asked(command: Command | None) -> Unit | None:
    """The unit that the request names for the column in question."""
    intent = command.intent if command is not None else None
    if isinstance(intent, Rows | Show):
        return intent.top.unit if intent.top is not None else None
    return intent.unit if isinstance(intent, Lookup) else None


def rows_words(
    done: Done, facts: Facts, command: Command | None, table: Table | None, counted: Callable[[Facts], str]
) -> str:
    """The answer about rows. `counted` formats a number of rows of a table."""
    rows, columns = facts.get("rows", []), list(facts.get("columns", []))
    name = table.title.replace("_", " ") if table is not None else str(facts.get("table"))
    sort, unit = str(done.arguments.get("sort") or ""), unit_asked(command)
    condition = without_known(facts.get("filter"), sort)
    where = where_words({"filter": condition})
    if not rows:
        return texts.NO_ROW(name=plain(name), where=where_words(facts))
    intent = command.intent if command is not None else None
    units = {sort: unit} if unit is not None else {}
    if isinstance(intent, Rows) and intent.unit is not None and table is not None:
        units |= {name: intent.unit for name in intent.columns if in_unit(table.column(name), intent.unit)}

    def in_words(column: str, item: Any) -> str:
        own = table.column(column) if table is not None else None
        return measured(own, item, units.get(column))

    if len(rows) == 1 and table is not None:
        own = table.column(sort)
        time = sort if own is not None and own.kind in ("date", "timestamp") else None
        answer = _one_row(columns, rows[0], name_of(table) if has_row_names(table) else time, in_words)
        is_true = _is_true(intent, columns, rows[0]) if isinstance(intent, Lookup) else None
        return answer if is_true is None else texts.VERDICTS[is_true](answer=answer)
    years = [each.name for each in table.columns if holds_years(each)] if table is not None else []
    spelt = [name for name in columns if name in units or name in years]
    rows = [dict(zip(columns, row_values(columns, row), strict=True)) for row in rows]
    asked = {*columns_in(condition), *(intent.columns if isinstance(intent, Rows) else ())}
    listing = table_rows(
        columns_to_show(columns, rows, " ".join(asked)),
        [
            {**row, **{name: in_words(name, row[name]) for name in spelt if row.get(name) is not None}}
            for row in rows
        ],
        MAX_LISTED,
    )
    if sort and table is not None and isinstance(intent, Rows | Lookup):
        top = intent.top if isinstance(intent, Rows) else None
        is_first = top is not None and top.limit == top.place == 1
        found = _first_place(done, facts, table, in_words, counted) if is_first else ""
        if isinstance(intent, Lookup):
            times = intent.claim == "times"
            found = compared_words(rows, sort, name_of(table), lambda item: in_words(sort, item), times=times)
            is_so = verdict(intent, rows, sort, name_of(table))
            found = texts.VERDICTS[is_so](answer=found) if found and is_so is not None else found
        if found:
            return joined("\n\n", (found, listing))
    total = facts.get("total")
    own = table.column(sort) if table is not None else None
    is_text = own is not None and own.kind == "text"
    ordered = texts.IN_ORDER if is_text else texts.FIRST[bool(done.arguments.get("descending"))]
    about = {"name": plain(name), "where": where, "order": ordered(column=sort) if sort else ""}
    if isinstance(total, int) and total > len(rows):
        if sort and total != (table.row_estimate if table is not None else None):
            about["where"] = where_words(facts)  # the total does not include rows without a value
        return joined("\n\n", (texts.ROWS_OF(n=len(rows), total=total, **about), listing))
    return joined("\n\n", (texts.ROWS(n=len(rows), **about), listing))


ValueWords = Callable[[str, Any], str]
"""Formats a value of a column."""


def _first_place(
    done: Done, facts: Facts, table: Table, in_words: ValueWords, counted: Callable[[Facts], str]
) -> str:
    """`Harbour and Brewery have the greatest `pm10`: 47.`, for rows that share it; else empty."""
    sort, rows, named = str(done.arguments["sort"]), facts["rows"], name_of(table)
    if named is None or len({str(row.get(sort)) for row in rows}) > 1:
        return ""
    if len({str(row.get(named)) for row in rows}) < len(rows):
        subject = counted({"table": table.id, "count": len(rows)})
    else:
        names: list[str] = [plain(value(row.get(named))) for row in rows[:10]]
        more = len(rows) - len(names)
        subject = listed([*names, *([texts.N_MORE(n=more)] if more else [])])
    most = texts.MOST[bool(done.arguments.get("descending"))]()
    return texts.HAVE_MOST(names=subject, most=most, column=sort, value=in_words(sort, rows[0].get(sort)))


def _one_row(columns: Sequence[str], row: Any, named: str | None, in_words: ValueWords) -> str:
    pairs = dict(zip(columns, row_values(columns, row), strict=False))
    title = plain(value(pairs.pop(named))) if named in pairs else texts.ONE_ROW()
    facts = joined(", ", (joined("", (f"`{name}` ", in_words(name, item))) for name, item in pairs.items()))
    return joined("", ("**", title, "**: ", facts, ".") if facts else ("**", title, "**."))


def _is_true(asked: Lookup, columns: Sequence[str], row: Any) -> bool | None:
    """Whether the row has the value that the question names (`is Ascó active?`); None if that is not certain."""
    stored = dict(zip(columns, row_values(columns, row), strict=False)).get(asked.words)
    if not asked.value or not isinstance(stored, bool | str):
        return None
    if isinstance(stored, bool):
        return stored
    if stored.casefold() in YES | NO:
        return stored.casefold() in YES
    named, own = name_words(asked.value), name_words(stored)
    return named == own if named == own or not {*named} & {*own} else None


def compared_words(
    rows: Sequence[Facts],
    sort: str,
    named: str | None,
    measured: Callable[[Any], str],
    *,
    times: bool = False,
) -> str:
    """`Brazil has the greater `area_km2`, 8,511,965 km²: 5,745,075 km² more than Argentina.`, for rows sorted by a
    column.

    Empty if they have no distinct names or numbers. `times`: the quotient of two positive numbers instead of the
    difference.
    """
    numbers = [row for row in rows if isinstance(row.get(sort), int | float)]
    if named is None or len(numbers) < 2 or len({str(row.get(named)) for row in rows}) < len(rows):
        return ""
    (first, most), (second, less) = ((plain(value(row[named])), row[sort]) for row in numbers[:2])
    both = {"first": first, "second": second, "column": sort, "value": measured(most)}
    if most == less:
        return texts.SAME(**both)
    if times and less > 0:
        return texts.HAS_TIMES(times=number(most / less), **both)
    has = texts.HAS_GREATEST if len(numbers) > 2 else texts.HAS_GREATER
    return has(difference=measured(round(most - less, 6)), **both)


def verdict(asked: Lookup, rows: Sequence[Facts], sort: str, named: str | None) -> bool | None:
    """Whether the claim that one row has more (or less) than the other is true; None without a claim."""
    values = {fold(str(row.get(named or ""))): row[sort] for row in rows}
    if asked.claim not in (">", "<") or len(values) != 2:
        return None
    one = values.pop(fold(asked.of.removeprefix("the ")), None)
    other = values.get(fold(asked.others[0].removeprefix("the ")))
    if one is None or other is None:
        return None
    return bool(one > other if asked.claim == ">" else one < other)
