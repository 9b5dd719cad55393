"""Cut features to the area of another table, keeping their own attributes."""

from __future__ import annotations

from sqlalchemy import func, select

from server.gis.operations.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.columns import carried
from server.gis.operations.geodesy import geometry
from server.gis.operations.overlays import in_system, multi_type, note, same_dimension, united


class ClipArguments(Arguments):
    source: str = table_argument("The table whose features are cut.")
    mask: str = table_argument("The table of areas that cut them.")


class Clip(Operation[ClipArguments]):
    name = "clip"
    summary = "Cut features to the inside of another table's areas; attributes stay, what lies outside goes."
    arguments = ClipArguments

    async def build(self, arguments: ClipArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        mask = workspace.source(arguments.mask)
        srid = source.table.srid
        inside = united(mask, srid, geometry(source))
        cut = same_dimension(func.ST_Intersection(in_system(source, srid), inside, type_=Geometry()), source)
        clipped = select(*carried(source), cut.label(GEOMETRY)).select_from(source.rows).subquery("clipped")
        statement = select(clipped).where(
            clipped.c[GEOMETRY].is_not(None), func.ST_IsEmpty(clipped.c[GEOMETRY]).is_(False)
        )
        return Step(statement, geometry_type=multi_type(source), srid=srid, notes=(note(srid),))
