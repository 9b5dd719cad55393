"""Put features together into multi-part features without dissolving their borders."""

from __future__ import annotations

from sqlalchemy import func

from server.gis.operations.support.attributes.groups import GroupArguments, grouped
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import GEOMETRY, Geometry, Operation, Step, Workspace
from server.gis.operations.support.earth.geodesy import flat, geometry
from server.gis.operations.support.geometry.overlays import multi_type
from server.gis.operations.support.geometry.repairs import kept, multi


class CollectArguments(GroupArguments):
    pass


class Collect(Operation[CollectArguments]):
    """Multi-part features by columns; inner borders stay."""

    name = "collect"
    summary = (
        "Group features into multi-part features by columns, keeping inner borders (dissolve removes them)."
    )
    arguments = CollectArguments
    traits = frozenset({"counts"})
    phrases = ("collect {source:bare} [(by|for each|per) {by}] [<giving> {aggregates}]",)

    async def build(self, arguments: CollectArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        arguments = await with_rates(arguments, source, workspace)
        shape = geometry(source)
        alike = shape if source.declared else flat(source)
        # Multi-part shapes collected are a collection of these; their parts are wanted side by side.
        together = multi(kept(func.ST_Collect(alike, type_=Geometry()), source), source).label(GEOMETRY)
        return Step(
            grouped(arguments, source, shape, together),
            geometry_type=source.declared_type(multi_type(source)),
            srid=source.declared_srid,
            method=rate_notes(arguments.aggregates, source),
        )
