"""The bounding box of each feature, upright or turned to be smallest."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, false, func, or_, select

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import (
    Arguments,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.antimeridian import crosses
from server.gis.operations.support.earth.geodesy import in_own_plane
from server.gis.operations.support.geometry.shapes import reshaped

AROUND_THE_WORLD = Template(
    "op_around_the_world",
    "{features} on both sides of the antimeridian: the box goes around the world. Reproject first, to a system such "
    "as EPSG:3832, for one across it.",
)


BOX = Template("op_box", "Box in the coordinates of EPSG:{srid}.")


class EnvelopeArguments(Arguments):
    source: str = table_argument("The table whose features are boxed.")
    oriented: bool = False
    """The smallest rectangle at any angle instead of the upright one."""


class Envelope(Operation[EnvelopeArguments]):
    """Bounding rectangles along the axes of the table's own reference system."""

    summary = "The bounding rectangle of each feature; oriented=true for the smallest one at any angle."
    traits = frozenset({"makes_areas"})
    phrases = (
        "<open> ((bounding|extent) (box|boxes|rectangle|rectangles)|envelope|envelopes) [<of_each> {source:any}]",
        "<open> (oriented boxes|oriented envelopes|smallest rectangles) [<of_each> {source:any}] -> oriented",
    )

    async def build(self, arguments: EnvelopeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape, srid = in_own_plane(source)
        box = (
            func.ST_OrientedEnvelope(shape, type_=Geometry())
            if arguments.oriented
            else func.ST_Envelope(shape, type_=Geometry())
        )
        is_area, count = await _found(source, shape, srid, workspace)
        notes = [AROUND_THE_WORLD(features=count_of(count))] if count else []
        kind = "Polygon" if is_area and not arguments.oriented else "Geometry"
        return reshaped(source, box, kind, srid, method=[BOX(srid=str(srid))], notes=notes)


async def _found(
    source: Source, shape: ColumnElement[Any], srid: int, workspace: Workspace
) -> tuple[bool, int]:
    """Whether each box has an area, and how many shapes cross the antimeridian."""
    if source.declared_type() == "Point":
        return False, 0
    sides = (func.ST_XMax(shape) - func.ST_XMin(shape), func.ST_YMax(shape) - func.ST_YMin(shape))
    crossing = crosses(shape) if srid == WGS84 else false()
    without = or_(func.ST_IsEmpty(shape), func.least(*sides) <= 0)
    counts = (func.count().filter(without), func.count().filter(crossing))
    without_area, across = await workspace.row(select(*counts).select_from(source.rows))
    return not without_area, across
