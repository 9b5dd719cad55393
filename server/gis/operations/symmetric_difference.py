"""The area that belongs to one of two tables, but not to both."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, func, literal, select, union_all

from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.geometry.overlays import in_system, multi_type, note, same_dimension
from server.gis.operations.support.geometry.repairs import overlaid
from server.gis.operations.support.geometry.uniting import are_small, united
from server.gis.operations.support.geometry.validity import has_shape


class SymmetricDifferenceArguments(Arguments):
    source: str = table_argument("The first table.")
    other: str = table_argument("The second table.")


class SymmetricDifference(Operation[SymmetricDifferenceArguments]):
    """What belongs to one of two tables and not to both."""

    summary = (
        "What lies in one of two tables but not in both: one row for each side, column `only_in` says which."
    )
    traits = frozenset({"makes_areas"})
    phrases = ("symmetric difference (of|between) {source} (and|to|with) {other}",)

    async def build(self, arguments: SymmetricDifferenceArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        source, other, notes = await overlaid(source, other, workspace)
        srid = source.table.srid
        first, second = [
            united(in_system(each, srid), each.rows, workspace, small=await are_small(each, workspace))
            for each in (source, other)
        ]
        whole = select(first.shape.label("a"), second.shape.label("b")).cte("whole")
        is_alike = source.family == other.family
        sides = []
        for name, mine, theirs in (
            (source.table.id, whole.c.a, whole.c.b),
            (other.table.id, whole.c.b, whole.c.a),
        ):
            rest: ColumnElement[Any] = func.coalesce(
                func.ST_Difference(mine, theirs, type_=Geometry()), mine, type_=Geometry()
            )
            if is_alike:
                rest = same_dimension(rest, source)
            sides.append(select(literal(name).label("only_in"), rest.label(GEOMETRY)).select_from(whole))
        # Without the offset, PostgreSQL would compute each side again to see whether it is empty.
        both = select(union_all(*sides).subquery("sides")).offset(0).subquery("both")
        statement = select(both).where(has_shape(both.c[GEOMETRY]))
        return Step(
            statement,
            geometry_type=multi_type(source) if is_alike else "Geometry",
            srid=srid,
            prepare=(*first.prepare, *second.prepare),
            method=(note(srid),),
            notes=notes,
            comments={"only_in": "The table in which this area lies; the other does not have it."},
        )
