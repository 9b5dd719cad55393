"""Steps that give each row another shape and keep its attributes; and the families of geometries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import (
    ARRAY,
    ColumnElement,
    FromClause,
    Integer,
    column,
    func,
    literal_column,
    select,
    true,
    type_coerce,
)
from sqlalchemy.sql.functions import FunctionElement

from agents.domain import GeometryFamily
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.attributes.columns import attribute_columns
from server.gis.operations.support.base import GEOMETRY, Geometry, Source, Step

NEEDS_SHAPES = Template(
    "op_needs_shapes",
    "{table} holds {held}; this needs {wanted}. Choose another table, or make what is needed first "
    "(buffer, centroid, hull, points_from_columns).",
)

FAMILY_NAMES: Mapping[GeometryFamily, str] = {
    "point": "points",
    "line": "lines",
    "polygon": "polygons",
    "mixed": "mixed geometries",
    "none": "no geometry",
}

DIMENSIONS: Mapping[str, int] = {"point": 1, "line": 2, "polygon": 3}
"""As ST_CollectionExtract numbers them."""


def reshaped(
    source: Source,
    shape: ColumnElement[Any],
    geometry_type: str,
    srid: int,
    *,
    method: Sequence[str] = (),
    notes: Sequence[str] = (),
    columns: Sequence[ColumnElement[Any]] = (),
    comments: Mapping[str, str] | None = None,
    beside: FromClause | None = None,
) -> Step:
    """Each row with its attributes, further columns and a new shape, which may refer to `beside`, a FROM clause
    that is joined to each row. Null and empty shapes stay null."""
    statement = select(
        *attribute_columns(source, [each.name for each in columns]), *columns, shape.label(GEOMETRY)
    )
    return Step(
        statement.select_from(source.rows if beside is None else source.rows.join(beside, true())),
        geometry_type=geometry_type,
        srid=srid,
        portion_source=source,
        method=tuple(method),
        notes=tuple(notes),
        comments=comments or {},
    )


def of_family(source: Source, *families: GeometryFamily) -> None:
    """Raise InvalidQuestion unless the source is of one of these families (mixed is checked row by row)."""
    if source.family in (*families, "mixed"):
        return
    wanted = " or ".join(FAMILY_NAMES[family] for family in families)
    raise InvalidQuestion(
        NEEDS_SHAPES(table=source.table.id, held=FAMILY_NAMES[source.family], wanted=wanted)
    )


def parts_of(shape: ColumnElement[Any], name: str) -> FromClause:
    """The single parts of one row's geometry as a lateral subquery: `part` from 1, and `shape`."""
    return unpack_dump(func.ST_Dump(shape), name)


def unpack_dump(made: FunctionElement[Any], name: str) -> FromClause:
    """What a PostGIS function that takes a geometry apart returns: `path`, `part` (its first number) and `shape`.

    By way of an array, of which the planner expects ten elements. Of the function itself it expects a thousand
    rows, and then refuses what is cheap."""
    each = made.table_valued("path", "geom", name=f"each_{name}")
    taken = func.array(select(literal_column(f"each_{name}")).select_from(each).scalar_subquery())
    row = (
        func.unnest(taken)
        .table_valued(column("path", ARRAY(Integer)), "geom", name=f"one_{name}")
        .render_derived()
    )
    first = func.coalesce(row.c.path[1], 1, type_=Integer())
    return select(
        row.c.path, first.label("part"), type_coerce(row.c.geom, Geometry()).label("shape")
    ).lateral(name)


def computed_once(
    shape: ColumnElement[Any], source: Source, use: Callable[[ColumnElement[Any]], ColumnElement[Any]]
) -> ColumnElement[Any]:
    """What `use` makes of a shape that it mentions several times: PostgreSQL would compute it for each of them."""
    own = select(shape.label("shape")).offset(0).correlate(source.rows).subquery("own")
    return type_coerce(select(use(own.c["shape"])).scalar_subquery(), Geometry())
