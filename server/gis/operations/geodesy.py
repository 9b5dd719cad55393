"""Metres on the earth as SQL expressions: the only place where lengths, areas and distances are computed.

Degrees never pass as metres, and no planar projection is trusted that distorts: everything is measured on the
WGS 84 spheroid by PostGIS geography (Karney, "Algorithms for geodesics", 2013; errors below a millimetre for
distances). Geometries in other reference systems are transformed to EPSG:4326 first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    FromClause,
    and_,
    case,
    cast,
    column,
    func,
    null,
    select,
    table,
    type_coerce,
)

from server.gis.errors import InvalidQuestion
from server.gis.operations.base import Geography, Geometry, Prepared, Source, Tid, Workspace
from server.gis.operations.validity import sound
from server.gis.statements import WGS84, geometry_of

GEODESIC_NOTE = "Measured on the WGS 84 spheroid (geodesic), in metres; no projection error."
SMALL_DEGREES = 0.1
METRES_PER_DEGREE = 111_700.0
"""A little more than a degree measures anywhere in any direction (at a pole from south to north)."""


def geometry(source: Source) -> ColumnElement[Any]:
    """The source's geometry as it is stored. Raises InvalidQuestion when the table has none."""
    if source.table.geometry_column is None:
        raise InvalidQuestion(
            f"The table {source.table.id} has no geometry. Choose a table with points, lines or polygons."
        )
    return type_coerce(geometry_of(source.table, source=source.rows), Geometry())


def lonlat(source: Source) -> ColumnElement[Any]:
    """The source's geometry in EPSG:4326, in two dimensions. A table without SRID is refused, not guessed at."""
    stored = func.ST_Force2D(geometry(source), type_=Geometry())
    if source.table.srid == WGS84:
        return stored
    if source.table.srid == 0:
        raise InvalidQuestion(
            f"The coordinates of {source.table.id} have no reference system (SRID 0). "
            "Set it with UpdateGeometrySRID, then ask again."
        )
    return func.ST_Transform(stored, WGS84, type_=Geometry())


def geography(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    """An EPSG:4326 geometry as geography."""
    return cast(expression, Geography())


def centre(source: Source) -> ColumnElement[Any]:
    """The centre of gravity of each row in EPSG:4326, null where nothing is; points are where they are.

    In an equal-area projection around the middle of the row's corners, so that neither the antimeridian nor a pole
    tears it; rows smaller than a tenth of a degree in longitude and latitude, where that makes no difference.
    PostGIS's own ST_Centroid of geography is of no use here: in 3.3 it puts that of France into the Sahara.
    """
    if (source.table.geometry_type or "").upper() == "POINT":
        return lonlat(source)
    # The two halves of a bow-tie would weigh against each other.
    shape = sound(lonlat(source))
    small = and_(
        func.ST_XMax(shape) - func.ST_XMin(shape) < SMALL_DEGREES,
        func.ST_YMax(shape) - func.ST_YMin(shape) < SMALL_DEGREES,
    )
    middle = cast(func.ST_Centroid(geography(func.ST_Points(shape)), type_=Geography()), Geometry())
    around = func.format(
        "+proj=laea +lat_0=%s +lon_0=%s +datum=WGS84 +units=m +no_defs", func.ST_Y(middle), func.ST_X(middle)
    )
    flat = func.ST_Centroid(func.ST_Transform(shape, around), type_=Geometry())
    return case(
        (func.ST_IsEmpty(shape), null()),
        (small, func.ST_Centroid(shape, type_=Geometry())),
        else_=func.ST_Transform(flat, around, WGS84, type_=Geometry()),
    )


def distance(a: ColumnElement[Any], b: ColumnElement[Any]) -> ColumnElement[float]:
    """Metres between two geographies."""
    return func.ST_Distance(a, b, type_=Float())


def area(expression: ColumnElement[Any]) -> ColumnElement[float]:
    """Square metres of an EPSG:4326 geometry."""
    return func.ST_Area(geography(expression), type_=Float())


def length(expression: ColumnElement[Any]) -> ColumnElement[float]:
    """Metres of an EPSG:4326 line."""
    return func.ST_Length(geography(expression), type_=Float())


def perimeter(expression: ColumnElement[Any]) -> ColumnElement[float]:
    """Metres around an EPSG:4326 polygon."""
    return func.ST_Perimeter(geography(expression), type_=Float())


def prepared_geographies(source: Source, workspace: Workspace) -> tuple[Prepared, FromClause]:
    """The rows of a source with their geography, indexed, and their alias: where distances are searched.

    A geometry's own index cannot serve distances in metres; this one is right at the poles and across the
    antimeridian too. Rows with null or empty geometries are left out. Columns: `origin` (the row's
    address, null in a view), attributes, `geog`.
    """
    shape = lonlat(source)
    columns = [source.column(column.name) for column in source.attributes]
    statement = (
        select(
            (null() if source.address is None else source.address).label("origin"),
            *columns,
            geography(shape).label("geog"),
        )
        .select_from(source.rows)
        .where(shape.is_not(None), func.ST_IsEmpty(shape).is_(False))
    )
    prepared = Prepared(workspace.temporary("near"), statement, (("gist", "geog"),))
    names = (each.name for each in source.attributes)
    rows = table(
        prepared.name, column("origin", Tid()), *(column(name) for name in names), column("geog", Geography())
    )
    return prepared, rows.alias("near")


def reach(here: ColumnElement[Any], others: FromClause, conditions: Sequence[Any], k: int) -> FromClause:
    """Within which distance (`metres`) the k nearest of `others` certainly lie; for a join without condition.

    The index orders geographies by their distance on a sphere, which errs by up to 0.6 %, so its first k need not
    be the nearest on the spheroid. The nearest are no farther than the farthest of those k, though.
    """
    first = (
        select(distance(here, others.c.geog).label("away"))
        .where(*conditions)
        .order_by(here.op("<->")(others.c.geog))
        .limit(k)
        .correlate_except(others)
        .lateral("first")
    )
    return select((func.max(first.c.away) + 0.001).label("metres")).select_from(first).lateral("reach")
