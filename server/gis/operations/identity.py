"""Features cut along the borders of another table's areas; parts outside of them are kept, too."""

from __future__ import annotations

from server.gis.operations.support.base import Arguments, Operation, Step, Workspace, table_argument
from server.gis.operations.support.geometry.pieces import pieces


class IdentityArguments(Arguments):
    source: str = table_argument("The table whose features are cut; all of them is kept.")
    other: str = table_argument("The table of areas that cut them and give their attributes.")


class Identity(Operation[IdentityArguments]):
    """All of the source, cut along the areas of another table, with their attributes inside."""

    summary = "Cut features along another table's areas; inside parts get its attributes, outside parts stay."
    traits = frozenset({"makes_areas"})
    phrases = ("identity [overlay] of {source} (and|to|with) {other}",)

    async def build(self, arguments: IdentityArguments, workspace: Workspace) -> Step:
        source, other = workspace.source(arguments.source), workspace.source(arguments.other)
        return await pieces(source, other, workspace, theirs=False)
