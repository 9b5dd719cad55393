"""Circles whose areas are proportional to a number."""

from __future__ import annotations

from agents.geo.styling.colours import DEFAULT_COLOUR
from server.gis.styles import colors, drawing, notes
from server.gis.styles.expressions import Expression
from server.gis.styles.kinds.base import Drawn, Request, outline_of
from server.gis.styles.legend import Counted, legend_of

MAX_RADIUS_PX = 24.0
MIN_RADIUS_PX = 1.0


async def draw(request: Request) -> Drawn:
    """A circle's area is proportional to the value. Values below zero have their own colour."""
    table, spec, column = request.table, request.spec, request.theme_column(numeric=True)
    found = await request.statistics_of(column).distribution()
    largest = spec.size or MAX_RADIUS_PX
    greatest = max(abs(found.minimum or 0.0), abs(found.maximum or 0.0)) or 1.0
    value = ["get", column.name]
    radius = ["max", min(MIN_RADIUS_PX, largest), ["*", largest, ["sqrt", ["/", ["abs", value], greatest]]]]
    main = spec.color or DEFAULT_COLOUR
    color: Expression = main
    found_notes = []
    if (found.minimum or 0.0) < 0:
        color = ["case", ["<", value, 0], colors.contrast(main), main]
        found_notes.append(notes.BELOW_ZERO())
    if found.nulls:
        found_notes.append(notes.NOT_DRAWN(n=notes.short_number(found.nulls)))
    circles = drawing.sized_circles(
        table.geometry_family, color, radius, ["has", column.name], ["-", 0, ["abs", value]], outline_of(spec)
    )
    layers = [*drawing.base(table.geometry_family, main), circles]
    counted = Counted(minimum=found.minimum, maximum=found.maximum)
    return layers, legend_of(layers, column.name, "proportional", counted, notes.joined_notes(*found_notes))
