"""The default style of a result: it shows the figure that the question asks for, if its values differ.

Candidates are the figures that the steps calculated or ranked by. Results in classes (hot and cold spots, bands) have
fixed colours and take precedence over figures."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from agents.domain import Column, StyleSpec, Table
from agents.geo.styling.styles import new_style
from agents.ports import StepOutcome, TableRegistry
from agents.provenance.table_words import stem
from server.gis.analysis.plan import PlannedStep
from server.gis.analysis.runner import StepResult
from server.gis.errors import UnknownTable

Varying = Callable[[Table, Sequence[str]], Awaitable[Sequence[str]]]
"""The columns of a table, among those given, that have at least two values."""
OperationStyle = Mapping[str, Any]
"""A style as operations give it."""

_RANKING = frozenset({"top", "sort"})
_TEXT = re.compile(r"'[^']*'")
_NAME = re.compile(r'"(?P<quoted>[^"]+)"|(?P<plain>\w+)')
_COUNTS = re.compile(r"\b(?:how many|number|numbers|count|counts|most|fewest)\b", re.IGNORECASE)
_AGGREGATED = ("sum_", "mean_", "median_", "min_", "max_")
"""Beginnings of the columns of aggregates. Their step counts rows as well, which may not have been asked for."""
_COUNTS_OF_VALUES = "distinct_"
"""Beginning of the columns with a number of different values, which are counted only if they are asked for."""
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class FinishedStep(StepOutcome):
    """The result of a step with what its default style depends on."""

    style: OperationStyle | None = None
    """How the operation, or that of a step before it, proposes to draw the result."""
    figures: tuple[str, ...] = ()
    """Columns that it calculated or ranked by."""
    reads: frozenset[str] = frozenset()
    """Names in the expression that it calculated."""


def figures_of(step: PlannedStep, result: StepResult, readable: TableRegistry) -> tuple[str, ...]:
    """The numeric columns that a step calculated or ranked by."""
    made = result.table
    if result.style is None:
        ranked = made.column(str(step.arguments.get("by"))) if step.operation in _RANKING else None
        return (ranked.name,) if ranked is not None and _is_number(ranked) else ()
    if "kind" in result.style:
        return ()
    known = set(made.key)
    for read in result.receipt.inputs:
        with suppress(UnknownTable):
            known.update(column.name for column in readable.get(read.table).columns)
    return tuple(column.name for column in made.columns if _is_number(column) and column.name not in known)


def names_read(step: PlannedStep) -> frozenset[str]:
    """The names in the expression that a step calculates: its columns are among them."""
    found = _NAME.finditer(_TEXT.sub("", str(step.arguments.get("expression", ""))))
    return frozenset(each["quoted"] or each["plain"] for each in found)


def inherited(step: PlannedStep, made: Table, earlier: Sequence[FinishedStep]) -> OperationStyle | None:
    """The style of the step whose table this step read, if the result still has the styled column."""
    read = [value for value in step.arguments.values() if isinstance(value, str)]
    styles = [each.style for each in earlier if each.step in read and each.style]
    return next((style for style in styles if made.column(style["column"])), None)


async def default_style(steps: Sequence[FinishedStep], goal: str, varying: Varying) -> StyleSpec:
    """The style of the last step's table. Figures that a later one was calculated from are not what was asked for."""
    table, style = steps[-1].table, steps[-1].style
    if style is not None and "kind" in style:
        return new_style(table, None, style)
    figures = [] if style is None else [str(style["column"])]
    read: set[str] = set()
    for each in reversed(steps):
        figures += [name for name in each.figures if table.column(name)]
        read.update(set(each.reads).difference(each.figures))
    varied = await varying(table, list(dict.fromkeys(figures)))
    shown = [name for name in varied if name not in read] or varied
    if not shown:
        return StyleSpec()
    asked = set(map(stem, _WORD.findall(goal.lower())))
    counts = _COUNTS.search(goal) is not None
    best = max(
        shown,
        key=lambda name: (
            name.startswith(_COUNTS_OF_VALUES),
            _mentions(name, asked),
            not counts and name.startswith(_AGGREGATED),
        ),
    )
    return new_style(
        table, None, style if style is not None and best == style["column"] else {"column": best}
    )


def _is_number(column: Column) -> bool:
    return column.kind in ("integer", "number")


def _mentions(name: str, asked: set[str]) -> int:
    """Number of words of the column's name that the question contains."""
    return len(asked.intersection(map(stem, _WORD.findall(name.lower().replace("_", " ")))))
