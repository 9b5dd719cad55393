"""Unite features that share a value, with aggregates of their attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import ColumnElement, func

from server.gis.operations.support.attributes.aggregates import ignored
from server.gis.operations.support.attributes.groups import GroupArguments, grouped, shown
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import GEOMETRY, Geometry, Operation, Step, Workspace
from server.gis.operations.support.earth.geodesy import geometry, sound_flat
from server.gis.operations.support.geometry.overlays import multi_type
from server.gis.operations.support.geometry.repairs import kept, multi, repair_notes
from server.gis.operations.support.geometry.uniting import united
from server.gis.operations.support.geometry.validity import present_shape


class DissolveArguments(GroupArguments):
    pass


class Dissolve(Operation[DissolveArguments]):
    """The union of features that share values, with aggregates of their attributes."""

    name = "dissolve"
    summary = "Unite features that share the values of columns into one each, with counts, sums and the like."
    arguments = DissolveArguments
    traits = frozenset({"keeps_geometry", "makes_areas", "groups"})
    phrases = (
        "(dissolve|merge|unite|union all|union|combine) {source} (by|for each|per) {by} [<giving> {aggregates}]"
        " [(into|to) (one|a single) (shape|polygon|area|feature|geometry) each]",
        "(dissolve|merge|unite|union all|union) {source}"
        " [(into|to) (one|a single|single) [shape|polygon|area|feature|geometry]] [<giving> {aggregates}]",
        "<open> union of {source}",
    )

    async def build(self, arguments: DissolveArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        arguments = await with_rates(arguments, source, workspace)
        repairs = await repair_notes(source, workspace, "united")
        source = replace(source, is_valid=not repairs)
        shape: ColumnElement[Any] = func.ST_Union(kept(sound_flat(source), source), type_=Geometry())
        if not arguments.by:
            every = replace(workspace.source(arguments.source), is_valid=source.is_valid)
            shape = united(kept(sound_flat(every), every), every.rows)
        one = multi(shape, source).label(GEOMETRY)
        return Step(
            grouped(arguments, source, present_shape(geometry(source)), one),
            geometry_type=multi_type(source),
            srid=source.table.srid,
            method=rate_notes(arguments.aggregates, source),
            notes=(
                *repairs,
                *await ignored(arguments.aggregates, source, workspace),
            ),
            style=shown(arguments, source),
        )
