"""Figures by area: `residents per hectare in each district`, `density of airports per country`, areas in a unit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.offline.commands.analyses.rules import Context, Steps, rule
from agents.offline.language.column_names import columns_called, measure_columns
from agents.offline.language.words import name_words
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.features import RESULT
from agents.offline.meaning.steps import count_in_areas, step
from agents.offline.meaning.units import column_unit

PER_AREA = "per_1000_km2"


def _per_area(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`residents per hectare in each district`: by the table's own column of areas, else by their measured size."""
    areas, unit, what = bindings["areas"], bindings["unit"], bindings["what"]
    table = context.table(areas)
    names = columns_called((table,), name_words(what.text)) if table is not None else []
    column = table.column(names[0]) if table is not None and len(names) == 1 else None
    if table is None or areas.guessed or column is None or not is_number(column):
        return None
    sizes = [column for column in table.columns if column.name in measure_columns(table, "area")]
    own = [(column.name, measured) for column in sizes if (measured := column_unit(column)) is not None]
    name = f"per_{'_'.join(unit.symbol.replace('²', '2').split())}"
    if len(own) > 1 or table.column(name) is not None or table.column("area_m2") is not None:
        return None
    size, factor = (own[0][0], own[0][1].factor) if own else ("area_m2", 1.0)
    title = f"{what.text} per {unit.symbol} of {areas.noun}, by the {f'column {size}' if own else 'measured area'}"
    expression = f"{names[0]} * {unit.factor / factor:.12g} / {size}"
    source = areas if own else RESULT
    divided = step("calculate", source, title=title, name=name, expression=expression)
    return (divided,) if own else (step("measure", areas, measures=["area"]), divided)


def _area_in(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`measure the area of the countries in square miles`."""
    areas, unit = bindings["source"], bindings["unit"]
    table = context.table(areas)
    if table is None or areas.guessed or table.column("area_m2") is not None:
        return None
    name = f"area_{'_'.join(unit.symbol.replace('²', '2').split())}"
    title, expression = f"Area of {areas.noun} in {unit.symbol}", f"area_m2 / {unit.factor:.12g}"
    divided = step("calculate", RESULT, title=title, name=name, expression=expression)
    return (step("measure", areas, measures=["area"]), divided)


def _density(bindings: Mapping[str, Any], context: Context) -> Steps | None:
    """`density of airports per country`: counted in each area, by its measured size."""
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
    """`trees per hectare in each district`: counted in each area, by its measured size."""
    rows, areas, unit = bindings["source"], bindings["areas"], bindings["unit"]
    table = context.table(areas)
    if not rows.named or table is None or areas.guessed or table.geometry_family != "polygon":
        return None
    name = f"per_{'_'.join(unit.symbol.replace('²', '2').split())}"
    if any(table.column(each) is not None for each in ("count", "area_m2", name)):
        return None
    title = f"{rows.heading} per {unit.symbol} of {areas.noun}, by the measured area"
    return (
        count_in_areas(areas, rows),
        step("measure", RESULT, measures=["area"]),
        step("calculate", RESULT, title=title, name=name, expression=f"count * {unit.factor:.12g} / area_m2"),
    )


RULES = (
    rule(
        "<what> [number of] {what:column} per {unit:area_unit} [<for_each>|of] [all] {areas:bare}",
        _per_area,
        -1.0,
    ),
    rule(
        "<what> [the] [number of] {source:bare} per {unit:area_unit} (<for_each>|by) [all] {areas:bare}",
        _counted_per_area,
        -2.0,
    ),
    rule(
        "(measure|calculate|compute) [the] area[s] of [all] {source:rows} in {unit:area_unit}", _area_in, -1.0
    ),
    rule("<what> density of [the] {source:bare} <for_each> [of] {areas:bare}", _density, -1.0),
)
