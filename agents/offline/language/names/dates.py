"""Finds the dates of rows that are meant when none is named: not those of what is planned, is over or was recorded."""

from __future__ import annotations

import re

from agents.domain import Column, Table
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.names.comments import DULL, comment_words
from agents.offline.language.names.costs import word_cost
from agents.offline.language.words import are_forms, is_stem_of, name_words, word_set

PLANNED = word_set("next due planned scheduled expiry expire expires deadline valid")
ENDED = word_set("""
    close closed complete completed resolve resolved settle settled end ended finish finished restored repaired reopened
    restoration done clear cleared remove removed treat treated answered until return returned arrive arrival arrived
    extinction extinguished decision decided determination determined
""")
"""Words in names of dates on which something ended."""
_RECORDED = word_set("""
    create created load loaded update updated modify modified edit edited insert inserted import imported enter entered
    record recorded change changed
""")
"""Words in names of dates that describe the record, not its subject."""
_NOT_YET = re.compile(r"(?i)\b(?:empty|missing|null) (?:while|until|as long as)\b")
"""What comments say of dates on which something ends."""


def times_of(table: Table) -> list[Column]:
    """The date or time columns that are meant when none is named, except due dates: the one that the table's comment
    mentions; `claims in 2020` by the loss date if the others tell when one was `closed`; never that of the record."""
    times = [column for column in table.columns if column.kind in ("date", "timestamp")]
    times = [column for column in times if not PLANNED & set(name_words(column.name))] or times
    begun = [each for each in times if not _NOT_YET.search(each.comment or "")]
    of_table = comment_words(table.comment) - DULL  # “Applications received since 2018”
    stated = [each for each in begun if of_table & (spelt_out(each.name) | comment_words(each.comment))]
    if len(stated) == 1 and not _RECORDED & set(name_words(stated[0].name)):
        return stated
    begun = [each for each in begun if not ENDED & {*name_words(each.name), *comment_words(each.comment)}]
    of_every_row = [each for each in times if not each.nullable and not records_last_time(each)]
    for own in (begun, of_every_row):
        if len(own) == 1 and not _RECORDED & set(name_words(own[0].name)):
            return own
    return times


def due_dates(table: Table) -> list[Column]:
    """The dates on which something is due: `due_date`, `next_insp`, “Next inspection due”."""
    dates = [each for each in table.columns if each.kind in ("date", "timestamp")]
    return [
        each
        for each in dates
        if _DUE & (spelt_out(each.name) | comment_words(each.comment)) and not records_last_time(each)
    ]


_DUE = word_set("due deadline next")


def records_last_time(column: Column) -> bool:
    """Whether a column records when something was last done: the year of an inspection is not an age."""
    return "last" in (*name_words(column.name), *name_words(column.comment or ""))


def is_called_after(column: Column, state: str) -> bool:
    """Whether a column of dates or years is called after a state: `opened_on`, or `restor_yr` for `restored`."""
    return any(
        word_cost(own, state) is not None or are_forms(own, state) or is_stem_of(own, state)
        for own in name_words(column.name)
    )
