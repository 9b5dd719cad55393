"""Rows by what a yes/no column is about, in the words of its comment: trees `under powerlines`, inspections that `need
follow up`, water points that are `broken`."""

from __future__ import annotations

from itertools import pairwise

from agents.domain import Column, Cql2, Table
from agents.offline.language.conditions.flags import (
    ALLOWED,
    BANNED,
    flag_values,
    is_flag,
    words_of_column,
    words_of_comment,
)
from agents.offline.language.words import are_forms, name_words, word_set
from agents.offline.meaning.cql2 import columns_in, conjunction, equals, is_null, negated
from agents.offline.meaning.stored_values import is_of_another

MIN_LETTERS = 3
"""Minimum length of a word that can tell what a column is about."""
_HELPERS = word_set("""
    a an the any its their own it of in on at to for by with be being been have has had having get got need needs needed
    needing require requires required requiring still currently already now place force use
    run operate make made take taken do done go come give given hold held put serve stand work lie lay keep kept bring
""")
"""Words without a meaning of their own: `need follow up`, `with a school street in place`."""
_WORKS = word_set("functional functioning working operational operating")
_BROKEN = word_set("broken defective faulty broke")
"""Words for things that do not work: `broken`, `out of order`."""
_OUT_OF_ORDER = ("out", "of", "order")


def flag_in_words(table: Table, text: str) -> Cql2 | None:
    """The rows with yes in the only yes/no column whose name and comment have all of the words; with no, if the words
    are for what does not work."""
    whole = name_words(text)
    is_broken = whole == _OUT_OF_ORDER or bool(set(whole) & _BROKEN)
    words = [word for word in whole if word not in _HELPERS and not is_broken]
    if not is_broken and max(map(len, words), default=0) < MIN_LETTERS:
        return None
    flags = [each for each in table.columns if is_flag(each)]
    if is_broken or set(words) <= _WORKS:
        found = [each for each in flags if _WORKS & words_of_column(each)]
    else:
        about = [] if set(words) <= ALLOWED | BANNED else [each for each in flags if _is_about(each, words)]
        found = [each for each in about if not is_of_another(table, each, words)]  # a closed road
    stored = flag_values(found[0], not is_broken) if len(found) == 1 else []
    return equals(found[0].name, stored) if stored else None


def rows_with_flag(table: Table, condition: Cql2 | None) -> Cql2 | None:
    """The rows that have a value in a condition's yes/no columns, where their comments limit them to some rows: “at
    night, only for captures”. None if no column is limited so."""
    columns = [each for name in columns_in(condition) if (each := table.column(name)) is not None]
    some = [each.name for each in columns if is_flag(each) and "only for " in (each.comment or "").lower()]
    return conjunction([negated(is_null(each)) for each in some])


def mentions_number(column: Column, number: float) -> bool:
    """Whether a yes/no column is about something with a number: 20 of “20 mph zone in force”."""
    return column.kind == "boolean" and f"{number:g}" in name_words(column.comment or "")


def _is_about(column: Column, words: list[str]) -> bool:
    """Whether the name or comment has all words, also in other forms, or two of them written as one."""
    own, said = words_of_column(column), words_of_comment(column.comment)
    together = {first + second for first, second in pairwise(said)}
    return all(
        word in own or word in together or any(are_forms(word, each) for each in own) for word in words
    )
