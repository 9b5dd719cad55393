"""A colour for each value of a column: the most frequent values, or those that were named."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Column, StyleSpec
from agents.geo.styling import ramps
from agents.worded import Template
from server.gis.errors import listed
from server.gis.styles import colors, drawing, notes
from server.gis.styles.errors import InvalidStyle
from server.gis.styles.expressions import Expression
from server.gis.styles.kinds.base import Drawn, Request, if_present
from server.gis.styles.legend import Counted, legend_of
from server.gis.styles.statistics import Category, ColumnStatistics, Frequencies

CANNOT_HOLD = Template("style_cannot_hold", "{column} has the type {type}, which cannot hold {value}.")
TWO_COLOURS = Template("style_two_colours", "Each value of {column} has one colour; {values} has two.")

MAX_CATEGORIES = 9
USUAL_CATEGORIES = 7
MAX_SAFE_INTEGER = 2**53 - 1
"""The largest whole number that JavaScript has exactly."""


async def draw(request: Request) -> Drawn:
    """The features by the values of a column of any type."""
    spec, column = request.spec, request.theme_column(numeric=False)
    statistics = request.statistics_of(column)
    if spec.values:
        return await _chosen(request, statistics, column)
    found = await statistics.frequencies(spec.classes or MAX_CATEGORIES)
    if spec.classes is None and found.other_values:
        found = _shortened(found, USUAL_CATEGORIES)
    palette = _palette(spec, len(found.top))
    if len(palette) < len(found.top):
        found = _shortened(found, len(palette))
    top = list(found.top)
    if column.kind in ("boolean", "integer", "number"):
        top.sort(key=lambda pair: pair[0])
    values = [value for value, _ in top]
    color = if_present(column, _by_value(column, values, palette))
    layers = request.shapes(color, themed=True)
    counted = Counted([count for _, count in top], found.other_rows, found.nulls)
    return layers, legend_of(layers, column.name, "categorical", counted, _category_note(found))


async def _chosen(request: Request, statistics: ColumnStatistics, column: Column) -> Drawn:
    """Categories with given values and colours; the first one in the legend is drawn on top."""
    spec = request.spec
    values = [_of_column(column, each.value) for each in spec.values]
    if len(set(values)) < len(values):
        raise InvalidStyle(TWO_COLOURS(column=repr(column.name), values=listed(_repeated(values))))
    found = await statistics.counted(values)
    color = if_present(column, _by_value(column, values, [each.color for each in spec.values]))
    heights = _by_value(column, values, range(len(values), 0, -1), 0)
    layers = drawing.sorted_by(heights, request.shapes(color, themed=True))
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
    raise InvalidStyle(CANNOT_HOLD(column=repr(column.name), type=column.sql_type, value=repr(value)))


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
    huge = any(not isinstance(value, str | bool) and abs(value) > MAX_SAFE_INTEGER for value in values)
    if huge:
        # As JavaScript reads them from a tile: rounded to a double.
        pairs = [(float(value), color) for value, color in pairs]
    if huge or column.kind in ("boolean", "number"):
        return ["case", *(part for value, color in pairs for part in (["==", subject, value], color)), other]
    return ["match", subject, *(part for pair in pairs for part in pair), other]


def _category_note(found: Frequencies) -> str | None:
    if not found.top:
        return notes.NO_VALUES()
    if not found.other_values:
        return None
    total = notes.short_number(len(found.top) + found.other_values)
    return notes.MOST_FREQUENT(n=len(found.top), total=total)
