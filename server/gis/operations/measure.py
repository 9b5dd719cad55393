"""Area, length, perimeter and compactness of each feature, on the spheroid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import ColumnElement, Float, cast, func, literal

from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import (
    Arguments,
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
    length,
    lonlat,
    perimeter,
)
from server.gis.operations.support.geometry.shapes import DIMENSIONS, reshaped
from server.gis.operations.support.palettes import shaded

Kind = Literal["area", "length", "perimeter", "compactness"]

UNITS: Mapping[str, tuple[str, str]] = {
    "area": ("area_m2", "Area in square metres, geodesic."),
    "length": ("length_m", "Length in metres, geodesic."),
    "perimeter": ("perimeter_m", "Perimeter in metres, geodesic."),
    "compactness": ("compactness", "Polsby-Popper: 4 pi area / perimeter^2; 1 is a circle."),
}


class MeasureArguments(Arguments):
    source: str = table_argument("The table to measure.")
    measures: Annotated[tuple[Kind, ...], Field(min_length=1)] = ("area",)
    """What to add: area in square metres, length and perimeter in metres, compactness from 0 to 1 (a circle)."""


class Measure(Operation[MeasureArguments]):
    """Area in square metres, lengths in metres and compactness from 0 to 1, on the WGS 84 spheroid."""

    name = "measure"
    summary = "Add area (m2), length (m), perimeter (m) or compactness columns to every feature."
    arguments = MeasureArguments
    phrases = ("measure [{measures}] [of] {source}",)

    async def build(self, arguments: MeasureArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape = lonlat(source)
        taken = {column.name for column in source.attributes}
        columns, comments = [], {}
        for kind in dict.fromkeys(arguments.measures):
            name = free_name(UNITS[kind][0], taken)
            taken.add(name)
            columns.append(_measured(kind, shape, source).label(name))
            comments[name] = UNITS[kind][1]
        step = reshaped(
            source,
            geometry(source),
            source.stored_type() or "Geometry",
            source.stored_srid,
            method=[GEODESIC_NOTE],
            columns=columns,
            comments=comments,
        )
        return replace(step, style=shaded(next(iter(comments))))


def _measured(kind: Kind, shape: ColumnElement[Any], source: Source) -> ColumnElement[Any]:
    """A measure of a shape of the wrong dimension is 0, as PostGIS has it: a point has no area."""
    if kind == "area":
        return area(shape)
    if kind == "length":
        return length(_only(shape, 1, source))
    around = perimeter(_only(shape, 2, source))
    if kind == "perimeter":
        return around
    return cast(4 * func.pi() * area(shape) / func.nullif(around * around, literal(0.0)), Float())


def _only(shape: ColumnElement[Any], dimension: int, source: Source) -> ColumnElement[Any]:
    """The parts of one dimension: PostGIS takes the lines of a collection for a part of its perimeter."""
    if source.family in DIMENSIONS:
        return shape
    return func.ST_CollectionExtract(shape, dimension + 1, type_=Geometry())
