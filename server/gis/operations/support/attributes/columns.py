"""Columns of results: the attributes of sources, under names that never clash."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Float, FromClause, Label, Text, cast, func, literal

from agents.core import free_names
from agents.domain import Column
from agents.worded import Template
from server.gis.errors import NONE, InvalidQuestion, existing_column, listed
from server.gis.expressions.identifiers import SYSTEM_COLUMNS, base_type, exact, readable_name, sql_type
from server.gis.operations.support.base import FREE_ROW_ID, GEOMETRY, ROW_ID, Source
from server.gis.operations.support.earth.geodesy import geometry

NO_EXTREMES = Template(
    "op_no_extremes",
    "{column} of {table} holds {type}, which has no smallest or largest value. Choose numbers, texts or "
    "times.",
)
IS_GEOMETRY = Template(
    "op_is_geometry", "{column} of {table} is a geometry; this needs a column of values. Those are: {names}."
)
NOT_ORDERED = Template(
    "op_not_ordered",
    "{column} of {table} holds {type}, whose values can be neither compared nor ordered. Columns that "
    "can: {names}.",
)
NOT_NUMBERS = Template(
    "op_not_numbers", "{column} of {table} holds {type}, not numbers. Its numeric columns: {names}."
)

NUMERIC = ("integer", "number")
MAX_NAME_BYTES = 57
"""Bytes. PostgreSQL cuts names at 63, and SQLAlchemy renames columns of subqueries whose names are within 6 of that."""
INCOMPARABLE = frozenset(
    ("json", "xml", "point", "line", "lseg", "box", "path", "polygon", "circle", "jsonpath", "aclitem", "xid")
)
"""Types without an order or even an equality."""
_WITH_NAN = ("real", "double precision", "numeric")
_RANGED = ("integer", "number", "text", "date", "timestamp")
_RANGED_TYPES = ("time without time zone", "time with time zone", "interval", "inet", "money")


def attribute_columns(source: Source, taken: Iterable[str] = ()) -> list[Label[Any]]:
    """All attributes of a source, renamed (`name_2`, `source_fid`) where a name is taken or reserved."""
    used = {*taken, GEOMETRY, ROW_ID}
    labels: list[Label[Any]] = []
    for column in source.attributes:
        name = free_name(column.name, used)
        used.add(name)
        labels.append(source.column(column.name).label(exact(name)))
    return labels


def named_attributes(source: Source, rows: FromClause) -> list[Label[Any]]:
    """The attributes of rows that were selected as `Source.numbered`, under the names of `attribute_columns`."""
    return [rows.c[f"a{n}"].label(label.name) for n, label in enumerate(attribute_columns(source))]


def joined_columns(
    other: Source, taken: Iterable[str], values: Mapping[str, ColumnElement[Any]] | None = None
) -> list[Label[Any]]:
    """All attributes of a second table, called after it (`cities_name`) where the name is taken.

    `values` are given in place of its columns, where those come from a subquery."""
    used = {*taken, GEOMETRY, ROW_ID}
    labels: list[Label[Any]] = []
    for column in other.attributes:
        name = joined_name(column.name, other, used)
        used.add(name)
        value = other.column(column.name) if values is None else values[column.name]
        labels.append(value.label(exact(name)))
    return labels


def columns_of_both(source: Source, other: Source) -> tuple[list[Label[Any]], list[Label[Any]]]:
    """All attributes of two tables; a name that both have is called after its table in each (`airports_name`,
    `cities_name`)."""
    if source.table.id == other.table.id:
        first = attribute_columns(source)
        return first, joined_columns(other, [label.name for label in first])
    theirs = {column.name for column in other.attributes}
    used = {GEOMETRY, ROW_ID, *theirs, *(column.name for column in source.attributes)}
    first = []
    for column, label in zip(source.attributes, attribute_columns(source), strict=True):
        name = called_after(source, column.name, used) if column.name in theirs else label.name
        used.add(name)
        first.append(label.element.label(exact(name)))
    shared = {column.name for column in source.attributes} & theirs
    return first, joined_columns(other, [*shared, *(label.name for label in first)])


def joined_name(name: str, other: Source, used: Collection[str]) -> str:
    """The name for a column of the second table in a result that has the names `used` already."""
    free = free_name(name, used)
    return free if free == free_names.cut_name(name, MAX_NAME_BYTES) else called_after(other, name, used)


def called_after(source: Source, name: str, used: Iterable[str]) -> str:
    """The column's name with its table's name in front."""
    return free_name(f"{readable_name(source.table)}_{name}", used)


def geometry_out(source: Source) -> list[Label[Any]]:
    """The geometry under its name in results; none for a table without."""
    return [geometry(source).label(GEOMETRY)] if source.table.geometry_column else []


def free_name(wanted: str, used: Iterable[str]) -> str:
    """`wanted`, or `wanted_2`, `wanted_3` ..., cut here before something else cuts it."""
    taken = {*used, *SYSTEM_COLUMNS}
    if wanted == ROW_ID and ROW_ID in taken:
        wanted = FREE_ROW_ID
    return free_names.free_name(wanted, taken, max_bytes=MAX_NAME_BYTES)


def attribute(source: Source, name: str) -> Column:
    """The named attribute. Raises UnknownColumn with the nearest names, InvalidQuestion for a geometry."""
    column = existing_column(source.table, name)
    if column.kind == "geometry":
        others = [other.name for other in source.attributes]
        raise InvalidQuestion(
            IS_GEOMETRY(column=repr(name), table=source.table.id, names=listed(others) or NONE())
        )
    return column


def comparable(source: Source, name: str) -> Column:
    """The named attribute. Raises InvalidQuestion unless PostgreSQL can compare and order its values."""
    column = attribute(source, name)
    if base_type(column.sql_type).removesuffix("[]") in INCOMPARABLE:
        fit = [each.name for each in source.attributes if base_type(each.sql_type) not in INCOMPARABLE]
        raise InvalidQuestion(
            NOT_ORDERED(
                column=repr(name), table=source.table.id, type=column.sql_type, names=listed(fit) or NONE()
            )
        )
    return column


def ranged(source: Source, name: str) -> Column:
    """The named attribute. Raises InvalidQuestion unless PostgreSQL has minimum and maximum for its type."""
    column = comparable(source, name)
    declared = base_type(column.sql_type)
    if column.kind in _RANGED or declared in _RANGED_TYPES or declared.endswith("[]"):
        return column
    raise InvalidQuestion(NO_EXTREMES(column=repr(name), table=source.table.id, type=column.sql_type))


def number(source: Source, name: str) -> ColumnElement[Any]:
    """The named column, which must hold numbers. Raises InvalidQuestion naming the columns that do."""
    column = attribute(source, name)
    if column.kind not in NUMERIC:
        numeric = [other.name for other in source.attributes if other.kind in NUMERIC]
        raise InvalidQuestion(
            NOT_NUMBERS(
                column=repr(name), table=source.table.id, type=column.kind, names=listed(numeric) or NONE()
            )
        )
    return source.column(name)


def real_number(source: Source, name: str) -> ColumnElement[float]:
    """The named column as double precision, null where it is NaN. Raises InvalidQuestion as `number`."""
    return cast(real(number(source, name), attribute(source, name)), Float())


def holds_nan(column: Column) -> bool:
    """Whether values of the column may be NaN, which is not a number and not null either."""
    return base_type(column.sql_type) in _WITH_NAN


def real(value: ColumnElement[Any], column: Column) -> ColumnElement[Any]:
    """Values of the column, null where they are NaN: PostgreSQL holds that for greater than all numbers."""
    if not holds_nan(column):
        return value
    declared = sql_type(column)
    return func.nullif(value, cast(literal("NaN", Text()), declared), type_=declared)
