"""From the style that was asked for to the style that is drawn: read the column, choose classes, write expressions.

`compute_style` is called when a layer is added or its style or filter changes. It raises InvalidStyle (or
UnknownColumn) and never draws something else than what was asked for. How each kind of style is drawn is in
`server.gis.styles.kinds`."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import BINNED, Cql2, Legend, Style, StyleSpec, Table, ValueColor
from agents.geo.styling.colours import DEFAULT_COLOUR
from agents.worded import Template
from server.gis.errors import NONE, existing_column, listed
from server.gis.styles import colors, drawing
from server.gis.styles.attributes import as_number, tile_value
from server.gis.styles.errors import InvalidStyle, require_srid
from server.gis.styles.extrusion import extruded, extruded_column
from server.gis.styles.hiding import hide
from server.gis.styles.kinds import KINDS, Request, StatisticsOf
from server.gis.styles.kinds.binned import shown_attribute
from server.gis.styles.labels import label_text
from server.gis.styles.numbers import format_number
from server.gis.styles.statistics import ColumnStatistics

NO_GEOMETRY = Template("style_no_geometry", "{table} has no geometry column, so it cannot be drawn.")
BREAKS_RISE = Template(
    "style_breaks_rise", "Breaks of classes rise, each above the one before it; got {got}."
)
ZOOM_RANGE = Template(
    "style_zoom_range", "The layer is drawn from min_zoom up to max_zoom, so {low} must be less than {high}."
)
NO_TIME = Template(
    "style_no_time",
    "A time slider needs dates, times or numbers, and {column} of {table} is {type}. Columns that can be "
    "used: {names}.",
)
NO_TEXT = Template("style_no_text", "{column} of {table} is {type}, which cannot be shown as text.")


async def compute_style(
    reader: AsyncEngine,
    table: Table,
    filter: Cql2 | None,
    spec: StyleSpec,
    statistics_of: StatisticsOf | None = None,
) -> tuple[Style, Legend]:
    """The style that `spec` requests for the rows of `table` that pass `filter`, and its legend.

    `statistics_of` returns statistics of a column that are known already or may be estimated."""
    if statistics_of is None:
        statistics_of = partial(ColumnStatistics, reader, table, filter)
    if table.geometry_column is None:
        raise InvalidStyle(NO_GEOMETRY(table=table.id))
    require_srid(table.srid, table.id)
    spec = _with_parsed_color(spec)
    label = label_text(table, spec.label) if spec.label is not None else None
    _check_time_column(table, spec)
    _check_tooltip(table, spec)
    risen = extruded_column(table, spec)
    layers, legend = await KINDS[spec.kind](Request(table, spec, statistics_of))
    if risen is not None:
        layers = await extruded(layers, table, spec, risen, statistics_of(risen))
    if label is not None and spec.kind not in BINNED:
        layers = [*layers, drawing.labels(table.geometry_family, label, spec)]
    shown = shown_attribute(spec)
    if shown is not None and spec.hidden:
        layers, legend = hide(layers, legend, shown, spec.hidden)
    layers = [drawing.within_zooms(layer, spec.min_zoom, spec.max_zoom) for layer in layers]
    return Style(**spec.model_dump(), layers=tuple(layers)), legend


def _with_parsed_color(spec: StyleSpec) -> StyleSpec:
    """The colour as `#rrggbb`, and the ramp by its proper name; both checked before anything is read."""
    changes: dict[str, Any] = {}
    if spec.color is not None:
        changes["color"] = colors.parse_color(spec.color)
    elif spec.kind == "single":
        changes["color"] = DEFAULT_COLOUR
    if spec.stroke_color is not None:
        changes["stroke_color"] = colors.parse_color(spec.stroke_color)
    if spec.ramp is not None:
        changes["ramp"] = colors.ramp_name(spec.ramp)
    if spec.values:
        changes["values"] = tuple(
            ValueColor(value=each.value, color=colors.parse_color(each.color)) for each in spec.values
        )
    if any(low >= high for low, high in pairwise(spec.breaks)):
        got = ", ".join(map(format_number, spec.breaks))
        raise InvalidStyle(BREAKS_RISE(got=got))
    if spec.min_zoom is not None and spec.max_zoom is not None and spec.min_zoom >= spec.max_zoom:
        raise InvalidStyle(ZOOM_RANGE(low=format_number(spec.min_zoom), high=format_number(spec.max_zoom)))
    return spec.model_copy(update=changes)


def _check_time_column(table: Table, spec: StyleSpec) -> None:
    if spec.time is None:
        return
    column = existing_column(table, spec.time)
    if as_number(table, column) is None:
        usable = [each.name for each in table.columns if as_number(table, each) is not None]
        raise InvalidStyle(
            NO_TIME(
                column=repr(column.name), table=table.id, type=column.sql_type, names=listed(usable) or NONE()
            )
        )


def _check_tooltip(table: Table, spec: StyleSpec) -> None:
    for name in spec.tooltip:
        column = existing_column(table, name)
        if tile_value(table, column) is None:
            raise InvalidStyle(NO_TEXT(column=repr(name), table=table.id, type=column.sql_type))
