"""More corners along long edges, so that they follow the shortest way over the earth."""

from __future__ import annotations

from sqlalchemy import cast, func

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import (
    Arguments,
    Geography,
    Geometry,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import geography, kind_without_curves, lonlat
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.shapes import of_family, reshaped

DENSIFIED = Template("op_densified", "Corners added along geodesics (ST_Segmentize of geography).")

LONGEST_EDGE = Template("op_longest_edge", "The longest edge must be at least {least}; got {got}.")

SHORTEST = 1.0


class DensifyArguments(Arguments):
    source: str = table_argument("The table of lines or areas.")
    longest: Length
    """No edge of the result is longer than this."""


class Densify(Operation[DensifyArguments]):
    """Corners along edges at most `longest` metres apart, on geodesics."""

    summary = "Add corners so that no edge is longer than a length; edges then follow great circles."
    phrases = ("densify {source} (by|to|with|every|at) {longest}",)

    async def build(self, arguments: DensifyArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "line", "polygon")
        if arguments.longest < SHORTEST:
            raise InvalidQuestion(
                LONGEST_EDGE(least=length_text(SHORTEST), got=length_text(arguments.longest))
            )
        dense = func.ST_Segmentize(geography(lonlat(source)), arguments.longest, type_=Geography())
        return reshaped(
            source, cast(dense, Geometry()), kind_without_curves(source), WGS84, method=[DENSIFIED()]
        )
