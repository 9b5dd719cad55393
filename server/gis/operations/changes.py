"""What changed from one table to another: rows added, removed, with another shape or other attributes."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Label, Text, and_, case, cast, func, literal, null, or_, select
from sqlalchemy.dialects.postgresql import array

from agents.worded import Template
from server.gis.errors import InvalidQuestion, listed
from server.gis.expressions.declared_types import SIMPLE, declared_type
from server.gis.expressions.identifiers import WGS84, exact
from server.gis.operations.support.attributes.columns import free_name
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
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.matching.side_by_side import SideBySide, side_by_side
from server.gis.operations.support.palettes import PLAIN, coloured

SAME_ROWS = Template(
    "op_same_rows", "Rows are the same where {names} agree; rows without a key count as removed and added."
)
GEOMETRY_CHANGED = Template(
    "op_geometry_changed",
    "A geometry has changed where a corner lies more than {distance} from the other shape; metres by "
    "the degree at the equator, so never less than the true distance.",
)
SAME_GEOMETRIES = Template(
    "op_same_geometries",
    "Rows are the same where their geometries agree to 0.1 mm (degrees rounded to 9 places), several at "
    "one place in the order of their values; a moved row counts as removed and added.",
)

TOLERANCE_ZERO = Template("op_tolerance_zero", "The tolerance is 0 m or more; got {got}.")
ONLY_IN = Template("op_only_in", "Only in {table}, so not compared: {names}.")

SHOWN = 60
"""Characters of a value that a difference shows."""

COLOURS = {
    "added": "#1b7837",
    "removed": "#b2182b",
    "geometry changed": "#e08214",
    "attributes changed": "#2166ac",
    "geometry and attributes changed": "#762a83",
    "unchanged": PLAIN,
}


class ChangesArguments(Arguments):
    source: str = table_argument("The table as it was before.")
    other: str = table_argument("The table as it is now.")
    key: tuple[str, ...] = column_argument(
        (
            "Columns that name a row in both tables (an id, a code); none: rows with the same "
            "geometry are the same."
        ),
        default=(),
    )
    tolerance: Length = 0.001
    """A geometry whose corners all stay within this distance has not changed."""
    unchanged: bool = False
    """Also the rows that are as they were."""


class Changes(Operation[ChangesArguments]):
    """Rows added, removed and changed between two tables; `tolerance` of shapes in metres."""

    summary = (
        "What changed between two tables: rows added, removed, with another geometry or other attributes."
    )
    traits = frozenset({"tabular"})
    phrases = (
        (
            "(what changed|what has changed|changes) (between|from) {source} (and|to|with) {other} "
            "[(by|on) {key}]"
        ),
    )

    async def build(self, arguments: ChangesArguments, workspace: Workspace) -> Step:
        if arguments.tolerance < 0:
            raise InvalidQuestion(TOLERANCE_ZERO(got=length_text(arguments.tolerance)))
        before, after = workspace.source(arguments.source), workspace.source(arguments.other)
        rows = await side_by_side(before, after, arguments.key, workspace)
        spatial = "shape" in rows.was.c
        own = _newest(rows)
        names = [label.name for label in own]
        change, values = (
            free_name(name, {GEOMETRY, ROW_ID, *names}) for name in ("change", "changed_values")
        )
        moved = rows.moved(arguments.tolerance) if spatial and arguments.key else literal(False)
        found = (
            select(
                _kind(rows, moved).label(change),
                _differences(rows).label(values),
                *own,
                *([rows.shape().label(GEOMETRY)] if spatial else []),
            )
            .select_from(rows.joined)
            .offset(0)  # so that PostgreSQL compares once, and not again to leave out what is unchanged
            .subquery("found")
        )
        statement = select(found)
        if not arguments.unchanged:
            statement = statement.where(found.c[change] != "unchanged")
        return Step(
            statement,
            geometry_type=_kind_of_both(before, after) if spatial else None,
            srid=WGS84 if spatial else 0,
            notes=_notes(arguments, rows, spatial),
            comments={
                change: "added, removed, geometry changed, attributes changed, or geometry and attributes changed.",
                values: f"Each attribute that differs, before → now, cut to {SHOWN} characters.",
            },
            style=coloured(change, COLOURS) if spatial else None,
        )


def _kind_of_both(before: Source, after: Source) -> str:
    """The kind of all shapes, if both columns declare it; else it is found in the result, which is stored again."""
    kinds = {declared_type(each.table)[0] for each in (before, after)}
    return kinds.pop() if len(kinds) == 1 and kinds <= SIMPLE else "Geometry"


def _newest(rows: SideBySide) -> list[Label[Any]]:
    labels: list[Label[Any]] = []
    names = [column.name for column in rows.before.attributes] + rows.only_in(rows.after, rows.before)
    for name in names:
        free = free_name(name, {GEOMETRY, ROW_ID, *(label.name for label in labels)})
        labels.append(rows.newest(name).label(exact(free)))
    return labels


def _kind(rows: SideBySide, moved: Any) -> Any:
    pairs = (rows.values(name) for name in rows.compared)
    changed = or_(literal(False), *(was.is_distinct_from(now) for was, now in pairs))
    return case(
        (rows.added, "added"),
        (rows.removed, "removed"),
        (and_(moved, changed), "geometry and attributes changed"),
        (moved, "geometry changed"),
        (changed, "attributes changed"),
        else_="unchanged",
    )


def _differences(rows: SideBySide) -> Any:
    """`population: 5 → 7; name: empty → Ulm`; null where nothing differs, or a side is missing."""
    differences = []
    for name in rows.compared:
        was, now = rows.values(name)
        seen = [func.left(func.coalesce(cast(value, Text()), "empty"), SHOWN) for value in (was, now)]
        words = func.concat(literal(f"{name}: ", Text()), seen[0], " → ", seen[1])
        differences.append(case((was.is_distinct_from(now), words), else_=cast(null(), Text())))
    if not differences:
        return cast(null(), Text())
    both = func.nullif(func.array_to_string(array(differences), "; "), "", type_=Text())
    return case((or_(rows.added, rows.removed), null()), else_=both)


def _notes(arguments: ChangesArguments, rows: SideBySide, spatial: bool) -> tuple[str, ...]:
    notes = []
    if arguments.key:
        notes.append(SAME_ROWS(names=", ".join(arguments.key)))
        if spatial:
            notes.append(GEOMETRY_CHANGED(distance=length_text(arguments.tolerance)))
    else:
        notes.append(SAME_GEOMETRIES())
    for one, other in ((rows.before, rows.after), (rows.after, rows.before)):
        alone = rows.only_in(one, other)
        if alone:
            notes.append(ONLY_IN(table=one.table.id, names=listed(alone)))
    return tuple(notes)
