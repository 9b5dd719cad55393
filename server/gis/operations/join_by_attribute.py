"""Bring columns of another table to rows that share a value."""

from __future__ import annotations

from typing import Any, Literal

from sqlalchemy import Select, func, not_, select

from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.expressions.identifiers import exact
from server.gis.operations.support.attributes.columns import (
    attribute,
    attribute_columns,
    geometry_out,
    joined_name,
)
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.matching.keys import KeyPair, key_pair
from server.gis.operations.support.palettes import shaded

KEYS_REPEAT = Template(
    "op_keys_repeat_in",
    "{n|one=# key occurs|other=# keys occur} more than once in {other}: {added|one=# row was|other=# rows were} added, "
    "and sums over columns of {table} count theirs more than once.",
)
ALONE_LEFT_OUT = Template("op_alone_left_out", "{rows} of {table} without a match in {other}: left out.")
ALONE_KEPT = Template(
    "op_alone_kept", "{rows} of {table} without a match in {other}: kept, with empty columns."
)


class JoinByAttributeArguments(Arguments):
    source: str = table_argument("The table whose rows are kept.")
    other: str = table_argument("The table whose columns are brought.")
    key: str = column_argument("The column of the source that must agree.")
    other_key: str = column_argument("The column of the other table that must agree.", of="other")
    columns: tuple[str, ...] = column_argument("Which columns to bring; none: all.", of="other", default=())
    rows: Literal["all", "matched"] = "all"
    """all: rows without a partner stay, with empty columns; matched: they go."""
    zero: bool = False
    """Numbers that are brought are 0, and not empty, in rows without a partner: for counts and totals."""


class JoinByAttribute(Operation[JoinByAttributeArguments]):
    """Columns of another table for the rows whose key columns agree."""

    summary = (
        "Add the columns of another table where a key agrees (a text key ignores case and outer spaces)."
    )
    traits = frozenset({"joins", "tabular"})
    checks_geometries = False
    phrases = (
        "join {other:bare} (to|onto) {source:bare} (by|on|using) {key} -> other_key={key}",
        "join {other:bare} (to|onto) {source:bare} (by|on|using) {key} (=|and|with) {other_key}",
        "join {source:bare} (with|and) {other:bare} (by|on|using) {key} -> other_key={key}",
        "join {source:bare} (with|and) {other:bare} (by|on|using) {key} (=|and|with) {other_key}",
    )

    async def build(self, arguments: JoinByAttributeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        keys = key_pair(source, arguments.key, other, arguments.other_key)
        names = arguments.columns or [
            each.name for each in other.attributes if each.name != arguments.other_key
        ]
        own = attribute_columns(source)
        taken = {GEOMETRY, ROW_ID, *(label.name for label in own)}
        joined_values, brought = [], []
        for name in names:
            free = joined_name(attribute(other, name).name, other, taken)
            taken.add(free)
            brought.append(free)
            value = other.column(name)
            is_zero = arguments.zero and attribute(other, name).kind in ("integer", "number")
            joined_values.append((func.coalesce(value, 0) if is_zero else value).label(exact(free)))
        joined = source.rows.join(other.rows, keys.mine == keys.theirs, isouter=arguments.rows == "all")
        return Step.keeping(
            source,
            once=False,
            style=shaded(brought[0]) if arguments.zero and len(brought) == 1 else None,
            select=select(*own, *joined_values, *geometry_out(source)).select_from(joined),
            notes=(*keys.notes, *await _notes(arguments, keys, source, other, workspace)),
        )


async def _notes(
    arguments: JoinByAttributeArguments, keys: KeyPair, source: Source, other: Source, workspace: Workspace
) -> list[str]:
    """How many rows of the source became several, for sums would count those twice, and how many found no partner."""
    partner = select(1).select_from(other.rows).where(keys.mine == keys.theirs).correlate(source.rows)
    (alone,) = await workspace.row(
        select(func.count()).select_from(source.rows).where(not_(partner.exists()))
    )
    repeated, added = 0, 0
    is_unique = other.table.key == (arguments.other_key,) and keys.theirs is other.column(arguments.other_key)
    if not is_unique:
        repeated, added = await workspace.row(_repeated(keys, source, other))
    notes: list[str] = []
    if repeated:
        notes.append(KEYS_REPEAT(n=repeated, other=other.table.id, added=added, table=source.table.id))
    if alone and not (arguments.zero and arguments.rows == "all"):
        note = ALONE_LEFT_OUT if arguments.rows == "matched" else ALONE_KEPT
        notes.append(note(rows=count_of(alone, "row"), table=source.table.title, other=other.table.title))
    return notes


def _repeated(keys: KeyPair, source: Source, other: Source) -> Select[*tuple[Any, ...]]:
    """How many keys of the source occur more than once in the other table, and how many rows they add."""
    partners = (
        select(keys.theirs.label("key"), func.count().label("rows"))
        .select_from(other.rows)
        .group_by(keys.theirs)
        .having(func.count() > 1)
        .subquery("partners")
    )
    met = (
        select(((partners.c.rows - 1) * func.count()).label("added"))
        .select_from(partners.join(source.rows, keys.mine == partners.c.key))
        .group_by(partners.c.key, partners.c.rows)
        .subquery("met")
    )
    return select(func.count(), func.coalesce(func.sum(met.c.added), 0)).select_from(met)
