"""Measured areas and lengths: of results, and of the parts of shapes inside areas."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.groups import columns_named, group_columns
from agents.offline.commands.analyses.rules import Build, Context, Rules, Steps, rule
from agents.offline.language.conditions.times.in_force import times_lasting
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.words import name_words
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.steps import (
    EXACT_TIMES,
    AddedColumn,
    AddedInUnit,
    AnalysisStep,
    ColumnWords,
    step,
    summary,
    time_between,
    top_step,
)
from agents.result_rows import rows_of
from agents.units import UNITS, Unit

_MEASURED = {"length": ("length", "length_m"), "area": ("area", "area_m2")}
"""By dimension: the measure, and the column that `measure` adds."""
_MEASURES = {"length": "long", "area": "area"}
"""Measures in column names."""
_DIMENSIONS = {"long": "length", "length": "length"}

_OWN_KEYS = {"fid": "source_fid"}
"""Columns renamed in results because they equal the result's own key."""


RANKED_ROWS = (
    "([<ask>|<what>] [is|are] [the] {top:top} {source:rows}"
    "|(which|what) {source:rows} (is|are) [the] {top:top})"
)
_SIZE = "what=(area|length|size|extent)"
_WHOLE = "(total|remaining|combined|overall|whole|resulting|entire|summed)"
_LONG = "how what=(long|big|large)"
_IN_TOTAL = "[in total|altogether|all together|together|in all|in sum]"
_UNIT = "[in {unit:unit}]"
_OF_ROWS = (
    f"(how much|what|<what> [total]) {_SIZE} of {{source:bare}}",
    f"how much {{source:bare}} {_SIZE}",
    "(how many|<what>) [total] {unit:unit} of {source:bare}",
)
_OF_IT = "[of (it|them|that|those|line|lines|route|length|area|land|surface|ground)]"
_IS_THERE = (
    "(remain|remains|[is|are|lies|lie] (left|inside|in it|in there|covered)"
    "|(it|they|that|this) (cover|covers|covered|measure|measures|is|are|has|have|makes|make))"
)
_LIE = "[is|are|is there|are there|lies|lie|falls|fall|there is|do we have|have we got]"
_BY = "(by|per|for each|for every|of each|of every)"
_FIRST = "[[,] (largest|greatest|longest|biggest|highest|most) first]"
RULES = Rules()
on = RULES.on


def _dimension(bindings: Mapping[str, Any]) -> str | None:
    """`length` or `area`, as requested; None for other units."""
    unit: Unit | None = bindings.get("unit")
    asked = unit.dimension if unit is not None else "area"
    dimension = _DIMENSIONS.get(bindings["what"], "area") if "what" in bindings else asked
    fits = dimension in _MEASURED and (unit is None or unit.dimension == dimension)
    return dimension if fits else None


def _measured(rows: Features, dimension: str, unit: Unit | None, title: str) -> tuple[Steps, AddedColumn]:
    """Steps that add the size of each row, and the column."""
    measure, name = _MEASURED[dimension]
    measured = step("measure", rows, title=title, measures=[measure])
    if unit is None or unit.factor == 1.0:
        return (measured,), AddedColumn(name)
    in_unit = f"{measure}_{unit.ending}"
    expression = AddedInUnit(AddedColumn(name), unit.factor)
    return (
        measured,
        step("calculate", RESULT, title=f"{title} in {unit.symbol}", name=in_unit, expression=expression),
    ), AddedColumn(in_unit)


@on(f"<then> [<what>|tell me|and|measure] [the|their] {_SIZE} [of (each|each one|each of them)] {_UNIT}")
def _of_each(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`…, and give me the area of each in km2`."""
    dimension = _dimension(bindings)
    if dimension is None:
        return None
    steps, _column = _measured(RESULT, dimension, bindings.get("unit"), f"{dimension} of each")
    return steps


@on(
    f"<then> (what [total] {_SIZE} (is covered|do they have|do they cover|does it cover|is that)"
    f"|[<what>] [the|their|its] {_WHOLE} {_SIZE} [of (them|it|the result|the rest|all of them)]"
    f"|[<what>] its {_SIZE}|what is their {_SIZE}|<what> {_SIZE} of (it|the result|the rest|what (is left|remains))"
    f"|[tell me|give me|say] (how much [{{unit:unit}}]|how many {{unit:unit}}) {_OF_IT} {_IS_THERE})"
    f" {_IN_TOTAL} {_UNIT}",
    cost=-0.5,
)
@on(
    f"<then> [tell me|give me|say] {_LONG} (are they|they are|is it|it is"
    "|(is|are) (the|that|those|these) [area|result|shape|rest|parts|pieces])"
    f" {_IN_TOTAL} {_UNIT}"
)
def _in_total(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`…, and tell me how long they are altogether`."""
    return _total(RESULT, bindings, "of them", united=True) if context.chained else None


@on(f"[and] [tell me] {_LONG} (is|are) {{source:bare}} {_IN_TOTAL} {_UNIT}")
def _of_result(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how long are they in total?`, for a result: its shapes may have been cut, so measure them."""
    rows: Features = bindings["source"]
    tables = context.tables_of(rows.mention if rows.drawn else None)[:1]
    if context.chained or not (rows.previous or rows.drawn) or not any(each.is_result for each in tables):
        return None
    return _total(rows, bindings, "of them", united=True)


def _total(rows: Features, bindings: Mapping[str, Any], of: str, *, united: bool = False) -> Steps | None:
    """Steps for the total size. `united`: overlaps count once."""
    dimension = _dimension(bindings)
    if dimension is None:
        return None
    if united and dimension == "area":
        found = _total(RESULT, bindings, of)
        return (step("dissolve", rows, title="all as one shape"), *found) if found is not None else None
    steps, column = _measured(rows, dimension, bindings.get("unit"), f"{dimension} of each")
    figure = {"function": "sum", "column": column}
    return (*steps, summary(RESULT, (), figure, f"Total {dimension} {of}"))


@on(f"[and] {_LONG} (is|are) it=(that|this) {_IN_TOTAL} {_UNIT}")
def _of_previous(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how big is that in hectares?`"""
    return _of_result({**bindings, "source": Features(text=bindings["it"], previous=True)}, context)


@on(f"[and] how many {{unit:unit}} (is|are) ({{source:bare}}|it=(that|this)) {_IN_TOTAL}")
def _in_unit(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how many hectares are they?`, for shapes that an analysis made or cut; otherwise a column holds the size."""
    rows = bindings.get("source") or Features(text=bindings["it"], previous=True)
    tables = context.tables_of(rows.mention if rows.drawn else None)[:1]
    dimension = _dimension(bindings)
    own = [each for table in tables for each in measure_columns(table, _MEASURES.get(dimension or "", ""))]
    if own and all(map(rows_of, tables)):
        return None
    return _of_result({**bindings, "source": rows}, context)


@on(
    f"<what> [total] {_SIZE} of {{source:rows}} {_UNIT}",
    f"[tell me] {_LONG} (is|are) {{source:rows}} {_UNIT}",
)
def _of_shapes(bindings: Mapping[str, Any], _: Context) -> Steps | None:
    """`what is the area of a 500 m buffer around all schools`: of shapes that a step makes."""
    rows: Features = bindings["source"]
    if not rows.made or rows.made[-1].operation in ("select_by_location", "top", "filter"):
        return None
    return _total(rows, bindings, f"of {rows.noun}", united=True)


@on("how many {unit:unit} of [the] {source:rows}", cost=1.0)
@on(f"<what> [total] {_SIZE} of [all] [the] {{source:rows}} {_UNIT}", cost=1.0)
def _of_own_shapes(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`total length of the planned routes` if no column holds it: measures the lines."""
    rows, dimension = bindings["source"], _dimension(bindings)
    if dimension is None or not _needs_measuring(rows, dimension, context):
        return None
    return _total(rows, bindings, f"of {rows.noun}")


@on("(which|what) {source:rows} (is|are) [the] {top:top}", cost=1.0)
@on(f"[<ask>|<what>] [is|are] [the] {{top:top}} {{source:rows}} {_UNIT}", cost=1.0)
def _longest(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the 3 longest routes` if no column holds the length."""
    rows, top, unit = bindings["source"], bindings["top"], bindings.get("unit")
    if unit is not None and unit.dimension != "length":
        return _lasting(bindings, context)
    if top.measure != "long" or top.column is not None or not _needs_measuring(rows, "length", context):
        return None
    limit = top.of_several(rows.mention.text).limit
    steps, column = _measured(rows, "length", unit, f"Length of each of {rows.noun}")
    few = f"{limit} " if limit > 1 else ""
    title = f"The {few}{top.word} {rows.noun}, by length"
    return (*steps, top_step(RESULT, column, limit, smallest=not top.descending, title=title, ties=True))


@on("(which|what) [{n:count}] {source:rows} lasted=(lasted|took|last|take) [the] {top:top}", cost=-1.0)
@on(RANKED_ROWS, cost=1.0)
def _lasting(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the longest closure in days`, `which closure lasted longest?`: by the time between its start and end date."""
    rows, top, unit = bindings["source"], bindings["top"], bindings.get("unit", UNITS["days"])
    table, name = context.table(rows), f"{unit.symbol}_between"
    dates = times_lasting(table) if table is not None and rows.named else None
    if table is None or dates is None or top.measure != "long" or top.column is not None:
        return None
    if unit.symbol not in EXACT_TIMES or table.column(name) is not None:
        return None
    if "lasted" not in bindings and "unit" not in bindings and measure_columns(table, "long"):
        return None
    limit = bindings.get("n") or top.of_several(rows.mention.text).limit
    words = f"{unit.symbol.capitalize()} between {dates[0]} and {dates[1]}"
    lasted, few = time_between(rows, dates, unit, name, words), f"{limit} " if limit > 1 else ""
    title = f"The {few}{top.word} {rows.noun} in {unit.symbol}"
    first = top_step(RESULT, AddedColumn(name), limit, smallest=not top.descending, title=title, ties=True)
    return (lasted, first)


def _needs_measuring(rows: Features, dimension: str, context: Context) -> bool:
    """Whether the rows are lines or areas without a column for their length or area."""
    table = context.table(rows)
    shape = {"length": "line", "area": "polygon"}[dimension]
    return (
        table is not None and rows.named and table.geometry_family == shape
        and not measure_columns(table, _MEASURES[dimension])
    )  # fmt: skip


def _inside(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`what length of water mains lies in the district Riverside`: cut at the border, unless a column names the
    district."""
    rows, areas = bindings["source"], bindings["other"]
    if _shapes_by_place(rows, areas, context) is None:
        return None
    title = f"{rows.heading} in {areas.noun}"
    cut = step("clip", rows, ("mask", areas), title=title)
    total = _total(RESULT, bindings, f"of {title[:1].lower()}{title[1:]}", united=True)
    return (cut, *total) if total is not None else None


def _inside_each(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`how much habitat area is there within each district`: of the parts in each, cut at the borders."""
    rows, areas = bindings["source"], bindings["areas"]
    tables = _shapes_by_place(rows, areas, context)
    dimension = _dimension(bindings)
    named = name_column(tables[1]) if tables is not None else None
    if tables is None or named is None or dimension is None:
        return None
    kept = _in_common(tables[1], tables[0], named.name)
    if not kept:
        return None
    parts = step("intersection", areas, ("other", rows), title=f"Parts of {rows.noun} in each {areas.noun}")
    steps, column = _measured(
        RESULT, dimension, bindings.get("unit"), f"{dimension.capitalize()} of each part"
    )
    title = f"Total {dimension} of {rows.noun} in each {areas.noun}"
    return (parts, *steps, _by(kept, column, title))


@on(
    f"(<what> [total] {_SIZE} ([in {{unit:unit}}]|in {{unit:unit}} of {{source:bare}})"
    "|(how many|<what>) [total] {unit:unit} [of (land|line|lines)])"
    f" {_BY} {{by:column}} {_FIRST}"
)
@on(*(f"{rows} {_LIE} {_BY} {{by:column}} {'' if 'unit' in rows else _UNIT} {_FIRST}" for rows in _OF_ROWS))
def _by_value(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`total length of streets by class in miles`, `acres per zone code`: the measured size of all rows per value, if
    no column holds it. Without named rows, those of the only table with such a column."""
    rows: Features | None = bindings.get("source")
    words: ColumnWords = bindings["by"]
    named = context.table(rows) if rows is not None else None
    tables = [named] if named is not None else [*context.vocabulary.few_tables] if rows is None else []
    having = [each for each in tables if len(group_columns(each, words, context)) == 1]
    dimension = _dimension(bindings)
    if len(having) != 1 or dimension is None or (rows is not None and rows.guessed):
        return None
    (table,) = having
    (name,) = group_columns(table, words, context)
    shape = {"length": "line", "area": "polygon"}[dimension]
    if table.geometry_family != shape or measure_columns(table, _MEASURES[dimension]) or name in table.key:
        return None
    rows = rows or Features.of_table(table)
    steps, column = _measured(rows, dimension, bindings.get("unit"), f"{dimension.capitalize()} of each")
    title = f"Total {dimension} of {rows.noun} by {words.text}"
    return (*steps, _by([name], column, title))


def _in_common(areas: Table, other: Table, name: str) -> list[str]:
    """The key and name of areas, as the intersection with another table names them; empty without a key that the
    parts keep, because names may repeat."""
    if not areas.key or areas.is_result or areas.lake is not None:
        return []
    return [
        f"{areas.name}_{each}" if other.column(each) is not None else _OWN_KEYS.get(each, each)
        for each in dict.fromkeys((*areas.key, name))
    ]


def _by(names: Sequence[str], column: AddedColumn, title: str) -> AnalysisStep:
    figure = {"function": "sum", "column": column, "name": column.name}
    return step(
        "dissolve", RESULT, title=title, by=[ColumnWords(each) for each in names], aggregates=[figure]
    )


def _shapes_by_place(rows: Features, areas: Features, context: Context) -> tuple[Table, Table] | None:
    """The tables of lines or areas and of the areas around them; None for points, and if the first table has a column
    for the area."""
    own, other = context.table(rows), context.table(areas)
    if own is None or other is None or own == other or rows.guessed or areas.guessed:
        return None
    if own.geometry_family == "point" or other.geometry_family != "polygon":
        return None
    columns = columns_named(own, name_words(other.name), whole=True)
    return None if columns else (own, other)


_IN_EACH = "(in each|in every|within each|inside each|inside every|within every|per|for each|by)"
_WHERE: tuple[tuple[str, Build], ...] = (
    ("(in|inside|within) {other:areas} [[,|?] cut [them|it] at (boundary|border|edge)]", _inside),
    (f"{_IN_EACH} {{areas:bare}}", _inside_each),
)
RULES += (
    *(
        rule(f"{rows} {_LIE} {where} {'' if 'unit' in rows else _UNIT}", build)
        for where, build in _WHERE
        for rows in _OF_ROWS
    ),
)
