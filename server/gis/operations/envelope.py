"""The bounding box of each feature, upright or turned to be smallest."""

from __future__ import annotations

from sqlalchemy import func

from agents.geo.phrases import count_of
from agents.worded import Template
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import (
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    count_rows,
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

    name = "envelope"
    summary = "The bounding rectangle of each feature; oriented=true for the smallest one at any angle."
    arguments = EnvelopeArguments
    traits = frozenset({"makes_areas"})
    phrases = (
        "<open> (bounding box|bounding boxes|envelope|envelopes) [<of_each> {source}]",
        "<open> (oriented boxes|oriented envelopes|smallest rectangles) [<of_each> {source}] -> oriented",
    )

    async def build(self, arguments: EnvelopeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape, srid = in_own_plane(source)
        box = (
            func.ST_OrientedEnvelope(shape, type_=Geometry())
            if arguments.oriented
            else func.ST_Envelope(shape, type_=Geometry())
        )
        notes = []
        if srid == WGS84 and source.declared_type() != "Point":
            count = await count_rows(source.rows, workspace, crosses(shape))
            if count:
                notes.append(AROUND_THE_WORLD(features=count_of(count)))
        return reshaped(source, box, "Geometry", srid, method=[BOX(srid=str(srid))], notes=notes)
