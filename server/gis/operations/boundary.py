"""The borders of areas as lines."""

from __future__ import annotations

from sqlalchemy import func

from agents.worded import Template
from server.gis.expressions.geometry_checks import without_gaps
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.support.earth.geodesy import in_own_plane
from server.gis.operations.support.geometry.shapes import of_family, reshaped

NO_EDGE = Template(
    "op_no_edge", "Lines along the antimeridian and the poles, where shapes are cut, are left out."
)


class BoundaryArguments(Arguments):
    source: str = table_argument("The table whose areas become their borders.")


class Boundary(Operation[BoundaryArguments]):
    """The outer and inner rings of areas, in the table's own reference system."""

    summary = "The border of each area as lines; intersected with another area, the border between the two."
    phrases = (
        "<open> (border|borders|boundary|boundaries) of [each|every] {source:any} as [a] (line|lines) :: Borders of"
        " {source}",
    )

    async def build(self, arguments: BoundaryArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "polygon")
        shape, srid = in_own_plane(source)
        border = func.ST_Boundary(shape, type_=Geometry())
        if srid == WGS84:
            world = func.ST_MakeEnvelope(-180, -90, 180, 90, WGS84, type_=Geometry())
            border = func.ST_Difference(border, func.ST_Boundary(world, type_=Geometry()), type_=Geometry())
        notes = [NO_EDGE()] if srid == WGS84 else []
        lines = without_gaps(border, "MULTILINESTRING")  # empty shapes have no lines
        return reshaped(source, func.ST_Multi(lines, type_=Geometry()), "MultiLineString", srid, method=notes)
