"""Simplifies areas and keeps shared borders shared, by simplifying the linework instead of the areas. All borders are
cut where they meet (nodes), each segment between two nodes is simplified once, and the areas are rebuilt from the
segments.

So neighbours cannot overlap or separate, whatever the tolerance. PostGIS has functions for this (ST_CoverageSimplify)
only since 3.4 with GEOS 3.12."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    FromClause,
    Select,
    TableClause,
    case,
    cast,
    column,
    func,
    literal,
    not_,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by

from server.gis.operations.support.base import Geometry, Prepared, Workspace
from server.gis.operations.support.geometry.shapes import parts_of

HALF = 0.5
"""An area owns a sliver of which it covers at least so much."""


def simplified_areas(
    features: FromClause, tolerance: float, frame: ColumnElement[Any] | None, workspace: Workspace
) -> tuple[tuple[Prepared, ...], ColumnElement[Any]]:
    """What to prepare, and the new shape of a row of `features`: null where it is not an area.

    `features` has `place` (a unique number of the row) and a valid `shape`. `tolerance` is in its units. `frame` is a
    line that is not a border, but holds the points where borders meet it."""
    parted = Prepared(workspace.temporary("parts"), _parts(features), (("gist", "shape"), ("btree", "place")))
    parts = parted.rows
    faced = Prepared(
        workspace.temporary("faces"),
        _faces(_borders(parts, tolerance, frame), tolerance),
        (("gist", "face"),),
    )
    owned = Prepared(
        workspace.temporary("owned"), _owners(faced.rows, parts), (("btree", "part"), ("gist", "face"))
    )
    owners = owned.rows
    # A part that vanished between others keeps what they leave of it.
    others = owners.alias("others")
    taken = select(func.ST_Union(others.c.face)).where(func.ST_Intersects(others.c.face, parts.c["shape"]))
    alone = func.ST_SimplifyPreserveTopology(parts.c["shape"], tolerance, type_=Geometry())
    rest = func.ST_Difference(alone, taken.correlate(parts).scalar_subquery())
    whole = (
        select(func.ST_Multi(func.ST_Union(func.coalesce(owners.c.face, rest, alone, type_=Geometry()))))
        .select_from(parts.join(owners, owners.c.part == parts.c.part, isouter=True))
        .where(parts.c.place == features.c.place)
        .correlate(features)
        .scalar_subquery()
    )
    return (parted, faced, owned), whole


def is_area(shape: ColumnElement[Any]) -> ColumnElement[bool]:
    """Whether a geometry is a polygon or several; a collection is not, because it may hold other things, too."""
    return func.GeometryType(shape).in_(("POLYGON", "MULTIPOLYGON"))


def _parts(features: FromClause) -> Select[Any]:
    """The single polygons of all areas."""
    piece = parts_of(features.c["shape"], "piece")
    number = cast(func.row_number().over(), BigInteger())
    return (
        select(features.c.place, number.label("part"), piece.c["shape"])
        .select_from(features.join(piece, true()))
        .where(is_area(features.c["shape"]))
    )


def _borders(parts: TableClause, tolerance: float, frame: ColumnElement[Any] | None) -> Select[Any]:
    """All borders as one multi-line `lines`, cut at each point where three or more meet.

    Where several segments between the same two nodes would all become the same straight line, the area between them
    would vanish; so all but the shortest are cut in two, which keeps a corner."""
    collected = func.ST_Collect(func.ST_Boundary(parts.c["shape"]), type_=Geometry())
    every = collected if frame is None else func.ST_Collect(collected, frame, type_=Geometry())
    noded = select(func.ST_LineMerge(func.ST_UnaryUnion(every), type_=Geometry()).label("lines"))
    merged = noded.select_from(parts).subquery("noded")
    stretch = _dumped(merged.c.lines, "stretch")
    line = stretch.c.geom
    ends = [func.ST_AsBinary(end(line)) for end in (func.ST_StartPoint, func.ST_EndPoint)]
    is_straight = func.ST_NPoints(func.ST_Simplify(line, tolerance, True)) == 2
    twin = func.row_number().over(
        partition_by=(func.least(*ends), func.greatest(*ends), is_straight), order_by=func.ST_Length(line)
    )
    stretches = (
        select(line.label("line"), (is_straight & (twin > 1)).label("is_twin"))
        .select_from(merged.join(stretch, true()))
        .subquery("stretches")
    )
    kept = case((stretches.c.is_twin, _halved(stretches.c.line)), else_=stretches.c.line)
    lines = func.ST_CollectionHomogenize(func.ST_Collect(kept), type_=Geometry())
    return select(lines.label("lines")).select_from(stretches)


def _halved(line: ColumnElement[Any]) -> ColumnElement[Any]:
    """A line cut at its middle corner, which so stays; one without corners between its ends as it is."""
    points = (
        func.ST_DumpPoints(line)
        .table_valued("path", column("geom", Geometry()), with_ordinality="n", name="points")
        .render_derived()
    )
    middle = (func.ST_NPoints(line) + 1) // 2
    whole = func.ST_MakeLine(aggregate_order_by(points.c.geom, points.c.n))
    halves = func.ST_Collect(whole.filter(points.c.n <= middle), whole.filter(points.c.n >= middle))
    halved = select(halves).select_from(points).scalar_subquery()
    return case((func.ST_NPoints(line) < 3, line), else_=halved)


def _faces(borders: Select[Any], tolerance: float) -> Select[Any]:
    """The areas that the simplified borders enclose, each with a point in it.

    A border moves by less than the tolerance, so what is deeper inside lies in the same area as before: `is_deep`."""
    bordered = borders.subquery("borders")
    # PostGIS keeps the lines of one geometry from crossing each other while it simplifies them.
    fewer = func.ST_SimplifyPreserveTopology(bordered.c.lines, tolerance, type_=Geometry())
    closed = select(func.ST_Polygonize(func.ST_UnaryUnion(fewer), type_=Geometry()).label("faces"))
    faces = closed.select_from(bordered).subquery("closed")
    face = _dumped(faces.c.faces, "face")
    spot = func.ST_PointOnSurface(face.c.geom, type_=Geometry())
    return select(
        cast(func.row_number().over(), BigInteger()).label("number"),
        face.c.geom.label("face"),
        spot.label("spot"),
        (func.ST_Distance(spot, func.ST_Boundary(face.c.geom), type_=Float()) > tolerance).label("is_deep"),
    ).select_from(faces.join(face, true()))


def _owners(faces: TableClause, parts: TableClause) -> Select[Any]:
    """To which part each face belongs: by its point, or if it is a sliver, by what covers it most.

    A part without a deep face (a narrow strip) claims the sliver that it covers most of, so that it does not
    vanish. Faces that belong to none are lakes and seas; where parts overlapped, a face belongs to several."""
    inside = faces.c.is_deep & func.ST_Intersects(parts.c["shape"], faces.c.spot)
    deep = select(parts.c.part, faces.c.face).select_from(faces.join(parts, inside)).cte("deep")
    meeting = not_(faces.c.is_deep) & func.ST_Intersects(parts.c["shape"], faces.c.face)
    common = func.ST_Area(func.ST_Intersection(faces.c.face, parts.c["shape"]), type_=Float())
    shares = (
        select(
            faces.c.number,
            faces.c.face,
            parts.c.part,
            (common / func.ST_Area(faces.c.face, type_=Float())).label("share"),
            (func.row_number().over(partition_by=parts.c.part, order_by=common.desc()) == 1).label("is_best"),
        )
        .select_from(faces.join(parts, meeting))
        .subquery("shares")
    )
    claims = shares.c.is_best & shares.c.part.not_in(select(deep.c.part))
    number, share = shares.c.number, shares.c.share
    ranked = select(
        shares.c.part,
        shares.c.face,
        share,
        claims.label("claims"),
        func.bool_or(claims).over(partition_by=number).label("is_claimed"),
        func.row_number().over(partition_by=number, order_by=(claims.desc(), share.desc())).label("rank"),
        func.sum(share).over(partition_by=number).label("covered"),
    ).subquery("ranked")
    half = literal(HALF, Float())
    first = (ranked.c.rank == 1) & (ranked.c.is_claimed | (ranked.c.covered >= half))
    slivers = select(ranked.c.part, ranked.c.face).where(
        ranked.c.claims == ranked.c.is_claimed, or_(ranked.c.share >= half, first)
    )
    every = union_all(select(deep.c.part, deep.c.face), slivers).subquery("owned")
    return select(every.c.part, every.c.face)


def _dumped(shape: ColumnElement[Any], name: str) -> Any:
    """The single parts of one large geometry, as rows of `geom`."""
    return func.ST_Dump(shape).table_valued("path", column("geom", Geometry()), name=name).lateral(name)
