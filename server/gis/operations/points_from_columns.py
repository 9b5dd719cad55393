"""Points from two columns of coordinates."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import and_, case, func

from agents.worded import Template
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.coordinates import check_degrees, coordinates
from server.gis.operations.support.base import (
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.geometry.shapes import reshaped

TAKEN_AS = Template("op_taken_as", "Coordinates taken as EPSG:{srid}; rows without them have no point.")


class PointsFromColumnsArguments(Arguments):
    source: str = table_argument("The table with coordinates in its columns.")
    x: str = column_argument("The column of longitudes, or of eastings.")
    y: str = column_argument("The column of latitudes, or of northings.")
    srid: Annotated[int, Field(ge=1, le=998_999, description="EPSG code of the coordinates.")] = WGS84


class PointsFromColumns(Operation[PointsFromColumnsArguments]):
    """Points from two columns of coordinates, in the SRID that is given."""

    summary = "Make points from two numeric columns (longitude and latitude, or projected coordinates)."
    keeps_source_crs = False
    traits = frozenset({"tabular"})
    checks_geometries = False
    phrases = ("[make|create] points from [columns] {x} (and|,) {y} (of|in) {source}",)

    async def build(self, arguments: PointsFromColumnsArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        x, y = coordinates(source, arguments.x, arguments.y)
        notes = [TAKEN_AS(srid=str(arguments.srid))]
        if arguments.srid == WGS84:
            await check_degrees(source, workspace, (x, y), " Give the srid of projected coordinates.")
        point = func.ST_SetSRID(func.ST_MakePoint(x, y), arguments.srid, type_=Geometry())
        there = case((and_(x.is_not(None), y.is_not(None)), point), else_=None)
        return reshaped(source, there, "Point", arguments.srid, notes=notes)
