"""Keep the features that stand in a relation to features of another table."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import exists, not_, select

from server.gis.operations.base import Arguments, Operation, Step, Workspace, table_argument
from server.gis.operations.columns import carried, geometry_out
from server.gis.operations.relations import Predicate, related
from server.gis.operations.units import Length


class SelectByLocationArguments(Arguments):
    source: str = table_argument("The table whose features are selected.")
    other: str = table_argument("The table that they are compared with.")
    predicate: Predicate = "intersects"
    """How a feature of the source stands to one of the other table."""
    distance: Length | None = None
    """How far away at most; for within_distance only."""
    invert: Annotated[bool, Field(description="Keep those that do not.")] = False


class SelectByLocation(Operation[SelectByLocationArguments]):
    name = "select_by_location"
    summary = "Keep features that intersect, lie within, contain, touch or are within a distance of another table's."
    arguments = SelectByLocationArguments

    async def build(self, arguments: SelectByLocationArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        relation = related(source, other, arguments.predicate, arguments.distance, workspace)
        met = exists(select(1).select_from(relation.rows).where(relation.condition))
        return Step.keeping(
            source,
            select(*carried(source), *geometry_out(source))
            .select_from(source.rows)
            .where(not_(met) if arguments.invert else met),
            prepare=relation.prepare,
            partition=source,
            notes=relation.notes,
        )
