"""The area of use of a reference system, and its unit, from PROJ's database."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_

from agents.worded import Template, formatted
from server.gis.expressions.geometry_types import Geometry

EXTENT = Template("area_extent", "longitudes {west} to {east}, latitudes {south} to {north}")
FAR_OUTSIDE = Template(
    "far_outside",
    "{n} of {total} features of {table} {n|one=is|other=are} far outside of the area of use of {system} ({area}), by "
    "more than {aside} degrees of longitude or {up} of latitude",
)


WGS84 = 4326
MARGIN_DEGREES = 15.0
MARGIN_SHARE = 0.5
"""Share of the width or height of the area. Systems are commonly used beyond their border up to the greater of the
margins, as one UTM zone is for a whole country."""
MAX_SYSTEMS = 16
"""Systems whose objects of PROJ are kept, which take much memory; of all others only the facts are kept."""


@dataclass(frozen=True)
class Area:
    """In degrees; `west > east` crosses the antimeridian."""

    west: float
    south: float
    east: float
    north: float

    @property
    def width(self) -> float:
        """Degrees of longitude, also across the antimeridian; 360 for the whole earth."""
        return (self.east - self.west) % 360 or 360.0

    @property
    def description(self) -> str:
        """The bounds in degrees, for people."""
        ends = {name: formatted(value, "g") for name, value in asdict(self).items()}
        return EXTENT(**ends)


def margins(area: Area) -> tuple[float, float]:
    """Degrees of longitude and of latitude: coordinates farther outside of the area than these are meaningless."""
    return (
        max(MARGIN_DEGREES, MARGIN_SHARE * area.width),
        max(MARGIN_DEGREES, MARGIN_SHARE * (area.north - area.south)),
    )


def found_outside(count: int, total: int, of: str, system: str, area: Area) -> str:
    """How much is farther outside of an area of use than its margins, as a clause."""
    aside, up = margins(area)
    return FAR_OUTSIDE(
        n=count,
        total=total,
        table=of,
        system=system,
        area=area.description,
        aside=formatted(aside, ".0f"),
        up=formatted(up, ".0f"),
    )


@lru_cache(MAX_SYSTEMS)
def _crs(srid: int) -> Any:
    """The reference system; None where it is not in PROJ's database."""
    import pyproj  # opens a database file, which few steps need

    try:
        return pyproj.CRS.from_epsg(srid)
    except pyproj.exceptions.CRSError:
        return None


@lru_cache(MAX_SYSTEMS)
def _from_lonlat(srid: int) -> Callable[[float, float], tuple[float, float]] | None:
    """Transforms longitude and latitude to a reference system; None where PROJ cannot, or does not know the system."""
    import pyproj

    crs = _crs(srid)
    try:
        return None if crs is None else pyproj.Transformer.from_crs(WGS84, crs, always_xy=True).transform
    except pyproj.exceptions.ProjError:
        return None


@cache
def area_of_use(srid: int) -> Area | None:
    """The area of use of a system; None if it covers the earth or the system is not in PROJ's database."""
    crs = _crs(srid)
    found = None if crs is None else crs.area_of_use
    if found is None:
        return None
    area = Area(found.west, found.south, found.east, found.north)
    return None if area.width >= 360 and area.south <= -90 and area.north >= 90 else area


@cache
def metres_per_unit(srid: int) -> float | None:
    """The unit of the coordinates of a projected system; None for degrees or for a system that is not in PROJ's
    database."""
    crs = _crs(srid)
    return float(crs.axis_info[0].unit_conversion_factor) if crs is not None and crs.is_projected else None


@cache
def is_geographic(srid: int) -> bool:
    """Whether coordinates are degrees of longitude and latitude; not of a system that is not in PROJ's database."""
    crs = _crs(srid)
    return crs is not None and bool(crs.is_geographic)


@cache
def poles(srid: int) -> tuple[tuple[float, float, float], ...]:
    """Where the poles are in a reference system: x, y and the latitude. Systems to which PROJ cannot transform have
    none."""
    transform = _from_lonlat(srid)
    found = [] if transform is None else [(*transform(0.0, latitude), latitude) for latitude in (90.0, -90.0)]
    return tuple(each for each in found if all(math.isfinite(value) for value in each))


@cache
def joins_antimeridian(srid: int) -> bool:
    """Whether 180° W and 180° E are the same place in a system, as around a pole; not of one to which PROJ
    cannot transform."""
    transform = _from_lonlat(srid)
    if transform is None:
        return False
    sides = [(transform(-180.0, latitude), transform(180.0, latitude)) for latitude in (80.0, -80.0)]
    return any(math.dist(west, east) < 1.0 for west, east in sides if all(map(math.isfinite, (*west, *east))))


def within(
    area: Area, shape: ColumnElement[Any], srid: int, *, strictly: bool = False
) -> ColumnElement[bool]:
    """Whether a shape is all in the area, or not far outside of it."""
    box = shape
    if srid != WGS84:
        box = func.ST_Transform(func.ST_Envelope(shape, type_=Geometry()), WGS84, type_=Geometry())
    west, east = func.ST_XMin(box), func.ST_XMax(box)
    is_band = area.width >= 360
    aside, up = (0.0, 0.0) if strictly else margins(area)
    up = 0.0 if is_band else up
    nowhere = func.ST_IsEmpty(shape)
    between = and_(func.ST_YMin(box) >= area.south - up, func.ST_YMax(box) <= area.north + up)
    if is_band or area.width + 2 * aside >= 360:
        return or_(nowhere, between)
    left, right = area.west - aside, area.east + aside
    if left < right and left >= -180 and right <= 180:
        return or_(nowhere, and_(between, west >= left, east <= right))
    left, right = (left + 180) % 360 - 180, (right + 180) % 360 - 180
    return or_(nowhere, and_(between, or_(west >= left, east <= right)))
