"""Changes of a table's columns: chosen, renamed, converted, filled, and made of others or of the geometry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field
from sqlalchemy import ColumnElement, Text, and_, case, cast, func

from agents.geo.wording.phrases import count_of
from agents.worded import Template, joined
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import ADDED_KEY, is_zoned
from server.gis.filters import compile_filter
from server.gis.operations.support.base import Arguments, Operation, Step, Workspace, table_argument
from server.gis.operations.support.tabular import casts, texts
from server.gis.operations.support.tabular.change import ColumnChange
from server.gis.operations.support.tabular.facts import fact
from server.gis.operations.support.tabular.sheet import Cell, Sheet, quoted_values

FILLED = Template(
    "op_filled", "{n|one=# missing value|other=# missing values} of {column} {n|one=was|other=were} filled."
)
NOT_IN_MAP = Template(
    "op_not_in_map",
    "{n|one=# value|other=# values} of {column} {n|one=was|other=were} not in the map: left as before.",
)
NOT_IN_MAP_OTHER = Template(
    "op_not_in_map_other",
    "{n|one=# value|other=# values} of {column} {n|one=was|other=were} not in the map: got the other value.",
)
ROWS_LEFT_OUT = Template("op_rows_left_out", "{n|one=Its row was|other=Their rows were} left out.")
EMPTY_NOW = Template("op_empty_now", "{n|one=It is|other=They are} empty now.")
GIVE_FORMAT = Template("op_give_format", "Give the format of the texts, such as DD/MM/YYYY.")
BROUGHT_TO_UTC = Template(
    "op_brought_to_utc",
    "{n|one=# time|other=# times} of {column} with a zone {n|one=was|other=were} brought to UTC.",
)
READ_IN_UTC = Template(
    "op_read_in_utc",
    "Times of {column} have a zone and were read in UTC, where the day may differ from the local one.",
)

UNREADABLE = Template("op_unreadable", "{values} of {column} cannot be read as {to}: {examples}.")
SAY_FORMAT = Template(
    "op_say_format", "{finding} Say a format, replace what is in the way, or unreadable='null' or 'drop'."
)

COLUMN_EXISTS = Template(
    "op_column_exists", "There is a column {name} already. Drop or rename that one first."
)
UNFIT = Template("op_unfit", "{name} holds {type}, which {given} does not fit. Cast the column first.")
MANY_PARTS = Template(
    "op_many_parts",
    "{column} has up to {n} parts between {separator}, and {most} columns are the most. Say which part.",
)
NO_SEPARATOR = Template("op_no_separator", "No value of {column} has {separator} in it.")

MAX_PARTS = 20
"""Columns that splitting a column may add."""


class ColumnsArguments(Arguments):
    source: str = table_argument("The table whose columns are changed.")
    changes: Annotated[tuple[ColumnChange, ...], Field(min_length=1, max_length=40)]
    """One after the other, {"function": ..., ...}. keep, drop, order: columns. rename: column, name. constant: name,
    value. fill: column, value or other. map: column, values {"old": new}, otherwise. case: name, cases [{"when": CQL2
    on the source, "then": value}], otherwise. cast: column, to (text, integer, number, boolean, date, timestamp),
    format (DD.MM.YYYY; of numbers the decimal sign), unreadable (null, drop, refuse). trim, upper, lower, title:
    column. replace: column, find, value, pattern=true for a regular expression. extract: column, find (expression),
    name. split: column, separator, part (from 1; none: all, name_1 ...), name. concatenate: columns, separator, name.
    pad: column, length, value, side. date_part: column, part (year, month, weekday ...), name. date_difference:
    column, other, unit, name. rank, number_rows: name, columns, descending, within. geometry: fact (x, y, lon, lat,
    xmin, ymin, xmax, ymax, wkt, type, parts, points, is_empty, is_valid, invalid_reason, area_m2, length_m,
    perimeter_m), name, srid. With name the result is a new column, without it the column changes."""


class Columns(Operation[ColumnsArguments]):
    """Chosen, renamed, converted, filled and calculated columns, in the order of the changes."""

    summary = "Change columns: select, rename, drop, convert, fill, map; texts, dates, ranks, coordinates."
    traits = frozenset({"keeps_geometry", "tabular"})

    async def build(self, arguments: ColumnsArguments, workspace: Workspace) -> Step:
        sheet = Sheet(workspace.source(arguments.source), workspace)
        for change in arguments.changes:
            await _CHANGES.get(change.function, _computed)(sheet, change)
        return sheet.step()


async def _keep(sheet: Sheet, change: ColumnChange) -> None:
    wanted = [sheet.placed(name) for name in dict.fromkeys(change.columns) if not _is_geometry(sheet, name)]
    sheet.cells = {name: _asked_for(sheet, name) for name in wanted}


def _asked_for(sheet: Sheet, name: str) -> Cell:
    """The column marked as requested by the user, so that a key which loading added is exported, too."""
    cell = sheet.cells[name]
    source = sheet.source.table.column(name)
    if cell.comment is None and source is not None and (source.comment or "").endswith(ADDED_KEY):
        return replace(cell, comment=f"{name} of {sheet.source.table.id}.")
    return cell


async def _drop(sheet: Sheet, change: ColumnChange) -> None:
    for name in dict.fromkeys(change.columns):
        if _is_geometry(sheet, name):
            sheet.has_geometry = False
        else:
            del sheet.cells[sheet.placed(name)]


async def _order(sheet: Sheet, change: ColumnChange) -> None:
    first = [sheet.placed(name) for name in dict.fromkeys(change.columns) if not _is_geometry(sheet, name)]
    rest = [name for name in sheet.cells if name not in first]
    sheet.cells = {name: sheet.cells[name] for name in (*first, *rest)}


def _is_geometry(sheet: Sheet, name: str) -> bool:
    return name == sheet.source.table.geometry_column and name not in sheet.cells


async def _rename(sheet: Sheet, change: ColumnChange) -> None:
    old, new = sheet.placed(change.column), change.name
    if new != old and new in sheet.cells:
        raise InvalidQuestion(COLUMN_EXISTS(name=repr(new)))
    comment = sheet.cells[old].comment or f"{old} of {sheet.source.table.id}."
    sheet.cells = {
        (new if name == old else name): (replace(cell, comment=comment) if name == old else cell)
        for name, cell in sheet.cells.items()
    }


async def _fill(sheet: Sheet, change: ColumnChange) -> None:
    name = change.column
    cell = sheet.cell(name)
    held: ColumnElement[Any] = cell.value
    missing: ColumnElement[bool] = held.is_(None)
    if cell.kind == "text":
        held = cast(held, Text())
        missing = func.coalesce(func.btrim(held), "") == ""
    other = sheet.cell(change.other) if change.other else texts.constant(change.value)
    numbers = {"integer", "number"}
    if not (other.kind == cell.kind or {other.kind, cell.kind} <= numbers or cell.kind == "text"):
        given = change.other or repr(change.value)
        raise InvalidQuestion(UNFIT(name=repr(name), type=cell.sql_type, given=given))
    value = cast(other.value, Text()) if cell.kind == "text" else other.value
    both = {cell.kind, other.kind}
    kind, declared = ("number", "double precision") if both == numbers else (cell.kind, cell.sql_type)
    declared = "text" if kind == "text" else declared
    filled = await sheet.count(missing)
    sheet.notes.append(FILLED(n=filled, column=name))
    made = Cell(case((missing, value), else_=held), kind, declared, calculated=True)  # type: ignore[arg-type]
    sheet.put(change.name or name, made, instead_of=name)


async def _map(sheet: Sheet, change: ColumnChange) -> None:
    written = sheet.text(change.column)
    left = await sheet.count(and_(written.is_not(None), written.not_in(list(change.values))))
    if left:
        note = NOT_IN_MAP_OTHER if "otherwise" in change.model_fields_set else NOT_IN_MAP
        sheet.notes.append(note(n=left, column=change.column))
    sheet.put(change.name or change.column, texts.mapped(sheet, change), instead_of=change.column)


async def _case(sheet: Sheet, change: ColumnChange) -> None:
    table, rows = sheet.source.table, sheet.source.rows
    cases: list[Any] = [(compile_filter(table, each.when, rows), each.then) for each in change.cases]
    sheet.put(change.name, texts.chosen(cases, change.otherwise, None))


async def _cast(sheet: Sheet, change: ColumnChange) -> None:
    name, to = change.column, change.to
    cell = sheet.cell(name)
    made = casts.converted(cell, name, to, change.format, sheet.once)
    value = sheet.once(made.value)
    present: ColumnElement[bool] = cell.value.is_not(None)
    if cell.kind == "text":
        present = func.btrim(cast(cell.value, Text())) != ""
    unreadable = and_(present, value.is_(None))
    count = await sheet.count(unreadable)
    if count:
        first = quoted_values(await sheet.first(name, unreadable), count)
        finding = UNREADABLE(values=count_of(count, "value"), column=name, to=to, examples=first)
        if change.unreadable == "refuse":
            raise InvalidQuestion(SAY_FORMAT(finding=finding))
        done = (ROWS_LEFT_OUT if change.unreadable == "drop" else EMPTY_NOW)(n=count)
        advice = GIVE_FORMAT() if to in ("date", "timestamp") and not change.format else ""
        sheet.notes.append(joined(" ", filter(None, (finding, done, advice))))
        if change.unreadable == "drop":
            sheet.conditions.append(unreadable.is_not(True))
    zoned = 0 if made.moved is None else await sheet.count(and_(made.moved, value.is_not(None)))
    if zoned:
        sheet.notes.append(BROUGHT_TO_UTC(n=zoned, column=name))
    elif made.moved is None and cell.kind != "text":
        _read_in_utc(sheet, name)
    cast_to = Cell(value, to, casts.SQL_TYPES[to], cell.comment)
    sheet.put(change.name or name, cast_to, instead_of=name)


def _read_in_utc(sheet: Sheet, *names: str) -> None:
    """Say that times with a zone were read in UTC, where the day and the hour may be others than on the spot."""
    for name in names:
        note = READ_IN_UTC(column=name)
        if name in sheet.cells and is_zoned(sheet.cells[name].sql_type) and note not in sheet.notes:
            sheet.notes.append(note)


async def _split(sheet: Sheet, change: ColumnChange) -> None:
    """One part, or all of them in as many columns as the row with the most has parts."""
    if change.part is not None:
        await _computed(sheet, change)
        return
    written = sheet.text(change.column)
    parts = func.string_to_array(written, change.separator)
    most = await sheet.figure(func.max(func.cardinality(parts))) or 0
    if most > MAX_PARTS:
        raise InvalidQuestion(
            MANY_PARTS(column=repr(change.column), n=most, separator=repr(change.separator), most=MAX_PARTS)
        )
    if most < 2:
        sheet.notes.append(NO_SEPARATOR(column=change.column, separator=repr(change.separator)))
    for place in range(1, most + 1):
        part = func.nullif(func.btrim(func.split_part(written, change.separator, place)), "", type_=Text())
        about = f"Part {place} of {change.column}."
        name = f"{change.name or change.column}_{place}"
        sheet.put(name, Cell(part, "text", "text", about, calculated=True))


async def _rank(sheet: Sheet, change: ColumnChange) -> None:
    """Ranks share a number where rows are alike, row numbers never do: the key of the row decides then."""
    ordered = [sheet.ordered(name) for name in change.columns]
    order = [(each.desc() if change.descending else each.asc()).nulls_last() for each in ordered]
    groups = [sheet.ordered(name) for name in change.within]
    if change.function == "rank":
        number = func.rank().over(partition_by=groups or None, order_by=order)
        about = f"Rank by {', '.join(change.columns)}; rows that are alike share a rank."
    else:
        source = sheet.source
        keys = [source.column(each) for each in source.table.key if source.table.column(each)]
        address = source.address
        tie = keys or ([] if address is None else [address])
        number = func.row_number().over(partition_by=groups or None, order_by=[*order, *tie] or None)
        about = "Number of the row; no two rows have the same."
    sheet.put(change.name, Cell(number, "integer", "bigint", about, calculated=True, is_rank=True))


async def _fact(sheet: Sheet, change: ColumnChange) -> None:
    # PostgreSQL has a system column xmin in every table.
    own = f"{change.fact[0]}_{change.fact[1:]}" if change.fact[1:] in ("min", "max") else change.fact
    sheet.put(change.name or own, await fact(sheet, change.fact, change.srid))


async def _constant(sheet: Sheet, change: ColumnChange) -> None:
    sheet.put(change.name, replace(texts.constant(change.value), comment="The same in each row."))


async def _computed(sheet: Sheet, change: ColumnChange) -> None:
    """Texts and dates: a new column, or the column itself."""
    if change.function == "date_part":
        _read_in_utc(sheet, change.column)
        made = texts.date_part(sheet, change)
    elif change.function == "date_difference":
        made = texts.date_difference(sheet, change)
    else:
        made = texts.changed_text(sheet, change)
    name = change.name or change.column
    sheet.put(name, made, instead_of=change.column if change.name in ("", change.column) else None)


_CHANGES: dict[str, Callable[[Sheet, ColumnChange], Awaitable[None]]] = {
    "keep": _keep,
    "drop": _drop,
    "order": _order,
    "rename": _rename,
    "constant": _constant,
    "fill": _fill,
    "map": _map,
    "case": _case,
    "cast": _cast,
    "split": _split,
    "rank": _rank,
    "number_rows": _rank,
    "geometry": _fact,
}
