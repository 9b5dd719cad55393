"""Drawn areas: what counts as a GeoJSON Polygon or MultiPolygon (RFC 7946) that PostGIS can read."""

from __future__ import annotations

import math
from typing import Any

MAX_POSITIONS = 10_000
MEMBERS = frozenset({"type", "coordinates", "bbox"})
DEPTHS = {"Polygon": 1, "MultiPolygon": 2}


def checked_area(area: dict[str, Any]) -> dict[str, Any]:
    """The area unchanged, if it is valid. Raises ValueError with the reason."""
    depth = DEPTHS.get(str(area.get("type")))
    if depth is None or not area.keys() <= MEMBERS:
        raise ValueError("an area is a GeoJSON Polygon or MultiPolygon, with nothing but its coordinates")
    rings = _lists(area.get("coordinates"))
    if depth == 2:
        rings = [ring for polygon in rings for ring in _lists(polygon)]
    positions = 0
    for ring in rings:
        positions += len(_lists(ring))
        if positions > MAX_POSITIONS:
            raise ValueError(f"an area may have {MAX_POSITIONS} positions")
        _check_ring(ring)
    return area


def _lists(value: Any) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise ValueError("an area has coordinates: lists of rings, each a list of positions")
    return value


def _check_ring(ring: list[Any]) -> None:
    if len(ring) < 4 or ring[0] != ring[-1]:
        raise ValueError("a ring has four positions or more, and the last is the first")
    if not all(_is_position(position) for position in ring):
        raise ValueError("a position is longitude and latitude in degrees")


def _is_position(position: Any) -> bool:
    return isinstance(position, list) and len(position) in (2, 3) and all(map(_is_finite, position))


def _is_finite(number: Any) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and math.isfinite(number)
