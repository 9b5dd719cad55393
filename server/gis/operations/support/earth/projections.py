"""Local projections for what geography cannot do, chosen from the data's extent, with the error to expect.

Formulas: Snyder, "Map Projections: A Working Manual", USGS Professional Paper 1395 (1987), pages 182 (Lambert
azimuthal equal-area), 191 (azimuthal equidistant) and 76 (cylindrical equal-area). The first two are true at their
centre; the error at the angular distance c from it is 1 / cos(c / 2) - 1 for equal area in one direction, and
c / sin(c) - 1 for equidistant across the rays."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Integer, Text, case, cast, column, func, literal, select, table

from agents.worded import Template, Worded, formatted
from server.gis.errors import InvalidQuestion
from server.gis.expressions.extents import box_columns
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support import methods
from server.gis.operations.support.base import Geography, Geometry, Source, Workspace, count_rows
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M, geography, is_of_points, lonlat
from server.gis.operations.support.geometry.validity import has_shape

ALL_WITHOUT = Template("op_all_without", "{table} has no geometry in any row.")
TOO_WIDE = Template(
    "op_too_wide",
    "{table} reaches {km} km from its middle; one flat projection is true only up to {most} km. Filter "
    "it to one country or continent first.",
)

EARTH_RADIUS = 6_371_008.8
"""Mean radius in metres (IUGG)."""
MAX_LOCAL_RADIUS_M = 3_000_000.0
"""Maximum distance from the centre in metres; beyond, the distortion of a local projection is too large."""
SEAM_MARGIN = 10.0
"""Degrees around the data within which the results of a step are expected."""
SEAM_STEP = 0.05
SEAM_POLE_STEPS = (0.00003, 0.0001, 0.0003, 0.001, 0.003, 0.01)
"""Degrees. Towards a pole the two sides of the seam turn away from each other, the faster the nearer."""
SEAM_METRES = 1.0
"""Half the width of the cut along the antimeridian: more than the seam, drawn in steps, is off its course."""
MAX_UTM_DISTANCE_M = 255_000.0
"""From the central meridian. There lengths are 0.04 % and areas 0.08 % too large, at the meridian as much too small."""
MAX_UTM_LATITUDE = 80.0
UTM_SCALE = 0.9996
"""The scale at the central meridian."""
WORLD_SRID = 6933
WORLD_X, WORLD_Y = 17_367_530.445, 7_342_230.136
"""Half the width and height of the world in EPSG:6933, in metres, rounded down."""


@dataclass(frozen=True)
class Projection:
    """A projection by its PROJ text, and a note with its name and error.

    `seam` is the part of the antimeridian near the data, as WKT in EPSG:4326; None where it is far away."""

    proj: str
    note: str
    seam: str | None = None

    @property
    def is_set_up_once(self) -> bool:
        """Whether transforming many shapes one by one costs no more than transforming them together."""
        return False

    def apply(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        """An EPSG:4326 geometry in this projection, in metres."""
        return func.ST_Transform(shape, literal(self.proj), type_=Geometry())

    def back(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        """A geometry of this projection in EPSG:4326."""
        return func.ST_Transform(shape, literal(self.proj), WGS84, type_=Geometry())

    def clipped(self, area: ColumnElement[Any]) -> ColumnElement[Any]:
        """The part of an area inside the projection's domain; all of it if no edge of the domain is near the data."""
        return area

    def back_areas(self, area: ColumnElement[Any]) -> ColumnElement[Any]:
        """An area of this projection in EPSG:4326. Where longitudes jump it is cut apart, up to a pole inside it.

        The cut is two metres wide. The area is `clipped`."""
        if self.seam is None:
            return self.back(area)
        line = func.ST_Segmentize(func.ST_GeomFromText(self.seam, WGS84, type_=Geometry()), SEAM_STEP)
        band = func.ST_Buffer(self.apply(line), SEAM_METRES, "endcap=flat join=mitre", type_=Geometry())
        # PostgreSQL would compute an expression of constants whenever it plans the statement, once for each mention.
        cut = select(select(band.label("shape")).cte("seam").c["shape"]).scalar_subquery()
        apart = self.back(func.ST_Difference(area, cut, type_=Geometry()))
        # A few metres from a pole, sides that were straight may cross when they come back.
        sound = func.ST_CollectionExtract(func.ST_MakeValid(apart), 3, type_=Geometry())
        return case((func.ST_Intersects(area, cut), sound), else_=self.back(area))


@dataclass(frozen=True)
class NumberedProjection(Projection):
    """A projection of `spatial_ref_sys`: PostGIS need not read its definition again for each row."""

    srid: int = 0

    @property
    def is_set_up_once(self) -> bool:
        return True

    def apply(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        # Without the number, like shapes of other projections, so that steps may mix them with shapes they make.
        return func.ST_SetSRID(func.ST_Transform(shape, self.srid), 0, type_=Geometry())

    def back(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        return func.ST_Transform(func.ST_SetSRID(shape, self.srid), WGS84, type_=Geometry())


class WorldEqualArea(NumberedProjection):
    """The whole world on one sheet: areas are exact, shapes are true only near 30 degrees of latitude."""

    def clipped(self, area: ColumnElement[Any]) -> ColumnElement[Any]:
        """An area in the plane, without what lies beyond the edge of the world."""
        sheet = func.ST_MakeEnvelope(-WORLD_X, -WORLD_Y, WORLD_X, WORLD_Y, type_=Geometry())
        cut = func.ST_Intersection(area, sheet, type_=Geometry())
        return case((func.ST_Within(area, sheet), area), else_=cut)


WORLD = WorldEqualArea(
    "+proj=cea +lat_ts=30 +lon_0=0 +datum=WGS84 +units=m +no_defs", methods.WORLD(), srid=WORLD_SRID
)


@dataclass(frozen=True)
class Reach:
    """The centre of the data in degrees, and the distance in metres to the farthest point of the data."""

    longitude: float
    latitude: float
    metres: float

    @property
    def angle(self) -> float:
        """Radians."""
        return self.metres / EARTH_RADIUS

    @property
    def is_local(self) -> bool:
        """Whether the features are near enough to each other for a local projection."""
        return self.metres <= MAX_LOCAL_RADIUS_M

    def equidistant(self) -> Projection:
        """Azimuthal equidistant around the middle."""
        c = self.angle
        return self._azimuthal("aeqd", methods.EQUIDISTANT, c / math.sin(c) - 1 if c else 0.0)

    def equal_area(self) -> Projection:
        """Lambert azimuthal equal-area around the middle; areas are exact, lengths err."""
        return self._azimuthal("laea", methods.EQUAL_AREA, 1 / math.cos(self.angle / 2) - 1)

    def _azimuthal(self, code: str, note: Template, error: float) -> Projection:
        return Projection(
            f"+proj={code} +lat_0={self.latitude!r} +lon_0={self.longitude!r} +datum=WGS84 +units=m +no_defs",
            note(
                latitude=formatted(self.latitude, ".4f"),
                longitude=formatted(self.longitude, ".4f"),
                error=_percent(error),
            ),
            self._seam(),
        )

    def _seam(self) -> str | None:
        reach = math.degrees(self.angle) + SEAM_MARGIN
        latitude, east = math.radians(self.latitude), math.radians(180.0 - abs(self.longitude))
        # Seen from the other half of the world, the nearest point of the antimeridian is a pole.
        away = math.asin(math.cos(latitude) * math.sin(east)) if east < math.pi / 2 else math.inf
        if min(math.degrees(away), 90.0 - abs(self.latitude)) > reach:
            return None
        south, north = max(-90.0, self.latitude - reach), min(90.0, self.latitude + reach)
        near_pole = {side * (90.0 - step) for side in (-1, 1) for step in SEAM_POLE_STEPS}
        latitudes = sorted({south, north, *(each for each in near_pole if south < each < north)})
        return f"LINESTRING({', '.join(f'180 {each!r}' for each in latitudes)})"


async def reach_of(source: Source, workspace: Workspace) -> Reach:
    """The extent of the data. Raises InvalidQuestion if no row has a geometry."""
    shape = lonlat(source)
    there = has_shape(shape)
    points = func.ST_Collect(func.ST_PointOnSurface(shape), type_=Geometry())
    # As a geography, so that the middle of Fiji is not in Africa.
    centre = cast(func.ST_Centroid(geography(points), type_=Geography()), Geometry())
    longitude, latitude = await workspace.row(
        select(func.ST_X(centre), func.ST_Y(centre)).select_from(source.rows).where(there)
    )
    if longitude is None:
        raise InvalidQuestion(ALL_WITHOUT(table=source.table.id))
    middle = cast(cast(literal(f"SRID={WGS84};POINT({longitude!r} {latitude!r})"), Text()), Geography())
    away = [func.ST_Distance(middle, geography(corner)) for corner in _outermost(source, shape)]
    (farthest,) = await workspace.row(
        select(func.max(func.greatest(*away))).select_from(source.rows).where(there)
    )
    return Reach(longitude, latitude, float(farthest or 0.0))


def _outermost(source: Source, shape: ColumnElement[Any]) -> list[ColumnElement[Any]]:
    """The shape itself if it is a point, else the corners of its envelope."""
    if is_of_points(source):
        return [shape]
    return [
        func.ST_SetSRID(func.ST_MakePoint(x(shape), y(shape)), WGS84, type_=Geometry())
        for x in (func.ST_XMin, func.ST_XMax)
        for y in (func.ST_YMin, func.ST_YMax)
    ]


async def utm_zone(source: Source, workspace: Workspace) -> Projection | None:
    """The UTM zone with a length error below 0.1 % over the whole extent of the data; None if there is none."""
    extent = workspace.extent(source) if source.declared_srid == WGS84 else None
    if extent is not None:
        zone = await _utm_zone_of(extent, workspace)
        if zone is not None or workspace.is_exact_extent(source):
            return zone
    sides = box_columns(func.ST_Extent(lonlat(source)), WGS84)
    return await _utm_zone_of(await workspace.row(select(*sides).select_from(source.rows)), workspace)


async def _utm_zone_of(extent: Sequence[Any], workspace: Workspace) -> Projection | None:
    west, south, east, north = extent
    if west is None or not (-180 + SEAM_MARGIN < west <= east < 180 - SEAM_MARGIN):
        return None
    if not -MAX_UTM_LATITUDE <= south <= north <= MAX_UTM_LATITUDE:
        return None
    zone = math.floor(((west + east) / 2 + 180) / 6) + 1
    central = 6 * zone - 183
    latitude = 0.0 if south <= 0 <= north else min(abs(south), abs(north))
    away = max(abs(west - central), abs(east - central)) * LONGEST_DEGREE_M * math.cos(math.radians(latitude))
    if away > MAX_UTM_DISTANCE_M:
        return None
    is_north = south + north >= 0
    srid = (32600 if is_north else 32700) + zone
    systems = table("spatial_ref_sys", column("srid", Integer()))
    known = await count_rows(systems, workspace, systems.c.srid == srid)
    if not known:
        return None
    error = max(1 - UTM_SCALE, abs(UTM_SCALE * (1 + (away / EARTH_RADIUS) ** 2 / 2) - 1))
    return NumberedProjection(
        f"EPSG:{srid}",
        methods.UTM(
            zone=f"{zone}{'N' if is_north else 'S'}",
            srid=str(srid),
            error=_percent(error),
            areas=_percent(2 * error),
        ),
        srid=srid,
    )


async def local_equidistant(source: Source, workspace: Workspace) -> Projection:
    """Azimuthal equidistant around the data. Raises InvalidQuestion where the data span too much of the earth."""
    return _local(source, await reach_of(source, workspace)).equidistant()


async def local_equal_area(source: Source, workspace: Workspace) -> Projection:
    """Lambert azimuthal equal-area around the data. Raises as above."""
    return _local(source, await reach_of(source, workspace)).equal_area()


async def equal_area(source: Source, workspace: Workspace) -> Projection:
    """The UTM zone of the data; else Lambert azimuthal equal-area around them, or the whole world's where they span
    too much for that."""
    zone = await utm_zone(source, workspace)
    if zone is not None:
        return zone
    reach = await reach_of(source, workspace)
    return reach.equal_area() if reach.is_local else WORLD


def _local(source: Source, reach: Reach) -> Reach:
    if not reach.is_local:
        raise InvalidQuestion(
            TOO_WIDE(
                table=source.table.id,
                km=formatted(reach.metres / 1000, ",.0f"),
                most=formatted(MAX_LOCAL_RADIUS_M / 1000, ",.0f"),
            )
        )
    return reach


def _percent(part: float) -> Worded:
    return formatted(100 * part, ".2g")
