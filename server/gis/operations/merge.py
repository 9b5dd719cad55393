"""All features of several tables together in one table, with the columns that they share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ColumnElement, Label, Select, Text, cast, false, func, literal, null, select, union_all
from sqlalchemy.types import NullType

from agents.domain import Column
from agents.worded import Template
from server.gis.expressions.identifiers import ADDED_KEY, exact, sql_type
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.geometry.overlays import in_system, multi_type
from server.gis.operations.support.geometry.repairs import kept

TRANSFORMED = Template("op_transformed", "{table} was transformed from EPSG:{old} to EPSG:{new}.")


class MergeArguments(Arguments):
    sources: tuple[str, ...] = table_argument("The tables to put together.", min_length=2, max_length=20)
    keep: Annotated[bool, Field(description="Keep columns that only some tables have (empty elsewhere).")] = (
        True
    )


class Merge(Operation[MergeArguments]):
    """The rows of several tables in one, with the table of each in `from_table`."""

    summary = "Append the rows of several tables to one table; column `from_table` says where each came from."
    traits = frozenset({"tabular"})
    phrases = (
        "(merge|combine|unite) {sources_1} (with|and|to) {sources_2}",
        "append {sources_2} (with|and|to) {sources_1}",
    )

    async def build(self, arguments: MergeArguments, workspace: Workspace) -> Step:
        sources = [workspace.source(name) for name in arguments.sources]
        shaped = [source for source in sources if source.table.geometry_column]
        srid = shaped[0].table.srid if shaped else 0
        named = [_named(source, sources) for source in sources]
        columns = _columns(named, keep=arguments.keep)
        origin = free_name("from_table", {*columns, GEOMETRY, ROW_ID})
        kind = _kind(shaped) if shaped else None
        pairs = list(zip(sources, named, strict=True))
        parts = [
            _part(source, names, columns, pairs, origin).add_columns(*_shape(source, kind, srid))
            for source, names in pairs
        ]
        together = union_all(*parts).subquery("together")
        return Step(
            select(together),
            geometry_type=kind,
            srid=srid,
            notes=_transformed(shaped, srid),
            comments={**_comments(sources, named), origin: "The table that the row came from."},
        )


_Named = dict[str, tuple[Label[Any], Column]]
"""Attributes by their names in the result."""


def _named(source: Source, sources: list[Source]) -> _Named:
    """The attributes of one source, without a row number that loading added where the column of this name of another
    source holds its data."""
    labels = zip(attribute_columns(source), source.attributes, strict=True)
    data = {each.name for other in sources for each in other.attributes if not _is_added(each)}
    return {
        label.name: (label, each) for label, each in labels if not (_is_added(each) and each.name in data)
    }


def _is_added(column: Column) -> bool:
    return (column.comment or "").endswith(ADDED_KEY)


def _columns(sources: list[_Named], *, keep: bool) -> dict[str, str]:
    """Name and kind of each column of the result; one that differs in kind between tables becomes text."""
    columns: dict[str, str] = {}
    for named in sources:
        for name, (_label, each) in named.items():
            known = columns.setdefault(name, each.sql_type)
            if known != each.sql_type:
                columns[name] = "text"
    if keep:
        return columns
    shared = set.intersection(*(set(named) for named in sources))
    return {name: kind for name, kind in columns.items() if name in shared}


def _comments(sources: list[Source], named: list[_Named]) -> dict[str, str]:
    """The origin of columns whose name the first table uses only for an added row number."""
    found: dict[str, str] = {}
    for name in (each.name for source in sources for each in source.attributes if _is_added(each)):
        holder = next(
            (source for source, names in zip(sources, named, strict=True) if name in names), sources[0]
        )
        column = holder.table.column(name)
        if column is not None and not _is_added(column):
            found[name] = f"From {holder.table.id}: {column.comment or ''}".removesuffix(": ")
    return found


def _part(
    source: Source,
    named: _Named,
    columns: dict[str, str],
    others: Sequence[tuple[Source, _Named]],
    origin: str,
) -> Select[Any]:
    selected: list[Any] = []
    for name, kind in columns.items():
        if name not in named:
            first_two_lack_it = not any(name in theirs for _source, theirs in others[:2])
            is_first = source is others[0][0]
            value: Any = _missing(name, kind, others) if is_first and first_two_lack_it else null()
        else:
            label, column = named[name]
            value = label.element if kind == column.sql_type else cast(label.element, Text())
        selected.append(value.label(exact(name)))
    return select(*selected, literal(source.table.id).label(origin)).select_from(source.rows)


def _shape(source: Source, kind: str | None, srid: int) -> list[Label[Any]]:
    """The geometry column, which a table without one leaves empty; none where no table has one."""
    if kind is None:
        return []
    if not source.table.geometry_column:
        return [cast(null(), Geometry()).label(GEOMETRY)]
    shape = kept(in_system(source, srid), source)
    return [(func.ST_Multi(shape, type_=Geometry()) if kind.startswith("Multi") else shape).label(GEOMETRY)]


def _transformed(shaped: Sequence[Source], srid: int) -> tuple[str, ...]:
    moved = [source.table for source in shaped if source.table.srid != srid]
    return tuple(TRANSFORMED(table=table.id, old=str(table.srid), new=str(srid)) for table in moved)


def _missing(name: str, kind: str, others: Sequence[tuple[Source, _Named]]) -> ColumnElement[Any]:
    """Null of the column's type: two nulls without one are texts to PostgreSQL, and fit no third table's numbers."""
    if kind == "text":
        return cast(null(), Text())
    source, (label, column) = next(
        (source, named[name]) for source, named in others if name in named and named[name][1].sql_type == kind
    )
    known = sql_type(column)
    if not isinstance(known, NullType):
        return cast(null(), known)
    return select(label.element).select_from(source.rows).where(false()).scalar_subquery()


def _kind(sources: list[Source]) -> str:
    """The type of all rows: multi, since a repaired shape may have several parts, unless all are declared to be single
    points; none for tables of several kinds."""
    if {(source.declared or ("",))[0].upper() for source in sources} == {"POINT"}:
        return "Point"
    kinds = {multi_type(source) for source in sources}
    return kinds.pop() if len(kinds) == 1 else "Geometry"
