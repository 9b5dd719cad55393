"""Rows that belong to chosen rows of another table: `stops of suspended routes`, `outages on feeders with high
vegetation risk`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.group_rankings import are_times
from agents.offline.commands.analyses.rules import Context, Rules, Steps
from agents.offline.language.names.keys import links
from agents.offline.meaning.conditions import all_of
from agents.offline.meaning.features import Features
from agents.offline.meaning.steps import step

_OF = (
    "([that|which] [are|is|were|was] (of|on|at|for|from|out of|about|belonging to|connected to|assigned to|linked to"
    "|attached to|issued to|(fed|served|supplied|run|operated) (by|from))|[that|which] (belong|belongs) to)"
)
_ROWS = f"{{source:bare}} said=({_OF}) [the|any|all] {{other:rows}}"
_ROWS_WHEN = f"{{source:bare}} said=({_OF}) [the|any|all] {{other:bare}} {{more:condition}}"
OF_ROWS = 1.5
"""Cost of reading a preposition as a relation by key; places and values are likelier."""
RULES = Rules()
on = RULES.on


@on(f"<ask> {_ROWS}", rows=_ROWS, cost=OF_ROWS)
@on(f"<ask> {_ROWS_WHEN}", rows=_ROWS_WHEN, cost=OF_ROWS - 1.0)
def _of_rows(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """By the key of the other rows, which these rows have. A time behind these is that of the rows: `inspections of
    restaurants in 2024`."""
    rows, other, more = bindings["source"], bindings["other"], bindings.get("more")
    if not (rows.named and other.named) or (other.where is None and not other.made):
        return None
    title = f"{rows.heading} {bindings['said']} {other.text}"
    if more is not None:
        if not are_times(more) or not _has_times(context.table(rows)):
            return None
        rows, title = replace(rows, where=all_of(rows.where, more)), ""
    return by_key(rows, other, context, title=title)


def by_key(rows: Features, other: Features, context: Context, title: str) -> Steps | None:
    """The rows that refer to the others by a key; None if no column may be one."""
    own, theirs = context.table(rows), context.table(other)
    if own is None or theirs is None:
        return None
    if not any(each.refers for each in links(own, theirs, context.vocabulary.few_tables)):
        return None
    return (step("select_by_attribute", rows, ("other", other), title=title),)


def _has_times(table: Table | None) -> bool:
    """Whether a column of the rows is a date or time."""
    return table is not None and any(each.kind in ("date", "timestamp") for each in table.columns)
