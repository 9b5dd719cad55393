"""Figures that need a calculation first: times between dates, quotients of totals, sizes in a unit; and people of a
place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.geo.wording.phrases import number as number_text
from agents.offline.answers.wording import FIGURE_NAMES
from agents.offline.commands.analyses.rules import Steps
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.assembly.measured import Per
from agents.offline.commands.assembly.order import first_ones, in_order
from agents.offline.commands.assembly.piece import Piece
from agents.offline.language.figures import is_of_each
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.rows import are_pieces_of
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, word_set
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import holds_years, is_number
from agents.offline.meaning.conditions import (
    ColumnMention,
    Empty,
    Negation,
    OneOf,
    all_of,
    lies_in_place,
)
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.individuals import have_areas_of_people
from agents.offline.meaning.steps import (
    EXACT_TIMES,
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    Grouped,
    quoted,
    step,
    sum_of,
    summary,
    time_between,
    top_step,
)
from agents.offline.meaning.units import column_unit, unit_per
from agents.units import Unit

_MEASURED = {"area": ("area", "area_m2", "polygon"), "length": ("length", "length_m", "line")}
"""By dimension: the measure, the column that it adds, and the kind of geometry."""
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


def rates(asked: Asked) -> Steps | None:
    """Quotients: of totals per group (`breaks per km by material`, `average value per square metre by land use`), or
    of each row (`which park has the highest upkeep per visitor`, `the top 5 farms by yield per hectare`)."""
    asked = _ranked_by_its_column(asked)
    columns, per, named = asked.all("column"), asked.one("per"), asked.one("figure")
    if per is None or len(columns) != 1 or asked.has("unit", "amount"):
        return None
    what, each, of = number(asked, columns[0].value), _divisor(asked, per.value), per.value.of
    measure = _measure_of(asked, of) if each is None and isinstance(of, Unit) else ""
    if measure:
        each = (_MEASURED[measure][1], of.factor)
    if what is None or each is None or what == each[0]:
        return None
    if not can_be_summed(asked, what, columns[0].text) or not (measure or can_be_summed(asked, each[0])):
        return None
    if named is not None and named.value not in ("mean", "sum"):
        return None
    per_what = of.symbol if isinstance(of, Unit) else of.text
    if per.value.amount != 1.0:
        per_what = f"{number_text(per.value.amount)} {per_what}"
    divisor, factor = each
    name, words = f"{what}_per_{'_'.join(name_words(per_what))}", f"{columns[0].text} per {per_what}"
    if asked.has("whose"):
        return _first_by_rate(asked, (what, divisor), factor, name, words, measure)
    if not asked.has("group"):
        if asked.table.column(name) is not None:
            return None
        return _rates_of_rows(asked, (what, divisor), factor, name, words, measure)
    by = asked.group_column
    if by is None:
        return None
    title = f"Total {words} of {asked.called} by {asked.group_words}"
    return in_order(asked, divided(asked, by, (what, divisor), factor, name, title, measure), asked.columns)


def _measure_of(asked: Asked, unit: Unit) -> str:
    """`length` or `area` if shapes have it but no column holds it: `crashes per mile by street`."""
    _, name, family = _MEASURED.get(unit.dimension, ("", "", ""))
    columns = measure_columns(asked.table, {"length": "long"}.get(unit.dimension, unit.dimension))
    has_it = asked.table.geometry_family == family and asked.table.column(name) is None
    return unit.dimension if has_it and not columns else ""


def _ranked_by_its_column(asked: Asked) -> Asked:
    """`top 5 farms by yield per hectare`: `by yield` is a column, not a group."""
    group, top = asked.one("group"), asked.one("top")
    by = group.value if group is not None else None
    is_first = top is not None and top.value.word in ("top", "bottom") and asked.has("rows")
    if group is None or not is_first or not isinstance(by, ColumnMention) or number(asked, by) is None:
        return asked
    column = replace(group, kind="column", text=by.text)
    return replace(asked, pieces=tuple(column if each is group else each for each in asked.pieces))


_RATE_KINDS = word_set("per column rows condition and table ask draw with top most number")


def _rates_of_rows(
    asked: Asked, names: tuple[str, str], factor: float, name: str, words: str, measure: str
) -> Steps | None:
    """The first rows, by the quotient of two columns."""
    ranked = first_ones(asked)
    if ranked is None or asked.has("figure") or not asked.has("rows") or not asked.only(*_RATE_KINDS):
        return None
    if measure and are_pieces_of(asked.table, name_words(asked.noun)):
        return None
    limit, descending = ranked
    expression = f"{quoted(names[0])} * {factor:.12g} / {quoted(names[1])}"
    title = f"{words[:1].upper()}{words[1:]} of {asked.called}"
    rows = asked.rows(asked.where)
    before: Steps = (step("measure", rows, measures=[measure]),) if measure else ()
    rate = step("calculate", RESULT if before else rows, title=title, name=name, expression=expression)
    return (*before, rate, _top_rates(asked.called, limit, name, words, descending=descending))


def _first_by_rate(
    asked: Asked, names: tuple[str, str], factor: float, name: str, words: str, measure: str = ""
) -> Steps | None:
    """The first groups, by the quotient of their totals."""
    by, ranked = asked.group_column, first_ones(asked)
    called = name_words(asked.group_words)
    if set(called) <= set(name_words(asked.table.name)) and not are_pieces_of(asked.table, called):
        return None  # `which farm`, where each farm is a row
    if by is None or ranked is None or not asked.does_fit or not asked.only(*_RATE_KINDS, "whose", "figure"):
        return None
    title = f"Total {words} of {asked.called} by {asked.group_words}"
    return (
        *divided(asked, by, names, factor, name, title, measure),
        _top_rates(asked.group_words, ranked[0], name, f"total {words}", descending=ranked[1]),
    )


def _top_rates(noun: str, limit: int, name: str, words: str, *, descending: bool) -> AnalysisStep:
    noun = f"{limit} {noun}" if limit > 1 else shown_singular(noun) if " " not in noun else noun
    title = f"The {noun} with the {'greatest' if descending else 'smallest'} {words}"
    return top_step(RESULT, AddedColumn(name), limit, smallest=not descending, title=title, ties=True)


def divided(
    asked: Asked, by: str, names: tuple[str, str], factor: float, name: str, title: str, measure: str = ""
) -> Steps:
    """Steps that divide the totals of two columns per group; `measure` adds the second column first."""
    figures = [sum_of(each) for each in dict.fromkeys(names)]
    rows, note = known(asked, names[:1] if measure else names)
    before: Steps = (step("measure", rows, measures=[measure]),) if measure else ()
    totals = step(
        "dissolve", RESULT if measure else rows, title=f"Totals of {asked.called}", by=[ColumnWords(by)],
        aggregates=[*figures, {**COUNT, "name": "count"}],
    )  # fmt: skip
    expression = f"sum_{names[0]} * {factor:.12g} / sum_{names[1]}"
    rate = step("calculate", RESULT, title=f"{title}{note}", name=name, expression=expression)
    return (*before, totals, rate)


def can_be_summed(asked: Asked, name: str, words: str = "") -> bool:
    """Whether the sum of a column is meaningful: not for averages, rates or shares."""
    column = asked.table.column(name)
    return column is not None and not is_of_each(column, words)


def known(asked: Asked, names: tuple[str, ...]) -> tuple[Features, str]:
    """The rows in which all these columns have a value, and a note for the title."""
    columns = [asked.table.column(each) for each in dict.fromkeys(names)]
    may_lack = [each.name for each in columns if each is not None and each.nullable]
    if not may_lack:
        return asked.rows(asked.where), ""
    filled = [
        Negation(Empty(ColumnMention(each, (each,)), unknown=True, calculated=True)) for each in may_lack
    ]
    rows = all_of(*asked.conditions, *filled)
    return asked.rows(rows), f", of rows with a value of {' and '.join(may_lack)}"


def number(asked: Asked, mention: ColumnMention) -> str | None:
    """The only numeric column that is meant; else None."""
    column = asked.table.column(mention.columns[0]) if len(mention.columns) == 1 else None
    if column is not None and is_number(column) and column.name not in asked.table.key:
        return column.name
    return None


def without_implied(asked: Asked) -> Asked:
    """The question without `per year` or `per hectare` if its column implies that: `cost_eur_yr`, “cubic metres per
    hectare”. Otherwise it remains unread, or the column is divided."""
    per, own = asked.one("per"), [each for name in asked.columns if (each := asked.table.column(name))]
    unit = unit_per(own[0]) if len(own) == 1 else None
    if per is not None and unit is not None and per.value == Per(unit):
        return asked.without("per")
    yearly = [name for name in asked.columns if {"yr", "year", "annual"} & set(name_words(name))]
    return asked.without("yearly") if asked.has("yearly") and len(yearly) == 1 else asked


def _divisor(asked: Asked, per: Per) -> tuple[str, float] | None:
    """The column to divide by, and the factor that its unit requires."""
    if isinstance(per.of, ColumnMention):
        name = number(asked, per.of)
        return (name, per.amount) if name is not None else None
    return _size_in(asked, per.of)


def _size_in(asked: Asked, per: Unit) -> tuple[str, float] | None:
    """The column of lengths or areas, and the factor between its unit and `per`."""
    names = measure_columns(asked.table, {"length": "long", "area": "area"}.get(per.dimension, ""))
    column = asked.table.column(names[0]) if len(names) == 1 else None
    own = column_unit(column) if column is not None else None
    return (names[0], per.factor / own.factor) if own is not None and own.dimension == per.dimension else None


def measured(asked: Asked) -> i.Statistic | None:
    """`how many kilometres of road are in poor condition`: the total of the length or area column. Not for rows in a
    place, which have to be cut at its border."""
    unit = asked.all("measured")[0].value
    size = _size_in(asked, unit)
    is_read = asked.has("rows") and asked.only("measured", "rows", "condition", "and", "table")
    if size is None or not is_read or lies_in_place(asked.where):
        return None
    return i.Statistic("sum", ColumnMention(size[0], (size[0],)), asked.mention, asked.where, unit)


def with_size(asked: Asked) -> Asked:
    """`how many acres of park`, for groups: the question about the total of the area column, in that unit."""
    size_piece = asked.all("measured")[0]
    size = _size_in(asked, size_piece.value)
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
    some = asked.table.geometry_family != "polygon" and _counts_people(asked)
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
