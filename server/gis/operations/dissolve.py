"""Unite features that share a value, with aggregates of their attributes."""

from __future__ import annotations

from sqlalchemy import func

from server.gis.operations.aggregates import ignored
from server.gis.operations.base import GEOMETRY, Geometry, Operation, Step, Workspace
from server.gis.operations.geodesy import flat, geometry
from server.gis.operations.groups import GroupArguments, grouped, shown
from server.gis.operations.validity import sound, there


class DissolveArguments(GroupArguments):
    pass


class Dissolve(Operation[DissolveArguments]):
    name = "dissolve"
    summary = "Unite features that share the values of columns into one each, with counts, sums and the like."
    arguments = DissolveArguments

    async def build(self, arguments: DissolveArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        united = func.ST_Union(sound(flat(source)), type_=Geometry()).label(GEOMETRY)
        return Step(
            grouped(arguments, source, there(geometry(source)), united),
            geometry_type="Geometry",
            srid=source.table.srid,
            notes=(
                "Invalid shapes were repaired (ST_MakeValid) before they were united.",
                *await ignored(arguments.aggregates, source, workspace),
            ),
            style=shown(arguments, source),
        )
