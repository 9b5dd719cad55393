"""Two tables of areas laid over each other, nothing lost: all pieces, with the attributes of both."""

from __future__ import annotations

from server.gis.operations.support.base import Arguments, Operation, Step, Workspace, table_argument
from server.gis.operations.support.geometry.pieces import pieces


class UnionArguments(Arguments):
    source: str = table_argument("The first table of areas.")
    other: str = table_argument("The second table of areas.")


class Union(Operation[UnionArguments]):
    """The areas of two tables cut along each other, all pieces kept, with the attributes of both."""

    summary = (
        "Overlay two tables of areas and keep all pieces, of both and of either, with both's attributes."
    )
    traits = frozenset({"makes_areas"})
    phrases = ("[overlay] union of {source} (and|to|with) {other}",)

    async def build(self, arguments: UnionArguments, workspace: Workspace) -> Step:
        source, other = workspace.source(arguments.source), workspace.source(arguments.other)
        return await pieces(source, other, workspace, theirs=True)
