"""One point for each feature: its centre of gravity, or a point that is always on the feature."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, func

from agents.worded import Template
from server.gis.expressions.area_of_use import metres_per_unit
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support import methods
from server.gis.operations.support.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.support.earth.geodesy import centre, centre_in_own_system, lonlat
from server.gis.operations.support.geometry.shapes import reshaped

INSIDE = Template("method_point_inside", "A point on the surface, on the line, or one of the points.")


class CentroidArguments(Arguments):
    source: str = table_argument("The table whose features become points.")
    inside: bool = False
    """A point on the feature even where the centre of gravity lies outside of it."""


class Centroid(Operation[CentroidArguments]):
    """A point for each feature, weighed in the plane of a projected table, else in one around the feature."""

    summary = "Turn features into points: the centroid, or with inside=true a point surely on the feature."
    phrases = (
        "<open> (centroid|centroids|centres|centers) [<of_each> [each|every] {source:any}]",
        "<open> [(point|points|dot|dots|marker|markers) (in|at|on)] (middle|centre|center|centroid) of (each|every|all)"
        " [of] {source:any}",
        "<open> (points inside|points on|a point inside) {source:any} -> inside",
    )

    async def build(self, arguments: CentroidArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        if arguments.inside:
            point: ColumnElement[Any] = func.ST_PointOnSurface(lonlat(source), type_=Geometry())
            note = INSIDE()
        else:
            own = source.table.srid
            if own and metres_per_unit(own) is not None:
                note = methods.CENTRE_PLANAR(srid=str(own))
                return reshaped(source, centre_in_own_system(source), "Point", own, method=[note])
            point = centre(source)
            note = methods.CENTRE()
        return reshaped(source, point, "Point", WGS84, method=[note])
