"""Spatial relations of two features: the predicates of joins and selections by location."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import ColumnElement, FromClause, and_, func, not_, select, text

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import is_geography, sql_name
from server.gis.operations.support.base import Geometry, Prepared, Source, Workspace
from server.gis.operations.support.earth.geodesy import GEODESIC_NOTE, geography, geometry, indexed, lonlat
from server.gis.operations.support.earth.units import length_text
from server.gis.operations.support.geometry.validity import sound

PLANAR = Template("op_planar", "{predicate}: planar, in the coordinates of {table} (EPSG:{srid}).")

WITHIN = Template(
    "op_within", "within_distance needs a distance ('500 m', '5 km'); the other predicates take none."
)
UNKNOWN_SYSTEM = Template(
    "op_unknown_system",
    "The coordinates of {table} have no reference system (SRID 0) or several, so they cannot be laid over another "
    "table. Bring all into one (ST_Transform; UpdateGeometrySRID where they have none), then ask again.",
)
DISTANCE_MORE = Template("op_distance_more", "A distance must be more than 0; got {got}.")

Predicate = Literal[
    "intersects", "shares_interior", "within", "contains", "touches", "overlaps", "crosses", "within_distance"
]
PREDICATE_TEXT = (
    "How a feature of the source stands to one of the other table. shares_interior: intersects, unless they only touch "
    "(neighbours with a common border); points on a border count."
)

_FUNCTIONS: dict[str, Any] = {
    "intersects": func.ST_Intersects,
    "shares_interior": func.ST_Intersects,
    "within": func.ST_Within,
    "contains": func.ST_Contains,
    "touches": func.ST_Touches,
    "overlaps": func.ST_Overlaps,
    "crosses": func.ST_Crosses,
}
MIN_SIZE_RATIO = 4
"""Ratio of features to others from which on starting from the others is faster."""

_INDEXED = text(
    "EXISTS (SELECT FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid JOIN pg_am AS m ON m.oid = c.relam"
    " JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]"
    " WHERE i.indrelid = to_regclass(:name) AND i.indisvalid AND i.indpred IS NULL AND m.amname = 'gist'"
    " AND a.attname = :geometry)"
)


@dataclass(frozen=True)
class Relation:
    """The other side of a join, and the condition under which a row of it belongs to a row of the source."""

    rows: FromClause
    shape: ColumnElement[Any]
    condition: ColumnElement[bool]
    column: Callable[[str], ColumnElement[Any]]
    """An attribute of it by name."""
    prepare: tuple[Prepared, ...]
    method: tuple[str, ...]


def related(
    source: Source, other: Source, predicate: Predicate, distance: float | None, workspace: Workspace
) -> Relation:
    """`source <predicate> other`. Raises InvalidQuestion if a distance is missing or not applicable."""
    if (predicate == "within_distance") != (distance is not None):
        raise InvalidQuestion(WITHIN())
    if distance is not None:
        if distance <= 0:
            raise InvalidQuestion(DISTANCE_MORE(got=length_text(distance)))
        return _near(source, other, distance, workspace)
    named = other.table.title if other.table.is_result else other.table.id
    return Relation(
        other.rows,
        geometry(other),
        meeting(source, other, predicate),
        other.column,
        (),
        (PLANAR(predicate=predicate, table=named, srid=str(other.table.srid)),),
    )


def meeting(source: Source, other: Source, predicate: Predicate) -> ColumnElement[bool]:
    """The condition of every predicate but `within_distance`, in the plane of the other table."""
    here, there = in_system_of(source, other), geometry(other)
    met: ColumnElement[bool] = _FUNCTIONS[predicate](here, there)
    if predicate != "shares_interior" or "point" in (source.family, other.family):
        return met
    # Repaired, because touching fails on some invalid shapes for which intersecting has an answer.
    only_touch: ColumnElement[bool] = func.ST_Touches(sound(here), sound(there))
    if "mixed" in (source.family, other.family):
        only_touch = and_(func.ST_Dimension(here) > 0, func.ST_Dimension(there) > 0, only_touch)
    return and_(met, not_(only_touch))


def may_start_from_other(source: Source, other: Source, predicate: Predicate) -> bool:
    """Whether to search features for each of the few others, instead of others for each feature.

    Requires an index and row addresses of the source, and excludes portions."""
    indexed = predicate != "within_distance" and source.table.srid == other.table.srid
    few = other.table.row_estimate * MIN_SIZE_RATIO <= source.table.row_estimate
    return indexed and few and source.address is not None


async def is_indexed(source: Source, workspace: Workspace) -> bool:
    """Whether the geometry column has a spatial index, as it is stored."""
    column = source.table.column(source.table.geometry_column or "")
    if column is None or is_geography(column):
        return False
    (found,) = await workspace.row(
        select(_INDEXED.bindparams(name=sql_name(source.table), geometry=column.name))
    )
    return bool(found)


def in_system_of(source: Source, other: Source) -> ColumnElement[Any]:
    """The source's geometry in the other's reference system, so that the other's spatial index serves."""
    if source.table.srid == other.table.srid:
        return geometry(source)
    if 0 in (source.table.srid, other.table.srid):
        unknown = source if source.table.srid == 0 else other
        raise InvalidQuestion(UNKNOWN_SYSTEM(table=unknown.table.id))
    return func.ST_Transform(geometry(source), other.table.srid, type_=Geometry())


def _near(source: Source, other: Source, distance: float, workspace: Workspace) -> Relation:
    near = indexed(other, workspace)
    here = geography(lonlat(source))
    condition = func.ST_DWithin(here, near.geog, distance)
    return Relation(near.rows, near.geog, condition, near.column, (near.prepared,), (GEODESIC_NOTE,))
