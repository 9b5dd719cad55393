"""For each feature its nearest features of another table, by true distance."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import Boolean, column, func, select, true

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.errors import listed
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    CountedNotes,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import (
    GEODESIC_NOTE,
    geography,
    geometry,
    indexed,
    lonlat,
    nearest_of,
)
from server.gis.operations.support.earth.units import Length
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.operations.support.palettes import shaded

TIES = Template(
    "op_ties",
    "For {features} more neighbours are at the same distance (to the millimetre) than were taken; ties were "
    "broken by {order}.",
)


class NearestArguments(Arguments):
    source: str = table_argument("The table whose every feature gets its nearest neighbours.")
    target: str = table_argument("The table in which neighbours are looked for; may be the same.")
    k: Annotated[int, Field(ge=1, le=100, description="How many neighbours each feature gets.")] = 1
    within: Length | None = None
    """Neighbours farther than this do not count; a feature with none keeps its row, with empty columns."""


class Nearest(Operation[NearestArguments]):
    """The nearest feature of another table to each feature, and its geodesic distance in metres."""

    summary = "Find the k nearest features of another table for each feature, with the distance in metres."
    traits = frozenset({"keeps_geometry", "measures_distance"})
    phrases = (
        *(
            f"{words} <far> -> k=1 :: Nearest {{one_target}} to each {{one_source}}"
            for words in (
                "(for|to|from) (each|every|all) [of] {source:named} [,] (<ask>|<what>) [is] [the|its|their]"
                " (nearest|closest) {target} [to (it|them|each|each of them)]",
                "(which|what) {target:bare} (is|lies) (nearest|closest) (to|for) (each|every) [of] {source}",
                "<what> distance[s] (from|of) (each|every|all) [of] {source:bare} to [its|their] (nearest|closest)"
                " {target}",
                "<ask> (nearest|closest) {target} (to|for|of|from) (each|every|all) [of] {source}",
                "<ask> (nearest|closest) {target} (to|for|of|from) {source}",
                "<ask> {target:bare} (is|are|lies|lie) (nearest|closest) (to|from) (each|every|all) [of] {source}",
                "how far [away] (is|are) (each|every|all) [of] {source:bare} from [its|their] (nearest|closest)"
                " {target}",
                "how far [away] is [the] {source} (from|to) [its|the] (nearest|closest) {target}",
            )
        ),
        *(
            f"<ask> {words} {{target:bare}} (to|for|of|from) (each|every|all) [of] {{source}}"
            " :: The {k} nearest {target} to each {one_source}"
            for words in ("(nearest|closest) {k}", "{k} (nearest|closest)")
        ),
        *(
            f"{words} -> k=1 :: Distance from {{target}} to each {{one_source}}"
            for words in (
                "how far [away] (is|are) (each|every|all) [of] {source:bare} from {target:place}",
                "<what> distance[s] (of|from) (each|every|all) [of] {source:bare} (from|to) {target:place}",
                "<what> distance[s] (of|from) {target:place} (from|to) (each|every|all) [of] {source:bare}",
            )
        ),
        "<then> <ask> (nearest|closest) {target} (to|for|of|from) (each|every|all)"
        " -> k=1 :: Nearest {one_target} to each of them",
    )

    async def build(self, arguments: NearestArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        target = workspace.source(arguments.target)
        near = indexed(target, workspace)
        shape = lonlat(source)
        here = geography(shape)
        columns = [near.column(each.name) for each in target.attributes]
        keys = [
            near.column(name) for name in target.table.key if target.table.column(name) in target.attributes
        ]
        order = keys or [near.rows.c.origin_table, near.rows.c.origin]
        first = [each.label(f"first{number}") for number, each in enumerate(order)]
        found = nearest_of(
            here,
            near.rows,
            [*columns, *first],
            [has_shape(shape), *near.others(source)],
            arguments.k,
            arguments.within,
            [label.name for label in first],
        )
        own = attribute_columns(source)
        taken = {label.name for label in own}
        theirs = []
        for number, each in enumerate(target.attributes):
            name = free_name(f"near_{each.name}", taken)
            taken.add(name)
            theirs.append(found.c[number].label(exact(name)))
        distance_name = free_name("distance_m", taken)
        tied = free_name("tied", {*taken, distance_name})
        statement = select(
            *own,
            *theirs,
            found.c.metres.label(distance_name),
            found.c.tied.label(exact(tied)),
            geometry(source).label(GEOMETRY),
        ).select_from(source.rows.join(found, true(), isouter=True))
        return Step.keeping(
            source,
            statement,
            once=arguments.k == 1,
            prepare=(near.prepared,),
            portion_source=source,
            method=(GEODESIC_NOTE,),
            counted=_ties(tied, listed(list(target.table.key)) if keys else "place in the table"),
            comments={distance_name: "Distance to the neighbour in metres, on the WGS 84 spheroid."},
            style=shaded(distance_name),
        )


def _ties(tied: str, order: str) -> CountedNotes:
    """How many features have more neighbours at the distance of the last one that was taken."""

    def notes(features: int) -> list[str]:
        return [TIES(features=count_of(features), order=order)] if features else []

    return CountedNotes(
        lambda made: select(func.count().filter(column(exact(tied), Boolean()))).select_from(made),
        notes,
        compares_rows=True,
        temporary_columns=(tied,),
    )
