"""The drawing order of layers: a new one by its geometry, and those of a group next to each other. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agents.domain import GeometryFamily, Layer, Style

COVERING_ROWS = 100_000
"""Points or lines of a layer that hide the layers below it."""


def place_of(family: GeometryFamily, style: Style, layers: Sequence[Layer]) -> int:
    """Index for a new layer, 0 at the bottom: on top, but polygons stay below lines and lines below points, unless
    these would hide them. It does not come between the layers of a group."""
    own = _height(family, style)
    place = len(layers)
    while place and _height_of(layers[place - 1]) > own:
        place -= 1
    while 0 < place < len(layers) and layers[place].group is not None:
        if layers[place - 1].group != layers[place].group:
            break
        place += 1
    return place


def with_groups_together(layers: Iterable[Layer]) -> list[Layer]:
    """The same order, bottom first, except that the layers of a group lie directly below its topmost one."""
    found: list[Layer] = []
    for layer in reversed(list(layers)):
        lowest = max(
            (at for at, other in enumerate(found) if layer.group and other.group == layer.group), default=None
        )
        found.insert(len(found) if lowest is None else lowest + 1, layer)
    return found[::-1]


def _height_of(layer: Layer) -> int:
    return 0 if layer.count >= COVERING_ROWS else _height(layer.geometry_type, layer.style)


def _height(family: GeometryFamily, style: Style) -> int:
    """Polygons 0, lines 1, points 2. Proportional symbols count as points."""
    if style.kind == "proportional":
        return 2
    return {"polygon": 0, "mixed": 0, "line": 1, "point": 2, "none": 2}[family]
