"""Area, length, perimeter and compactness of each feature, on the spheroid."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import ColumnElement, Float, FromClause, Select, cast, column, func, literal, or_, select

from agents.geo.wording.phrases import count_of
from agents.worded import Template, formatted
from server.gis.expressions.area_of_use import is_geographic
from server.gis.expressions.identifiers import WGS84, exact
from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    CountedNotes,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import (
    GEODESIC_NOTE,
    area,
    geometry,
    in_srid,
    length,
    perimeter,
)
from server.gis.operations.support.earth.outlines import measured_by, with_corners
from server.gis.operations.support.geometry.repairs import repaired
from server.gis.operations.support.geometry.shapes import DIMENSIONS, reshaped
from server.gis.operations.support.geometry.validity import sound
from server.gis.operations.support.palettes import shaded

EDGES = Template(
    "op_edges",
    "Edges are measured along geodesics. Along straight lines of longitude and latitude the {kind} of "
    "{features} with long edges differs, by up to {percent} %.",
)

Kind = Literal["area", "length", "perimeter", "compactness"]
Measuring = Callable[[Callable[[ColumnElement[Any]], ColumnElement[float]]], ColumnElement[Any]]

UNITS: Mapping[str, tuple[str, str]] = {
    "area": ("area_m2", "Area in square metres, geodesic."),
    "length": ("length_m", "Length in metres, geodesic."),
    "perimeter": ("perimeter_m", "Perimeter in metres, geodesic."),
    "compactness": ("compactness", "Polsby-Popper: 4 pi area / perimeter^2; 1 is a circle."),
}


MAX_EDGE_DEGREES, MAX_OUTLINE_DEGREES = 0.2, 1e4
"""As MAX_EDGE_M and MAX_OUTLINE_M of `outlines`, in degrees."""
LONG_EDGE_DEGREES = 1.0
"""The size from which a feature may have edges for which it matters."""
NOTED_DIFFERENCE = 1e-4


class MeasureArguments(Arguments):
    source: str = table_argument("The table to measure.")
    measures: Annotated[tuple[Kind, ...], Field(min_length=1)] = ("area",)
    """What to add: area in square metres, length and perimeter in metres, compactness from 0 to 1 (a circle)."""


class Measure(Operation[MeasureArguments]):
    """Area in square metres, lengths in metres and compactness from 0 to 1, on the WGS 84 spheroid."""

    summary = "Add area (m2), length (m), perimeter (m) or compactness columns to every feature."
    phrases = ("measure [{measures}] [of] {source}",)

    async def build(self, arguments: MeasureArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        source, notes = await repaired(source, workspace, "measured")
        step = self.measured(arguments, source, partial(measured_by, source))
        return replace(step, notes=notes)

    def measured(self, arguments: MeasureArguments, source: Source, by: Measuring) -> Step:
        """The step that measures a shape in EPSG:4326 of each row, along geodesics between its corners; `by` applies
        a measure to that shape."""
        taken = {column.name for column in source.attributes}
        columns, comments = [], {}
        for kind in dict.fromkeys(arguments.measures):
            name = free_name(UNITS[kind][0], taken)
            taken.add(name)
            columns.append(by(partial(_measured, kind, source)).label(name))
            comments[name] = UNITS[kind][1]
        step = reshaped(
            source,
            geometry(source),
            source.declared_type() or "Geometry",
            source.declared_srid,
            method=[GEODESIC_NOTE],
            columns=columns,
            comments=comments,
        )
        in_degrees = is_geographic(source.declared_srid)
        return replace(
            step,
            counted=_differing(arguments.measures, columns[0].name, source) if in_degrees else None,
            style=shaded(next(iter(comments))),
        )


def _differing(measures: Sequence[Kind], name: str, source: Source) -> CountedNotes | None:
    """How many features in degrees have another first measure along edges that are straight in these coordinates."""
    kind = measures[0]
    if kind == "compactness" or source.family == "point":
        return None

    def select_from(made: FromClause) -> Select[Any]:
        shape = made.c[GEOMETRY]
        straight = sound(func.ST_Force2D(func.ST_CurveToLine(shape), type_=Geometry()))
        along = in_srid(source, with_corners(straight, MAX_EDGE_DEGREES, MAX_OUTLINE_DEGREES), WGS84)
        measured = func.nullif(column(exact(name), Float()), 0.0)
        difference = func.abs(_measured(kind, source, along) / measured - 1.0)
        wide = or_(
            func.ST_XMax(shape) - func.ST_XMin(shape) > LONG_EDGE_DEGREES,
            func.ST_YMax(shape) - func.ST_YMin(shape) > LONG_EDGE_DEGREES,
        )
        each = select(difference.label("difference")).select_from(made).where(wide).offset(0).subquery("each")
        much = each.c.difference >= NOTED_DIFFERENCE
        most = func.round(func.max(each.c.difference).filter(much) * 1e4)
        counts: list[ColumnElement[Any]] = [func.count().filter(much), func.coalesce(most, 0)]
        return select(*counts)

    def notes(features: int, hundredths: int) -> list[str]:
        if not features:
            return []
        return [EDGES(kind=kind, features=count_of(features), percent=formatted(hundredths / 100, ".2f"))]

    return CountedNotes(select_from, notes)


def _measured(kind: Kind, source: Source, shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """A measure of a shape of the wrong dimension is 0, as PostGIS has it: a point has no area."""
    if kind == "area":
        return area(shape)
    if kind == "length":
        return length(_only(shape, 1, source))
    around = perimeter(_only(shape, 2, source))
    if kind == "perimeter":
        return around
    return cast(4 * func.pi() * area(shape) / func.nullif(func.power(around, 2.0), literal(0.0)), Float())


def _only(shape: ColumnElement[Any], dimension: int, source: Source) -> ColumnElement[Any]:
    """The parts of one dimension: PostGIS takes the lines of a collection for a part of its perimeter."""
    if source.family in DIMENSIONS:
        return shape
    return func.ST_CollectionExtract(shape, dimension + 1, type_=Geometry())
