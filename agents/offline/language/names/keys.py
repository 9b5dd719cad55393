"""Columns that number the rows of a table, and those by which the rows of two tables belong together."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table
from agents.offline.language.words import name_words, word_set

_NUMBERING = word_set("no nr num number id code cd")


def is_key_name(name: str) -> bool:
    """Whether a column of this name numbers the rows: `plan_no`."""
    return not _NUMBERING.isdisjoint(name_words(name))


def shared_key(table: Table, others: Sequence[Table]) -> list[str]:
    """The only number or code of rows of another table that this one has, too: `incidents per line`, by `line_no`."""
    own = [each.name for each in table.columns if is_key_name(each.name) and each.name not in table.key]
    found = [name for name in own if any(other.column(name) is not None for other in others)]
    return found if len(found) == 1 else []
