"""Points from two columns of coordinates."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import Float, and_, case, cast, func, literal, or_, select

from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import number
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


class PointsFromColumnsArguments(Arguments):
    source: str = table_argument("The table with coordinates in its columns.")
    x: str = column_argument("The column of longitudes, or of eastings.")
    y: str = column_argument("The column of latitudes, or of northings.")
    srid: Annotated[int, Field(ge=1, le=998_999, description="EPSG code of the coordinates.")] = WGS84


class PointsFromColumns(Operation[PointsFromColumnsArguments]):
    """Points from two columns of coordinates, in the SRID that is given."""

    name = "points_from_columns"
    summary = "Make points from two numeric columns (longitude and latitude, or projected coordinates)."
    own_crs = False
    arguments = PointsFromColumnsArguments
    computes = False
    phrases = ("[make|create] points from [columns] {x} (and|,) {y} (of|in) {source}",)

    async def build(self, arguments: PointsFromColumnsArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        x = cast(number(source, arguments.x), Float())
        y = cast(number(source, arguments.y), Float())
        notes = [f"Coordinates taken as EPSG:{arguments.srid}; rows without them have no point."]
        if arguments.srid == WGS84:
            outside = or_(func.abs(x) > literal(180.0), func.abs(y) > literal(90.0))
            wrong, swapped = await workspace.row(
                select(
                    func.count().filter(outside),
                    func.count().filter(and_(func.abs(y) > literal(90.0), func.abs(x) <= literal(90.0))),
                ).select_from(source.rows)
            )
            if wrong:
                hint = (
                    " x and y look exchanged."
                    if swapped == wrong
                    else " Give the srid of projected coordinates."
                )
                raise InvalidQuestion(
                    f"{wrong:,} rows of {source.table.id} are no longitude and latitude "
                    f"(x in -180..180, y in -90..90).{hint}"
                )
        point = func.ST_SetSRID(func.ST_MakePoint(x, y), arguments.srid, type_=Geometry())
        there = case((and_(x.is_not(None), y.is_not(None)), point), else_=None)
        return reshaped(source, there, "Point", arguments.srid, notes=notes)
