"""Unites many shapes in several processes and in steps that can be stopped, because PostGIS unites a set in one process
and does not check for cancellation meanwhile. Shapes are sorted along a space-filling curve (PostGIS's own order),
those of each range of the sorted table are united, then pairs of the results, and so on.

Pairs, because of a set PostGIS takes all multi-part shapes apart and begins again with the parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    FromClause,
    Label,
    ScalarSelect,
    Subquery,
    case,
    cast,
    func,
    literal,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.dialects.postgresql import ARRAY

from server.gis.operations.support.base import Divided, Geometry, Prepared, Source, Workspace
from server.gis.operations.support.earth.geodesy import geometry

SMALL_BYTES = 1_000_000
"""Size of shapes that would be one range of the sorted table."""
MAX_SMALL_ROWS = 10_000
"""More rows are not read to find out how large their shapes are."""
PAIRINGS = 10
"""Steps that unite two results each: enough for a thousand ranges. The last one unites what remains of more."""


@dataclass(frozen=True)
class Union:
    """The union of the shapes of all rows; null if there are none. The step that uses it must create the tables in
    `prepare`."""

    prepare: tuple[Prepared, ...]
    shape: ScalarSelect[Any]


@dataclass(frozen=True)
class GroupUnions:
    """The union of the shapes of each group: a row with `number`, from 1 in the order of the groups' keys, and `shape`,
    which is null where a group has none."""

    prepare: tuple[Prepared, ...]
    rows: Subquery


async def are_small(source: Source, workspace: Workspace) -> bool:
    """Whether the shapes of a table take so little that they are united at once, without tables on the way."""
    if source.table.row_estimate > MAX_SMALL_ROWS:
        return False
    # The estimate may be far too low, for example of views.
    some = (
        select(geometry(source).label("shape"))
        .select_from(source.rows)
        .limit(MAX_SMALL_ROWS + 1)
        .subquery("some")
    )
    counts = select(func.count(), func.sum(func.ST_MemSize(some.c["shape"]))).select_from(some)
    rows, size = await workspace.row(counts)
    return rows <= MAX_SMALL_ROWS and (size or 0) < SMALL_BYTES


def united(
    shape: ColumnElement[Any], rows: FromClause, workspace: Workspace, *, small: bool = False
) -> Union:
    """The union of all rows; `small` is the result of `are_small`."""
    if small:
        return Union((), select(func.ST_Union(shape, type_=Geometry())).select_from(rows).scalar_subquery())
    prepare, ranges = _in_ranges(shape, rows, [], workspace)
    place = func.row_number().over(order_by=ranges.c["shape"])
    parts = select(ranges.c["shape"], place.label("place")).subquery("first")
    for number in range(PAIRINGS):
        parts = _paired(parts, f"pairs{number + 1}")
    rest = select(_all(parts)).subquery("rest").c["shapes"]
    return Union(prepare, select(_one_of(rest)).scalar_subquery())


def united_by_group(
    shape: ColumnElement[Any],
    rows: FromClause,
    keys: Sequence[ColumnElement[Any]],
    workspace: Workspace,
    *,
    small: bool = False,
) -> GroupUnions:
    """The union of the rows of each group; of all rows without keys. `small` is the result of `are_small`."""
    if not keys:
        every = united(shape, rows, workspace, small=small)
        one = select(literal(1).label("number"), every.shape.label("shape")).offset(0)
        return GroupUnions(every.prepare, one.subquery("united"))
    if small:
        number = func.row_number().over(order_by=keys)
        each = select(number.label("number"), func.ST_Union(shape, type_=Geometry()).label("shape"))
        return GroupUnions((), each.select_from(rows).group_by(*keys).offset(0).subquery("united"))
    prepare, ranges = _in_ranges(shape, rows, keys, workspace)
    by = [ranges.c[f"k{number}"] for number in range(len(keys))]
    numbered = select(ranges.c["shape"], func.dense_rank().over(order_by=by).label("number")).subquery(
        "numbered"
    )
    parts = select(numbered.c.number, _all(numbered)).group_by(numbered.c.number).subquery("parts")
    # Without the offset, PostgreSQL would compute the union again for each reference to the shape.
    whole = select(parts.c.number, _one_of(parts.c["shapes"]).label("shape")).offset(0)
    return GroupUnions(prepare, whole.subquery("united"))


def _in_ranges(
    shape: ColumnElement[Any], rows: FromClause, keys: Sequence[ColumnElement[Any]], workspace: Workspace
) -> tuple[tuple[Prepared, Prepared], FromClause]:
    """The union of each range of the sorted shapes, or of the shapes of each group in it."""
    names = [f"k{number}" for number in range(len(keys))]
    own = shape.label("shape")
    values = [key.label(name) for key, name in zip(keys, names, strict=True)]
    ordered = Prepared(workspace.temporary("ordered"), select(*values, own).select_from(rows).order_by(own))
    each = ordered.rows.alias("each")
    by = [each.c[name] for name in names]
    some = func.ST_Union(each.c["shape"], type_=Geometry()).label("shape")
    united_ranges = Prepared(
        workspace.temporary("unions"),
        select(*by, some).group_by(*by),
        divided=Divided(ordered.name, "each", prefers_few_ranges=not keys),
    )
    return (ordered, united_ranges), united_ranges.rows


def _paired(parts: Subquery, name: str) -> Subquery:
    """The union of each two that follow each other."""
    part = _part(parts, 2)
    pairs = select(_all(parts), part).group_by(part.element).subquery(f"{name}_parts")
    two = pairs.c["shapes"]
    both = case((two[2].is_(None), two[1]), else_=func.ST_Union(two[1], two[2]))
    return select(type_coerce(both, Geometry()).label("shape"), pairs.c.place).subquery(name)


def _all(parts: FromClause) -> Label[Any]:
    shape = parts.c["shape"]
    return func.array_agg(shape, type_=ARRAY(Geometry())).filter(shape.is_not(None)).label("shapes")


def _one_of(shapes: ColumnElement[Any]) -> ColumnElement[Any]:
    """The union of an array of shapes."""
    whole = case((func.cardinality(shapes) == 1, shapes[1]), else_=func.ST_Union(shapes))
    return type_coerce(whole, Geometry())


def _part(parts: Subquery, together: int) -> Label[int]:
    return (cast(parts.c.place, BigInteger()) // literal_column(str(together), BigInteger())).label("place")
