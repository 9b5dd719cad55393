"""Cut features to the area of another table, keeping their own attributes."""

from __future__ import annotations

from sqlalchemy import func

from server.gis.operations.support.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.support.geometry.overlays import cut_by


class ClipArguments(Arguments):
    source: str = table_argument("The table whose features are cut.")
    mask: str = table_argument("The table of areas that cut them.")


class Clip(Operation[ClipArguments]):
    """The parts of features inside the areas of another table, with the attributes of the source."""

    summary = "Cut features to the inside of another table's areas; attributes stay, what lies outside goes."
    traits = frozenset({"keeps_geometry", "makes_areas"})
    phrases = (
        "<ask> parts of {source} [<are>] (in|inside|within|covered by) {mask:shapes}",
        "(clip|cut|crop) {source} (to|by|with|at|to the inside of) {mask:shapes}"
        " [[,] [i] (only|just) [want|need|keep|show] (bits|parts|pieces|what is) [that are] inside [them|it]]",
    )

    async def build(self, arguments: ClipArguments, workspace: Workspace) -> Step:
        source, mask = workspace.source(arguments.source), workspace.source(arguments.mask)
        return await cut_by(
            source,
            mask,
            lambda own, areas: func.ST_Intersection(own, areas, type_=Geometry()),
            workspace,
            keeps=True,
        )
