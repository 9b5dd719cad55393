"""One colour for all features."""

from __future__ import annotations

from agents.geo.styling.colours import DEFAULT_COLOUR
from server.gis.styles.kinds.base import Drawn, Request
from server.gis.styles.legend import legend_of


async def draw(request: Request) -> Drawn:
    """All features in the colour of the request."""
    layers = request.shapes(request.spec.color or DEFAULT_COLOUR, themed=False)
    return layers, legend_of(layers, request.table.name, "single")
