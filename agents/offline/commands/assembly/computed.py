"""Figures that need a calculation first: times between dates, sizes in a unit; and people of a place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.rules import Steps
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.assembly.measured import Per
from agents.offline.commands.assembly.order import in_order
from agents.offline.commands.assembly.piece import Piece
from agents.offline.commands.assembly.quotients import known, number, size_in
from agents.offline.language.figures import adds_up
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.nouns import are_counts
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import holds_years
from agents.offline.meaning.conditions import (
    ColumnMention,
    OneOf,
    lies_in_place,
)
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.individuals import have_areas_of_people
from agents.offline.meaning.steps import (
    EXACT_TIMES,
    ColumnWords,
    Grouped,
    counted,
    quoted,
    step,
    summary,
    time_between,
)
from agents.offline.meaning.units import column_unit, unit_per
from agents.units import Unit

SOME_PEOPLE = 1.0
"""Cost of summing people of places."""


def of_times(asked: Asked) -> Steps | None:
    """`average days between loss and closing by adjuster`."""
    by, found = asked.group_column, differences(asked)
    if by is None or found is None:
        return None
    steps, figure, words = found
    title = f"{FIGURE_NAMES[figure['function']]} {words} of {asked.called} by {asked.group_words}"
    return in_order(asked, (*steps, Grouped(RESULT, by, figure, title=title)), ())


def differences(asked: Asked) -> tuple[Steps, dict[str, Any], str] | None:
    """The step that adds the time between two dates of a row, the figure of it, and its words."""
    between, named, unit_piece = map(asked.one, ("between", "figure", "unit"))
    if between is None or asked.has("column", "count", "amount"):
        return None
    if unit_piece is None and between.text.lower() == "length":
        return None  # it may be a length in metres
    asks = between.text.lower().startswith(("how long", "how many", "before", "until", "till"))
    what = named.value if named is not None else "mean" if asks else ""
    if not what:
        return None
    unit, first, second = between.value
    unit = unit_piece.value if unit_piece is not None else unit
    if unit.symbol not in EXACT_TIMES:
        return None
    name = f"{unit.symbol}_between"
    if asked.table.column(name) is not None:
        return None
    names = first.columns[0], second.columns[0]
    words = f"{unit.symbol} between {names[0]} and {names[1]}"
    figure = {
        "function": {"minimum": "min", "maximum": "max"}.get(what, what),
        "column": ColumnWords(name),
    }
    # Groups count all rows, including those without such a time.
    rows, note = (asked.rows(asked.where), "") if asked.has("group") else known(asked, names)
    title = f"{words[:1].upper()}{words[1:]}{note}"
    return (time_between(rows, names, unit, name, title),), figure, words


def of_all(asked: Asked) -> Steps | None:
    """`average days between loss and closing`, of all rows."""
    found = differences(asked)
    if found is None or asked.has("top", "order", "number", "share"):
        return None
    steps, figure, words = found
    title = f"{FIGURE_NAMES[figure['function']]} {words} of {asked.called}"
    return (*steps, summary(RESULT, [], figure, title))


def without_implied(asked: Asked) -> Asked:
    """The question without `per year` or `per hectare` if its column implies that: `cost_eur_yr`, “cubic metres per
    hectare”. Otherwise it remains unread, or the column is divided."""
    per, own = asked.one("per"), [each for name in asked.columns if (each := asked.table.column(name))]
    unit = unit_per(own[0]) if len(own) == 1 else None
    if per is not None and unit is not None and per.value == Per(unit):
        return asked.without("per")
    yearly = [name for name in asked.columns if {"yr", "year", "annual"} & set(name_words(name))]
    return asked.without("yearly") if asked.has("yearly") and len(yearly) == 1 else asked


def measured(asked: Asked) -> i.Statistic | None:
    """`how many kilometres of road are in poor condition`: the total of the length or area column. Not for rows in a
    place, which have to be cut at its border."""
    unit = asked.all("measured")[0].value
    size = size_in(asked, unit)
    is_read = asked.has("rows") and asked.only("measured", "rows", "condition", "and", "table")
    if size is None or not is_read or lies_in_place(asked.where):
        return None
    return i.Statistic("sum", ColumnMention(size[0], (size[0],)), asked.mention, asked.where, unit)


def with_size(asked: Asked) -> Asked:
    """`how many acres of park`, for groups: the question about the total of the area column, in that unit."""
    size_piece = asked.all("measured")[0]
    size = size_in(asked, size_piece.value)
    if size is None:
        return asked
    column = ColumnMention(size[0], (size[0],))
    own = (
        replace(size_piece, kind="figure", value="sum"),
        replace(size_piece, kind="column", value=column, text=size[0]),
    )
    more = () if asked.has("unit") else (replace(size_piece, kind="unit"),)
    pieces = [each for piece in asked.pieces for each in ((*own, *more) if piece is size_piece else (piece,))]
    return replace(asked, pieces=tuple(pieces))


def without_dates(asked: Asked) -> tuple[Asked, Sequence[Piece]]:
    """The question without its columns of dates and years, and these."""
    columns = {name: asked.table.column(name) for name in asked.columns}
    dates = {
        name
        for name, own in columns.items()
        if own is not None and (own.kind in ("date", "timestamp") or holds_years(own))
    }
    whens = [each for each in asked.all("column") if dates >= {*each.value.columns}]
    return replace(asked, pieces=tuple(each for each in asked.pieces if each not in whens)), whens


def counted_with(asked: Asked) -> Steps | None:
    """`how many claims are open, and what is their total damage?`: the count of rows and a figure."""
    figure = asked.figure()
    if not asked.only("count", "figure", "rows", "condition", "column", "and", "table") or not asked.has(
        "rows"
    ):
        return None
    if figure is None or figure == COUNT:
        return None
    title = f"{FIGURE_NAMES[figure['function']]} {asked.all('column')[0].text} of {asked.called}"
    return (summary(asked.rows(asked.where), [], figure, title),)


# --- people of a place: all people live in areas, only some of them in cities ---------------------------


def cost_of_some_people(asked: Asked) -> float:
    """The cost of reading a question that names no rows as one about the people of points."""
    some = not asked.has("kept") and asked.table.geometry_family != "polygon" and _counts_people(asked)
    return SOME_PEOPLE if some else 0.0


def of_all_people(
    meaning: Steps | i.Intent | None, asked: Asked, vocabulary: Vocabulary
) -> Steps | i.Intent | None:
    """The meaning; a sum or share of the people in a place is looked up in areas, if a table of areas has people."""
    if not isinstance(meaning, i.Statistic) or meaning.what != "sum" or not _counts_people(asked):
        return meaning
    if not have_areas_of_people(vocabulary.few_tables):
        return meaning
    if isinstance(meaning.where, OneOf) and meaning.where.how == "in":
        return i.Lookup("population", meaning.where.text, share=meaning.share, unit=meaning.unit)
    return meaning if asked.table.geometry_family == "polygon" else None


def _counts_people(asked: Asked) -> bool:
    """Whether the question names no rows, and a column with their people."""
    people = set() if asked.has("rows") else set(measure_columns(asked.table, "people"))
    return any(people & set(each.value.columns) for each in asked.all("column"))


def average_compared(asked: Asked) -> dict[str, Any] | None:
    """The average of a percentage, which cannot be added up, for values that are set side by side: `kelp cover A vs
    B`."""
    group, columns = asked.one("group"), asked.all("column")
    areas = group.value if group is not None and isinstance(group.value, Features) else None
    where = areas.where if areas is not None else group.where if group is not None else None
    name = number(asked, columns[0].value) if len(columns) == 1 else None
    own = asked.table.column(name or "")
    unit = column_unit(own) if own is not None else None
    is_compared = where is not None and asked.only("group", "column", "rows", "condition", "and", "compare")
    if name is None or unit is None or unit.dimension != "share" or not is_compared:
        return None
    return {"function": "mean", "column": ColumnWords(name)}


def converted(found: Steps, figure: Mapping[str, Any], table: Table, unit: Unit) -> Steps | None:
    """The figure of the last step in another unit of its dimension, as a separate column; None if that is not
    possible."""
    last = found[-1]
    names = columns_called((table,), name_words(figure["column"].text))
    columns = [each for each in table.columns if each.name in names]
    same = [each for each in columns if column_unit(each) == unit]
    if (
        len(same) == 1 and len(columns) > 1 and isinstance(last, Grouped)
    ):  # the column exists in several units
        return (*found[:-1], replace(last, aggregate={**figure, "column": ColumnWords(same[0].name)}))
    own = column_unit(columns[0]) if len(columns) == 1 else None
    if own is None or own.dimension != unit.dimension:
        return None
    made = f"{figure['function']}_{names[0]}"
    name = f"{figure['function']}_{unit.ending}"
    if name == made:
        return found
    expression = f"{quoted(made)} * {own.factor / unit.factor:.12g}"
    title = f"{last.title}, in {unit.symbol}"
    return (*found, step("calculate", RESULT, title=title, name=name, expression=expression))


def of_both_years(asked: Asked) -> Steps | None:
    """`gas use 2024 vs 2025 by building type`: one figure of two columns, per group or of all rows."""
    both, named, by = asked.one("both"), asked.one("figure"), asked.group_column
    kinds = ("both", "figure", "rows", "condition", "and", "group", "table", "compare")
    if both is None or not asked.only(*kinds) or (by is None) == asked.has("group"):
        return None
    names: tuple[str, ...] = both.value.columns
    are_added = adds_up(asked.table, names, both.value.text) or are_counts((asked.table,), names)
    what = named.value if named is not None else "sum" if are_added else ""
    function = {"minimum": "min", "maximum": "max"}.get(what, what)
    if not function or any(number(asked, ColumnMention(each, (each,))) is None for each in names):
        return None
    figures = [{"function": function, "column": ColumnWords(each)} for each in names]
    title = f"{FIGURE_NAMES[function]} {both.text} of {asked.called}"
    given: dict[str, Any] = {"aggregates": counted(*figures)}
    if by is not None:
        title, given = f"{title} by {asked.group_words}", {**given, "by": [ColumnWords(by)]}
    return (step("summarise", asked.rows(asked.where), title=title, **given),)
