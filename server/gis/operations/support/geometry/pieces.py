"""Two tables cut along each other's borders: the pieces that both have, and those that only one has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Label,
    Select,
    Text,
    case,
    cast,
    func,
    literal,
    null,
    select,
    true,
    union_all,
)

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.columns import (
    attribute_columns,
    columns_of_both,
    free_name,
    joined_columns,
)
from server.gis.operations.support.base import (
    GEOMETRY,
    Geometry,
    Prepared,
    Source,
    Step,
    Workspace,
    count_rows,
)
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.geometry.overlays import (
    common_part,
    in_system,
    is_whole,
    multi_type,
    note,
    same_dimension,
)
from server.gis.operations.support.geometry.repairs import overlaid
from server.gis.operations.support.geometry.validity import has_no_shape, has_shape
from server.gis.operations.support.matching.pairs import pairs_meeting

NO_PIECES = Template(
    "op_no_pieces",
    "{n|one=# row|other=# rows} of {table} without a geometry {n|one=has|other=have} no "
    "pieces and {n|one=is|other=are} left out.",
)

NO_AREAS = Template(
    "op_no_areas",
    "{table} holds no areas, and only areas cut others into pieces. Make areas of it first (buffer, "
    "hull), or put the rows of both into one table with merge.",
)

BOTH = "both"


@dataclass(frozen=True)
class _Layer:
    """A table's rows with sound shapes in the system of the result, indexed. Attributes are `a0`, `a1` ..."""

    source: Source
    prepared: Prepared
    rows: FromClause

    @property
    def shape(self) -> ColumnElement[Any]:
        return self.rows.c["shape"]

    def attributes(self, names: Sequence[str]) -> list[Label[Any]]:
        return [self.rows.c[f"a{number}"].label(exact(name)) for number, name in enumerate(names)]


async def pieces(source: Source, other: Source, workspace: Workspace, *, theirs: bool) -> Step:
    """One row for each pair of features that overlap, and for what is left of each without a partner.

    Without `theirs` what is left of `other` is not part of the result. Raises InvalidQuestion where the other table
    holds no areas, and where `theirs` is wanted of a source without areas."""
    _needs_areas(other)
    if theirs:
        _needs_areas(source)
    source, other, notes = await overlaid(source, other, workspace)
    srid = source.table.srid
    a, b = _layer(source, srid, workspace, "first"), _layer(other, srid, workspace, "second")
    own = attribute_columns(source)
    labels = (
        columns_of_both(source, other)
        if theirs
        else (own, joined_columns(other, [each.name for each in own]))
    )
    first, second = ([label.name for label in each] for each in labels)
    place = free_name("lies_in", {*first, *second})
    missing = [[null().label(exact(name)) for name in names] for names in (first, second)]
    shared = common_part(source, other, a.shape, b.shape)
    parts: list[Select[*tuple[Any, ...]]] = [
        select(
            *a.attributes(first),
            *b.attributes(second),
            _origin(BOTH, place),
            same_dimension(shared, source).label(GEOMETRY),
        ).select_from(a.rows.join(b.rows, func.ST_Intersects(a.shape, b.shape)))
    ]
    alone = _left(a, b)
    mine = same_dimension(alone.c["shape"], source).label(GEOMETRY)
    named = _origin(source.table.id, place)
    parts.append(
        select(*a.attributes(first), *missing[1], named, mine).select_from(a.rows.join(alone, true()))
    )
    if theirs:
        alone = _left(b, a)
        rest = same_dimension(alone.c["shape"], other).label(GEOMETRY)
        named = _origin(other.table.id, place)
        parts.append(
            select(*missing[0], *b.attributes(second), named, rest).select_from(b.rows.join(alone, true()))
        )
    # Each piece is computed once: PostgreSQL would copy it to wherever it is used.
    together = select(union_all(*parts).subquery("every")).offset(0).subquery("pieces")
    return Step(
        select(together).where(has_shape(together.c[GEOMETRY])),
        geometry_type=multi_type(source),
        srid=srid,
        prepare=(a.prepared, b.prepared),
        pairs=pairs_meeting(other, source, kept=True),
        method=(note(srid),),
        notes=(*notes, *await _without_pieces((source, other) if theirs else (source,), workspace)),
        comments={place: f"Which table has this piece: one by its name, or {BOTH}."},
    )


async def _without_pieces(sources: Sequence[Source], workspace: Workspace) -> tuple[str, ...]:
    """How many rows have no geometry, and so no pieces."""
    notes = []
    for source in sources:
        count = await count_rows(source.rows, workspace, has_no_shape(geometry(source)))
        if count:
            notes.append(NO_PIECES(n=count, table=source.table.id))
    return tuple(notes)


def _needs_areas(source: Source) -> None:
    if source.family not in ("polygon", "mixed"):
        raise InvalidQuestion(NO_AREAS(table=source.table.id))


def _layer(source: Source, srid: int, workspace: Workspace, name: str) -> _Layer:
    shape = in_system(source, srid)
    labels = source.numbered
    statement = select(*labels, shape.label("shape")).select_from(source.rows).where(has_shape(shape))
    prepared = Prepared(workspace.temporary(name), statement, (("gist", "shape"),))
    return _Layer(source, prepared, prepared.rows.alias(name))


def _left(one: _Layer, other: _Layer) -> FromClause:
    """What is left of each shape of `one` without all those of `other` that meet it."""
    areas = (
        select(func.ST_Union(other.shape, type_=Geometry()))
        .where(func.ST_Intersects(other.shape, one.shape))
        .correlate(one.rows)
        .scalar_subquery()
    )
    rest: ColumnElement[Any] = func.coalesce(
        func.ST_Difference(one.shape, areas), one.shape, type_=Geometry()
    )
    if is_whole(one.source):
        covering = select(1).select_from(other.rows).where(func.ST_Covers(other.shape, one.shape))
        rest = case((covering.correlate(one.rows).exists(), null()), else_=rest)
    return select(rest.label("shape")).offset(0).correlate(one.rows).lateral("alone")


def _origin(which: str, name: str) -> Label[Any]:
    return cast(literal(which), Text()).label(exact(name))
