"""Common names of coordinate reference systems, by EPSG code."""

from __future__ import annotations

NAMED_SYSTEMS = {
    "wgs84": 4326, "wgs 84": 4326, "longitude and latitude": 4326, "degrees": 4326,
    "web mercator": 3857, "webmercator": 3857, "british national grid": 27700,
    "lambert-93": 2154, "lambert 93": 2154, "laea europe": 3035, "etrs89-laea": 3035,
}  # fmt: skip
UTM_ZONES = range(1, 61)


def utm_system(zone: int, *, south: bool) -> int:
    """The EPSG code of a UTM zone on WGS 84."""
    return (32700 if south else 32600) + zone
