"""Orders groups by their figures, and names figures and other meanings of a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.rules import Steps
from agents.offline.commands.assembly.asked import COUNT, PERCENT, Asked
from agents.offline.language.words import name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import ColumnMention, parts_of
from agents.offline.meaning.features import RESULT
from agents.offline.meaning.steps import (
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    LateCondition,
    step,
    top_step,
)

MOST_GROUPS = 1000
"""Maximum number of groups in an order."""
SIZES = ("big", "high", "")
"""Measures of superlatives that apply to any figure."""


def in_order(asked: Asked, found: Steps | None, columns: tuple[str, ...]) -> Steps | None:
    """The steps, sorted with the smallest first or limited to the first groups, if requested; answers show the
    greatest first by default."""
    descending, top = asked.descends(columns), asked.one("top")
    first = top.value.limit if top is not None and top.value.word in ("top", "bottom") else None
    if found is None or descending is None:
        return None
    if top is not None and top.value.word == "bottom":
        descending = False
    if descending and first is None:
        return found
    last = found[-1]
    name = figure_name(asked, last)
    if not name:
        return None
    ranked = top_step(
        RESULT, AddedColumn(name), first or MOST_GROUPS, smallest=not descending, title=last.title, ties=True
    )
    return (*found, ranked)


def with_enough_rows(asked: Asked, found: Steps | None, ordered: Steps | None) -> Steps | None:
    """Only the groups with as many rows as requested: `only countries with at least 20 cities`."""
    kept = asked.one("kept")
    if kept is None or not found or ordered is None:
        return ordered
    last, (noun, many) = found[-1], kept.value
    if not isinstance(last, Grouped) or last.of_all or noun not in ((), name_words(asked.group_words)):
        return None
    title = f"{last.title}, {kept.text.lstrip(', ')}"
    count = LateCondition(replace(many, column=ColumnMention("count")))
    rest = ordered[len(found) :]
    if not rest and len(asked.columns) < 2:
        by = AddedColumn(figure_name(asked, last))
        rest = (top_step(RESULT, by, MOST_GROUPS, title=title, ties=True),)
    return (*found, step("filter", RESULT, title=title, filter=count), *rest)


def figure_name(asked: Asked, part: AnalysisStep | Grouped) -> str:
    """The name of the figure's column."""
    if isinstance(part, AnalysisStep):
        figure = asked.figure() if part.operation == "spatial_join" else None
        return str(dict(part.arguments).get("name", "")) if figure is None else _added(asked, figure)
    return PERCENT if part.of_all or part.part is not None else _added(asked, part.aggregate)


def _added(asked: Asked, figure: Mapping[str, Any]) -> str:
    if figure == COUNT:
        return "count"
    columns = asked.columns
    of = columns[0] if len(columns) == 1 and not asked.has("between") else figure["column"].text
    return f"{figure['function']}_{of}"


def figure_words(figure: Mapping[str, Any]) -> str:
    """`Average rent of`, without repetition (`Total total population`)."""
    if figure == COUNT:
        return "Number of"
    name, text = FIGURE_NAMES[figure["function"]], figure["column"].text
    return f"{name} {text.removeprefix(f'{name.lower()} ')} of"


def first_ones(asked: Asked, measures: Sequence[str] = SIZES) -> tuple[int, bool] | None:
    """The number of rows or groups and whether the greatest come first; None if they are not ranked by a figure."""
    top, most, number, whose = map(asked.one, ("top", "most", "number", "whose"))
    if top is most is None or (top is not None and top.value.measure not in measures):
        return None
    descending = (
        top.value.descending if top is not None else most is not None and "most" in most.value.split()
    )
    limits = (number.value if number else 0, whose.value[1] if whose else 0, top.value.limit if top else 0)
    return next(filter(None, limits), 1), descending


def called(meaning: Steps | i.Intent, asked: Asked) -> str:
    """The meaning in the words of the request: `Total repair costs of inspections 2024`."""
    match meaning:
        case tuple():
            return meaning[-1].title
        case i.Statistic(what, column):
            name = FIGURE_NAMES.get(what.removesuffix("imum"), what.capitalize())
            return f"{name} {column.text} of {asked.called}"
        case i.Count(share=share):
            return f"{'Percentage' if share else 'Number'} of {asked.called}"
        case i.Rows(top=top):
            ranked = (
                f", {top.word} {top.column.text if top.column is not None else ''}" if top is not None else ""
            )
            return f"List of {asked.called}{ranked}".strip()
        case i.Chart(kind, _, columns):
            return f"{kind.capitalize() or 'A'} chart of {asked.called}: {', '.join(each.text for each in columns)}"
        case _:
            return f"Map of {asked.called}"


def columns_in(meaning: Steps | i.Intent) -> str:
    """The columns that a meaning uses."""
    named = [name for each in parts_of(meaning) if isinstance(each, ColumnMention) for name in each.columns]
    words = [each.text for each in parts_of(meaning) if isinstance(each, ColumnWords)]
    return ", ".join(dict.fromkeys([*named, *words])) or "another condition"
