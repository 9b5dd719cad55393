"""Positions and boxes of longitude and latitude (degrees, WGS 84), which may cross the antimeridian."""

from __future__ import annotations

from agents.domain import Bounds


def is_in(position: tuple[float, float], bounds: Bounds) -> bool:
    """Whether a longitude and latitude are in a box, which may cross the antimeridian."""
    (longitude, latitude), (west, south, east, north) = position, bounds
    return south <= latitude <= north and (
        west <= longitude <= east if west <= east else not east < longitude < west
    )


def is_within(inner: Bounds, outer: Bounds) -> bool:
    """Whether a box lies in another one; both may cross the antimeridian."""
    west, south, east, north = inner
    return is_in((west, south), outer) and is_in((east, north), outer)
