"""Functions that steps name in statements for Spark, and the templates as which the translation writes them out."""

from __future__ import annotations

from collections.abc import Mapping

from server.gis.spark import great_circles, names, templates

FUNCTIONS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    names.BETWEEN: (great_circles.BETWEEN, ("one", "two")),
    names.BOX: (great_circles.BOX, ("shape",)),
    names.BUFFER: (templates.BUFFER, ("shape", "radius")),
    names.CENTRE: (templates.CENTRE, ("shape",)),
    names.CORNER: (great_circles.CORNER, ("shape",)),
    names.DISTANCE: (great_circles.DISTANCE, ("vector", "parts")),
    names.PARTS: (great_circles.PARTS, ("shape",)),
    names.RADIUS: (great_circles.RADIUS, ("shape",)),
    names.REACH: (templates.REACH, ("shape", "metres")),
    names.VECTOR: (great_circles.VECTOR, ("shape",)),
    names.WHOLE: (templates.WHOLE, ("shape",)),
}
"""Functions by name: the template, and the names in it that the arguments replace."""
