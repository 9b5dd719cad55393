"""Changes of a number between two years with a column each: `population growth 2010-2020 in percent`."""

from __future__ import annotations

from dataclasses import replace

from agents.offline.commands.analyses.periods import by_period
from agents.offline.commands.analyses.rules import Context, Steps
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.assembly.measured import Change
from agents.offline.commands.assembly.order import MOST_GROUPS, SIZES, figure_words, first_ones
from agents.offline.commands.assembly.quotients import can_be_summed, known
from agents.offline.language.names.columns import columns_called
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import Compare, Condition, Quantity, all_of, joined
from agents.offline.meaning.features import RESULT
from agents.offline.meaning.steps import AddedColumn, ColumnWords, quoted, step, sum_of, top_step

_PERCENT, _CHANGE = "change_in_percent", "change"
"""The added columns."""
_KINDS = (
    "change", "span", "rows", "condition", "and", "column", "figure", "group", "whose", "top", "most", "number", "unit",
    "share", "table", "ask", "order", "does", "with",
)  # fmt: skip
_RELATIVE = ("fast", "strong")
"""Measures of superlatives that mean percent: `grew fastest`."""


def changed(asked: Asked) -> Steps | None:
    """The change of each row, or of each group's totals, as a number and in percent; if ranked, only the first
    ones."""
    change, span, unit = map(asked.one, ("change", "span", "unit"))
    if change is None or span is None or not asked.only(*_KINDS) or not asked.does_fit:
        return None
    if any(_is_of_change(each) for each in asked.conditions):
        return None
    pair, is_ranked = _pair(asked), asked.has("top", "most")
    is_relative = change.value.in_percent or asked.has("share", "unit") or _is_relative(asked)
    is_read = unit is None or unit.value.dimension == "share"
    is_added = all(each.value == "sum" for each in asked.all("figure"))
    if pair is None or not is_read or not is_added or not (asked.descends() or is_ranked):
        return None
    before, after = pair
    years = span.value
    what = asked.one("column") or change.value.column
    name = what.text if what is not None else before.replace(years[0], "").strip("_ ").replace("_", " ")
    title = f"Change of {name} from {years[0]} to {years[1]}"
    title += f" of {asked.called}" if asked.where is not None else ""
    rows = asked.rows(asked.where)
    steps: Steps = ()
    if asked.has("group", "whose"):
        by = asked.group_column
        if by is None or set(name_words(asked.group_words)) <= set(name_words(asked.table.name)):
            return None
        if not all(can_be_summed(asked, each, name) for each in pair):
            return None
        totals = [sum_of(each) for each in pair]
        figures = [*totals, {"function": "count", "name": "count"}]
        merged = f"Totals of {asked.called}"
        rows, note = known(asked, pair)
        steps = (step("dissolve", rows, title=merged, by=[ColumnWords(by)], aggregates=figures),)
        title = f"{title if is_ranked else f'{title} by {asked.group_words}'}{note}"
        before, after, rows = f"sum_{before}", f"sum_{after}", RESULT
    elif asked.table.column(_CHANGE) is not None and is_ranked:
        return None  # the added column would be renamed
    before, after = quoted(before), quoted(after)
    changes = [(_CHANGE, title, f"{after} - {before}")]
    changes.append((_PERCENT, f"{title}, in percent", f"100.0 * ({after} - {before}) / {before}"))
    first, last = changes if is_relative else reversed(changes)  # the answer shows the last column
    steps = (
        *steps,
        step("calculate", rows, name=first[0], title=first[1], expression=first[2]),
        step("calculate", RESULT, name=last[0], title=last[1], expression=last[2]),
    )
    if is_ranked:
        return _ranked(asked, change.value, steps)
    fell = change.value.rises is False
    return _first(steps, MOST_GROUPS, f"{steps[-1].title}, where it fell", falls=True) if fell else steps


def of_two_years(asked: Asked, context: Context) -> Steps | None:
    """`did injuries go up from 2023 to 2024?`: the number of rows or a figure of each of both years, by their date."""
    span, change = asked.one("span"), asked.one("change")
    kinds = ("change", "span", "rows", "condition", "and", "column", "figure", "count", "table")
    if span is None or change is None or change.value.column is not None or not asked.only(*kinds):
        return None
    others = asked.without("change").without("span")
    figure = others.figure() if asked.has("column") else dict(COUNT) if asked.has("rows") else None
    if figure is None:
        return None
    values = [Quantity(float(each), text=each) for each in span.value]
    years: list[Condition] = [Compare("=", each, measure="time") for each in values]
    rows = asked.rows(all_of(*asked.conditions, joined("or", years)))
    of = figure if figure == COUNT else {**figure, "column": ColumnWords(asked.columns[0])}
    found = by_period({"source": rows, "figure": of, "period": "year"}, context)
    title = f"{figure_words(figure)} {asked.called} in {' and '.join(span.value)}"
    return (*found[:-1], replace(found[-1], title=title)) if found else None


def _ranked(asked: Asked, change: Change, steps: Steps) -> Steps | None:
    """The first of those that grew, or that shrank; empty if all changed the other way."""
    ranked = first_ones(asked, (*_RELATIVE, *SIZES))
    if change.rises is None or ranked is None or not ranked[1]:
        return None
    limit = ranked[0]
    falls = not change.rises
    noun = asked.group_words if asked.has("group", "whose") else asked.noun
    noun = f"{limit} {noun}" if limit > 1 else shown_singular(noun)
    figure = f"{steps[-1].title[:1].lower()}{steps[-1].title[1:]}"
    title = f"The {noun} with the {'smallest' if falls else 'greatest'} {figure}"
    return _first(steps, limit, title, falls=falls)


def _first(steps: Steps, limit: int, title: str, *, falls: bool) -> Steps:
    """The first of those that shrank, or grew."""
    fits = {"op": "<" if falls else ">", "args": [{"property": _CHANGE}, 0]}
    last = AddedColumn(_PERCENT if steps[-1].title.endswith("percent") else _CHANGE)
    return (
        *steps,
        step("filter", RESULT, title=f"Those that {'fell' if falls else 'rose'}", filter=fits),
        top_step(RESULT, last, limit, smallest=falls, title=title, ties=True),
    )


def _is_of_change(condition: Condition) -> bool:
    """Whether `over 10 %` without a column belongs to the change."""
    value = condition.value if isinstance(condition, Compare) and condition.column is None else None
    return isinstance(value, Quantity) and value.unit is not None and value.unit.dimension == "share"


def _is_relative(asked: Asked) -> bool:
    top = asked.one("top")
    return top is not None and top.value.measure in _RELATIVE


def _pair(asked: Asked) -> tuple[str, str] | None:
    """The only pair of numeric columns whose names differ in the year and match the request."""
    first, second = asked.all("span")[0].value
    named = [
        *(each.value.column for each in asked.all("change")),
        *(each.value for each in asked.all("column")),
    ]
    texts = [each.text for each in named if each is not None]
    numbers = [each.name for each in asked.table.columns if is_number(each)]
    found = [
        (before, after)
        for before in numbers
        if first in before
        and (after := before.replace(first, second)) in numbers
        and all(before in columns_called((asked.table,), name_words(f"{each} {first}")) for each in texts)
    ]
    return found[0] if len(found) == 1 else None
