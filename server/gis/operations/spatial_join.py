"""Bring attributes of another table to features by location: every match, or figures over all matches."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import ColumnElement, select, true

from server.gis.operations.aggregates import COUNT_ONLY, Aggregate, aggregated
from server.gis.operations.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.columns import carried, free_name, geometry_out
from server.gis.operations.relations import Predicate, Relation, related
from server.gis.operations.units import Length
from server.gis.statements import exact


class SpatialJoinArguments(Arguments):
    source: str = table_argument("The table whose features are kept.")
    other: str = table_argument("The table that is joined to them.")
    predicate: Predicate = "intersects"
    """How a feature of the source stands to one of the other table."""
    distance: Length | None = None
    """How far away at most; for within_distance only."""
    rows: Literal["aggregate", "all", "matched"] = "aggregate"
    """aggregate: one row a feature, with figures; all: one row a match, and those without; matched: only matches."""
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of the matches of a feature (rows=aggregate)."""


class SpatialJoin(Operation[SpatialJoinArguments]):
    name = "spatial_join"
    summary = "Join another table by location: counts, sums and means per feature, or one row per match."
    arguments = SpatialJoinArguments

    async def build(self, arguments: SpatialJoinArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        relation = related(source, other, arguments.predicate, arguments.distance, workspace)
        own = carried(source)
        taken = {GEOMETRY, ROW_ID, *(label.name for label in own)}
        if arguments.rows == "aggregate":
            columns, joined = _figures(arguments, source, other, relation, taken)
        else:
            columns = _matches(other, relation, taken)
            joined = source.rows.join(relation.rows, relation.condition, isouter=arguments.rows == "all")
        return Step.keeping(
            source,
            select(*own, *columns, *geometry_out(source)).select_from(joined),
            prepare=relation.prepare,
            partition=source,
            notes=relation.notes,
        )


def _figures(
    arguments: SpatialJoinArguments, source: Source, other: Source, relation: Relation, taken: set[str]
) -> tuple[list[ColumnElement[Any]], Any]:
    """One lateral aggregate for each feature; a feature without matches gets a count of 0."""
    values = {each.name: relation.column(each.name) for each in other.attributes}
    figures = aggregated(arguments.aggregates, other, taken, relation.shape, values)
    inner = select(*figures).select_from(relation.rows).where(relation.condition).lateral("figures")
    return [inner.c[label.name].label(exact(label.name)) for label in figures], source.rows.join(
        inner, true()
    )


def _matches(other: Source, relation: Relation, taken: set[str]) -> list[ColumnElement[Any]]:
    columns: list[ColumnElement[Any]] = []
    for each in other.attributes:
        name = free_name(each.name, taken)
        taken.add(name)
        columns.append(relation.column(each.name).label(exact(name)))
    return columns
