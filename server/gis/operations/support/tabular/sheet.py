"""The columns of a table while a list of changes works on them, one after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Text, cast, func, literal, select, true

from agents.core.nearest import nearest
from agents.domain import ColumnKind
from agents.worded import Template
from server.gis.errors import NONE, InvalidQuestion, UnknownColumn, did_you_mean, listed
from server.gis.expressions.identifiers import SYSTEM_COLUMNS, base_type, exact, exported_as
from server.gis.operations.support.attributes.columns import INCOMPARABLE, free_name, geometry_out
from server.gis.operations.support.base import FREE_ROW_ID, GEOMETRY, ROW_ID, Source, Step, Workspace

SYSTEM_NAME = Template(
    "op_system_name",
    "The column {wanted} is called {name} until it is exported: PostgreSQL has a system column {wanted}.",
)


NOT_AT_THIS_POINT = Template(
    "op_not_at_this_point", "{table} has no column {name} at this point.{hint} Its columns: {names}."
)
COUNTED_LAST = Template(
    "op_counted_last",
    "{name} is counted when all other changes are done. Calculate with it in a separate step.",
)
SHEET_NOT_ORDERED = Template(
    "op_sheet_not_ordered",
    "{name} holds {type}, whose values can be neither compared nor ordered. Cast it to text.",
)
SHEET_EXISTS = Template(
    "op_sheet_exists",
    "There is a column {name} already. Choose another name, or drop or rename that column first.",
)
NO_COLUMN_LEFT = Template(
    "op_no_column_left", "No column would be left. Keep at least one column, or the geometry."
)
COLUMN_CALLED = Template(
    "op_column_called", "The column {wanted} is called {name}: every result has its own {wanted}."
)

KEY_NAMES = ("id", "gid", "uid", "uuid", "ogc_fid", "objectid", "source_fid", "code", "name")
"""Names of columns by which people know a row, where the key is ours."""
KEY_ENDINGS = ("no", "nr", "num", "number", "id", "key", "code", "ref")
"""Last words of such names, behind the noun of the table or at the first column: `parcel_no`, `well_id`."""
SHOWN_VALUES = 5
"""Number of unreadable values that a note shows."""
SHOWN_CHARACTERS = 40


@dataclass(frozen=True)
class Cell:
    """A column of the result: its value in each row, and what kind of values these are."""

    value: ColumnElement[Any]
    kind: ColumnKind
    sql_type: str
    comment: str | None = None
    calculated: bool = False
    is_rank: bool = False
    """A rank or row number: computed over all rows after all other changes, so nothing can be calculated from it."""


class Sheet:
    """`cells` are the columns in their order; names are those of the source, until the step is made."""

    def __init__(self, source: Source, workspace: Workspace) -> None:
        self.source = source
        self.workspace = workspace
        self.cells: dict[str, Cell] = {
            column.name: Cell(source.column(column.name), column.kind, column.sql_type)
            for column in source.attributes
        }
        self.notes: list[str] = []
        self.conditions: list[ColumnElement[bool]] = []
        self.has_geometry = source.table.geometry_column is not None
        self._rows: FromClause = source.rows
        self._made: list[FromClause] = [source.rows]

    def cell(self, name: str) -> Cell:
        """A column to calculate with. Raises UnknownColumn with the nearest names, InvalidQuestion for a rank."""
        found = self.cells.get(name)
        if found is None:
            raise self._unknown(name)
        if found.is_rank:
            raise InvalidQuestion(COUNTED_LAST(name=repr(name)))
        return found

    def ordered(self, name: str) -> ColumnElement[Any]:
        """A column whose values can be compared and ordered. Raises InvalidQuestion for another."""
        found = self.cell(name)
        if base_type(found.sql_type).removesuffix("[]") in INCOMPARABLE:
            raise InvalidQuestion(SHEET_NOT_ORDERED(name=repr(name), type=found.sql_type))
        return found.value

    def placed(self, name: str) -> str:
        """The name of a column that is there. Raises UnknownColumn with the nearest names."""
        if name not in self.cells:
            raise self._unknown(name)
        return name

    def text(self, name: str) -> ColumnElement[Any]:
        """A column as text."""
        found = self.cell(name)
        return found.value if found.sql_type == "text" else cast(found.value, Text())

    def once(self, value: ColumnElement[Any]) -> ColumnElement[Any]:
        """The value computed once per row, however often it is used."""
        name = f"once_{len(self._made)}"
        made = select(value.label("v")).offset(0).correlate(*self._made).lateral(name)
        self._made.append(made)
        self._rows = self._rows.join(made, true())
        return made.c.v

    def put(self, name: str, cell: Cell, *, instead_of: str | None = None) -> None:
        """Add a column, or change the one that is named. Raises InvalidQuestion for a name that another has."""
        if name in self.cells and name != instead_of:
            raise InvalidQuestion(SHEET_EXISTS(name=repr(name)))
        value = self.once(cell.value) if cell.calculated and not cell.is_rank else cell.value
        self.cells[name] = replace(cell, value=value)

    async def count(self, condition: ColumnElement[bool]) -> int:
        """How many rows meet a condition."""
        return int(await self.figure(func.count().filter(condition)))

    async def figure(self, aggregate: ColumnElement[Any]) -> Any:
        """An aggregate of all rows."""
        counted = select(aggregate).select_from(self._rows).where(*self.conditions)
        return (await self.workspace.row(counted))[0]

    async def first(self, name: str, condition: ColumnElement[bool]) -> list[str]:
        """The first values of a column that meet a condition, with the keys of their rows."""
        value = func.left(self.text(name), SHOWN_CHARACTERS)
        shown = func.concat("'", value, "'", *self._key())
        found = (
            select(shown)
            .select_from(self._rows)
            .where(condition, *self.conditions)
            .limit(SHOWN_VALUES)
            .correlate(None)
            .scalar_subquery()
        )
        return list((await self.workspace.row(select(func.array(found))))[0])

    def _key(self) -> list[Any]:
        """What the row is known by, for a note: its key, or of a result, whose key is ours, the key that it carries on;
        else its number among the rows that the step reads. Null, which `concat` leaves out, where it has none."""
        source = self.source
        known = _known_by(source)
        if known is not None:
            return [literal(f" ({known} ") + cast(source.column(known), Text()) + ")"]
        number = next((name for name in source.table.key if source.table.column(name)), None)
        return [] if number is None else [" (row ", cast(source.column(number), Text()), ")"]

    def step(self) -> Step:
        """The rows with their columns as they are now."""
        used = {GEOMETRY, ROW_ID}
        labels, comments = [], {}
        for wanted, cell in self.cells.items():
            name = free_name(wanted, used)
            used.add(name)
            if name != wanted and wanted in (GEOMETRY, ROW_ID):
                self.notes.append(COLUMN_CALLED(wanted=wanted, name=name))
            elif name != wanted and wanted in SYSTEM_COLUMNS:
                self.notes.append(SYSTEM_NAME(wanted=wanted, name=name))
            labels.append(cell.value.label(exact(name)))
            if cell.comment is not None:
                comments[name] = cell.comment
            if name != wanted and wanted in (ROW_ID, *SYSTEM_COLUMNS):
                comments[name] = f"{cell.comment or f'From {self.source.table.id}.'} {exported_as(wanted)}"
            elif name == FREE_ROW_ID and cell.comment is None:
                own = self.source.table.column(name)
                comments[name] = (own.comment if own else None) or f"From {self.source.table.id}."
        shape = geometry_out(self.source) if self.has_geometry else []
        if not labels and not shape:
            raise InvalidQuestion(NO_COLUMN_LEFT())
        statement = select(*labels, *shape).select_from(self._rows).where(*self.conditions)
        ranked = any(cell.is_rank for cell in self.cells.values())
        more: dict[str, Any] = {
            "portion_source": None if ranked else self.source,
            "notes": tuple(self.notes),
            "comments": comments,
        }
        return Step.keeping(self.source, statement, **more) if shape else Step(statement, **more)

    def _unknown(self, name: str) -> UnknownColumn:
        close = nearest(name, list(self.cells))
        hint = did_you_mean([repr(each) for each in close])
        names = listed(list(self.cells)) or NONE()
        return UnknownColumn(
            NOT_AT_THIS_POINT(table=self.source.table.id, name=repr(name), hint=hint, names=names)
        )


def quoted_values(values: Sequence[str], count: int) -> str:
    """The first values, for a note."""
    more = f" and {count - len(values):,} more" if count > len(values) else ""
    return f"{', '.join(values)}{more}"


def _known_by(source: Source) -> str | None:
    """The column by which people know a row: the key; else one that is called like a key."""
    own = [column.name for column in source.attributes]
    key = [name for name in source.table.key if name in own]
    usual = sorted(
        (name for name in own if name.lower() in KEY_NAMES), key=lambda name: KEY_NAMES.index(name.lower())
    )
    noun = _words(source.table.name)
    called = [name for name in own if len(words := _words(name)) > 1 and words[-1] in KEY_ENDINGS]
    of_the_table = [
        name
        for name in called
        if all(any(each.startswith(word) for each in noun) for word in _words(name)[:-1])
    ]
    return next(iter((*key, *usual, *of_the_table, *(name for name in called if name == own[0]))), None)


def _words(name: str) -> list[str]:
    """`ParcelNo`, `parcel_no`: parcel, no."""
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
