"""Conditions on rows that last from one date to another: `active on 1 September 2025`, `currently under way`."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from agents.domain import Column, Table
from agents.offline.language.conditions.times.days import take_day
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.dates import ENDED, times_of
from agents.offline.language.words import Phrases, are_forms, name_words, word_set
from agents.offline.meaning.conditions import IN_FORCE, Compare, Day, Operand, Quantity
from agents.offline.meaning.units import is_year

_ARE = Phrases("[that|which] (are|is|were|was) [still|already] | still | that had | which had")
ONGOING = Phrases("""
    active | ongoing | on going | running | under way | underway | in progress | in place | in force | in effect
    | going on | taking place | happening | on
""")
_WHEN = Phrases("on | at | in | during | as of | as at")
_NOW = Phrases("today | now | right now | currently | at the moment | at present")


_FINISHED = word_set("""
    fix fixed close closed complete completed finish finished repair repaired resolve resolved solve solved done
""")
"""Verbs for bringing anything to its end."""
_STARTED = word_set("begin began begun start started from open opened")
"""Words in names of start dates."""


def times_lasting(table: Table) -> tuple[str, str] | None:
    """The start and end date of a row (`start_date`, `end_date`), if no column holds its duration."""
    times = [each.name for each in table.columns if each.kind in ("date", "timestamp")]
    begun = [name for name in times if not _STARTED.isdisjoint(name_words(name))]
    ended = [name for name in times if not ENDED.isdisjoint(name_words(name))]
    is_sure = len(begun) == len(ended) == 1 and begun != ended
    return (begun[0], ended[0]) if is_sure and not columns_called((table,), ("duration",)) else None


def times_taken(table: Table) -> tuple[str, str] | None:
    """The dates between which a row lasts, else the only one on which it ended and the only other one that is meant:
    `raised_dt` and `compl_dt` of repairs."""
    if (lasting := times_lasting(table)) is not None:
        return lasting
    return _until(table, [each.name for each in _dates(table) if not ENDED.isdisjoint(_words_of(each))])


def times_until(table: Table, done: str) -> tuple[str, str] | None:
    """The date on which something began, such as `reported_on`, and the date on which it was `done`, in any form of the
    verb: `repaired_on` for `repair`."""
    ended = [
        each.name for each in _dates(table) if any(are_forms(done, word) for word in name_words(each.name))
    ]
    if not ended and done in _FINISHED:
        return times_taken(table)
    return _until(table, ended)


def _until(table: Table, ended: Sequence[str]) -> tuple[str, str] | None:
    begun = [each.name for each in times_of(table) if each.name not in ended]
    return (begun[0], ended[0]) if len(begun) == len(ended) == 1 else None


def _dates(table: Table) -> list[Column]:
    return [each for each in table.columns if each.kind in ("date", "timestamp")]


def _words_of(column: Column) -> frozenset[str]:
    """The words of a column's name, and of its comment up to the first sign."""
    return spelt_out(column.name).union(name_words(re.split(r"[,;.(]", column.comment or "")[0]))


def take_in_force(cursor: Cursor, tables: Sequence[Table]) -> Compare | None:
    """A condition on rows whose start and end dates enclose a date or meet a month or year. Returns None without
    moving the cursor if none follows, or if the rows have no such dates."""
    start = cursor.at
    are = cursor.take(_ARE) is not None
    currently = cursor.take(_NOW) is not None
    ongoing = cursor.take(ONGOING)
    is_asked = ongoing is not None and (ongoing != "on" or are)
    if not is_asked or not any(times_lasting(table) for table in tables):
        cursor.at = start
        return None
    if currently or cursor.take(_NOW):
        return Compare("=", Day(datetime.date.today().isoformat()), measure=IN_FORCE)
    when = _period(cursor) if cursor.take(_WHEN) or ongoing == "on" else None
    if when is None:
        cursor.at = start
        return None
    return Compare("=", when, measure=IN_FORCE)


def _period(cursor: Cursor) -> Operand | None:
    """A day, month, decade or year."""
    if (day := take_day(cursor)) is not None:
        return day
    start, year = cursor.at, cursor.take_number()
    if year is not None and len(year.text) == 4 and year.text.isdigit() and is_year(year.value):
        return Quantity(year.value, text=year.text)
    cursor.at = start
    return None
