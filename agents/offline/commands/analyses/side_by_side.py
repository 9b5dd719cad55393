"""Comparisons of two columns (`the gap between planned and built dwellings`) and of two values (`oaks and ashes`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.lexicon import COMPARATIVES
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.words import name_words, singular
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import OneOf
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import ColumnWords, Grouped, first_groups_step, quoted, step

DIFFERENCE = "difference"
"""The added column."""
_MORE = "|".join(each for each, (_, measure) in COMPARATIVES.items() if measure)
_GAP = "(gap|difference) between [the] {one:column} and [the] {two:column}"
RULES = Rules()
on = RULES.on


@on(
    "((which|what) {source:bare} (has|have) [the]"
    f" how=(biggest|largest|greatest|highest|widest|smallest|lowest) {_GAP}"
    f"|<what> {_GAP} (of|for|in) {{source:bare}})",
    cost=-2.0,
)
def _gap(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """The greatest absolute difference between two columns."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    columns = [_one_of_both(table, bindings, name) for name in ("one", "two")] if table is not None else []
    if not rows.named or len(set(columns)) != 2 or "" in columns:
        return None
    one, two = columns
    title = f"Difference between {one} and {two} of {rows.noun}"
    gap = step(
        "calculate", rows, title=title, name=DIFFERENCE, expression=f"abs({quoted(one)} - {quoted(two)})"
    )
    if "how" not in bindings:
        return (gap,)
    what = f"difference between {one} and {two}"
    return (gap, first_groups_step(singular(rows.noun), bindings["how"], what, DIFFERENCE))


def _one_of_both(table: Table, bindings: Mapping[str, Any], name: str) -> str:
    """The column that is meant; in `planned and built dwellings` the last word belongs to both."""
    words = bindings[name].text
    both = f"{words} {bindings['two'].text.split()[-1]}" if name == "one" else words
    for each in (words, both):
        found = columns_called((table,), name_words(each))
        numbers = [column.name for column in table.columns if column.name in found and is_number(column)]
        if len(found) == len(numbers) == 1:
            return numbers[0]
    return ""


@on(f"(is|are) {{one:bare}} how=({_MORE}) than {{other:bare}} on average")
def _values_compared(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`are the oaks taller than the ashes on average`: the average per value."""
    one, other = bindings["one"], bindings["other"]
    table, first, second = context.table(one), one.where, other.where
    if table is None or table != context.table(other) or not _are_values_of_one(first, second):
        return None
    measures = measure_columns(table, COMPARATIVES[bindings["how"]][1])
    if not measures:
        return None
    where = replace(first, text=f"{first.text} or {second.text}")
    words = f"{one.noun} and {other.noun}"
    figure = {"function": "mean", "column": ColumnWords(measures[0])}
    title = f"Average {measures[0]} of {words}"
    return (Grouped(replace(one, where=where, text=words), first.column.columns[0], figure, title=title),)


def _are_values_of_one(one: Any, other: Any) -> bool:
    """Whether the conditions are two values of the same column."""
    values = isinstance(one, OneOf) and isinstance(other, OneOf) and one.text != other.text
    return values and one.column is not None and one.column == other.column and " or " not in one.text
