"""Figures of areas brought to other areas, shared out by how much they overlap (areal weighting)."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Float, cast, func, literal, select, true

from server.gis.operations.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.columns import carried, free_name, geometry_out, number
from server.gis.operations.geodesy import GEODESIC_NOTE, area, geometry
from server.gis.operations.relations import in_system_of
from server.gis.operations.shapes import of_family
from server.gis.operations.validity import sound
from server.gis.statements import WGS84, exact


class WeightedOverlapArguments(Arguments):
    source: str = table_argument("The areas that get the figure.")
    other: str = table_argument("The areas that have the figure.")
    column: str = column_argument("The numeric column to share out.", of="other")
    method: Literal["sum", "mean"] = "sum"
    """sum: amounts (people, tonnes) are shared out; mean: densities and rates are averaged by area."""


class WeightedOverlap(Operation[WeightedOverlapArguments]):
    name = "weighted_overlap"
    summary = "Estimate a figure of areas for other areas by overlap: people shared out (sum), rates averaged (mean)."
    arguments = WeightedOverlapArguments

    async def build(self, arguments: WeightedOverlapArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        of_family(source, "polygon")
        of_family(other, "polygon")
        value = cast(number(other, arguments.column), Float())
        mine, theirs = in_system_of(source, other), sound(geometry(other))
        common = func.ST_Intersection(sound(mine), theirs, type_=Geometry())
        if other.table.srid == WGS84:
            shared, whole = area(common), area(theirs)
        else:
            shared = area(func.ST_Transform(common, WGS84, type_=Geometry()))
            whole = area(func.ST_Transform(theirs, WGS84, type_=Geometry()))
        figure = (
            func.sum(value * shared / func.nullif(whole, literal(0.0)))
            if arguments.method == "sum"
            else func.sum(value * shared)
            / func.nullif(func.sum(shared).filter(value.is_not(None)), literal(0.0))
        )
        own = carried(source)
        name = free_name(f"{arguments.method}_{arguments.column}", {GEOMETRY, ROW_ID, *(o.name for o in own)})
        inner = (
            select(figure.label("figure"))
            .select_from(other.rows)
            .where(func.ST_Intersects(mine, geometry(other)))
            .lateral("shared")
        )
        return Step(
            select(*own, inner.c.figure.label(exact(name)), *geometry_out(source)).select_from(
                source.rows.join(inner, true())
            ),
            geometry_type=source.table.geometry_type,
            srid=source.table.srid,
            partition=source,
            notes=(
                GEODESIC_NOTE,
                "Areal weighting: the figure is taken to be spread evenly within each area; where it is not, "
                "this is an estimate.",
            ),
            comments={
                name: f"{arguments.method} of {arguments.column} of {other.table.id}, weighted by overlap."
            },
        )
