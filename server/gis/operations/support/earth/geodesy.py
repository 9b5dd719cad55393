"""Metres on the earth as SQL expressions: the only place where lengths, areas and distances are computed.

Degrees never pass as metres, and no planar projection is trusted that distorts: everything is measured on the
WGS 84 spheroid by PostGIS geography (Karney, "Algorithms for geodesics", 2013; errors below a millimetre for
distances). Geometries in other reference systems are transformed to EPSG:4326 first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Float,
    FromClause,
    Function,
    Select,
    and_,
    case,
    cast,
    false,
    func,
    not_,
    null,
    or_,
    select,
    true,
    type_coerce,
    union_all,
)

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.area_of_use import metres_per_unit
from server.gis.expressions.identifiers import WGS84, geometry_of
from server.gis.operations.support import methods
from server.gis.operations.support.base import Geography, Geometry, Prepared, Source, Workspace
from server.gis.operations.support.geometry.validity import has_shape, sound

NO_GEOMETRY = Template(
    "op_no_geometry", "The table {table} has no geometry. Choose a table with points, lines or polygons."
)
NO_SYSTEM = Template(
    "op_no_system",
    "The coordinates of {table} have no reference system (SRID 0) or several. Bring all into one (ST_Transform; "
    "UpdateGeometrySRID where they have none), then ask again.",
)
VIEW = Template(
    "op_view", "{table} is a view, whose rows cannot be identified. Filter it into a table first."
)

_CURVED = re.compile("geometry$|curve|circular|surface", re.IGNORECASE)
"""Kinds of columns that may hold arcs."""

GEODESIC_NOTE = methods.GEODESIC()
SMALL_DEGREES = 0.1
SMALL_METRES = 10_000.0
LONGEST_DEGREE_M = 111_700.0
"""A little more than a degree measures anywhere in any direction (the longest is one of latitude at a pole)."""


def geometry(source: Source) -> ColumnElement[Any]:
    """The source's geometry as it is stored. Raises InvalidQuestion when the table has none."""
    if source.table.geometry_column is None:
        raise InvalidQuestion(NO_GEOMETRY(table=source.table.id))
    return type_coerce(geometry_of(source.table, source=source.rows), Geometry())


def without_curves(source: Source) -> ColumnElement[Any]:
    """The geometry without arcs, which most of PostGIS cannot compute with: a circle becomes its corners."""
    if source.declared and not _CURVED.search(source.declared[0]):
        return geometry(source)
    return func.ST_CurveToLine(geometry(source), type_=Geometry())


def kind_without_curves(source: Source) -> str:
    """The kind of what `without_curves` gives."""
    kind = source.declared[0] if source.declared else "Geometry"
    return "Geometry" if _CURVED.search(kind) else kind


def flat(source: Source) -> ColumnElement[Any]:
    """The geometry without arcs and in two dimensions."""
    if source.declared and not source.declared[1]:
        return without_curves(source)
    return func.ST_Force2D(without_curves(source), type_=Geometry())


def lonlat(source: Source) -> ColumnElement[Any]:
    """The source's geometry in EPSG:4326, in two dimensions. A table without SRID is refused, not guessed at."""
    if source.table.srid == 0:
        raise InvalidQuestion(NO_SYSTEM(table=source.table.id))
    return in_srid(source, flat(source), WGS84)


def in_own_plane(source: Source) -> tuple[ColumnElement[Any], int]:
    """The geometry in two dimensions in the reference system that its column declares, else in EPSG:4326; and which
    that is."""
    return (flat(source), source.declared_srid) if source.declared_srid else (lonlat(source), WGS84)


def in_srid(source: Source, shape: ColumnElement[Any], srid: int) -> ColumnElement[Any]:
    """A shape of the source in a reference system. Where the column declares none, each row has its own."""
    if source.declared_srid == srid:
        return shape
    return func.ST_Transform(shape, srid, type_=Geometry())


def geography(expression: ColumnElement[Any]) -> ColumnElement[Any]:
    """An EPSG:4326 geometry as geography."""
    return cast(expression, Geography())


def centre(source: Source) -> ColumnElement[Any]:
    """The centre of gravity of each row in EPSG:4326, null where nothing is; points are where they are.

    In an equal-area projection around the middle of the row's corners, so that neither the antimeridian nor a pole
    tears it; rows smaller than a tenth of a degree in longitude and latitude, where that makes no difference.
    PostGIS's own ST_Centroid of geography is of no use here: in 3.3 it puts that of France into the Sahara."""
    if is_of_points(source):
        return lonlat(source)
    # Without the offsets, PostgreSQL would transform and repair the shape, and find its middle and the plane around it,
    # again for each mention.
    own = select(sound_lonlat(source).label("shape")).offset(0).correlate(source.rows).subquery("own")
    corners = func.ST_Centroid(geography(func.ST_Points(own.c["shape"])), type_=Geography())
    needs_none = or_(func.ST_IsEmpty(own.c["shape"]), _is_small(own.c["shape"]))
    point = case((needs_none, null()), else_=cast(corners, Geometry()))
    middle = select(own.c["shape"], point.label("point")).offset(0).subquery("middle")
    longitude, latitude = func.ST_X(middle.c.point), func.ST_Y(middle.c.point)
    proj = func.format("+proj=laea +lat_0=%s +lon_0=%s +datum=WGS84 +units=m +no_defs", latitude, longitude)
    plane = select(middle.c["shape"], proj.label("proj")).offset(0).subquery("plane")
    shape = plane.c["shape"]
    flat = func.ST_Centroid(func.ST_Transform(shape, plane.c.proj), type_=Geometry())
    found = case(
        (func.ST_IsEmpty(shape), null()),
        (_is_small(shape), func.ST_Centroid(shape, type_=Geometry())),
        else_=func.ST_Transform(flat, plane.c.proj, WGS84, type_=Geometry()),
    )
    return select(found).scalar_subquery()


def is_of_points(source: Source) -> bool:
    """Whether all shapes are single points."""
    return (source.table.geometry_type or "").upper() == "POINT"


def _is_small(shape: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a shape in EPSG:4326 is so small that a projection does not move its centre."""
    return and_(
        func.ST_XMax(shape) - func.ST_XMin(shape) < SMALL_DEGREES,
        func.ST_YMax(shape) - func.ST_YMin(shape) < SMALL_DEGREES,
    )


def sound_flat(source: Source) -> ColumnElement[Any]:
    """The geometry in two dimensions, repaired where it is invalid."""
    return flat(source) if source.is_valid else sound(flat(source))


def sound_lonlat(source: Source) -> ColumnElement[Any]:
    """The geometry in EPSG:4326, repaired in the table's own plane: the two halves of a bow-tie would weigh
    against each other, and an area around a pole is a bow-tie in longitude and latitude only."""
    if source.declared_srid in (0, WGS84):
        return lonlat(source) if source.is_valid else sound(lonlat(source))
    return in_srid(source, sound_flat(source), WGS84)


def centre_in_own_system(source: Source) -> ColumnElement[Any]:
    """The centre of gravity of each row in the reference system of the table: exactly where it is for points, and that
    of the plane for what is small in a projected system, as other programs have it; else as `centre`."""
    srid = source.table.srid
    unit = metres_per_unit(srid)
    if unit is None or source.table.geometry_column is None:
        return centre(source) if srid == WGS84 else func.ST_Transform(centre(source), srid, type_=Geometry())
    shape = in_srid(source, flat(source), srid)
    size = func.greatest(func.ST_XMax(shape) - func.ST_XMin(shape), func.ST_YMax(shape) - func.ST_YMin(shape))
    return case(
        (func.ST_IsEmpty(shape), null()),
        (size < SMALL_METRES / unit, func.ST_Centroid(sound(shape), type_=Geometry())),
        else_=func.ST_Transform(centre(source), srid, type_=Geometry()),
    )


def short_way(before: ColumnElement[Any], after: ColumnElement[Any]) -> ColumnElement[Any]:
    """How many times 360 degrees the second longitude is to be moved, that the way to it crosses the antimeridian
    instead of the rest of the world."""
    return case((after - before > 180.0, -1), (after - before < -180.0, 1), else_=0)


def on_the_map(line: ColumnElement[Any], turns: int = 1) -> ColumnElement[Any]:
    """An EPSG:4326 line, whose longitudes may exceed 180 degrees, as a multi-line that is cut there."""
    cut = line
    for _ in range(turns):
        cut = func.ST_WrapX(func.ST_WrapX(cut, 180.0, -360.0), -180.0, 360.0, type_=Geometry())
    beyond = or_(func.ST_XMax(line) > 180.0, func.ST_XMin(line) < -180.0)
    # Each cut makes a collection within a collection.
    return func.ST_Multi(case((beyond, func.ST_CollectionExtract(cut, 2)), else_=line), type_=Geometry())


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


@dataclass(frozen=True)
class Indexed:
    """The rows of a source with their geography, indexed: where distances are searched. `rows` is its alias."""

    prepared: Prepared
    rows: FromClause
    source: Source

    @property
    def geog(self) -> ColumnElement[Any]:
        """The shapes as geography, with an index."""
        return self.rows.c.geog

    def column(self, name: str) -> ColumnElement[Any]:
        """An attribute of the source."""
        names = [each.name for each in self.source.attributes]
        return self.rows.c[f"a{names.index(name)}"]

    def others(self, here: Source) -> list[ColumnElement[bool]]:
        """Conditions that leave out the very row of `here`, if both are of one table. Raises InvalidQuestion."""
        if here.table.id != self.source.table.id:
            return []
        if here.address is None:
            raise InvalidQuestion(VIEW(table=here.table.id))
        return [or_(self.rows.c.origin != here.address, self.rows.c.origin_table != here.home)]


def indexed(source: Source, workspace: Workspace) -> Indexed:
    """The index of a geometry cannot be used for distances in metres; this one is correct at the poles and across
    180, too.

    Rows with null or empty geometries are left out. Attributes are `a0`, `a1` ..., so that they cannot clash with
    other columns; `origin` and `origin_table` are the address of the row (null in a view)."""
    shape = lonlat(source)
    attributes = source.numbered
    address = source.address
    statement = (
        select(
            (null() if address is None else address).label("origin"),
            (null() if address is None else source.home).label("origin_table"),
            *attributes,
            geography(shape).label("geog"),
        )
        .select_from(source.rows)
        .where(has_shape(shape))
    )
    prepared = Prepared(workspace.temporary("near"), statement, (("gist", "geog"),))
    return Indexed(prepared, prepared.rows.alias("near"), source)


MARGIN = 0.989
"""Lower bound of the ratio of two distances on the spheroid that are equal on the sphere: 0.9944 / 1.0045."""

A_MILLIMETRE = 0.001


def nearest_of(
    here: ColumnElement[Any],
    rows: FromClause,
    columns: Sequence[ColumnElement[Any]],
    conditions: Sequence[ColumnElement[bool]],
    k: int,
    within: float | None = None,
    first: Sequence[str] = (),
) -> FromClause:
    """The k of `rows` (with an indexed `geog`) nearest to a geography, for a join: `columns`, and `metres`.

    The index orders by distance on a sphere, with an error of up to 0.6 %, so its first k need not be the nearest on
    the spheroid. At least one more is read; if the k-th of them is nearer than the last one minus this error, no other
    row can be nearer. Otherwise all rows within the distance of the k-th are searched. Of equal distances the smaller
    values of the columns `first` come first. `tied` marks the last of the k, where more rows are as near, to the
    millimetre."""
    away = distance(here, rows.c.geog).label("metres")
    taken = k + 1 + (k + 6) // 8
    candidates = (
        select(*columns, away)
        .where(*conditions)
        .order_by(here.op("<->")(rows.c.geog))
        .limit(taken)
        .correlate_except(rows)
    )
    likely = _first_of(candidates, k, first).subquery("likely")
    is_certain = or_(likely.c.read < taken, likely.c.last <= MARGIN * likely.c.farthest)
    reach = likely.c.last + A_MILLIMETRE
    again = (
        select(*columns, away)
        .where(not_(is_certain), likely.c.nth == 1, func.ST_DWithin(here, rows.c.geog, reach), *conditions)
        .correlate_except(rows)
    )
    searched = _first_of(again, k, first).subquery("searched")
    names = [label.name for label in (*columns, away)] + ["tied"]
    either = union_all(
        select(*(likely.c[name] for name in names)).where(is_certain).correlate(likely),
        select(*(searched.c[name] for name in names)),
    ).lateral("either")
    found = select(either).select_from(likely.join(either, true()))
    if within is not None:
        found = found.where(either.c.metres <= within)
    return found.lateral("found")


def _first_of(near: Select[Any], k: int, first: Sequence[str]) -> Select[Any]:
    """The k first rows by `metres`, with their number (`nth`), whether more are as near as the `last` of them (`tied`),
    how many were `read`, and the `farthest` of these. One sorting gives all: it runs once for each feature."""
    rows = near.subquery("read")
    order = [rows.c.metres, *(rows.c[name] for name in first)]

    def over(function: Function[Any]) -> ColumnElement[Any]:
        return function.over(order_by=order, rows=(None, None))

    place = over(func.row_number())
    following = over(func.lead(rows.c.metres))
    return (
        select(
            rows,
            place.label("nth"),
            func.coalesce(and_(place == k, following <= rows.c.metres + A_MILLIMETRE), false()).label("tied"),
            over(func.nth_value(rows.c.metres, k)).label("last"),
            over(func.count()).label("read"),
            over(func.max(rows.c.metres)).label("farthest"),
        )
        .order_by(*order)
        .limit(k)
    )
