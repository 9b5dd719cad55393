"""Where the tiles of one neighbourhood lie in a coordinate system, from 25 places that PostGIS projected once.

Over some ten kilometres a projection is so smooth that a polynomial through five by five places is right to far less
than a millimetre, and to two centimetres where a grid of another datum bends it. So PostGIS is asked once about the
tiles of a map that is moved, and not once for each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import mul

from server.gis.tiles.grid import EXTENT, HALF_WORLD, Box, Tile, mercator_of
from server.gis.tiles.mapping.affine import Affine, Point, fitted

ZOOM = 10
"""Neighbourhoods are tiles of this zoom level, or of deeper ones where the tile is more than `DEEPER` levels deeper."""
DEEPER = 6
NODES = 5
MAX_BEND = 64.0
"""Largest accepted error of a neighbourhood's own linear mapping, in its units. Beyond it the mapping is not
smooth."""
MARGIN = 1 / 256
"""Share of a box's sides: more than the error of a mapping."""


def of_tile(tile: Tile) -> Tile:
    """The neighbourhood of a tile that is at least at `ZOOM`."""
    up = tile.z - max(ZOOM, tile.z - DEEPER)
    return Tile(tile.z - up, tile.x >> up, tile.y >> up)


def places(tile: Tile, nodes: int = NODES) -> list[Point]:
    """Longitudes and latitudes of the tile with its buffer, from edge to edge."""
    west, south, east, north = tile.degrees()
    parts = [part / (nodes - 1) for part in range(nodes)]
    return [(west + (east - west) * across, south + (north - south) * up) for across in parts for up in parts]


@dataclass(frozen=True)
class Neighbourhood:
    """`points` are where the places of `tile` lie in the system."""

    tile: Tile
    points: Sequence[Point]

    @property
    def is_smooth(self) -> bool:
        """Whether an affine map is exact enough in this tile."""
        return fitted(self.points, _units(self.tile, places(self.tile)), MAX_BEND) is not None

    def box_and_mapping(self, tile: Tile) -> tuple[Box, Affine] | None:
        """The box around a tile of the neighbourhood, and its linear mapping; None where that is too far off. Then
        nothing bulges out of the box of nine places by more than the mapping's error."""
        degrees = places(tile, 3)
        points = self._at(degrees)
        mapping = fitted(points, _units(tile, degrees))
        if mapping is None:
            return None
        xs, ys = zip(*points, strict=True)
        across, up = ((max(each) - min(each)) * MARGIN for each in (xs, ys))
        return (min(xs) - across, min(ys) - up, max(xs) + across, max(ys) + up), mapping

    def _at(self, degrees: Sequence[Point]) -> list[Point]:
        """Where three by three places lie."""
        west, south, east, north = self.tile.degrees()
        across = [_weights((degrees[number][0] - west) / (east - west)) for number in (0, 3, 6)]
        up = [_weights((degrees[number][1] - south) / (north - south)) for number in (0, 1, 2)]
        axes = []
        for axis in (0, 1):
            values = [point[axis] for point in self.points]
            rows = [[sum(map(mul, column, values[row::NODES])) for row in range(NODES)] for column in across]
            axes.append([sum(map(mul, weights, row)) for row in rows for weights in up])
        return list(zip(*axes, strict=True))


def _weights(part: float) -> list[float]:
    """Weights of the values at the nodes, for the polynomial through them at a part of the way from edge to edge."""
    place = part * (NODES - 1)
    weights = []
    for node in range(NODES):
        weight = 1.0
        for other in range(NODES):
            if other != node:
                weight *= (place - other) / (node - other)
        weights.append(weight)
    return weights


def _units(tile: Tile, degrees: Sequence[Point]) -> list[Point]:
    """Places in units of a tile, from its top left corner."""
    scale = EXTENT / tile.width
    found = []
    for x, y in map(mercator_of, degrees):
        column, row = (HALF_WORLD + x) * scale, (HALF_WORLD - y) * scale
        found.append((column - tile.x * EXTENT, row - tile.y * EXTENT))
    return found
