"""Positions and boxes on the earth as text, in degrees with hemispheres."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agents.domain import Bounds


def bounds_words(bounds: Bounds) -> str:
    """A bounding box in degrees with hemispheres."""
    west, south, east, north = bounds
    return (
        f"{_degrees(south, 'N', 'S')} to {_degrees(north, 'N', 'S')}, "
        f"{_degrees(west, 'E', 'W')} to {_degrees(east, 'E', 'W')}"
    )


def spot_words(longitude: float, latitude: float) -> str:
    """A position in degrees with hemispheres, latitude first, to about a metre."""
    places = ((latitude, "N", "S"), (longitude, "E", "W"))
    return ", ".join(
        f"{abs(angle):.5f}".rstrip("0").rstrip(".") + f"° {positive if angle >= 0 else negative}"
        for angle, positive, negative in places
    )


def point_words(point: Mapping[str, Any]) -> str:
    """The position of a GeoJSON point; empty for one that is malformed."""
    match point.get("coordinates"):
        case [int() | float() as longitude, int() | float() as latitude, *_]:
            return spot_words(longitude, latitude)
        case _:
            return ""


def _degrees(angle: float, positive: str, negative: str) -> str:
    return f"{abs(angle):.2f}° {positive if angle >= 0 else negative}"
