"""The grid of web map tiles: which square of the world a tile is, in Mercator metres and in degrees."""

from __future__ import annotations

import math
from dataclasses import dataclass

from server.gis.errors import GisError

HALF_WORLD = math.pi * 6378137.0
"""Distance from the centre of the Web Mercator square to its edge, in its metres."""
WORLD = 2 * HALF_WORLD
MAX_ZOOM = 22
EXTENT = 4096
BUFFER = 64
"""Units of EXTENT around a tile that are drawn too, so that outlines do not show where tiles meet."""
PIXELS = 512
"""A tile's width on the screen of MapLibre."""

Box = tuple[float, float, float, float]


class InvalidTile(GisError):
    """There is no such tile."""

    code = "invalid_payload"


@dataclass(frozen=True, slots=True)
class Tile:
    """A tile of the Web Mercator grid: zoom, column from the west, row from the north."""

    z: int
    x: int
    y: int

    @classmethod
    def at(cls, z: int, x: int, y: int) -> Tile:
        """The tile at these numbers. Raises InvalidTile when it is not in the grid."""
        if not 0 <= z <= MAX_ZOOM:
            raise InvalidTile(f"Zoom {z} is out of range: it is 0 to {MAX_ZOOM}.")
        last = 2**z - 1
        if not (0 <= x <= last and 0 <= y <= last):
            raise InvalidTile(f"There is no tile {x}/{y} at zoom {z}: x and y are 0 to {last}.")
        return cls(z, x, y)

    @property
    def width(self) -> float:
        """The width of the tile in Mercator metres."""
        return WORLD / (1 << self.z)

    def mercator(self) -> Box:
        """The box of the tile with its buffer in Mercator metres, within the world: nothing lies beyond the
        antimeridian."""
        width = self.width
        margin = width * BUFFER / EXTENT
        left, top = self.x * width - HALF_WORLD, HALF_WORLD - self.y * width
        return (
            max(-HALF_WORLD, left - margin),
            max(-HALF_WORLD, top - width - margin),
            min(HALF_WORLD, left + width + margin),
            min(HALF_WORLD, top + margin),
        )

    def degrees(self) -> Box:
        """The box of the tile in longitude and latitude."""
        west, south, east, north = self.mercator()
        return longitude(west), latitude(south), longitude(east), latitude(north)

    def children(self) -> tuple[Tile, ...]:
        """The four tiles of the next zoom level."""
        return tuple(
            Tile(self.z + 1, self.x * 2 + right, self.y * 2 + down) for down in (0, 1) for right in (0, 1)
        )

    def stretch(self) -> float:
        """How much longer a metre is in Mercator, at the tile's latitude nearest to the equator."""
        _, south, _, north = self.degrees()
        nearest = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
        return 1 / math.cos(math.radians(nearest))


def longitude(x: float) -> float:
    """The longitude in degrees of an x in EPSG:3857 (metres)."""
    return x / HALF_WORLD * 180


def latitude(y: float) -> float:
    """The latitude in degrees of a y in EPSG:3857 (metres)."""
    return math.degrees(math.atan(math.sinh(y / HALF_WORLD * math.pi)))


def mercator_of(degrees: tuple[float, float]) -> tuple[float, float]:
    """The place in EPSG:3857 (metres) of a longitude and a latitude."""
    x, y = degrees
    return x / 180 * HALF_WORLD, math.asinh(math.tan(math.radians(y))) / math.pi * HALF_WORLD
