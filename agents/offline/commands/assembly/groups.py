"""A figure of each group, as steps of an analysis: by a column of the rows, by the areas they lie in, or by time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.groups import by_place, converted
from agents.offline.commands.analyses.periods import by_period
from agents.offline.commands.analyses.rules import Context, Steps
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.language.column_names import measure_columns
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import (
    AddedColumn,
    ColumnWords,
    Grouped,
    step,
    summary,
    top_step,
)
from agents.offline.meaning.units import column_unit
from agents.units import Unit

PERCENT = "percent"
MOST_GROUPS = 1000
"""Of groups in an order."""
_GROUP_KINDS = ("text", "boolean", "integer")


def grouped(asked: Asked, context: Context) -> Steps | None:
    """The steps of a question with a group; None where its pieces do not fit."""
    group = asked.one("group")
    if group is None or (asked.has("does") and not _does(asked)):
        return None
    if asked.has("share"):
        return _shares(asked)
    if asked.has("between"):
        return _in_order(asked, _of_times(asked), ())
    if asked.has("per"):
        return _in_order(asked, _rates(asked), _columns(asked))
    figure = asked.figure()
    if figure is None:
        return None
    rows, title = asked.rows(asked.where), f"{_words(figure)} {asked.called} by {_group_words(asked)}"
    if isinstance(group.value, str):
        found = by_period({"source": rows, "figure": figure, "period": group.value}, context)
    elif isinstance(group.value, Features):
        found = by_place(
            {"source": rows, "figure": None if figure == COUNT else figure, "areas": group.value}, context
        )
        found = (replace(found[0], title=title),) if found else None
    else:
        name = group_column(asked)
        found = (Grouped(rows, name, figure, title=title),) if name else None
    return _in_unit(asked, _in_order(asked, found, _columns(asked)))


def group_column(asked: Asked) -> str | None:
    """The one column of the rows that the groups are values of."""
    group = asked.one("group")
    mention = group.value if group is not None else None
    if not isinstance(mention, ColumnMention) or len(mention.columns) != 1:
        return None
    column = asked.table.column(mention.columns[0])
    fits = column is not None and column.kind in _GROUP_KINDS and column.name not in asked.table.key
    return mention.columns[0] if fits else None


def _columns(asked: Asked) -> tuple[str, ...]:
    return tuple(name for each in asked.all("column") for name in each.value.columns)


def _does(asked: Asked) -> bool:
    """Whether the verb is what the groups do: `does each operator run`."""
    does, name = asked.one("does"), group_column(asked)
    return does is not None and name is not None and bool(does.value & set(name.split("_")))


def _words(figure: Mapping[str, Any]) -> str:
    """`Average rent of`."""
    if figure == COUNT:
        return "Number of"
    return f"{FIGURE_NAMES[figure['function']]} {figure['column'].text} of"


def _group_words(asked: Asked) -> str:
    value = asked.one("group").value  # type: ignore[union-attr]  # there is a group
    return value if isinstance(value, str) else str(value.text).removeprefix("the ")


def _in_order(asked: Asked, found: Steps | None, columns: tuple[str, ...]) -> Steps | None:
    """With the least figures first, or only the first groups, where that is asked for. Answers give the greatest
    first anyway."""
    descending, top = asked.descends(columns), asked.one("top")
    first = top.value.limit if top is not None and top.value.word in ("top", "bottom") else None
    if found is None or descending is None:
        return None
    if top is not None and top.value.word == "bottom":
        descending = False
    if descending and first is None:
        return found
    last = found[-1]
    name = (
        _figure_name(asked, last) if isinstance(last, Grouped) else str(dict(last.arguments).get("name", ""))
    )
    if not name:
        return None
    ranked = top_step(
        RESULT, AddedColumn(name), first or MOST_GROUPS, smallest=not descending, title=last.title, ties=True
    )
    return (*found, ranked)


def _figure_name(asked: Asked, part: Grouped) -> str:
    """The column that the figure becomes."""
    if part.of_all or part.part is not None:
        return PERCENT
    figure, columns = part.aggregate, _columns(asked)
    if figure == COUNT:
        return "count"
    of = columns[0] if len(columns) == 1 and not asked.has("between") else figure["column"].text
    return f"{figure['function']}_{of}"


def _in_unit(asked: Asked, found: Steps | None) -> Steps | None:
    unit = asked.one("unit")
    if found is None or unit is None:
        return found
    last = found[-1]
    if len(found) != 1 or not isinstance(last, Grouped) or last.aggregate == COUNT:
        return None
    return converted(last, asked.table, unit.value)


# --- shares -------------------------------------------------------------------------------------------------


def _shares(asked: Asked) -> Steps | None:
    """Of the rows of each group those that pass, in percent; or of all rows, or a total, those of each group."""
    by, said = group_column(asked), asked.share()
    if (
        by is None
        or said is None
        or asked.has("figure", "count", "amount", "per", "between")
        or not _percent(asked)
    ):
        return None
    part, whole = said
    title = f"Percentage of {asked.called} by {_group_words(asked)}"
    if not asked.all("column"):
        if not asked.has("rows"):
            return None
        rows = asked.rows(whole)
        found = Grouped(rows, by, dict(COUNT), part=part, of_all=part is None, title=title)
        return _in_order(asked, (found,), ())
    figure = asked.figure()
    if figure is None or figure["function"] != "sum" or part is not None or whole is not None:
        return None
    title = f"Percentage of the total {figure['column'].text} of {asked.noun} by {_group_words(asked)}"
    return _in_order(asked, (Grouped(asked.rows(None), by, figure, of_all=True, title=title),), ())


def _percent(asked: Asked) -> bool:
    unit = asked.one("unit")
    return unit is None or unit.value.dimension == "share"


# --- figures that are calculated ----------------------------------------------------------------------------


def _of_times(asked: Asked) -> Steps | None:
    """`average days between loss and closing by adjuster`."""
    by, found = group_column(asked), differences(asked)
    if by is None or found is None:
        return None
    steps, figure, words = found
    title = f"{FIGURE_NAMES[figure['function']]} {words} of {asked.called} by {_group_words(asked)}"
    return (*steps, Grouped(RESULT, by, figure, title=title))


def differences(asked: Asked) -> tuple[Steps, dict[str, Any], str] | None:
    """The step that adds the time between two dates of a row, the figure of it, and its words."""
    between, named = asked.one("between"), asked.one("figure")
    if between is None or named is None or asked.has("column", "count", "amount", "unit"):
        return None
    unit, first, second = between.value
    name = f"{unit.symbol}_between"
    if asked.table.column(name) is not None:
        return None
    change = {
        "function": "date_difference", "column": ColumnWords(first.columns[0]),
        "other": ColumnWords(second.columns[0]), "unit": unit.symbol, "name": name,
    }  # fmt: skip
    words = f"{unit.symbol} between {first.columns[0]} and {second.columns[0]}"
    figure = {
        "function": {"minimum": "min", "maximum": "max"}.get(named.value, named.value),
        "column": ColumnWords(name),
    }
    added = step(
        "columns", asked.rows(asked.where), title=f"{words[:1].upper()}{words[1:]}", changes=[change]
    )
    return (added,), figure, words


def _rates(asked: Asked) -> Steps | None:
    """`breaks per km by material`, `average value per square metre by land use`: the totals of both, divided."""
    group, columns, per, named = (
        asked.one("group"),
        asked.all("column"),
        asked.one("per"),
        asked.one("figure"),
    )
    by = group_column(asked)
    if by is None or group is None or per is None or len(columns) != 1 or asked.has("unit", "amount"):
        return None
    what, each = _number(asked, columns[0].value), _divisor(asked, per.value)
    if what is None or each is None or (named is not None and named.value not in ("mean", "sum")):
        return None
    per_what = per.value.symbol if isinstance(per.value, Unit) else per.value.text
    divisor, factor = each
    figures = [{"function": "sum", "column": ColumnWords(name)} for name in dict.fromkeys((what, divisor))]
    totals = step(
        "dissolve", asked.rows(asked.where), title=f"Totals of {asked.called}", by=[ColumnWords(by)],
        aggregates=[*figures, {**COUNT, "name": "count"}],
    )  # fmt: skip
    name = f"{what}_per_{'_'.join(name_words(per_what))}"
    title = f"Total {columns[0].text} per {per_what} of {asked.called} by {_group_words(asked)}"
    expression = f"sum_{what} * {factor:.12g} / sum_{divisor}"
    return (totals, step("calculate", RESULT, title=title, name=name, expression=expression))


def _number(asked: Asked, mention: ColumnMention) -> str | None:
    """The one column of numbers that is meant."""
    column = asked.table.column(mention.columns[0]) if len(mention.columns) == 1 else None
    return (
        column.name
        if column is not None and is_number(column) and column.name not in asked.table.key
        else None
    )


def _divisor(asked: Asked, per: Unit | ColumnMention) -> tuple[str, float] | None:
    """The column that is divided by, and what its unit makes of the result."""
    if isinstance(per, ColumnMention):
        name = _number(asked, per)
        return (name, 1.0) if name is not None else None
    names = measure_columns(asked.table, {"length": "long", "area": "area"}.get(per.dimension, ""))
    column = asked.table.column(names[0]) if len(names) == 1 else None
    own = column_unit(column) if column is not None else None
    return (names[0], per.factor / own.factor) if own is not None and own.dimension == per.dimension else None


def of_all(asked: Asked) -> Steps | None:
    """`average days between loss and closing`, of all rows."""
    found = differences(asked)
    if found is None or asked.has("top", "order", "number", "share"):
        return None
    steps, figure, words = found
    title = f"{FIGURE_NAMES[figure['function']]} {words} of {asked.called}"
    return (*steps, summary(RESULT, [], figure, title))
