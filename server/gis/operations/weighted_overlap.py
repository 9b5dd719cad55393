"""Figures of areas brought to other areas, shared out by how much they overlap (areal weighting)."""

from __future__ import annotations

from typing import Literal

from sqlalchemy import Float, cast, func, literal, select, true

from agents.worded import Template
from server.gis.expressions.identifiers import WGS84, exact
from server.gis.operations.support.attributes.columns import (
    attribute_columns,
    free_name,
    geometry_out,
    number,
)
from server.gis.operations.support.base import (
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
from server.gis.operations.support.earth.geodesy import GEODESIC_NOTE, area, geometry, lonlat
from server.gis.operations.support.geometry.overlays import common_part, in_system
from server.gis.operations.support.geometry.shapes import of_family
from server.gis.operations.support.matching.pairs import pairs_meeting
from server.gis.operations.support.matching.relations import in_system_of
from server.gis.operations.support.palettes import shaded

AREAL = Template(
    "op_areal",
    "Areal weighting: the figure is taken to be spread evenly within each area; where it is not, this "
    "is an estimate.",
)


class WeightedOverlapArguments(Arguments):
    source: str = table_argument("The areas that get the figure.")
    other: str = table_argument("The areas that have the figure.")
    column: str = column_argument("The numeric column to share out.", of="other")
    method: Literal["sum", "mean"] = "sum"
    """sum: amounts (people, tonnes) are shared out; mean: densities and rates are averaged by area."""


class WeightedOverlap(Operation[WeightedOverlapArguments]):
    """Values of areas shared out by the area that they have in common, geodesic, in square metres."""

    summary = "Estimate a figure of areas for other areas by overlap: people shared out (sum), rates averaged (mean)."
    phrases = (
        (
            "(share out|distribute|apportion|spread) {column} (of|in) {other} (over|to|among|across|"
            "onto) {source}"
        ),
    )

    async def build(self, arguments: WeightedOverlapArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        of_family(source, "polygon")
        of_family(other, "polygon")
        value = cast(number(other, arguments.column), Float())
        srid = other.table.srid
        mine, theirs = in_system(source, srid), in_system(other, srid)
        lonlat(other)  # Refuses tables without a reference system, whose areas are unknown.
        common = common_part(source, other, mine, theirs)
        shared, whole = (
            area(shape if srid == WGS84 else func.ST_Transform(shape, WGS84, type_=Geometry()))
            for shape in (common, theirs)
        )
        figure = (
            func.sum(value * shared / func.nullif(whole, literal(0.0)))
            if arguments.method == "sum"
            else func.sum(value * shared)
            / func.nullif(func.sum(shared).filter(value.is_not(None)), literal(0.0))
        )
        own = attribute_columns(source)
        name = free_name(f"{arguments.method}_{arguments.column}", {GEOMETRY, ROW_ID, *(o.name for o in own)})
        inner = (
            select(figure.label("figure"))
            .select_from(other.rows)
            .where(func.ST_Intersects(in_system_of(source, other), geometry(other)))
            .lateral("shared")
        )
        return Step.keeping(
            source,
            select(*own, inner.c.figure.label(exact(name)), *geometry_out(source)).select_from(
                source.rows.join(inner, true())
            ),
            portion_source=source,
            pairs=pairs_meeting(source, other, kept=True),
            method=(GEODESIC_NOTE,),
            notes=(AREAL(),),
            comments={
                name: f"{arguments.method} of {arguments.column} of {other.table.id}, weighted by overlap."
            },
            style=shaded(name),
        )
