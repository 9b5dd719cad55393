"""From the style that was asked for to the style that is drawn: read the column, choose classes, write
expressions.

`compute_style` is called when a layer is added or its style or filter changes. It raises InvalidStyle (or
UnknownColumn) and never draws something else than what was asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, Cql2, DrawLayer, Legend, Style, StyleSpec, Table, ValueColor
from server.gis.errors import listed, unknown_column
from server.gis.styles import colors, drawing, ramps
from server.gis.styles.attributes import as_number, tile_value
from server.gis.styles.classes import class_breaks
from server.gis.styles.errors import InvalidStyle, require_srid
from server.gis.styles.expressions import Expression
from server.gis.styles.legend import Counted, legend_of
from server.gis.styles.numbers import format_number
from server.gis.styles.statistics import SAMPLE, Category, ColumnStatistics, Frequencies

MOST_CATEGORIES = 9
USUAL_CATEGORIES = 7
LARGEST_CIRCLE = 24.0
SMALLEST_CIRCLE = 1.0
HEAT_RADIUS = 18.0
SAFE = 2**53 - 1

Drawn = tuple[list[DrawLayer], Legend]
StatisticsOf = Callable[[Column], ColumnStatistics]


async def compute_style(
    reader: AsyncEngine,
    table: Table,
    filter: Cql2 | None,
    spec: StyleSpec,
    statistics_of: StatisticsOf | None = None,
) -> tuple[Style, Legend]:
    """The style that draws the rows of `table` that pass `filter` as `spec` asks, and its legend.

    `statistics_of` tells the statistics of a column where these are known already, or may be estimated.
    """
    if statistics_of is None:
        statistics_of = partial(ColumnStatistics, reader, table, filter)
    if table.geometry_column is None:
        raise InvalidStyle(f"{table.id} has no geometry column, so it cannot be drawn.")
    require_srid(table.srid, table.id)
    spec = _with_parsed_color(spec)
    label = _label_column(table, spec)
    _check_time_column(table, spec)
    if spec.kind == "single":
        layers, legend = _single(table, spec)
    elif spec.kind == "heatmap":
        layers, legend = await _heatmap(statistics_of, table, spec)
    elif spec.kind == "categorical":
        column = _theme_column(table, spec, numeric=False)
        layers, legend = await _categorical(statistics_of(column), table, column, spec)
    elif spec.kind == "graduated":
        column = _theme_column(table, spec, numeric=True)
        layers, legend = await _graduated(statistics_of(column), table, column, spec)
    else:
        column = _theme_column(table, spec, numeric=True)
        layers, legend = await _proportional(statistics_of(column), table, column, spec)
    if label is not None:
        layers = [*layers, drawing.labels(table.geometry_family, label)]
    return Style(**spec.model_dump(), layers=tuple(layers)), legend


def _with_parsed_color(spec: StyleSpec) -> StyleSpec:
    """The colour as `#rrggbb`, and the ramp by its proper name; both checked before anything is read."""
    changes: dict[str, Any] = {}
    if spec.color is not None:
        changes["color"] = colors.parse_color(spec.color)
    elif spec.kind == "single":
        changes["color"] = colors.next_color(())
    if spec.ramp is not None:
        changes["ramp"] = colors.ramp_name(spec.ramp)
    if spec.values:
        changes["values"] = tuple(
            ValueColor(value=each.value, color=colors.parse_color(each.color)) for each in spec.values
        )
    if any(low >= high for low, high in pairwise(spec.breaks)):
        got = ", ".join(map(format_number, spec.breaks))
        raise InvalidStyle(f"Breaks of classes rise, each above the one before it; got {got}.")
    return spec.model_copy(update=changes)


def _theme_column(table: Table, spec: StyleSpec, numeric: bool) -> Column:
    numbers = [column.name for column in table.columns if column.kind in ("integer", "number")]
    if spec.column is None:
        usable = (
            numbers if numeric else [column.name for column in table.columns if column.kind != "geometry"]
        )
        raise InvalidStyle(f"A {spec.kind} style needs a column. {table.id} has: {listed(usable) or 'none'}.")
    column = table.column(spec.column)
    if column is None:
        raise unknown_column(table, spec.column)
    if numeric and column.name not in numbers:
        raise InvalidStyle(
            f"A {spec.kind} style needs numbers, and {column.name!r} of {table.id} is {column.sql_type}. "
            f"Numeric columns: {listed(numbers) or 'none'}."
            + ("" if column.kind == "geometry" else " A categorical style can show it.")
        )
    if tile_value(table, column) is None:
        raise InvalidStyle(f"{column.name!r} of {table.id} is {column.sql_type}, which no style can show.")
    return column


def _label_column(table: Table, spec: StyleSpec) -> Column | None:
    if spec.label is None:
        return None
    column = table.column(spec.label)
    if column is None:
        raise unknown_column(table, spec.label)
    if tile_value(table, column) is None:
        raise InvalidStyle(
            f"{column.name!r} of {table.id} is {column.sql_type}, which cannot be written on a map."
        )
    return column


def _check_time_column(table: Table, spec: StyleSpec) -> None:
    if spec.time is None:
        return
    column = table.column(spec.time)
    if column is None:
        raise unknown_column(table, spec.time)
    if as_number(table, column) is None:
        usable = [each.name for each in table.columns if as_number(table, each) is not None]
        raise InvalidStyle(
            f"A time slider needs dates, times or numbers, and {column.name!r} of {table.id} is {column.sql_type}. "
            f"Columns that serve: {listed(usable) or 'none'}."
        )


def _single(table: Table, spec: StyleSpec) -> Drawn:
    color = spec.color or colors.next_color(())
    layers = drawing.shapes(table.geometry_family, color, spec.size, themed=False)
    return layers, legend_of(layers, table.name, "single")


async def _categorical(statistics: ColumnStatistics, table: Table, column: Column, spec: StyleSpec) -> Drawn:
    if spec.values:
        return await _chosen(statistics, table, column, spec)
    asked = spec.classes if "classes" in spec.model_fields_set else None
    found = await statistics.frequencies(asked or MOST_CATEGORIES)
    if asked is None and found.other_values:
        found = _shortened(found, USUAL_CATEGORIES)
    palette = _palette(spec, len(found.top))
    if len(palette) < len(found.top):
        found = _shortened(found, len(palette))
    top = list(found.top)
    if column.kind in ("boolean", "integer", "number"):
        top.sort(key=lambda pair: pair[0])
    values = [value for value, _ in top]
    color = _if_present(column, _by_value(column, values, palette))
    layers = drawing.shapes(table.geometry_family, color, spec.size, themed=True)
    counted = Counted([count for _, count in top], found.other_rows, found.nulls)
    return layers, legend_of(layers, column.name, "categorical", counted, _category_note(found))


async def _chosen(statistics: ColumnStatistics, table: Table, column: Column, spec: StyleSpec) -> Drawn:
    """Categories whose values and colours were given; what comes first in the legend lies on top."""
    values = [_of_column(column, each.value) for each in spec.values]
    if len(set(values)) < len(values):
        raise InvalidStyle(
            f"Each value of {column.name!r} has one colour; {listed(_repeated(values))} has two."
        )
    found = await statistics.counted(values)
    color = _if_present(column, _by_value(column, values, [each.color for each in spec.values]))
    heights = _by_value(column, values, range(len(values), 0, -1), 0)
    layers = drawing.sorted_by(heights, drawing.shapes(table.geometry_family, color, spec.size, themed=True))
    counted = Counted([count for _, count in found.top], found.other_rows, found.nulls)
    return layers, legend_of(layers, column.name, "categorical", counted)


def _repeated(values: Sequence[Category]) -> list[str]:
    return sorted({str(value) for value in values if values.count(value) > 1})


def _of_column(column: Column, value: Category) -> Category:
    """The value as tiles hold those of the column. Raises InvalidStyle where it cannot be one of them."""
    if column.kind not in ("boolean", "integer", "number"):
        return str(value)
    if column.kind == "boolean" and isinstance(value, bool):
        return value
    if column.kind != "boolean" and isinstance(value, int | float) and not isinstance(value, bool):
        if column.kind == "number":
            return value
        if float(value).is_integer():
            return int(value)
    raise InvalidStyle(f"{column.name!r} is {column.sql_type}, so {value!r} is none of its values.")


def _shortened(found: Frequencies, limit: int) -> Frequencies:
    rest = found.top[limit:]
    return Frequencies(
        found.top[:limit],
        found.other_rows + sum(count for _, count in rest),
        found.other_values + len(rest),
        found.nulls,
    )


def _palette(spec: StyleSpec, count: int) -> tuple[str, ...]:
    if spec.ramp is None:
        return ramps.QUALITATIVE[ramps.DEFAULT_QUALITATIVE if count <= USUAL_CATEGORIES else "Nine"]
    chosen = colors.ramp_named(spec.ramp)
    return chosen if spec.ramp in ramps.QUALITATIVE else colors.sequence(chosen, max(count, 1))


def _by_value(
    column: Column, values: Sequence[Category], palette: Sequence[str | int], other: str | int = ramps.OTHER
) -> Expression:
    """`match` takes only text and whole numbers that JavaScript has; all else is compared one by one."""
    subject = ["get", column.name]
    pairs = list(zip(values, palette, strict=False))
    if not pairs:
        return other
    huge = any(not isinstance(value, str | bool) and abs(value) > SAFE for value in values)
    if huge:
        # As JavaScript reads them from a tile: rounded to a double.
        pairs = [(float(value), color) for value, color in pairs]
    if huge or column.kind in ("boolean", "number"):
        return [
            "case",
            *(part for value, color in pairs for part in (["==", subject, value], color)),
            other,
        ]
    return ["match", subject, *(part for pair in pairs for part in pair), other]


def _category_note(found: Frequencies) -> str | None:
    if not found.top:
        return "There are no values to show."
    if not found.other_values:
        return None
    return (
        f"The {len(found.top)} most frequent of {format_number(len(found.top) + found.other_values)} values."
    )


async def _graduated(statistics: ColumnStatistics, table: Table, column: Column, spec: StyleSpec) -> Drawn:
    found = await statistics.distribution()
    integers = column.kind == "integer"
    integers = integers and all(each.is_integer() for each in spec.breaks)
    breaks = list(spec.breaks) or class_breaks(found.sample, spec.classes, spec.method, integers)
    counts = await statistics.class_counts(breaks) if found.values else []
    shades = colors.sequence(_ramp(spec), len(breaks) + 1)
    steps: Expression = shades[0]
    if breaks:
        steps = ["step", ["get", column.name], shades[0]]
        for value, shade in zip(breaks, shades[1:], strict=True):
            steps += [int(value) if value.is_integer() else value, shade]
    layers = drawing.shapes(table.geometry_family, _if_present(column, steps), spec.size, themed=True)
    counted = Counted(counts, 0, found.nulls, found.minimum, found.maximum, integers)
    note = None if spec.breaks else _class_note(spec, found.values, len(set(found.sample)), len(breaks) + 1)
    return layers, legend_of(layers, column.name, "graduated", counted, note or None)


def _class_note(spec: StyleSpec, values: int, distinct: int, classes: int) -> str:
    if values == 0:
        return "All values are missing."
    if distinct == 1:
        return "All values are the same."
    notes = []
    if classes < spec.classes:
        notes.append(f"{classes} classes instead of {spec.classes}, because many rows share a value.")
    if spec.method == "jenks" and values > SAMPLE:
        notes.append(
            f"Natural breaks of {format_number(SAMPLE + 1)} quantiles of {format_number(values)} values."
        )
    return " ".join(notes)


async def _proportional(statistics: ColumnStatistics, table: Table, column: Column, spec: StyleSpec) -> Drawn:
    """A circle's area is proportional to the value. Values below zero have their own colour."""
    found = await statistics.distribution()
    largest = spec.size or LARGEST_CIRCLE
    greatest = max(abs(found.minimum or 0.0), abs(found.maximum or 0.0)) or 1.0
    value = ["get", column.name]
    radius = ["max", min(SMALLEST_CIRCLE, largest), ["*", largest, ["sqrt", ["/", ["abs", value], greatest]]]]
    main = spec.color or colors.next_color(())
    color: Expression = main
    notes = []
    if (found.minimum or 0.0) < 0:
        color = ["case", ["<", value, 0], colors.contrast(main), main]
        notes.append("Values below zero have their own colour.")
    if found.nulls:
        notes.append(f"{format_number(found.nulls)} without a value are not drawn.")
    circles = drawing.sized_circles(
        table.geometry_family, color, radius, ["has", column.name], ["-", 0, ["abs", value]]
    )
    layers = [*drawing.base(table.geometry_family, main), circles]
    counted = Counted(minimum=found.minimum, maximum=found.maximum)
    return layers, legend_of(layers, column.name, "proportional", counted, " ".join(notes) or None)


async def _heatmap(statistics_of: StatisticsOf, table: Table, spec: StyleSpec) -> Drawn:
    weight: Expression = 1
    title, note = table.name, None
    if spec.column is not None:
        column = _theme_column(table, spec, numeric=True)
        found = await statistics_of(column).distribution()
        # The 95th percentile weighs 1, so that one giant does not make all others vanish.
        reference = found.sample[len(found.sample) * 95 // 100] if found.sample else 0.0
        top = reference if reference > 0 else max(found.maximum or 0.0, 0.0) or 1.0
        weight = ["case", ["has", column.name], ["min", 1, ["max", 0, ["/", ["get", column.name], top]]], 0]
        title, note = (
            column.name,
            f"Weighted by {column.name}; {format_number(top, 3)} and more weigh the most.",
        )
    ramp = colors.sequence(_ramp(spec), 6)
    layers = [drawing.heat(table.geometry_family, ramp, spec.size or HEAT_RADIUS, weight)]
    return layers, legend_of(layers, title, "heatmap", note=note)


def _ramp(spec: StyleSpec) -> tuple[str, ...]:
    if spec.ramp is not None:
        return colors.ramp_named(spec.ramp)
    return colors.tints(spec.color) if spec.color else colors.ramp_named(ramps.DEFAULT_SEQUENTIAL)


def _if_present(column: Column, drawn: Expression) -> Expression:
    return ["case", ["has", column.name], drawn, ramps.NO_DATA]
