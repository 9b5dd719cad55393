"""What the kinds of styles share: the request that each of them draws, and the column that it shows."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from agents.domain import Column, DrawLayer, Legend, StyleSpec, Table
from agents.geo.styling import ramps
from agents.worded import Template
from server.gis.errors import NONE, existing_column, listed
from server.gis.styles import colors, drawing
from server.gis.styles.attributes import tile_value
from server.gis.styles.errors import InvalidStyle
from server.gis.styles.expressions import Expression
from server.gis.styles.statistics import ColumnStatistics

NEEDS_COLUMN = Template("style_needs_column", "A {kind} style needs a column. {table} has: {names}.")
NEEDS_NUMBERS = Template(
    "style_needs_numbers",
    "A {kind} style needs numbers, and {column} of {table} is {type}. Numeric columns: {names}.",
)
AS_CATEGORIES = Template("style_as_categories", " A categorical style can show it.")
UNFIT = Template("style_unfit", "{column} of {table} is {type}, which no style can show.")

Drawn = tuple[list[DrawLayer], Legend]
StatisticsOf = Callable[[Column], ColumnStatistics]


@dataclass(frozen=True)
class Request:
    """A checked style for the rows of a table, and the way to the statistics of its columns."""

    table: Table
    spec: StyleSpec
    statistics_of: StatisticsOf

    def theme_column(self, *, numeric: bool) -> Column:
        """The column that the style shows. Raises InvalidStyle or UnknownColumn."""
        table, spec = self.table, self.spec
        numbers = [column.name for column in table.columns if column.kind in ("integer", "number")]
        if spec.column is None:
            drawable = [column.name for column in table.columns if column.kind != "geometry"]
            usable = listed(numbers if numeric else drawable) or NONE()
            raise InvalidStyle(NEEDS_COLUMN(kind=spec.kind, table=table.id, names=usable))
        column = existing_column(table, spec.column)
        if numeric and column.name not in numbers:
            raise InvalidStyle(
                NEEDS_NUMBERS(
                    kind=spec.kind,
                    column=repr(column.name),
                    table=table.id,
                    type=column.sql_type,
                    names=listed(numbers) or NONE(),
                )
                + ("" if column.kind == "geometry" else AS_CATEGORIES())
            )
        if tile_value(table, column) is None:
            raise InvalidStyle(UNFIT(column=repr(column.name), table=table.id, type=column.sql_type))
        return column

    def shapes(self, color: Expression, *, themed: bool) -> list[DrawLayer]:
        """The shapes of the table in a colour, with the size and the outline that were asked for."""
        return drawing.shapes(self.table.geometry_family, color, outline_of(self.spec), themed=themed)

    def ramp(self) -> tuple[str, ...]:
        """The ramp for a number: the one asked for, else tints of the colour asked for."""
        if self.spec.ramp is not None:
            return colors.ramp_named(self.spec.ramp)
        return (
            colors.tints(self.spec.color) if self.spec.color else colors.ramp_named(ramps.DEFAULT_SEQUENTIAL)
        )


Draw = Callable[[Request], Awaitable[Drawn]]
"""Draws a request: the style layers, bottom first, and their legend."""


def outline_of(spec: StyleSpec) -> drawing.Outline:
    """The outline that a style asks for: sizes in pixels."""
    return drawing.Outline(spec.size, spec.stroke, spec.stroke_color)


def by_classes(attribute: str, breaks: Sequence[float], shades: Sequence[str]) -> Expression:
    """The shade of the class that the value is in; the classes are one more than the breaks between them."""
    if not breaks:
        return shades[0]
    pairs = zip(breaks, shades[1:], strict=True)
    steps = (part for value, shade in pairs for part in (int(value) if value.is_integer() else value, shade))
    return ["step", ["get", attribute], shades[0], *steps]


def if_present(column: Column, drawn: Expression) -> Expression:
    """The expression where the column has a value, else the colour of missing values."""
    return ["case", ["has", column.name], drawn, ramps.NO_DATA]
