"""What is left of features when the areas of another table are taken away."""

from __future__ import annotations

from sqlalchemy import func

from server.gis.operations.support.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.support.geometry.overlays import cut_by


class DifferenceArguments(Arguments):
    source: str = table_argument("The table whose features are reduced.")
    other: str = table_argument("The table whose areas are taken away.")


class Difference(Operation[DifferenceArguments]):
    """The parts of features outside the areas of another table, with the attributes of the source."""

    summary = "Take the areas of another table away from features; what is covered entirely disappears."
    traits = frozenset({"keeps_geometry", "makes_areas"})
    phrases = (
        "(subtract|erase|cut) {other:shapes} (from|out of) {source}",
        "<ask> parts of {source} [<are>] (not covered by|not in|outside [of]|not inside) {other:shapes}",
        "difference (of|between) {source} (and|to|with) {other:shapes}",
    )

    async def build(self, arguments: DifferenceArguments, workspace: Workspace) -> Step:
        source, other = workspace.source(arguments.source), workspace.source(arguments.other)
        return await cut_by(
            source,
            other,
            # Where nothing meets a feature there are no areas, and it stays as it is.
            lambda own, areas: func.coalesce(func.ST_Difference(own, areas), own, type_=Geometry()),
            workspace,
            keeps=False,
        )
