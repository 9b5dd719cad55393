"""What is left of features when the areas of another table are taken away."""

from __future__ import annotations

from sqlalchemy import case, func, select

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


class DifferenceArguments(Arguments):
    source: str = table_argument("The table whose features are reduced.")
    other: str = table_argument("The table whose areas are taken away.")


class Difference(Operation[DifferenceArguments]):
    name = "difference"
    summary = "Take the areas of another table away from features; what is covered entirely disappears."
    arguments = DifferenceArguments

    async def build(self, arguments: DifferenceArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        srid = source.table.srid
        own = in_system(source, srid)
        taken = united(other, srid, geometry(source)).label("taken")
        pairs = select(*carried(source), own.label("own"), taken).select_from(source.rows).subquery("pairs")
        rest = case(
            (pairs.c.taken.is_(None), pairs.c.own),
            else_=func.ST_Difference(pairs.c.own, pairs.c.taken, type_=Geometry()),
        )
        shape = same_dimension(rest, source)
        kept = [column for column in pairs.c if column.name not in ("own", "taken")]
        left = select(*kept, shape.label(GEOMETRY)).subquery("left_over")
        statement = select(left).where(func.ST_IsEmpty(left.c[GEOMETRY]).is_(False))
        return Step(statement, geometry_type=multi_type(source), srid=srid, notes=(note(srid),))
