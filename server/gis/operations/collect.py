"""Put features together into multi-part features without dissolving their borders."""

from __future__ import annotations

from sqlalchemy import func

from server.gis.operations.base import GEOMETRY, Geometry, Operation, Step, Workspace
from server.gis.operations.geodesy import flat, geometry
from server.gis.operations.groups import GroupArguments, grouped


class CollectArguments(GroupArguments):
    pass


class Collect(Operation[CollectArguments]):
    name = "collect"
    summary = (
        "Group features into multi-part features by columns, keeping inner borders (dissolve removes them)."
    )
    arguments = CollectArguments

    async def build(self, arguments: CollectArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape = geometry(source)
        alike = shape if source.declared else flat(source)
        together = func.ST_Multi(func.ST_Collect(alike), type_=Geometry()).label(GEOMETRY)
        return Step(
            grouped(arguments, source, shape, together),
            geometry_type=source.stored_type("Geometry"),
            srid=source.stored_srid,
        )
