"""Unite features that share a value, with aggregates of their attributes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, func

from server.gis.operations.aggregates import ignored
from server.gis.operations.base import GEOMETRY, Geometry, Operation, Step, Workspace
from server.gis.operations.geodesy import flat, geometry
from server.gis.operations.groups import GroupArguments, grouped, shown
from server.gis.operations.uniting import united
from server.gis.operations.validity import sound, there


class DissolveArguments(GroupArguments):
    pass


class Dissolve(Operation[DissolveArguments]):
    name = "dissolve"
    summary = "Unite features that share the values of columns into one each, with counts, sums and the like."
    arguments = DissolveArguments

    async def build(self, arguments: DissolveArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape: ColumnElement[Any] = func.ST_Union(sound(flat(source)), type_=Geometry())
        if not arguments.by:
            every = workspace.source(arguments.source)
            shape = united(sound(flat(every)), every.rows)
        return Step(
            grouped(arguments, source, there(geometry(source)), shape.label(GEOMETRY)),
            geometry_type="Geometry",
            srid=source.table.srid,
            notes=(
                "Invalid shapes were repaired (ST_MakeValid) before they were united.",
                *await ignored(arguments.aggregates, source, workspace),
            ),
            style=shown(arguments, source),
        )
