"""Put features together into multi-part features without dissolving their borders."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, func

from server.gis.operations.support.attributes.groups import GroupArguments, grouped
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import GEOMETRY, Geometry, Operation, Source, Step, Workspace
from server.gis.operations.support.earth.geodesy import flat, geometry
from server.gis.operations.support.geometry.overlays import multi_type
from server.gis.operations.support.geometry.repairs import kept, multi


class CollectArguments(GroupArguments):
    pass


class Collect(Operation[CollectArguments]):
    """Multi-part features by columns; inner borders stay."""

    summary = (
        "Group features into multi-part features by columns, keeping inner borders (dissolve removes them)."
    )
    traits = frozenset({"counts"})
    phrases = ("collect {source:bare} [(by|for each|per) {by}] [<giving> {aggregates}]",)

    async def build(self, arguments: CollectArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        arguments = await with_rates(arguments, source, workspace)
        shape = geometry(source)
        alike = shape if source.declared else flat(source)
        return Step(
            grouped(arguments, source, shape, _together(alike, source).label(GEOMETRY)),
            geometry_type=source.declared_type(multi_type(source)),
            srid=source.declared_srid,
            method=rate_notes(arguments.aggregates, source),
        )


def _together(shape: ColumnElement[Any], source: Source) -> ColumnElement[Any]:
    """One multi-part shape, null in place of an empty one. Multi-part shapes collected are a collection of these; their
    parts are wanted side by side."""
    gathered = func.ST_Collect(shape, type_=Geometry())
    is_multi = (source.declared or ("",))[0].lower() in ("point", "linestring", "polygon")
    # The emptiness of the collected shape is tested, so that its parts are extracted once.
    parts = gathered if is_multi else kept(gathered, source)
    return multi(parts, source, gathered)
