"""How far each feature is from one point of the earth."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ColumnElement, func, select

from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import GEODESIC_NOTE, distance, geography, geometry
from server.gis.operations.support.earth.outlines import measured_by
from server.gis.operations.support.geometry.repairs import repaired
from server.gis.operations.support.palettes import shaded


class DistanceFromPointArguments(Arguments):
    source: str = table_argument("The table whose features are measured from.")
    longitude: Annotated[float, Field(ge=-180, le=180)]
    """Degrees east of the point, EPSG:4326; west is negative."""
    latitude: Annotated[float, Field(ge=-90, le=90)]
    """Degrees north of the point, EPSG:4326; south is negative."""


class DistanceFromPoint(Operation[DistanceFromPointArguments]):
    """The geodesic distance in metres of each feature's nearest part from a point; 0 where it covers the point."""

    summary = "Add `distance_m`, how far each feature is from a given longitude and latitude."
    traits = frozenset({"keeps_geometry", "measures_distance"})
    phrases = (
        "(add|measure) [the] distance (of|from) {source} (from|to) longitude {longitude} latitude {latitude}",
    )

    async def build(self, arguments: DistanceFromPointArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        stored = geometry(source)
        source, notes = await repaired(source, workspace, "measured")
        point = func.ST_SetSRID(
            func.ST_MakePoint(arguments.longitude, arguments.latitude), WGS84, type_=Geometry()
        )

        def away(shape: ColumnElement[Any]) -> ColumnElement[float]:
            return distance(geography(shape), geography(point))

        own = attribute_columns(source)
        name = free_name("distance_m", {label.name for label in own})
        statement = select(*own, measured_by(source, away).label(name), stored.label(GEOMETRY))
        return Step.keeping(
            source,
            statement.select_from(source.rows),
            once=True,
            portion_source=source,
            method=(GEODESIC_NOTE,),
            notes=notes,
            comments={name: "Metres from the point, on the WGS 84 spheroid."},
            style=shaded(name),
        )
