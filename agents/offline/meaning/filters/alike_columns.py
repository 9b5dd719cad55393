"""Values that several columns may have, or that a column has as numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agents.domain import Column, Cql2, Table
from agents.geo.wording.phrases import filter_words
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import (
    NEGATIONS,
    codes_with,
    greatest_is_worst,
    number_explained,
    numbers_explained,
)
from agents.offline.language.conditions.flags import answers
from agents.offline.language.names.rows import columns_alike
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.meaning.cql2 import columns_in, combined, disjunction, equals
from agents.offline.meaning.scene import Refuse, Scene
from agents.offline.meaning.stored_values import empty_where, stored_values

_OR_WORSE = re.compile(
    r"(?:(?P<value>.+?),? (?:or|and) )?(?P<way>better|worse)(?: than (?P<than>.+))?", re.IGNORECASE
)


async def both_or_either(scene: Scene, table: Table, text: str, kinds: Sequence[Cql2]) -> Cql2:
    """The rows of any of the kinds; of two kinds of different columns joined by `and`, those of both where one is a
    flag (`void and adapted homes`). Raises Ask if it is unclear."""
    either, used = disjunction(kinds), [{*columns_in(each)} for each in kinds]
    if len(kinds) != 2 or " and " not in text or used[0] & used[1]:
        return either
    both = combined("and", *kinds)
    if not await scene.data.count(table.id, both):
        return either
    if any(answers(each) for each in table.columns if each.name in used[0] | used[1]):
        return both
    options = [filter_words(both), filter_words(either)]
    question = refusals.VALUE_WHICH(text=text, first=options[0], second=options[1])
    return both if scene.choose(options, question) == options[0] else either


async def in_any_alike(scene: Scene, table: Table, name: str, values: Sequence[Any]) -> Cql2:
    """The rows with one of the values in this column or in one for the same thing: `accidents with a pedestrian`."""
    found = [equals(name, values)]
    for column in columns_alike(table, name):
        stored = await stored_values(scene, table, [column], [str(each) for each in values])
        found += [equals(column.name, own) for own in stored.values()]
    return disjunction(found)


def without_or_worse(text: str) -> str | None:
    """`bad condition` of `bad condition or worse`, `C` of `worse than C`; else None."""
    found = _OR_WORSE.fullmatch(text)
    return found["value"] or found["than"] if found is not None else None


async def or_worse(scene: Scene, table: Table, least: Cql2, text: str) -> Cql2:
    """The rows from a value on, of numbers on a scale that the comment explains, or of words such as `fair`: `bad
    condition or worse`. Raises Refuse."""
    column = next((table.column(name) for name in columns_in(least)), None)
    said = _OR_WORSE.fullmatch(text)
    worse, than = said is not None and said["way"].lower() == "worse", bool(said and said["than"])
    upwards = greatest_is_worst(column.comment) if column is not None and column.kind == "integer" else None
    if upwards is not None and least["op"] == "=":
        return {"op": (">" if upwards is worse else "<") + "=" * (not than), "args": least["args"]}
    graded = await _graded(scene, table, column) if column is not None and column.kind == "text" else {}
    if column is None or least["op"] != "=" or (grade := graded.get(least["args"][1])) is None:
        raise Refuse(refusals.NO_ROW_VALUE(table=table.title, text=text))
    way = 1 if worse else -1
    named = [each for each, own in graded.items() if (own - grade) * way > 0 or (own == grade and not than)]
    return equals(column.name, sorted(named, key=graded.__getitem__))


_GRADES = tuple(map(word_set, (
    "excellent high", "good", "fair moderate average satisfactory adequate", "poor", "bad", "critical failed",
)))  # fmt: skip
"""Words for states, best first; `very good` and `very poor` are half a grade further out."""
_LETTER = re.compile(r"[A-H]\+{0,4}")
_UNGRADED = frozenset(("unknown", "not assessed", "n/a"))


async def _graded(scene: Scene, table: Table, column: Column) -> dict[str, float]:
    """The values of a column of texts with their grades; empty if one has none."""
    stats = await scene.data.stats(table.id, column.name)
    values = [str(each["value"]) for each in stats.get("top", ()) if each.get("value") is not None]
    values = values if stats.get("distinct") == len(values) else []
    if all(_LETTER.fullmatch(each) for each in values):  # of energy labels
        return {each: ord(each[0]) - each.count("+") / 10 for each in values}
    grades: dict[str, float] = {}
    for value in values:
        very, _, word = f" {fold(value)}".rpartition(" ")
        grade = next((at for at, words in enumerate(_GRADES) if word in words), None)
        if grade is not None and very.strip() in ("", "very"):
            grades[value] = grade + (0.5 if grade > 1 else -0.5) * bool(very.strip())
        elif fold(value) not in _UNGRADED:
            return {}
    return grades


def by_explanation(table: Table, text: str) -> Cql2 | None:
    """The rows with the number or code that a comment explains so."""
    if (number := number_explained(table.columns, text)) is not None:
        return equals(number[0], [number[1]])
    if (codes := codes_with(table.columns, text)) is not None:
        return equals(*codes)
    return numbers_with(table, text)


def without(table: Table, text: str) -> Cql2 | None:
    """The rows that a comment explains to lack something: `without public sewer`, of “NONE = no public sewer”."""
    unset = empty_where(table, ("not", *name_words(text)))
    codes = codes_with(table.columns, f"no {text}") if unset is None else None
    return equals(*codes) if codes is not None else unset


def numbers_with(table: Table, text: str) -> Cql2 | None:
    """The rows with the numbers whose explanations begin with these words, if one column has any: `urgent` of
    “1 = urgent”, `in the dark` of “3 = dark with lighting, 4 = dark without”."""
    words = name_words(text.removeprefix("the "))
    found = {
        column.name: numbers
        for column in table.columns
        if column.kind == "integer"
        and (
            numbers := [
                number
                for explained, number in numbers_explained(column.comment).items()
                if words and explained[: len(words)] == words and not NEGATIONS & {*explained[:1]}
            ]
        )
    }
    return equals(*next(iter(found.items()))) if len(found) == 1 else None
