"""Round off the corners of lines and areas (Chaikin's algorithm)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import func

from agents.worded import Template
from server.gis.operations.support.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.support.earth.geodesy import kind_without_curves, without_curves
from server.gis.operations.support.geometry.shapes import of_family, reshaped

SMOOTHED = Template(
    "op_smoothed", "For drawing: smoothed shapes cut their corners, so areas and lengths shrink."
)


class SmoothArguments(Arguments):
    source: str = table_argument("The table of lines or areas.")
    iterations: Annotated[int, Field(ge=1, le=5, description="Each doubles the corners.")] = 2


class Smooth(Operation[SmoothArguments]):
    """Rounded corners (Chaikin, 1974), for drawing: areas and lengths shrink."""

    summary = "Round off the corners of lines and areas by Chaikin's corner cutting."
    traits = frozenset({"makes_areas"})
    phrases = ("smooth {source}",)

    async def build(self, arguments: SmoothArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "line", "polygon")
        return reshaped(
            source,
            func.ST_ChaikinSmoothing(without_curves(source), arguments.iterations, True, type_=Geometry()),
            source.declared_type(kind_without_curves(source)) or "Geometry",
            source.declared_srid,
            notes=[SMOOTHED()],
        )
