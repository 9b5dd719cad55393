"""Steps that give each row another shape and keep its attributes; and the families of geometries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, func, select

from agents.domain import GeometryFamily
from server.gis.errors import InvalidQuestion
from server.gis.operations.base import GEOMETRY, Geometry, Source, Step
from server.gis.operations.columns import carried

FAMILY_NAMES: Mapping[GeometryFamily, str] = {
    "point": "points",
    "line": "lines",
    "polygon": "polygons",
    "mixed": "mixed geometries",
    "none": "no geometry",
}


def reshaped(
    source: Source,
    shape: ColumnElement[Any],
    geometry_type: str,
    srid: int,
    *,
    notes: Sequence[str] = (),
    columns: Sequence[ColumnElement[Any]] = (),
    comments: Mapping[str, str] | None = None,
) -> Step:
    """Each row with its attributes, further columns and a new shape. Null and empty shapes stay null."""
    statement = select(*carried(source, [each.name for each in columns]), *columns, shape.label(GEOMETRY))
    return Step(
        statement.select_from(source.rows),
        geometry_type=geometry_type,
        srid=srid,
        partition=source,
        notes=tuple(notes),
        comments=comments or {},
    )


def of_family(source: Source, *families: GeometryFamily) -> None:
    """Raise InvalidQuestion unless the source is of one of these families (mixed is checked row by row)."""
    if source.family in (*families, "mixed"):
        return
    wanted = " or ".join(FAMILY_NAMES[family] for family in families)
    raise InvalidQuestion(
        f"{source.table.id} holds {FAMILY_NAMES[source.family]}; this needs {wanted}. Choose another table, "
        "or make what is needed first (buffer, centroid, hull, points_from_columns)."
    )


def solid(geometry: ColumnElement[Any]) -> ColumnElement[Any]:
    """A valid geometry: repaired only where it is not, so that valid ones cost one check."""
    return func.coalesce(
        func.nullif(func.ST_MakeValid(geometry, type_=Geometry()), None), geometry, type_=Geometry()
    )
