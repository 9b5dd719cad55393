"""Areas that rise by the numbers of a column: the third dimension of single, categorical and graduated styles."""

from __future__ import annotations

import math
from collections.abc import Sequence

from agents.domain import Column, DrawLayer, StyleSpec, Table
from agents.worded import Template
from server.gis.errors import NONE, existing_column, listed
from server.gis.styles.errors import InvalidStyle
from server.gis.styles.statistics import ColumnStatistics

ONLY_AREAS = Template("style_only_areas", "Only areas can be drawn in 3D, and {table} has none.")
HEIGHT_NUMBER = Template(
    "style_height_number",
    "The height in 3D must be a number, and {column} of {table} is {type}. Numeric columns: {names}.",
)

KINDS = ("single", "categorical", "graduated")
HEIGHT_SHARE = 0.08
"""Height of the greatest value as a share of the longer side of the table's extent."""
MAX_HEIGHT_M = 1_500_000.0
EQUATOR_DEGREE_M = 111_320.0
OPACITY = 0.85


def extruded_column(table: Table, spec: StyleSpec) -> Column | None:
    """The column that areas rise by. Raises InvalidStyle or UnknownColumn; None where nothing rises."""
    if spec.extrude is None or spec.kind not in KINDS:
        return None
    if table.geometry_family != "polygon":
        raise InvalidStyle(ONLY_AREAS(table=table.id))
    column = existing_column(table, spec.extrude)
    if column.kind not in ("integer", "number"):
        numbers = [each.name for each in table.columns if each.kind in ("integer", "number")]
        raise InvalidStyle(
            HEIGHT_NUMBER(
                column=repr(column.name),
                table=table.id,
                type=column.sql_type,
                names=listed(numbers) or NONE(),
            )
        )
    return column


async def extruded(
    layers: Sequence[DrawLayer], table: Table, spec: StyleSpec, column: Column, statistics: ColumnStatistics
) -> list[DrawLayer]:
    """The layers with bodies in place of fills and their outlines. Rows without a value stay flat."""
    scale = spec.extrude_scale
    if scale is None:
        greatest = (await statistics.distribution()).maximum or 0.0
        scale = _tallest(table) / greatest if greatest > 0 else 1.0
    value = ["case", ["has", column.name], ["max", 0, ["get", column.name]], 0]
    height = ["*", float(f"{scale:.4g}"), value]
    return [
        each.model_copy(
            update={
                "type": "fill-extrusion",
                "layout": {},
                "paint": {
                    "fill-extrusion-color": each.paint["fill-color"],
                    "fill-extrusion-height": height,
                    "fill-extrusion-opacity": OPACITY,
                },
            }
        )
        for each in layers
        if each.type == "fill"
    ]


def _tallest(table: Table) -> float:
    """Metres that the greatest value rises."""
    if table.bounds is None:
        return MAX_HEIGHT_M
    west, south, east, north = table.bounds
    width = ((east - west) % 360 or 360.0) * math.cos(math.radians((south + north) / 2))
    return max(1.0, min(MAX_HEIGHT_M, HEIGHT_SHARE * EQUATOR_DEGREE_M * max(width, north - south)))
