"""The same features in another coordinate reference system."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import column, func, select, table

from server.gis.errors import InvalidQuestion
from server.gis.operations.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.geodesy import geometry, lonlat
from server.gis.operations.shapes import reshaped


class ReprojectArguments(Arguments):
    source: str = table_argument("The table to transform.")
    srid: Annotated[int, Field(ge=1, le=998_999, description="EPSG code of the new reference system.")]


class Reproject(Operation[ReprojectArguments]):
    name = "reproject"
    summary = "Transform features into another coordinate reference system, by its EPSG code."
    arguments = ReprojectArguments

    async def build(self, arguments: ReprojectArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        lonlat(source)  # Refuses a table without a reference system, with advice.
        systems = table("spatial_ref_sys", column("srid"), column("srtext"))
        found = select(func.max(func.split_part(systems.c.srtext, '"', 2))).where(
            systems.c.srid == arguments.srid
        )
        (name,) = await workspace.row(found)
        if name is None:
            raise InvalidQuestion(
                f"PostGIS knows no reference system with the EPSG code {arguments.srid}. "
                "4326 is longitude and latitude; a UTM zone on the northern half is 32600 + its number."
            )
        return reshaped(
            source,
            func.ST_Transform(geometry(source), arguments.srid, type_=Geometry()),
            source.stored_type() or "Geometry",
            arguments.srid if source.declared else 0,
            notes=[f"Transformed from EPSG:{source.table.srid} to EPSG:{arguments.srid} ({name})."],
        )
