"""Geometries from texts: the columns that hold longitude and latitude, or WKT, and what their values mean."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
import shapely

LONGITUDES = (
    "longitude", "lon", "lng", "long", "x", "coord_x", "xcoord", "longitude_deg", "lon_dd", "point_x", "x_coord",
    "easting", "eastings", "x_coordinate", "längengrad", "laengengrad", "longitud", "longitudine", "rechtswert",
)  # fmt: skip
LATITUDES = (
    "latitude", "lat", "y", "coord_y", "ycoord", "latitude_deg", "lat_dd", "point_y", "y_coord", "northing",
    "northings", "y_coordinate", "breitengrad", "latitud", "latitudine", "hochwert",
)  # fmt: skip
MAX_LONGITUDE, MAX_LATITUDE = 360, 90
ACROSS_WORDS = ("longitude", "lon", "lng")
"""Words for longitude within longer names. Not `long`: a column `name_long` may stand beside `name_lat`, a Latin
name."""
UP_WORDS = ("latitude", "lat")
SHAPES = ("wkt", "geometry", "geom", "the_geom", "wkt_geom", "shape", "geometry_wkt", "wkb_geometry")

_SHAPE = re.compile(
    r"\s*(SRID=(?P<srid>\d+);)?\s*(MULTI)?(POINT|LINESTRING|POLYGON|GEOMETRYCOLLECTION)\b", re.IGNORECASE
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_ANGLE = re.compile(
    r"(?P<before>[NSEW])?\s*(?P<sign>[-+])?\s*(?P<degrees>\d+(\.\d+)?)\s*(?P<mark>[°º])?"
    r"(\s*(?P<minutes>\d+(\.\d+)?)\s*['′’])?(\s*(?P<seconds>\d+(\.\d+)?)\s*(\"|″|”|''))?\s*(?P<after>[NSEW])?",
    re.IGNORECASE,
)
"""48°12'30.5"N, N 48° 12.5', 16.37° E."""


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
    return abs(x) <= MAX_LONGITUDE and abs(y) <= MAX_LATITUDE


def coordinate_columns(names: Sequence[str]) -> tuple[int, ...]:
    """Indices of the columns named as longitude and latitude, or x and y; empty without both.

    Names such as `stop_lat` and `decimalLatitude` count where one column differs from one other by this word only."""
    lower = [name.lower() for name in names]
    across = next((lower.index(name) for name in LONGITUDES if name in lower), None)
    up = next((lower.index(name) for name in LATITUDES if name in lower), None)
    if across is not None and up is not None:
        return across, up
    words = [tuple(word.lower() for word in _WORDS.findall(name)) for name in names]
    longitudes = {rest: index for index, each in enumerate(words) if (rest := _without(each, ACROSS_WORDS))}
    latitudes = {rest: index for index, each in enumerate(words) if (rest := _without(each, UP_WORDS))}
    pairs = [(longitudes[rest], latitudes[rest]) for rest in longitudes if rest in latitudes]
    return pairs[0] if len(pairs) == 1 else ()


def _without(words: tuple[str, ...], some: Collection[str]) -> tuple[str, ...]:
    """The other words; empty if there is not exactly one of these, or nothing else."""
    rest = tuple(word for word in words if word not in some)
    return rest if len(rest) == len(words) - 1 else ()


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


def points_of(x: np.ndarray, y: np.ndarray) -> tuple[list[bytes | None], np.ndarray, np.ndarray]:
    """Points as WKB, None where a coordinate is missing; which can be longitude and latitude; which are complete."""
    is_whole = np.isfinite(x) & np.isfinite(y)
    is_degrees = is_whole & (np.abs(x) <= MAX_LONGITUDE) & (np.abs(y) <= MAX_LATITUDE)
    shapes = np.full(len(x), None, dtype=object)
    shapes[is_whole] = shapely.to_wkb(shapely.points(x[is_whole], y[is_whole]))
    return list(shapes), is_degrees, is_whole


def number_of(text: str) -> float:
    """A number, also with a decimal comma, or an angle in degrees, minutes and seconds. Raises ValueError."""
    point = text.replace(",", ".") if "," in text and "." not in text else text
    try:
        return float(point)
    except ValueError:
        return _angle_of(point)


def _angle_of(text: str) -> float:
    match = _ANGLE.fullmatch(text)
    sides = [side for side in (match["before"], match["after"], match["sign"]) if side] if match else []
    if match is None or len(sides) > 1 or not (match["mark"] or sides):
        raise ValueError(f"{text!r} is not a number")
    minutes, seconds = float(match["minutes"] or 0), float(match["seconds"] or 0)
    if minutes >= 60 or seconds >= 60:
        raise ValueError(f"{text!r} is not an angle")
    angle = float(match["degrees"]) + minutes / 60 + seconds / 3600
    return -angle if sides and sides[0].upper() in ("S", "W", "-") else angle
