"""Figures by bands of a number: `airports by elevation: below 0, 0-500, over 500 m`, `… in bands of 100 m`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Column, Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.names.bands import Band, conditions_of
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import (
    Between,
    ColumnMention,
    Compare,
    Condition,
    Empty,
    Group,
    Negation,
)
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import AddedColumn, Grouped, LateCondition, quoted, step
from agents.offline.meaning.units import column_unit, convert, in_one_unit
from agents.units import Unit

_COUNT = {"function": "count"}
BAND = "band"
_LEAST_WIDTH = 100
"""Smaller numbers before `classes` are how many there are."""
_NOUN = "(band|bands|class|classes|group|groups|range|ranges|bracket|brackets|bin|bins|step|steps|interval|intervals)"
_ROWS = (
    "(<what> {figure:figure} (of|for|in|among) {source:rows}"
    "|<what> [the] (number of|numbers of|count of) [all] {source:rows}"
    "|(how many|count) {source:rows} [are there|were there|there are|there were]|[<what>] {source:bare})"
)
_BY = "(by|per|in|into|grouped by|for each|in each|of each)"
_LISTED = "[:|,|-|are|is|of|with] {bands:bands}"
_IS = "(=|is|:|shows)"
RULES = Rules()
on = RULES.on


@on(f"{_ROWS} {_BY} [the] {{by:column}} [{_NOUN}] {_LISTED}", cost=-2.0)
@on(f"{_ROWS} said=(:|,|-|are|is) {{bands:bands}}", cost=1.0)
@on(
    "(split|divide|group|classify|sort) {source:rows} (into|in|as) {bands:bands}"
    " [[,] [and] (count|counted) [them|each]]"
)
def _listed(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Rows, or a figure of them, in the bands that the request lists; rows in none of them are left out."""
    rows: Features = bindings["source"]
    bands: tuple[Band, ...] = bindings["bands"]
    table, units = context.table(rows), [each.unit for band in bands for each in band.limits if each.unit]
    if bindings.get("said") in (",", "-") and not all(each.named for each in bands):
        return None  # conditions of the rows
    column = _column_of(table, bindings.get("by"), units[-1] if units else None, context)
    if table is None or column is None or rows.guessed or table.column(BAND) is not None:
        return None
    width = len(str(len(bands)))  # names are sorted as texts
    cases = [
        {"when": LateCondition(_of_column(within, column.name)), "then": f"{place:0{width}}: {band.text}"}
        for place, (band, within) in enumerate(zip(bands, conditions_of(bands), strict=True), 1)
    ]
    named = step("columns", rows, changes=[{"function": "case", "name": BAND, "cases": cases}])
    known = LateCondition(Negation(Empty(ColumnMention(BAND, (BAND,)))))
    kept = step("filter", RESULT, title="Those in a band", filter=known)
    return (named, kept, *_grouped(BAND, bindings, column))


@on(f"{_ROWS} {_BY} [the] {{by:column}} in {_NOUN} of {{width:quantity}}", cost=-2.0)
@on(f"{_ROWS} {_BY} [the] {{by:column}} [,] in {{width:quantity}} noun={_NOUN}", cost=-2.0)
@on(f"{_ROWS} {_BY} [the] {{by:column}} {_NOUN} of {{width:quantity}}", cost=-2.0)
@on(f"{_ROWS} {_BY} {{width:quantity}} noun={_NOUN} of [the] {{by:column}}", cost=-2.0)
@on(f"[the] {{by:column}} of {{source:rows}} in {_NOUN} of {{width:quantity}}", cost=-2.0)
@on(f"[the] {{by:column}} of {{source:rows}} in {{width:quantity}} noun={_NOUN}", cost=-2.0)
@on(f"{_ROWS} (per|for every|for each|every) {{width:quantity}} of [the] {{by:column}}", cost=-2.0)
@on(f"[the] x [axis] {_IS} {{by:column}} in {{width:quantity}} {_NOUN} [,] [and] [the] y [axis] {_IS}"
    " [the] (number of|count of) {source:rows}", cost=-2.0)  # fmt: skip
def _of_one_width(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """Rows, or a figure of them, in bands of one width, each with the number that it begins at."""
    rows, width = bindings["source"], bindings["width"]
    table = context.table(rows)
    column = _column_of(table, bindings["by"], width.unit, context)
    own = column_unit(column) if column is not None else None
    if table is None or column is None or rows.guessed or width.value <= 0:
        return None
    if (
        "noun" in bindings
        and width.unit is None
        and width.value < _LEAST_WIDTH
        and bindings["noun"] != "steps"
    ):
        return None  # `in 5 classes`
    if width.unit is not None and (own is None or own.dimension != width.unit.dimension):
        return None
    wide = width.value if width.unit is None or own is None else convert(width.value, width.unit, own)
    begin = f"{column.name}_from"
    if table.column(begin) is not None:
        return None
    beginning = f"floor({quoted(column.name)} / {wide:.12g}) * {wide:.12g}"
    begun = step("calculate", rows, name=begin, expression=beginning)
    known = LateCondition(Negation(Empty(ColumnMention(begin, (begin,)))))
    kept = step("filter", RESULT, title=f"Those with a {column.name}", filter=known)
    return (begun, kept, *_grouped(begin, bindings, column))


def _grouped(by: str, bindings: Mapping[str, Any], column: Column) -> Steps:
    """The figure of each band, in the order of the bands."""
    figure, noun = bindings.get("figure", _COUNT), bindings["source"].noun
    counts = figure["function"] == "count"
    what = "Number" if counts else f"{FIGURE_NAMES[figure['function']]} {figure['column'].text}"
    title = f"{what} of {noun} by bands of {column.name}"
    in_order = step("sort", RESULT, title=title, by=AddedColumn(by), ascending=True)
    return (Grouped(RESULT, by, figure, title=title, shapes=False), in_order)


def _column_of(table: Table | None, by: Any, unit: Unit | None, context: Context) -> Column | None:
    """The number that the bands are of: the named one, in the unit of the bands, else what is large of such rows."""
    if table is None:
        return None
    names = context.vocabulary.columns_called((table,), by.text) if by is not None else ()
    if not names and (by is None or name_words(by.text) == ("size",)):
        names = tuple(measure_columns(table, "big"))
    found = [each for each in table.columns if each.name in names and is_number(each)]
    if by is None and unit is not None:
        found = [each for each in table.columns if column_unit(each) == unit]
    alike = [each for each in found if unit is not None and column_unit(each) == unit]
    found = alike if len(alike) == 1 else in_one_unit(found)
    return found[0] if len(found) == 1 else None


def _of_column(within: Condition, name: str) -> Condition:
    """The condition of a band for its column."""
    if isinstance(within, Group):
        return replace(within, parts=tuple(_of_column(each, name) for each in within.parts))
    return (
        replace(within, column=ColumnMention(name, (name,)))
        if isinstance(within, Compare | Between)
        else within
    )
