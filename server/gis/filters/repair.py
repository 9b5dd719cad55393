"""Repairs areas that cross themselves, as drawn ones do, and refuses those whose repair would hold up the server.

GEOS cannot be interrupted, and its work grows with the square of the crossings and faster: a star of 300 corners that
all cross takes minutes. So crossings are counted first, in steps that stop at a bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from agents.worded import Template
from server.gis.errors import InvalidFilter

CROSSES_ITSELF = Template(
    "filter_crosses_itself",
    "The area in the filter crosses itself more than {n} times. Draw it without crossings, or use a "
    "table of the area in its place.",
)
NO_EXTENT = Template("filter_no_extent", "The geometry in the filter has no extent.")

MAX_CROSSINGS = 1_000
"""Limit for crossings of one area with itself; a repair then takes some ten milliseconds."""
MAX_NEAR_EDGES, NEAR_EDGES_AT_LEAST = 20, 10_000
"""Pairs of edges whose boxes meet: the most for each edge of a shape, and what a shape of few edges may have."""
EDGES_AT_ONCE = 64


def repaired(geometry: BaseGeometry) -> BaseGeometry:
    """The geometry if it is valid, else a valid one; a polygon stays polygonal. Raises InvalidFilter."""
    if geometry.is_valid:
        return geometry
    if crosses_itself_often(geometry):
        raise InvalidFilter(CROSSES_ITSELF(n=MAX_CROSSINGS))
    found = shapely.make_valid(geometry, method="structure", keep_collapsed=True)
    if geometry.geom_type in ("Polygon", "MultiPolygon") and found.geom_type == "GeometryCollection":
        found = shapely.union_all([part for part in found.geoms if part.geom_type.endswith("Polygon")])
    if found.is_empty:
        raise InvalidFilter(NO_EXTENT())
    return found


def crosses_itself_often(geometry: BaseGeometry) -> bool:
    """Whether the edges of its areas cross more than `MAX_CROSSINGS` times, or come so near to each other that counting
    would take long."""
    edges = _edges(geometry)
    near, crossings = 0, 0
    most = MAX_NEAR_EDGES * len(edges) + NEAR_EDGES_AT_LEAST
    for first, second in _pairs_of_near(edges):
        near += len(first)
        crossings += _count_crossings(edges[first], edges[second])
        if near > most or crossings > 2 * MAX_CROSSINGS:  # each pair comes twice
            return True
    return False


def _edges(geometry: BaseGeometry) -> Any:
    """The edges of all rings as an array of `[[x, y], [x, y]]`."""
    rings = [shapely.get_coordinates(ring) for ring in shapely.get_rings(shapely.get_parts(geometry))]
    return np.concatenate(
        [np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings] or [np.empty((0, 2, 2))]
    )


def _pairs_of_near(edges: Any) -> Iterator[tuple[Any, Any]]:
    """Indices of pairs of edges whose boxes meet, a part of the edges at a time."""
    lines = shapely.linestrings(edges)
    tree = shapely.STRtree(lines)
    for start in range(0, len(lines), EDGES_AT_ONCE):
        first, second = tree.query(lines[start : start + EDGES_AT_ONCE])
        yield first + start, second


def _count_crossings(first: Any, second: Any) -> int:
    """The number of pairs of edges each of which has its ends on both sides of the other."""
    is_across = [
        _side(one, other[:, 0]) * _side(one, other[:, 1]) < 0
        for one, other in ((first, second), (second, first))
    ]
    return int(np.count_nonzero(is_across[0] & is_across[1]))


def _side(edges: Any, points: Any) -> Any:
    """The sign of the side of each edge on which its point lies; 0 on the edge."""
    along, towards = edges[:, 1] - edges[:, 0], points - edges[:, 0]
    return np.sign(along[:, 0] * towards[:, 1] - along[:, 1] * towards[:, 0])
