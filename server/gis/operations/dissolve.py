"""Unite features that share a value, with aggregates of their attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import Select, func, select

from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.aggregates import ignored
from server.gis.operations.support.attributes.groups import GroupArguments, group_columns, grouped, shown
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import GEOMETRY, ROW_ID, Operation, Source, Step, Workspace
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.geometry.overlays import multi_type
from server.gis.operations.support.geometry.repairs import multi, repair_notes, sound_parts
from server.gis.operations.support.geometry.uniting import GroupUnions, are_small, united_by_group
from server.gis.operations.support.geometry.validity import present_shape


class DissolveArguments(GroupArguments):
    pass


class Dissolve(Operation[DissolveArguments]):
    """The union of features that share values, with aggregates of their attributes."""

    summary = "Unite features that share the values of columns into one each, with counts, sums and the like."
    traits = frozenset({"keeps_geometry", "makes_areas", "groups"})
    phrases = (
        *(
            f"(dissolve|merge|unite|union all|union|combine) {{source}} {groups} {{by}} [<giving> {{aggregates}}]"
            f" [(into|to) (one|a single) (shape|polygon|area|feature|geometry) {each}]"
            for groups, each in (("by", "each"), ("(for each|per|of each|in each)", "[each]"))
        ),
        "(join|combine) {source} (into|to) (one|a single) (shape|polygon|area|feature|geometry)",
        "(dissolve|merge|unite|union all|union) {source}"
        " [(into|to) (one|a single|single) [shape|polygon|area|feature|geometry]] [<giving> {aggregates}]",
        "(dissolve|merge|unite|union|combine|join) {source:place} [together]"
        " [(into|to) (one|a single|single) [shape|polygon|area|feature|geometry]]",
        "<open> union of {source}",
    )

    async def build(self, arguments: DissolveArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        arguments = await with_rates(arguments, source, workspace)
        repairs = await repair_notes(source, workspace, "united")
        source = replace(source, is_valid=not repairs)
        every = replace(workspace.source(arguments.source), is_valid=source.is_valid)
        keys = [group.element for group in group_columns(every, *arguments.by)]
        small = await are_small(source, workspace)
        unions = united_by_group(sound_parts(every), every.rows, keys, workspace, small=small)
        return Step(
            _joined(arguments, source, unions),
            geometry_type=multi_type(source),
            srid=source.table.srid,
            prepare=unions.prepare,
            method=rate_notes(arguments.aggregates, source),
            notes=(*repairs, *await ignored(arguments.aggregates, source, workspace)),
            style=shown(arguments, source),
        )


def _joined(arguments: DissolveArguments, source: Source, unions: GroupUnions) -> Select[Any]:
    """The figures of each group with its union, in the order of the groups."""
    keys = [group.element for group in group_columns(source, *arguments.by)]
    number = func.row_number().over(order_by=keys or None).label(ROW_ID)
    figures = grouped(arguments, source, present_shape(geometry(source)), number).subquery("figures")
    shape = multi(unions.rows.c["shape"], source).label(GEOMETRY)
    return (
        select(*(each.label(exact(each.name)) for each in figures.c if each.name != ROW_ID), shape)
        .select_from(figures.join(unions.rows, figures.c[ROW_ID] == unions.rows.c.number))
        .order_by(figures.c[ROW_ID])
    )
