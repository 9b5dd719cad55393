"""Coordinates of the data as units of one tile, by a linear mapping.

Where a tile is small, Mercator is so nearly linear over it that the projection of each vertex by PROJ changes nothing
that can be seen. The mapping of the whole tile is found once; PostGIS applies it to a shape in one step.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from server.gis.tiles.grid import EXTENT, HALF_WORLD, Tile, latitude, longitude

MAX_ERROR = 1.5
"""Accepted error in units of a tile, of which a pixel has eight, and to which coordinates are rounded. Tiles are
mapped from zoom level 11 or 12 on."""
LINEAR_FROM = 12
"""From this zoom level on, Mercator is linear enough over any tile, by less than a unit."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Affine:
    """The arguments of ST_Affine: `a * x + b * y + x_offset` is the column in a tile, counted from its left edge, and
    `d * x + e * y + y_offset` the row, counted from its top."""

    a: float
    b: float
    d: float
    e: float
    x_offset: float
    y_offset: float

    @property
    def arguments(self) -> tuple[float, ...]:
        """In the order of ST_Affine."""
        return (self.a, self.b, self.d, self.e, self.x_offset, self.y_offset)

    def maps(self, point: Point) -> Point:
        """Where the point is mapped to."""
        x, y = point
        return self.a * x + self.b * y + self.x_offset, self.d * x + self.e * y + self.y_offset


def of_mercator(tile: Tile) -> Affine:
    """The mapping of Web Mercator to units of a tile; exact."""
    scale = EXTENT / tile.width
    return Affine(
        scale, 0.0, 0.0, -scale, HALF_WORLD * scale - tile.x * EXTENT, HALF_WORLD * scale - tile.y * EXTENT
    )


def of_degrees(tile: Tile) -> Affine | None:
    """The mapping of degrees to units of a tile: exact at the edges, so that neighbours meet; None where it is
    too far off between them."""
    west, east = (longitude((tile.x + side) * tile.width - HALF_WORLD) for side in (0, 1))
    top, bottom = (latitude(HALF_WORLD - (tile.y + down) * tile.width) for down in (0, 1))
    across, down = EXTENT / (east - west), EXTENT / (bottom - top)
    if tile.z < LINEAR_FROM:
        # At the equator the middle is right in the largest tile, hence the quarters.
        quarters = [latitude(HALF_WORLD - (tile.y + part / 4) * tile.width) for part in (1, 2, 3)]
        errors = [(row - top) * down - EXTENT * part / 4 for part, row in enumerate(quarters, 1)]
        if max(map(abs, errors)) > MAX_ERROR:
            return None
    return Affine(across, 0.0, 0.0, down, -west * across, -top * down)


def fitted(points: Sequence[Point], places: Sequence[Point], max_error: float = MAX_ERROR) -> Affine | None:
    """The mapping that brings the points nearest to the places; None where one of them stays too far off."""
    count = len(points)
    mean_x, mean_y = (sum(point[axis] for point in points) / count for axis in (0, 1))
    near = [(x - mean_x, y - mean_y) for x, y in points]
    xx, xy, yy = (sum(p[i] * p[j] for p in near) for i, j in ((0, 0), (0, 1), (1, 1)))
    determinant = xx * yy - xy * xy
    if not math.isfinite(determinant) or determinant <= 0:
        return None
    rows = []
    for axis in (0, 1):
        mean = sum(place[axis] for place in places) / count
        px, py = (sum(p[i] * place[axis] for p, place in zip(near, places, strict=True)) for i in (0, 1))
        across, up = (px * yy - py * xy) / determinant, (py * xx - px * xy) / determinant
        rows.append((across, up, mean - across * mean_x - up * mean_y))
    (a, b, x_offset), (d, e, y_offset) = rows
    found = Affine(a, b, d, e, x_offset, y_offset)
    farthest = max(math.dist(found.maps(p), place) for p, place in zip(points, places, strict=True))
    return found if farthest <= max_error else None
