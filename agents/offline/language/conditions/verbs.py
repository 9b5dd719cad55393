"""What a column has to do with a verb: the date on which something was done, a number that was given."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Column, Table
from agents.offline.language.lexicon import ABBREVIATIONS
from agents.offline.language.words import are_forms, comment_head, fold, name_words, word_set
from agents.offline.meaning.units import column_unit

_YEARS = word_set("year yr")
_OF_DATES = word_set("date day dt time at of on the when was")
"""Words that say of a date no more than that it is one."""


def is_empty_where_not(column: Column, done: str) -> bool:
    """Whether its comment says that it is “empty where never counted”."""
    words = (
        name_words((column.comment or "").rpartition("empty where")[2])
        if "empty where" in (column.comment or "")
        else ()
    )
    return bool({"not", "never"} & set(words)) and done in words


def is_given_by(column: Column, done: str) -> bool:
    """Whether it is a number that is given so: `cond_rating` of `rated`. What was built is a year."""
    words = (*name_words(column.name), *comment_head(column.comment))
    is_year = _YEARS & {*words, *name_words(column.comment or "")}
    if column.kind not in ("integer", "number") or is_year or column_unit(column) is not None:
        return False
    return any(are_forms(done, each) or done in ABBREVIATIONS.get(each, ()) for each in words)


def tells_of(column: Column, done: str) -> bool:
    """Whether it is the date of that: `last_insp` or “Date of the last inspection” of `inspected`."""
    own = name_words(column.name)
    said = (*own, *name_words(column.comment or ""))
    return any(are_forms(done, each) or done in ABBREVIATIONS.get(each, ()) for each in said)


def tells_only_of(column: Column, done: str) -> bool:
    """Whether it is the date of that, and of nothing else: “Closed or restricted since” is of two."""
    words = (name_words(column.comment or ""), name_words(column.name))
    said = next((own for each in words if (own := set(each) - _OF_DATES)), set())
    return bool(said) and all(are_forms(done, each) or done in ABBREVIATIONS.get(each, ()) for each in said)


def outcome_of(tables: Sequence[Table], done: str) -> tuple[str, str] | None:
    """`Fail` of `failed`: the only column with such a value, and the value; not where a column is called after the
    verb."""
    stems = {done.removesuffix("ed"), done.removesuffix("d")}
    own = [each for table in tables for each in table.columns]
    found = {(c.name, value) for c in own if c.kind == "text" for value in c.samples if fold(value) in stems}
    is_other = any(are_forms(done, word) for each in own for word in name_words(each.name))
    return found.pop() if len(found) == 1 and not is_other else None
