"""Quotients of columns: of totals per group, or of each row; densities."""

from __future__ import annotations

from dataclasses import replace

from agents.geo.wording.phrases import number as number_text
from agents.offline.commands.analyses.rules import Steps
from agents.offline.commands.assembly.asked import COUNT, Asked
from agents.offline.commands.assembly.measured import Per
from agents.offline.commands.assembly.order import first_ones, in_order
from agents.offline.language.figures import is_of_each
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.rows import are_pieces_of, nouns_of_rows
from agents.offline.language.names.singulars import shown_singular
from agents.offline.language.words import name_words, singular, word_set
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import (
    ColumnMention,
    Empty,
    Negation,
    all_of,
)
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.steps import (
    AddedColumn,
    AnalysisStep,
    ColumnWords,
    quoted,
    step,
    sum_of,
    top_step,
)
from agents.offline.meaning.units import column_unit
from agents.units import Unit

_MEASURED = {"area": ("area", "area_m2", "polygon"), "length": ("length", "length_m", "line")}
"""By dimension: the measure, the column that it adds, and the kind of geometry."""


def rates(asked: Asked) -> Steps | None:
    """Quotients: of totals per group (`breaks per km by material`, `average value per square metre by land use`), or
    of each row (`which park has the highest upkeep per visitor`, `the top 5 farms by yield per hectare`)."""
    asked = _ranked_by_its_column(asked)
    columns, per, named = asked.all("column"), asked.one("per"), asked.one("figure")
    if per is None or len(columns) != 1 or asked.has("unit", "amount"):
        return None
    if singular(columns[0].text.lower()) in nouns_of_rows(asked.table):
        return None  # `streams by barriers per km` has no figure `stream order`
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
    """`top 5 farms by yield per hectare`, `farms by yield per hectare`: `by yield` is a column, not a group."""
    group, top = asked.one("group"), asked.one("top")
    by = group.value if group is not None else None
    is_first = (top is None or top.value.word in ("top", "bottom")) and asked.has("rows")
    if group is None or not is_first or not isinstance(by, ColumnMention) or number(asked, by) is None:
        return asked
    column = replace(group, kind="column", text=by.text)
    return replace(asked, pieces=tuple(column if each is group else each for each in asked.pieces))


_RATE_KINDS = word_set("per column rows condition and table ask draw with top most number")


def _rates_of_rows(
    asked: Asked, names: tuple[str, str], factor: float, name: str, words: str, measure: str
) -> Steps | None:
    """The rows, or the first of them, by the quotient of two columns."""
    ranked = first_ones(asked)
    is_unranked = ranked is None and not asked.has("top", "most", "number")
    if asked.has("figure") or not (ranked or is_unranked) or not asked.only(*_RATE_KINDS):
        return None
    if measure and are_pieces_of(asked.table, name_words(asked.noun)):
        return None
    expression = f"{quoted(names[0])} * {factor:.12g} / {quoted(names[1])}"
    title = f"{words[:1].upper()}{words[1:]} of {asked.called}"
    rows = asked.rows(asked.where)
    before: Steps = (step("measure", rows, measures=[measure]),) if measure else ()
    rate = step("calculate", RESULT if before else rows, title=title, name=name, expression=expression)
    if ranked is None:
        return (*before, rate)
    return (*before, rate, _top_rates(asked.called, ranked[0], name, words, descending=ranked[1]))


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


def _divisor(asked: Asked, per: Per) -> tuple[str, float] | None:
    """The column to divide by, and the factor that its unit requires."""
    if isinstance(per.of, ColumnMention):
        name = number(asked, per.of)
        return (name, per.amount) if name is not None else None
    return size_in(asked, per.of)


def size_in(asked: Asked, per: Unit) -> tuple[str, float] | None:
    """The column of lengths or areas, and the factor between its unit and `per`."""
    names = measure_columns(asked.table, {"length": "long", "area": "area"}.get(per.dimension, ""))
    column = asked.table.column(names[0]) if len(names) == 1 else None
    own = column_unit(column) if column is not None else None
    return (names[0], per.factor / own.factor) if own is not None and own.dimension == per.dimension else None


def density_of_groups(asked: Asked) -> Steps | None:
    """`population density by continent`: the quotient of the totals, as in `population per km² by continent`."""
    density, sizes = asked.one("column"), measure_columns(asked.table, "area")
    size = asked.table.column(sizes[0]) if len(sizes) == 1 else None
    unit = column_unit(size) if size is not None else None
    if (
        density is None
        or unit is None
        or asked.has("figure", "per", "unit")
        or not asked.has("group", "whose")
    ):
        return None
    *what, last = name_words(density.text)
    names = columns_called((asked.table,), tuple(what)) if what and last == "density" else ()
    if len(names) != 1:
        return None
    column = replace(density, value=ColumnMention(names[0], tuple(names)), text=" ".join(what))
    own = (column, replace(density, kind="per", value=Per(unit)))
    pieces = [each for piece in asked.pieces for each in (own if piece is density else (piece,))]
    return rates(replace(asked, pieces=tuple(pieces)))
