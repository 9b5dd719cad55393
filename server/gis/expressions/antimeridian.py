"""Shapes that become longitudes and latitudes: what crosses the antimeridian, or surrounds a pole, is cut there.

Edges are straight in the system of the table. Without the cut an edge from 179° E to 179° W would run around the other
side of the world, and RFC 7946 (GeoJSON) asks for it."""

from __future__ import annotations

from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.sql.elements import KeyedColumnElement

from agents.worded import Template
from server.gis.expressions.area_of_use import is_geographic
from server.gis.expressions.extents import HALF, quantized, shifted
from server.gis.expressions.geometry_checks import jumps
from server.gis.expressions.identifiers import GEOMETRY, WGS84, Expression

CUT_APART = Template(
    "cut_apart",
    "{n|one=# shape|other=# shapes} of {name} {n|one=reaches|other=reach} the antimeridian or "
    "{n|one=surrounds|other=surround} a pole, and {n|one=is|other=are} cut there.",
)


DENSE_PARTS = 64
"""Into how many parts the longer side of a shape is divided, to see which way its edges run."""
SEAM_STEP = 0.05
SEAM_END = 89.99997
"""Degrees, three metres from a pole."""
SEAM_METRES = 1.0
"""Half the width of the cut around a pole: more than the seam, drawn in steps, is off its course."""


def crosses_antimeridian(shape: Expression) -> Expression:
    """Whether a shape of a table in another system than EPSG:4326 crosses the antimeridian or surrounds a pole."""
    return _crosses(shape, sa.func.ST_Transform(shape, WGS84, type_=GEOMETRY))


def lonlat_apart(shape: Expression, srid: int) -> Expression:
    """The shape in EPSG:4326. What crosses the antimeridian or surrounds a pole is cut there into several parts."""
    moved = _as_table(sa.func.ST_Transform(shape, WGS84), "moved")
    # PROJ returns longitudes a little beyond 180, which KML would put on the other side.
    whole: Expression = sa.case(
        (_crosses(shape, moved), _pieces(shape, srid)), (is_beyond(moved), quantized(moved)), else_=moved
    )
    return sa.select(whole).select_from(moved.table).scalar_subquery()


def is_beyond(lonlat: Expression) -> Expression:
    """Whether longitudes leave -180 to 180 degrees."""
    return sa.or_(sa.func.ST_XMax(lonlat) > HALF, sa.func.ST_XMin(lonlat) < -HALF)


def wrapped_apart(lonlat: Expression) -> Expression:
    """A shape in longitude and latitude. What is beyond 180 degrees is cut off there, and put on the other side."""
    return sa.case(
        (is_beyond(lonlat), sa.func.ST_CollectionHomogenize(_wrapped(lonlat), type_=GEOMETRY)), else_=lonlat
    )


def moved_apart(lonlat: Expression, moved: Expression, to: int) -> Expression:
    """The shape `moved` to another reference system. What is beyond 180 degrees and would be drawn around the other
    side of the world there is cut at the antimeridian."""
    cut = sa.func.ST_Transform(wrapped_apart(lonlat), to, type_=GEOMETRY)
    return sa.case((is_torn(lonlat, moved, to), cut), else_=moved)


def is_torn(lonlat: Expression, moved: Expression, to: int) -> Expression:
    """Whether a shape beyond 180 degrees is longer in another reference system than its two parts."""
    cut = sa.func.ST_Transform(wrapped_apart(lonlat), to, type_=GEOMETRY)
    return sa.case((is_beyond(lonlat), _outline(cut) < _outline(moved)), else_=sa.false())


def _outline(shape: Expression) -> Expression:
    return sa.func.ST_Length(shape) + sa.func.ST_Perimeter(shape)


def cut_note(shapes: int, name: str) -> str:
    """A note on shapes that longitude and latitude cannot hold whole."""
    return CUT_APART(n=shapes, name=name)


def _as_table(value: sa.ColumnElement[Any], name: str, *others: str) -> KeyedColumnElement[Any]:
    """A shape that is computed once, as the column of a table with these columns before it."""
    others_and_shape = [*map(sa.column, others), sa.column("geom", GEOMETRY)]
    function = cast("sa.FunctionElement[Any]", value)
    return function.table_valued(*others_and_shape).render_derived(name=name).c.geom


def _crosses(shape: Expression, moved: Expression) -> Expression:
    """An edge that spans more than 180 degrees may be a long one: points along it decide."""
    dense = sa.func.ST_Transform(_dense(shape), WGS84, type_=GEOMETRY)
    return sa.case((jumps(moved), jumps(dense)), else_=sa.false())


def _dense(shape: Expression) -> Expression:
    sides = (sa.func.ST_XMax(shape) - sa.func.ST_XMin(shape), sa.func.ST_YMax(shape) - sa.func.ST_YMin(shape))
    return sa.func.ST_Segmentize(shape, sa.func.greatest(*sides) / DENSE_PARTS, type_=GEOMETRY)


def _pieces(shape: Expression, srid: int) -> Expression:
    part = _as_table(sa.func.ST_Dump(shape), "part", "path")
    moved = _as_table(sa.func.ST_Transform(part, WGS84), "part_moved")
    turned = _as_table(shifted(moved), "part_turned")
    is_narrow = sa.func.ST_XMax(turned) - sa.func.ST_XMin(turned) < HALF
    cut = sa.case(
        (sa.not_(_crosses(part, moved)), moved),
        (is_narrow, sa.func.ST_WrapX(turned, HALF, -360.0, type_=GEOMETRY)),
        else_=sa.func.ST_Transform(_wrapped(part), WGS84, type_=GEOMETRY)
        if is_geographic(srid)
        else _without_seam(part, moved, srid),
    )
    together = sa.func.ST_CollectionHomogenize(sa.func.ST_Collect(cut, type_=GEOMETRY), type_=GEOMETRY)
    tables = part.table.join(moved.table, sa.true()).join(turned.table, sa.true())
    return sa.select(together).select_from(tables).scalar_subquery()


def _wrapped(lonlat: Expression) -> Expression:
    return sa.func.ST_WrapX(sa.func.ST_WrapX(lonlat, HALF, -360.0), -HALF, 360.0, type_=GEOMETRY)


def _without_seam(part: Expression, moved: Expression, srid: int) -> Expression:
    """Cut in the system of the table along the antimeridian, as far as the pole that the shape is nearer to."""
    south, north = sa.func.ST_YMin(moved), sa.func.ST_YMax(moved)
    is_north = south + north > 0
    start = sa.case((is_north, sa.func.greatest(south - 1, -SEAM_END)), else_=-SEAM_END)
    end = sa.case((is_north, SEAM_END), else_=sa.func.least(north + 1, SEAM_END))
    line = sa.func.ST_SetSRID(
        sa.func.ST_MakeLine(sa.func.ST_MakePoint(HALF, start), sa.func.ST_MakePoint(HALF, end)), WGS84
    )
    seam = sa.func.ST_Transform(sa.func.ST_Segmentize(line, SEAM_STEP), srid)
    band = sa.func.ST_Buffer(seam, SEAM_METRES, "endcap=flat join=mitre")
    apart = sa.func.ST_Transform(sa.func.ST_Difference(sa.func.ST_MakeValid(_dense(part)), band), WGS84)
    return sa.func.ST_CollectionExtract(
        sa.func.ST_MakeValid(apart), sa.func.ST_Dimension(part) + 1, type_=GEOMETRY
    )
