"""The parts that features of two tables have in common, with the attributes of both."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, FromClause, func, select

from server.gis.operations.support.attributes.columns import columns_of_both
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.geometry.overlays import (
    common_part,
    in_system,
    multi_type,
    note,
    same_dimension,
)
from server.gis.operations.support.geometry.repairs import overlaid
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.matching.pairs import pairs_meeting


class IntersectionArguments(Arguments):
    source: str = table_argument("The first table.")
    other: str = table_argument("The second table.")


class Intersection(Operation[IntersectionArguments]):
    """What two tables have in common, with the attributes of both."""

    summary = "Overlay two tables: one row for each common part, with the attributes of both."
    traits = frozenset({"keeps_geometry", "makes_areas"})
    phrases = (
        "(intersect|overlay) {source} (with|and|on|by) {other:shapes}",
        "(intersection|overlap) of {source:any} (and|to|with) {other:any}",
    )

    async def build(self, arguments: IntersectionArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        source, other, notes = await overlaid(source, other, workspace)
        srid = other.table.srid
        first, second = columns_of_both(source, other)
        shape = same_dimension(_common(source, other), lower(source, other))
        # Each common part is computed once: PostgreSQL would copy it to wherever it is used.
        common = (
            select(*first, *second, shape.label(GEOMETRY))
            .select_from(_pairs(source, other))
            .offset(0)
            .subquery("common")
        )
        statement = select(common).where(has_shape(common.c[GEOMETRY]))
        return Step(
            statement,
            geometry_type=multi_type(lower(source, other)),
            srid=srid,
            pairs=pairs_meeting(source, other, kept=True),
            method=(note(srid),),
            notes=notes,
        )


def _pairs(source: Source, other: Source) -> FromClause:
    """The rows that meet, found in the system of `other`."""
    srid = other.table.srid
    searched = in_system(source, srid) if source.table.srid != srid else geometry(source)
    return source.rows.join(other.rows, func.ST_Intersects(searched, geometry(other)))


def _common(source: Source, other: Source) -> ColumnElement[Any]:
    """The intersection of two rows, in the system of `other`."""
    srid = other.table.srid
    return common_part(source, other, in_system(source, srid), in_system(other, srid))


def lower(source: Source, other: Source) -> Source:
    """The one of lower dimension: lines laid over areas give lines."""
    order = ("point", "line", "polygon")
    if source.family not in order or other.family not in order:
        return source if source.family not in order else other
    return min((source, other), key=lambda each: order.index(each.family))
