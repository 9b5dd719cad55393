"""Rows of two tables side by side, matched by key columns or by equal geometry: what comparisons are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Join,
    Label,
    Text,
    and_,
    case,
    cast,
    func,
    literal,
    or_,
    select,
)

from agents.domain import Column
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.attributes.columns import NUMERIC, attribute, comparable
from server.gis.operations.support.base import Geometry, Source, Workspace, count_rows
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M, lonlat
from server.gis.operations.support.geometry.validity import has_no_shape

KEYS_REPEAT = Template(
    "op_keys_repeat",
    "{names} does not tell the rows of {table} apart: {n|one=# value occurs|other=# values occur} more than "
    "once. Name more key columns, or none to match rows by their geometry.",
)
NO_MATCH = Template(
    "op_no_match", "{table} has no geometry to match its rows by. Name the key columns that both tables have."
)

PLACES = 1e-9
"""Degrees (0.1 mm) to which coordinates are rounded where rows are matched by geometry."""
_COMPARABLE = ("integer", "bigint", "smallint", "boolean", "text", "date", "uuid", "jsonb")


@dataclass(frozen=True)
class SideBySide:
    """`joined` has a row for each row of either table. Of a row that has no partner, the other side is null."""

    before: Source
    after: Source
    key: tuple[str, ...]
    was: FromClause
    now: FromClause

    @property
    def joined(self) -> Join:
        """The join of the two tables: by key, or by place and the number of the row at that place."""
        same = [
            first == second
            for first, second in (
                [self.values(name) for name in self.key]
                if self.key
                else [(self.was.c[name], self.now.c[name]) for name in ("place", "nth")]
            )
        ]
        return self.was.join(self.now, and_(*same), isouter=True, full=True)

    @property
    def added(self) -> ColumnElement[bool]:
        """The condition for rows that are new."""
        return self.was.c.present.is_(None)

    @property
    def removed(self) -> ColumnElement[bool]:
        """The condition for removed rows."""
        return self.now.c.present.is_(None)

    def only_in(self, one: Source, other: Source) -> list[str]:
        """Attributes that `one` has and `other` lacks."""
        names = {column.name for column in other.attributes}
        return [column.name for column in one.attributes if column.name not in names]

    @property
    def compared(self) -> list[str]:
        """The attributes that both have, without the key."""
        mine = {column.name for column in self.after.attributes}
        return [
            column.name
            for column in self.before.attributes
            if column.name in mine and column.name not in self.key
        ]

    def values(self, name: str) -> tuple[ColumnElement[Any], ColumnElement[Any]]:
        """A shared column before and after; as texts where the types are not comparable."""
        columns = [attribute(source, name) for source in (self.before, self.after)]
        found = [_column(side, source, name) for side, source in self._sides()]
        if all(column.kind in NUMERIC for column in columns) or _alike(*columns):
            return found[0], found[1]
        return cast(found[0], Text()), cast(found[1], Text())

    def newest(self, name: str) -> ColumnElement[Any]:
        """The new value of a column, or the old one of a removed row."""
        if name in self.only_in(self.before, self.after):
            return _column(self.was, self.before, name)
        if name in self.only_in(self.after, self.before):
            return _column(self.now, self.after, name)
        was, now = self.values(name)
        return case((self.removed, was), else_=now)

    def shape(self) -> ColumnElement[Any]:
        """The new geometry, or the old one of a removed row, in EPSG:4326."""
        return case((self.removed, self.was.c["shape"]), else_=self.now.c["shape"])

    def moved(self, tolerance: float) -> ColumnElement[bool]:
        """Whether a corner of one shape is more than `tolerance` metres away from the other (Hausdorff distance).

        Uses the maximum length of a degree, so that no change is underestimated."""
        was, now = self.was.c["shape"], self.now.c["shape"]
        missing = [has_no_shape(shape) for shape in (was, now)]
        apart = func.ST_HausdorffDistance(was, now) * LONGEST_DEGREE_M
        return case(
            (or_(*missing), missing[0].is_distinct_from(missing[1])),
            (func.ST_AsBinary(was) == func.ST_AsBinary(now), literal(False)),
            (func.ST_Dimension(was) != func.ST_Dimension(now), literal(True)),
            else_=apart > tolerance,
        )

    def _sides(self) -> tuple[tuple[FromClause, Source], tuple[FromClause, Source]]:
        return (self.was, self.before), (self.now, self.after)


async def side_by_side(before: Source, after: Source, key: Sequence[str], workspace: Workspace) -> SideBySide:
    """Match the rows of two tables. Raises InvalidQuestion for a key that is repeated, and where there is nothing
    to match rows by."""
    tables = (before, after)
    for source in tables:
        for name in key:
            comparable(source, name)
    names = tuple(key)
    for source in tables:
        unique = set(source.table.key)
        if names and not (unique and unique <= set(names)):
            await _refuse_repeated(source, names, workspace)
        elif not names and source.table.geometry_column is None:
            raise InvalidQuestion(NO_MATCH(table=source.table.id))
    spatial = all(source.table.geometry_column is not None for source in tables)
    shared = {column.name for column in before.attributes} & {column.name for column in after.attributes}
    was, now = (
        _side(source, name, spatial, () if names else sorted(shared))
        for source, name in zip(tables, ("was", "now"), strict=True)
    )
    return SideBySide(before, after, names, was, now)


def _side(source: Source, name: str, spatial: bool, ordered_by: Sequence[str]) -> FromClause:
    """One table with its attributes as `a0`, `a1` ..., `shape`, and where rows are matched by it, `place`, `nth`."""
    columns: list[Any] = [literal(True).label("present")]
    columns += source.numbered
    if spatial:
        shape = lonlat(source)
        columns.append(shape.label("shape"))
        rounded = func.ST_Normalize(func.ST_Multi(func.ST_SnapToGrid(shape, PLACES)), type_=Geometry())
        place = func.coalesce(func.md5(func.ST_AsBinary(rounded)), "")
        order = [cast(source.column(each), Text()) for each in ordered_by]
        nth = func.row_number().over(partition_by=place, order_by=order)
        columns += [place.label("place"), nth.label("nth")]
    return select(*columns).select_from(source.rows).subquery(name)


def _column(side: FromClause, source: Source, name: str) -> ColumnElement[Any]:
    number = next(n for n, column in enumerate(source.attributes) if column.name == name)
    return side.c[f"a{number}"]


def _alike(one: Column, other: Column) -> bool:
    return one.sql_type == other.sql_type and one.sql_type in _COMPARABLE


async def _refuse_repeated(source: Source, key: Sequence[str], workspace: Workspace) -> None:
    columns: list[Label[Any]] = [
        source.column(attribute(source, name).name).label(f"k{n}") for n, name in enumerate(key)
    ]
    repeated = (
        select(func.count().label("rows"))
        .select_from(source.rows)
        .where(*(column.element.is_not(None) for column in columns))
        .group_by(*(column.element for column in columns))
        .having(func.count() > 1)
        .subquery("repeated")
    )
    values = await count_rows(repeated, workspace)
    if values:
        raise InvalidQuestion(KEYS_REPEAT(names=", ".join(key), table=source.table.id, n=values))
