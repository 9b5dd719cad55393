"""Figures per area: `residents per hectare in each district`, `density of airports per country`; hot spots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.domain import Table
from agents.offline.commands.analyses.groups import columns_named
from agents.offline.commands.analyses.rules import Context, Steps, rule
from agents.offline.commands.analyses.sizes import RANKED_ROWS
from agents.offline.language.figures import is_of_each
from agents.offline.language.names.columns import columns_called, measure_columns
from agents.offline.language.names.periods import newest
from agents.offline.language.nouns import are_counts
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import Quantity
from agents.offline.meaning.features import RESULT, Features
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.steps import (
    AddedColumn,
    ColumnWords,
    NameColumn,
    count_in_areas,
    first_groups_step,
    step,
    summary,
    top_step,
)
from agents.offline.meaning.units import column_unit, unit_per
from agents.units import UNITS, Unit

PER_AREA = "per_1000_km2"


def _coloured_by_count(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`count the cities in each country of Africa and colour the countries by it`: the areas with their counts."""
    rows, areas = bindings["source"], bindings["areas"]
    table, again = context.table(areas), bindings.get("again")
    match = context.vocabulary.match_table(name_words(again)) if again else None
    if table is None or table.geometry_family != "polygon" or not (rows.named and areas.named):
        return None
    if again and (match is None or table not in match.found):
        return None
    return (count_in_areas(areas, rows, title=f"Number of {rows.noun} in each {areas.noun}"),)


def _per_area(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`residents per hectare in each district`."""
    areas, unit, what = bindings["areas"], _unit(bindings), bindings["what"]
    table = context.table(areas)
    names = columns_called((table,), name_words(what.text)) if table is not None else []
    column = table.column(names[0]) if table is not None and len(names) == 1 else None
    if table is None or areas.guessed or column is None or not is_number(column) or _is_group(areas, table):
        return None
    if unit_per(column) == unit:
        return None  # it is a figure per hectare itself
    return _divided(areas, table, names[0], unit, f"{what.text} per {unit.symbol} of {areas.noun}")


def _is_group(areas: Features, table: Table) -> bool:
    """Whether the words for the areas name a column of them: `by habitat`, for sites with a column `habitat`."""
    kinds = {each.name for each in text_columns(table) if each != name_column(table)} - {*table.key}
    return not kinds.isdisjoint(columns_named(table, name_words(areas.noun), whole=True))


def _divided(
    areas: Features, table: Table, amount: str, unit: Unit, title: str, before: Steps = ()
) -> Steps | None:
    """A column divided by the area: that in the table's own column, else the measured one."""
    sizes = [column for column in table.columns if column.name in measure_columns(table, "area")]
    own = [(column.name, measured) for column in sizes if (measured := column_unit(column)) is not None]
    name = _column(unit)
    if len(own) > 1 or any(table.column(each) is not None for each in (name, "area_m2")):
        return None
    size, factor = (own[0][0], own[0][1].factor) if own else ("area_m2", 1.0)
    if not own:
        before = (*before, step("measure", RESULT if before else areas, measures=["area"]))
    expression = f"{amount} * {unit.factor / factor:.12g} / {size}"
    by = f"{title}, by the {f'column {size}' if own else 'measured area'}"
    return (
        *before,
        step("calculate", RESULT if before else areas, title=by, name=name, expression=expression),
    )


def _area_in(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`measure the area of the countries in square miles`."""
    areas, unit = bindings["source"], bindings["unit"]
    table = context.table(areas)
    if table is None or areas.guessed or table.column("area_m2") is not None:
        return None
    name = f"area_{unit.ending}"
    title, expression = f"Area of {areas.noun} in {unit.symbol}", f"area_m2 / {unit.factor:.12g}"
    divided = step("calculate", RESULT, title=title, name=name, expression=expression)
    return (step("measure", areas, measures=["area"]), divided)


def _density(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`density of airports per country`: the count in each area, divided by its measured size."""
    rows, areas = bindings["source"], bindings["areas"]
    table = context.table(areas)
    if not rows.named or table is None or areas.guessed:
        return None
    if any(table.column(name) is not None for name in ("count", "area_m2")):
        return None
    title = f"{rows.heading} per 1,000 km² of {areas.noun}"
    expression = "1000000000 * count / area_m2"
    return (
        count_in_areas(areas, rows),
        step("measure", RESULT, measures=["area"]),
        step("calculate", RESULT, title=title, name=PER_AREA, expression=expression),
    )


def _counted_per_area(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`trees per hectare in each district`."""
    rows, areas, unit = bindings["source"], bindings["areas"], _unit(bindings)
    table = context.table(areas)
    if not rows.named or table is None or areas.guessed or table.geometry_family != "polygon":
        return None
    if table.column("count") is not None or _is_group(areas, table):
        return None
    title = f"{rows.heading} per {unit.symbol} of {areas.noun}"
    return _divided(areas, table, "count", unit, title, _counted(rows, areas, table, context))


def _counted(rows: Features, areas: Features, table: Table, context: Context) -> Steps:
    """The areas with their number of rows: by the rows' own column for the area, else by location."""
    own = context.table(rows)
    names = columns_named(own, name_words(table.name), whole=True) if own is not None else []
    if len(names) != 1 or areas.where is not None:
        return (count_in_areas(areas, rows),)
    title = f"{rows.heading} by {names[0]}"
    return (
        summary(rows, [ColumnWords(names[0])], None, title),
        step(
            "join_by_attribute", areas, ("other", RESULT), title=f"{areas.heading} with their {rows.noun}",
            key=NameColumn(), other_key=ColumnWords(names[0], "other"), columns=["count"], zero=True,
        ),
    )  # fmt: skip


def _unit(bindings: Mapping[str, Any]) -> Unit:
    """The unit of area; `100 hectares` count as one unit."""
    amount: Quantity | None = bindings.get("amount")
    unit: Unit = bindings["unit"] if amount is None or amount.unit is None else amount.unit
    if amount is None or amount.value == 1:
        return unit
    return replace(unit, symbol=f"{amount.value:,.10g} {unit.symbol}", factor=unit.factor * amount.value)


def _column(unit: Unit) -> str:
    return f"per_{unit.ending}"


def _most_per_area(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`which district has the most residents per hectare?`"""
    found = (_per_area if "what" in bindings else _counted_per_area)(bindings, context)
    if found is None:
        return None
    last = found[-1].title[:1].lower() + found[-1].title[1:]
    by = _column(_unit(bindings))
    return (
        *found,
        first_groups_step(bindings["areas"].noun, bindings["how"], last, by, bindings.get("n") or 1),
    )


def _own_density(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`population density by district` if no column holds it: per km²."""
    what: ColumnWords = bindings["what"]
    table = context.table(bindings["areas"])
    names = newest(columns_called((table,), name_words(what.text)) if table is not None else [])
    column = table.column(names[0]) if table is not None and len(names) == 1 else None
    if (
        table is None
        or column is None
        or is_of_each(column, what.text)
        or not are_counts((table,), tuple(names))
    ):
        return None
    if columns_called((table,), (*name_words(what.text), "density")):
        return None
    build = _most_per_area if "how" in bindings else _per_area
    return build({**bindings, "what": ColumnWords(names[0]), "unit": UNITS["km2"]}, context)


def _densest(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`the 3 most densely populated districts` if no column holds the density: people per km²."""
    areas, top = bindings["source"], bindings["top"]
    table = context.table(areas)
    if table is None or top.measure != "dense" or top.column is not None or measure_columns(table, "dense"):
        return None
    people = newest(measure_columns(table, "people"))
    if len(people) != 1 or table.geometry_family != "polygon" or areas.guessed:
        return None
    limit = top.of_several(areas.mention.text).limit
    unit = UNITS["km2"]
    found = _divided(areas, table, people[0], unit, f"{people[0]} per {unit.symbol} of {areas.noun}")
    if found is None:
        return None
    few = f"{limit} " if limit > 1 else ""
    title = f"The {few}{top.word} {areas.noun}, by {people[0]} per {unit.symbol}"
    by = AddedColumn(_column(unit))
    return (*found, top_step(RESULT, by, limit, smallest=not top.descending, title=title, ties=True))


USUAL_KM = 200.0
FINER_KM = 50.0
"""Cell sizes for all rows and for rows in one place; the title of the step states the size."""


def _hot_spots(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    rows = bindings["source"]
    table = context.table(rows)
    if table is None or table.geometry_family != "point" or rows.guessed:
        return None
    size = Quantity(FINER_KM if rows.where is not None else USUAL_KM, UNITS["km"])
    title = f"{rows.text[:1].upper()}{rows.text[1:]} in {size.value:.0f} km hexagons"
    return (
        step("grid", rows, title=title, size=size, shape="hexagon"),
        step("hot_spots", RESULT, title=f"Hot spots of {rows.text}", column=ColumnWords("count"), k=8),
    )


_PER = "per ({unit:area_unit}|{amount:surface})"
_GROUPS = (
    "((<for_each>|of|by) [all] {areas:bare}|(does|do) (each|every|the|all) {areas:bare} have"
    "|(are there|is there|are|stand|lie) (in each|per|in every) {areas:bare})"
)
_FIGURE = "(<what>|how many) [the] [average] [number of|density of]"
RULES = (
    rule(f"{_FIGURE} {{what:column}} {_PER} {_GROUPS}", _per_area, -1.0),
    rule(f"{_FIGURE} {{source:bare}} {_PER} {_GROUPS}", _counted_per_area, -2.0),
    *(
        rule(
            "(which|what) {areas:bare} (has|have) [the] how=(most|fewest|least|highest|lowest)"
            f" [number of] {what} {_PER}",
            _most_per_area,
            cost,
        )
        for what, cost in (("{what:column}", -1.0), ("{source:bare}", -2.0))
    ),
    rule(
        "(measure|calculate|compute) [the] area[s] of [all] {source:rows} in {unit:area_unit}", _area_in, -1.0
    ),
    rule("<what> density of [the] {source:bare} (<for_each>|by) [of] {areas:bare}", _density, -1.0),
    rule(
        "(<what> [the] {what:column} density (<for_each>|by|of|in) [all] [the] {areas:bare}"
        "|[colour|color|shade|fill|map|show] [the] {areas:bare} [coloured|colored|shaded] by {what:column} density"
        "|(which|what) [{n:count}] {areas:bare} (has|have) [the] how=(highest|greatest|largest|lowest|smallest)"
        " {what:column} density)",
        _own_density,
        -1.0,
    ),
    rule(
        "(count|<how_many>|<what> [the] number of) [the] {source:rows} [there are|are|lie] <in_each> [of] {areas:rows}"
        " [,] and [then] (colour|color|shade|fill) ([the|these|those] {again:name}|them)"
        " by (it|that|this|the (count|number|result))",
        _coloured_by_count,
        -1.0,
    ),
    rule(RANKED_ROWS, _densest, 1.0),
    rule("<open> (hot spots|hotspots|hot and cold spots) of {source:rows}", _hot_spots),
)
