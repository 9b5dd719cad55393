"""Areas within a distance of features, true in metres anywhere on the earth."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, case, cast, func, literal, or_, select
from sqlalchemy.types import Integer

from server.gis.errors import InvalidQuestion
from server.gis.operations.base import (
    GEOMETRY,
    Arguments,
    Geography,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.columns import number
from server.gis.operations.geodesy import geography, lonlat
from server.gis.operations.shapes import reshaped
from server.gis.operations.units import Length
from server.gis.statements import WGS84

FARTHEST = 2_000_000.0
"""Metres. A local projection is trusted no farther."""
PIECE_DEGREES = 2.0
SEGMENT_METRES = 20_000.0
QUADRANT_SEGMENTS = 16
POLAR_LATITUDE = 65.0

NOTE = (
    f"Buffered piece by piece (at most {PIECE_DEGREES:g} degrees wide) in the piece's UTM zone, beyond "
    f"{POLAR_LATITUDE:g} degrees of latitude in an azimuthal equidistant projection around it; errors up to 0.1 %. "
    f"Circles have {4 * QUADRANT_SEGMENTS} corners, so their radius is up to 0.12 % short between corners."
)


class BufferArguments(Arguments):
    source: str = table_argument("The table to buffer.")
    distance: Length | None = None
    distance_column: str | None = column_argument(
        "Instead of one distance: a numeric column with each row's distance in metres.", default=None
    )
    dissolve: bool = False
    """Unite all buffers into one area."""


class Buffer(Operation[BufferArguments]):
    name = "buffer"
    summary = "Areas within a distance (fixed or from a column) of features; dissolve=true unites them."
    arguments = BufferArguments

    async def build(self, arguments: BufferArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        radius = _radius(arguments, source)
        await _refuse_poles(source, radius, workspace)
        shape = geodesic_buffer(lonlat(source), radius)
        if not arguments.dissolve:
            return reshaped(source, shape, "MultiPolygon", WGS84, notes=[NOTE])
        return Step(
            select(
                func.count().label("features"),
                func.ST_Multi(func.ST_Union(shape), type_=Geometry()).label(GEOMETRY),
            ).select_from(source.rows),
            geometry_type="MultiPolygon",
            srid=WGS84,
            notes=(NOTE,),
            comments={"features": "How many features were buffered and united."},
        )


def geodesic_buffer(shape: ColumnElement[Any], radius: ColumnElement[float]) -> ColumnElement[Any]:
    """The area within `radius` metres of an EPSG:4326 geometry, as MultiPolygon in EPSG:4326.

    A wide feature is cut by a grid first, because one projection cannot be true all over it. What crosses the
    antimeridian is split there.
    """
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
    """The buffer of a small piece. It comes back with longitudes in -180..180, torn apart where it crosses 180.

    Towards the poles PostGIS would choose a projection that errs by half a percent, so there it is azimuthal
    equidistant around the piece; elsewhere PostGIS's choice is as true and, being cached, faster.
    """
    dense = func.ST_Segmentize(geography(shape), SEGMENT_METRES, type_=Geography())
    segments = cast(QUADRANT_SEGMENTS, Integer)
    chosen = cast(func.ST_Buffer(dense, radius, segments), Geometry())
    centre = func.ST_Centroid(shape, type_=Geometry())
    around = func.format(
        "+proj=aeqd +lat_0=%s +lon_0=%s +datum=WGS84 +units=m +no_defs", func.ST_Y(centre), func.ST_X(centre)
    )
    flat = func.ST_Buffer(func.ST_Transform(cast(dense, Geometry()), around), radius, segments)
    polar = func.abs(func.ST_Y(centre)) > POLAR_LATITUDE
    buffered = case((polar, func.ST_Transform(flat, around, WGS84, type_=Geometry())), else_=chosen)
    mended = func.ST_WrapX(func.ST_ShiftLongitude(buffered), 180.0, -360.0)
    torn = func.ST_XMax(buffered) - func.ST_XMin(buffered) > 180.0
    return case((torn, mended), else_=buffered)


def _radius(arguments: BufferArguments, source: Source) -> ColumnElement[float]:
    if (arguments.distance is None) == (arguments.distance_column is None):
        raise InvalidQuestion("Give either distance or distance_column, not both and not none.")
    if arguments.distance_column is not None:
        return cast(number(source, arguments.distance_column), Float())
    if not 0 < (arguments.distance or 0) <= FARTHEST:
        raise InvalidQuestion(
            f"A buffer's distance is more than 0 and at most {FARTHEST / 1000:,.0f} km; got {arguments.distance:g} m."
        )
    return literal(arguments.distance, Float())


async def _refuse_poles(source: Source, radius: ColumnElement[float], workspace: Workspace) -> None:
    shape = lonlat(source)
    latitude = func.greatest(func.abs(func.ST_YMin(shape)), func.abs(func.ST_YMax(shape)))
    reach = func.max(latitude + radius / 110_000.0)
    least, highest, most = await workspace.row(
        select(func.min(radius), reach, func.max(radius)).select_from(source.rows)
    )
    if least is not None and least <= 0:
        raise InvalidQuestion("A buffer's distance must be more than 0 in every row.")
    if most is not None and most > FARTHEST:
        raise InvalidQuestion(
            f"A buffer's distance is at most {FARTHEST / 1000:,.0f} km; got {most / 1000:,.0f} km."
        )
    if highest is not None and highest > 89.0:
        raise InvalidQuestion(
            f"Some buffers of {source.table.id} would reach a pole, where longitudes have no meaning. "
            "Filter out the features nearest to the poles, or take a shorter distance."
        )
