"""Geometries from texts: the columns that hold longitude and latitude, or WKT, and what their values mean."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import shapely

LONGITUDES = (
    "longitude", "lon", "lng", "long", "x", "coord_x", "xcoord", "longitude_deg", "lon_dd", "point_x", "x_coord",
    "easting", "eastings",
)  # fmt: skip
LATITUDES = (
    "latitude", "lat", "y", "coord_y", "ycoord", "latitude_deg", "lat_dd", "point_y", "y_coord", "northing",
    "northings",
)  # fmt: skip
SHAPES = ("wkt", "geometry", "geom", "the_geom", "wkt_geom", "shape", "geometry_wkt", "wkb_geometry")

_SHAPE = re.compile(
    r"\s*(SRID=(?P<srid>\d+);)?\s*(MULTI)?(POINT|LINESTRING|POLYGON|GEOMETRYCOLLECTION)\b", re.IGNORECASE
)


@dataclass
class PlacesSeen:
    """Whether coordinates are longitudes and latitudes: not if most of them cannot be."""

    on_earth: int = 0
    elsewhere: int = 0

    def see(self, longitude: str, latitude: str) -> None:
        """Count a pair of texts as degrees on the earth or as something else; texts that are no numbers are ignored."""
        try:
            place = number_of(longitude.strip()), number_of(latitude.strip())
        except ValueError:
            return
        if _are_degrees(*place):
            self.on_earth += 1
        else:
            self.elsewhere += 1

    @property
    def are_lonlat(self) -> bool:
        """Whether most pairs can be longitude and latitude."""
        return self.on_earth >= self.elsewhere


def _are_degrees(x: float, y: float) -> bool:
    return -360 <= x <= 360 and -90 <= y <= 90


def coordinate_columns(names: Sequence[str]) -> tuple[int, ...]:
    """Indices of the columns named as longitude and latitude, or x and y; empty without both."""
    lower = [name.lower() for name in names]
    across = next((lower.index(name) for name in LONGITUDES if name in lower), None)
    up = next((lower.index(name) for name in LATITUDES if name in lower), None)
    return () if across is None or up is None else (across, up)


def shape_columns(names: Sequence[str]) -> list[int]:
    """Indices of the columns named as geometries, most likely first."""
    lower = [name.lower() for name in names]
    return [lower.index(name) for name in SHAPES if name in lower]


def geometry_column(names: Sequence[str]) -> str:
    """A free name for a geometry column."""
    taken = {name.lower() for name in names}
    return next(name for name in ("geom", "geometry", "geom_", "geom__") if name not in taken)


def is_shape(text: str) -> bool:
    """Whether the text starts like WKT."""
    return _SHAPE.match(text) is not None


def srid_of(text: str) -> str | None:
    """The number of the reference system in front of WKT, as PostGIS writes it."""
    match = _SHAPE.match(text)
    return match["srid"] if match else None


def crs_of(srids: Collection[str | None]) -> str | None:
    """The reference system, where all shapes name the same one."""
    (srid,) = srids if len(srids) == 1 else (None,)
    return f"EPSG:{srid}" if srid else None


def shape_of(text: str) -> bytes | None:
    """WKT as WKB; None for an empty text. Raises ValueError."""
    if not text.strip():
        return None
    try:
        return bytes(
            shapely.to_wkb(shapely.from_wkt(re.sub(r"^\s*SRID=\d+;", "", text, flags=re.IGNORECASE)))
        )
    except shapely.errors.GEOSException:
        raise ValueError(f"{text[:60]!r} is not a geometry in WKT") from None


def point_of(longitude: str, latitude: str, lonlat: bool = True) -> bytes | None:
    """The point as WKB; None for two empty texts. Raises ValueError, with `lonlat` also for what is not on earth."""
    texts = [longitude.strip(), latitude.strip()]
    if texts == ["", ""]:
        return None
    try:
        x, y = map(number_of, texts)
    except ValueError:
        raise ValueError(f"{texts[0]!r}, {texts[1]!r} are not coordinates") from None
    if not (math.isfinite(x) and math.isfinite(y)):
        raise ValueError(f"{texts[0]!r}, {texts[1]!r} are not coordinates")
    if lonlat and not _are_degrees(x, y):
        raise ValueError(f"longitude {texts[0]} and latitude {texts[1]} are not on earth")
    return bytes(shapely.to_wkb(shapely.Point(x, y)))


def number_of(text: str) -> float:
    """A number, also with a decimal comma. Raises ValueError."""
    return float(text.replace(",", ".") if "," in text and "." not in text else text)
