"""Comparisons of two columns (`the gap between planned and built dwellings`, the days between two dates) and of two
values (`oaks and ashes`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.by_key.grouped import by_referred
from agents.offline.commands.analyses.groups import by_column_of_areas
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.conditions.times.in_force import times_until
from agents.offline.language.figures import Listed
from agents.offline.language.lexicon import COMPARATIVES
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.words import is_plural, name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import MOST_FIRST, ColumnMention, Compare, OneOf, Quantity
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import (
    EXACT_TIMES,
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    LateCondition,
    first_groups_step,
    quoted,
    step,
    time_between,
    top_step,
)
from agents.units import UNITS, Unit

DIFFERENCE = "difference"
"""The added column."""
_MORE = "|".join(each for each, (_, measure) in COMPARATIVES.items() if measure)
_GAP = "(gap|difference) between [the] {one:column} and [the] {two:column}"
_TO_DONE = "(to [be]|until [(it|they) (was|were|is|are)]) {done:name}"
_LASTING = f"{{source:rows}} [that|which|who] (took|take|needed) said=({{lasting:lasting}}) {_TO_DONE}"
_LONGEST = f"[that|which] (took|take|takes|needed) [the] how=(longest|shortest) [time] {_TO_DONE}"
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
    return (gap, first_groups_step(shown_singular(rows.noun), bindings["how"], what, DIFFERENCE))


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


_NAMED = "[(in|of|for|between|across|among|from)] [the] {listed:listed}"


@on(f"compare [the] {{compared:counted}} {_NAMED}")
@on(f"compare [the] {{compared:averaged}} {_NAMED}", cost=1.0)
def _groups_compared(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`compare static water level in Sunam and Dirba blocks`: by a column of what the rows refer to, or lie in."""
    listed: Listed = bindings["listed"]
    rows, figure = bindings["compared"]
    own = context.table(rows)
    if own is None or own == listed.table:
        return None
    by = ColumnMention(listed.column, (listed.column,))
    only = OneOf(" or ".join(f'"{each}"' for each in listed.values), by, "is")
    named = replace(Features.of_table(own), where=rows.where)
    referred = by_referred(named, listed.column, figure, context, only)
    inside = {"source": named, "figure": figure, "by": ColumnWords(listed.column), "only": only}
    found = (referred,) if referred is not None else by_column_of_areas(inside, context)
    what = f"{FIGURE_NAMES[figure['function']]} {figure['column'].text} by {' vs '.join(listed.values)}"
    return (*found[:-1], replace(found[-1], title=what)) if found else None


def _are_values_of_one(one: Any, other: Any) -> bool:
    """Whether the conditions are two values of the same column."""
    values = isinstance(one, OneOf) and isinstance(other, OneOf) and one.text != other.text
    return values and one.column is not None and one.column == other.column and " or " not in one.text


@on(f"<ask> {_LASTING}", rows=_LASTING)
def _lasting(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`bursts that took more than 10 days to repair`"""
    lasting: Compare = bindings["lasting"]
    time = lasting.value
    if not isinstance(time, Quantity) or time.unit is None or time.unit.symbol not in EXACT_TIMES:
        return None
    added = _times_of_rows(bindings, context, time.unit)
    if added is None:
        return None
    name = f"{time.unit.symbol}_between"
    condition = replace(lasting, value=replace(time, unit=None), column=ColumnMention(name, (name,)))
    title = f"{bindings['source'].heading} that took {bindings['said']} to {bindings['done']}"
    return (added, step("filter", RESULT, title=title, filter=LateCondition(condition)))


@on(f"[<ask>|<what>] [the] [{{n:count}}] {{source:bare}} {_LONGEST}")
def _longest(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which burst took the longest to repair`"""
    added = _times_of_rows(bindings, context, UNITS["days"])
    if added is None:
        return None
    rows, how = bindings["source"], bindings["how"]
    count = bindings.get("n") or (MOST_FIRST if is_plural(rows.noun) else 1)
    title = f"The {f'{count} ' if count > 1 else ''}{rows.noun} that took the {how} to {bindings['done']}"
    by, is_least = AddedColumn("days_between"), how == "shortest"
    return (added, top_step(RESULT, by, count, smallest=is_least, title=title, ties=True))


def _times_of_rows(bindings: Mapping[str, Any], context: Context, unit: Unit) -> AnalysisStep | None:
    """The rows with the time from their first date to that on which they were done."""
    rows: Features = bindings["source"]
    table = context.table(rows)
    is_known = rows.named or (rows.mention is not None and rows.mention.pronoun)
    dates = times_until(table, bindings["done"].lower()) if table is not None and is_known else None
    name = f"{unit.symbol}_between"
    if table is None or dates is None or table.column(name) is not None:
        return None
    words = f"{unit.symbol} between {dates[0]} and {dates[1]}"
    return time_between(rows, dates, unit, name, f"{words[:1].upper()}{words[1:]}")
