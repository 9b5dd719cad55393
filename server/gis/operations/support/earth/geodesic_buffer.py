"""The area within a distance of features, correct in metres anywhere on the earth except at the poles."""

from __future__ import annotations

import math
from typing import Any

from sqlalchemy import ColumnElement, Integer, case, cast, func, or_, select

from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.filters.spatial import SHORTEST_LATITUDE_DEGREE_M
from server.gis.operations.support import methods
from server.gis.operations.support.base import Geography, Geometry, Source, Workspace
from server.gis.operations.support.earth.geodesy import geography, lonlat, sound_lonlat
from server.gis.operations.support.earth.units import length_text
from server.gis.operations.support.geometry.validity import with_extent

DISTANCE_ROWS = Template("op_distance_rows", "A buffer's distance must be more than 0 in every row.")
DISTANCE_MOST = Template("op_distance_most", "A buffer's distance is at most {most}; got {got}.")
REACH_POLE = Template(
    "op_reach_pole",
    "Some buffers of {table} would reach a pole, where longitudes have no meaning. Filter out the "
    "features nearest to the poles, or use a shorter distance.",
)

MAX_BUFFER_DISTANCE_M = 2_000_000.0
"""Metres. A local projection is trusted no farther."""
PIECE_DEGREES = 2.0
SEGMENT_METRES = 20_000.0
QUADRANT_SEGMENTS = 16
POLAR_LATITUDE = 65.0

NOTE = methods.BUFFER(
    width=formatted(PIECE_DEGREES, "g"),
    latitude=formatted(POLAR_LATITUDE, "g"),
    error=0.1,
    corners=4 * QUADRANT_SEGMENTS,
    short=0.12,
)


def buffered(source: Source, radius: ColumnElement[float], plain: bool = False) -> ColumnElement[Any]:
    """The area within `radius` metres of each row of the source, as MultiPolygon in EPSG:4326. Areas that cross
    themselves are repaired first: PostGIS would take only one side of the crossing. `plain` is the result of
    `check_reach`."""
    if plain and (source.is_valid or source.family in ("point", "line")):
        return func.ST_Multi(_chosen_by_postgis(lonlat(source), radius, source.family), type_=Geometry())
    if source.family in ("point", "line"):
        return geodesic_buffer(lonlat(source), radius)
    # The expression of the buffer refers to the shape many times; PostgreSQL would repair it each time.
    own = select(sound_lonlat(source).label("shape")).offset(0).correlate(source.rows).subquery("own")
    return select(geodesic_buffer(own.c["shape"], radius)).correlate(source.rows).scalar_subquery()


def geodesic_buffer(shape: ColumnElement[Any], radius: ColumnElement[float]) -> ColumnElement[Any]:
    """The area within `radius` metres of an EPSG:4326 geometry, as MultiPolygon in EPSG:4326.

    A wide feature is cut by a grid first, because one projection cannot be true all over it. What crosses the
    antimeridian is split there."""
    wide = or_(
        func.ST_XMax(shape) - func.ST_XMin(shape) > PIECE_DEGREES,
        func.ST_YMax(shape) - func.ST_YMin(shape) > PIECE_DEGREES,
    )
    cell = func.ST_SquareGrid(PIECE_DEGREES, shape).table_valued("geom", name="cell")
    piece = func.ST_Intersection(shape, cell.c.geom, type_=Geometry())
    pieces = (
        select(func.ST_Union(_around(piece, radius)))
        .select_from(cell)
        .where(func.ST_Intersects(shape, cell.c.geom))
        .scalar_subquery()
    )
    return func.ST_Multi(case((wide, pieces), else_=_around(shape, radius)), type_=Geometry())


def _around(shape: ColumnElement[Any], radius: ColumnElement[float]) -> ColumnElement[Any]:
    """The buffer of a small piece. Its longitudes are in -180..180, so that it is broken where it crosses 180.

    Near the poles PostGIS would choose a projection with an error of half a percent, so there an azimuthal
    equidistant one around the piece is used; elsewhere PostGIS's choice is as accurate and, because it is cached,
    faster."""
    dense = _dense(shape)
    segments = cast(QUADRANT_SEGMENTS, Integer)
    chosen = _chosen_by_postgis(shape, radius)
    centre = func.ST_Centroid(shape, type_=Geometry())
    around = func.format(
        "+proj=aeqd +lat_0=%s +lon_0=%s +datum=WGS84 +units=m +no_defs", func.ST_Y(centre), func.ST_X(centre)
    )
    flat = func.ST_Buffer(func.ST_Transform(cast(dense, Geometry()), around), radius, segments)
    polar = func.abs(func.ST_Y(centre)) > POLAR_LATITUDE
    buffered = case((polar, func.ST_Transform(flat, around, WGS84, type_=Geometry())), else_=chosen)
    # In a subquery that PostgreSQL cannot flatten: it would compute the buffer again for each reference to it.
    made = select(buffered.label("shape")).offset(0).correlate_except().lateral("made")
    area = made.c["shape"]
    mended = func.ST_WrapX(func.ST_ShiftLongitude(area), 180.0, -360.0)
    torn = func.ST_XMax(area) - func.ST_XMin(area) > 180.0
    return select(case((torn, mended), else_=area)).select_from(made).scalar_subquery()


def _dense(shape: ColumnElement[Any]) -> ColumnElement[Any]:
    return func.ST_Segmentize(geography(with_extent(shape)), SEGMENT_METRES, type_=Geography())


def _chosen_by_postgis(
    shape: ColumnElement[Any], radius: ColumnElement[float], family: str = "mixed"
) -> ColumnElement[Any]:
    """The buffer in the projection that PostGIS chooses."""
    around = geography(shape) if family == "point" else _dense(shape)
    return cast(func.ST_Buffer(around, radius, cast(QUADRANT_SEGMENTS, Integer)), Geometry())


async def check_reach(source: Source, radius: ColumnElement[float], workspace: Workspace) -> bool:
    """Raise InvalidQuestion where a distance is not more than 0, too long, or reaches over a pole. True where all
    buffers are plain: of small features, far from the poles and the antimeridian."""
    shape = lonlat(source)
    south, north, west, east = (
        func.ST_YMin(shape),
        func.ST_YMax(shape),
        func.ST_XMin(shape),
        func.ST_XMax(shape),
    )
    latitude = func.greatest(func.abs(south), func.abs(north))
    longitude = func.greatest(func.abs(west), func.abs(east))
    across = func.greatest(east - west, north - south)
    reach = latitude + radius / SHORTEST_LATITUDE_DEGREE_M
    least, highest, most, farthest, widest = await workspace.row(
        select(
            func.min(radius), func.max(reach), func.max(radius), func.max(longitude), func.max(across)
        ).select_from(source.rows)
    )
    if least is not None and least <= 0:
        raise InvalidQuestion(DISTANCE_ROWS())
    if most is not None and most > MAX_BUFFER_DISTANCE_M:
        raise InvalidQuestion(DISTANCE_MOST(most=length_text(MAX_BUFFER_DISTANCE_M), got=length_text(most)))
    if highest is not None and highest > 89.0:
        raise InvalidQuestion(REACH_POLE(table=source.table.id))
    if highest is None or highest > POLAR_LATITUDE or widest > PIECE_DEGREES:
        return False
    return bool(farthest + most / (SHORTEST_LATITUDE_DEGREE_M * math.cos(math.radians(highest))) < 180.0)
