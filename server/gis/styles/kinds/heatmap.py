"""A heat map, of all features alike or weighted by a number."""

from __future__ import annotations

from agents.domain import USUAL_HEAT_PX
from server.gis.styles import colors, drawing, notes
from server.gis.styles.expressions import Expression
from server.gis.styles.kinds.base import Drawn, Request
from server.gis.styles.legend import legend_of


async def draw(request: Request) -> Drawn:
    """Where features are dense, or the sum of a number is."""
    table, spec = request.table, request.spec
    weight: Expression = 1
    title, note = table.name, None
    if spec.column is not None:
        column = request.theme_column(numeric=True)
        found = await request.statistics_of(column).distribution()
        # The 95th percentile weighs 1, so that one huge value does not hide all others.
        reference = found.sample[len(found.sample) * 95 // 100] if found.sample else 0.0
        top = reference if reference > 0 else max(found.maximum or 0.0, 0.0) or 1.0
        weight = ["case", ["has", column.name], ["min", 1, ["max", 0, ["/", ["get", column.name], top]]], 0]
        title, note = (column.name, notes.WEIGHTED(column=column.name, top=notes.short_number(top, 3)))
    ramp = colors.sequence(request.ramp(), 6)
    layers = [drawing.heat(table.geometry_family, ramp, spec.size or USUAL_HEAT_PX, weight)]
    return layers, legend_of(layers, title, "heatmap", note=note)
