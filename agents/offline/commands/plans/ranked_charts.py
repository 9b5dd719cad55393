"""Charts of the groups that an analysis ranks (`bar chart of the ten countries with the most airports`), or counts by
place (`complaints per district, as bar chart`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from agents.offline.commands.charts import kind_named
from agents.offline.commands.plans.charts import chart
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import is_number, named_column
from agents.offline.meaning.conditions import ColumnMention, Mention
from agents.offline.meaning.scene import Calls, Scene
from agents.offline.meaning.steps import (
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    Ranking,
    are_groups,
    title_behind,
    title_of,
)


def charted_groups(cursor: Cursor, read: Callable[[], i.Intent | None]) -> i.Intent | None:
    """An analysis with a chart of its groups; otherwise what `read` finds."""
    start, end = cursor.at, cursor.end
    cursor.take("draw", "make", "show", "show me", "give me", "create", "plot")
    kind = _taken_kind(cursor)
    if kind is not None:
        cursor.take("of", "with", "showing", "for", ":", ",")
    begin, last = cursor.at if kind is not None else start, end
    for at in range(start + 1, end) if kind is None else ():
        cursor.at = at
        cursor.take(",")
        kind = _taken_kind(cursor) if cursor.take("as", "in", "on") else None
        if kind is not None:
            last, end = at, cursor.at
            break
    if kind is not None and kind_named(kind) in ("", "bar", "line", "histogram"):
        cursor.at, cursor.end, whole = begin, last, cursor.end
        found, is_read, goal = read(), cursor.done, cursor.written((begin, cursor.at))
        cursor.end = whole
        steps = found.steps if isinstance(found, i.Analyse) else ()
        by = (
            dict(steps[-1].arguments).get("by") if len(steps) == 2 and isinstance(steps[0], Grouped) else None
        )
        is_ranked = isinstance(by, AddedColumn | ColumnWords | Ranking)
        of_periods = kind_named(kind) == "bar" and _are_of_periods(steps)
        ranked = steps[:-1] if steps and getattr(steps[-1], "operation", "") == "top" else steps
        in_areas = bool(ranked) and not isinstance(ranked[-1], Grouped) and are_groups(ranked[-1])
        are_drawn = kind_named(kind) in ("", "bar") and (is_ranked or in_areas or of_periods)
        if isinstance(found, i.Analyse) and is_read and (are_drawn or _are_bands(steps)):
            cursor.at = end
            return replace(found, goal=goal, look=i.Look(), chart=kind)
    cursor.at = start
    return read()


def _are_of_periods(steps: Sequence[AnalysisStep | Grouped]) -> bool:
    """Whether the steps add up a figure per period, for which a table has no column; numbers of rows need no steps."""
    if len(steps) != 2 or not isinstance(last := steps[-1], Grouped) or isinstance(steps[0], Grouped):
        return False
    return steps[0].operation == "columns" and last.aggregate["function"] != "count"


def _are_bands(steps: Sequence[AnalysisStep | Grouped]) -> bool:
    """Whether the steps give figures in an order of their own."""
    return len(steps) > 1 and isinstance(steps[-2], Grouped) and getattr(steps[-1], "operation", "") == "sort"


def _taken_kind(cursor: Cursor) -> str | None:
    cursor.take("a", "an", "the")
    return cursor.take(p.CHARTS)


async def chart_of_groups(scene: Scene, intent: i.Analyse) -> Calls:
    """Call `make_chart` for the groups of an analysis, by the ranking figure or by the one that is drawn."""
    last = intent.steps[-2 if _are_bands(intent.steps) else -1]
    if not any(isinstance(each, Grouped) for each in intent.steps):
        layer = next((each for each in reversed(scene.layers) if each.table == scene.result), None)
        mention = Mention(layer.name, layers=(layer.id,)) if layer is not None else None
        return await chart(scene, i.Chart("bar", mention, ())) if mention is not None else []
    grouped = next(each for each in reversed(intent.steps) if isinstance(each, Grouped))
    given = dict(last.arguments) if isinstance(last, AnalysisStep) else {}
    by = given.get("by")
    table = scene.table(scene.result or "")
    groups = named_column(scene, table, ColumnMention(grouped.by))
    function = grouped.aggregate["function"]
    made = [each.name for each in table.columns if each.name.startswith(f"{function}_")]
    figure = by.name if isinstance(by, AddedColumn) else "count" if function == "count" else made[0]
    figure = given["name"] if given and by is None else figure  # in another unit
    is_line = kind_named(intent.chart) == "line" and is_number(groups)
    arguments = {
        "kind": "line" if is_line else "bar",
        "data": table.id,
        "x": groups.name,
        "y": figure,
        "aggregate": "sum",
    }
    title = title_of(grouped) if last is grouped else title_behind(title_of(grouped), last)
    return [("make_chart", {**arguments, "title": title})]
