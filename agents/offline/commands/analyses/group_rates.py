"""How many rows of each group there are in a time: `how many pings per zone, on average per hour`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.offline.commands.analyses.groups import BY_PLACE, by_own_column, by_place
from agents.offline.commands.analyses.rules import Build, Context, Steps, rule
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import AnalysisStep, ColumnWords, Grouped
from agents.units import Unit

FUNCTIONS = {"hours": "per_hour", "days": "per_day", "years": "per_year"}
"""The functions that count rows in a time, by the unit of it."""


def _in_time(build: Build) -> Build:
    """The same with the number of rows in a `period`, by the one date or time that their table has."""

    def built(bindings: Mapping[str, Any], context: Context) -> Steps | None:
        rows: Features = bindings["source"]
        period: Unit = bindings["period"]
        table = context.table(rows)
        times = [each.name for each in table.columns if each.kind in ("date", "timestamp")] if table else []
        if period.symbol not in FUNCTIONS or len(times) != 1:
            return None
        figure = {"function": FUNCTIONS[period.symbol], "column": ColumnWords(times[0])}
        made = build({**bindings, "figure": figure}, context)
        if made is None:
            return None
        title = f"{rows.heading} per {period.symbol.removesuffix('s')} {_each(made[0])}"
        return (*made[:-1], replace(made[-1], title=title))

    return built


def _each(part: AnalysisStep | Grouped) -> str:
    if isinstance(part, Grouped):
        return f"by {part.by}"
    return f"in each {dict(part.inputs)['source'].text.removeprefix('the ')}"


_COUNT = (
    "(how many|<what> [the] [average|mean] number of|<what> [the] (average|mean) (count|counts) of|count)"
)
_THERE = "[are there|were there|there are|there were]"
_PER = "(per|a|an|each|every|in a|in an) {period:unit}"
_GROUPS = (
    ("(by|per|for each|for every|in each|in every|each|of each|grouped by) {by:column}", by_own_column, 0.0),
    ("<for_each> [of] {areas:bare}", by_place, BY_PLACE),
)
RULES = tuple(
    rule(f"{words} [on average]", _in_time(build), cost - 2.0)
    for groups, build, cost in _GROUPS
    for words in (
        f"{_COUNT} {{source:rows}} {_THERE} {groups} {_THERE} [,] [on average] [,] {_PER}",
        f"{_COUNT} {{source:rows}} {_THERE} [on average] {_PER} [,] [on average] {groups}",
        f"[<what>] {{source:bare}} {_PER} [,] [on average] {groups}",
    )
)
