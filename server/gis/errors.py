"""Faults of the data side. Each has a `code` as in server/protocol/ and a message for the model or the person.

A message names what was wrong, what was expected and the nearest valid thing. `translated` is the one place where an
error of the database becomes one of these; the message of PostgreSQL goes to the log, never into a message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import reduce
from typing import ClassVar, NoReturn

import structlog
from sqlalchemy.exc import SQLAlchemyError

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.core.nearest import nearest
from agents.domain import Column, Table
from agents.geo.wording.texts import LIST_MORE, LIST_OR
from agents.worded import Template, joined
from server import fault_texts
from server.database.engines import is_unavailable
from server.database.lanes import LaneBusy
from server.database.sqlstates import (
    INSUFFICIENT_PRIVILEGE,
    INTERNAL_ERROR,
    QUERY_CANCELED,
    UNDEFINED_COLUMN,
    UNDEFINED_SCHEMA,
    UNDEFINED_TABLE,
    sqlstate,
)

INTERNAL = Template(
    "data_internal",
    "The database could not answer this about {subject}. This is a fault of GeoAgent, not of the "
    "question; the log of the server says why.",
)
TOO_SLOW = Template(
    "data_too_slow", "The question about {subject} took too long and was stopped. Narrow it with a filter."
)
GONE = Template("data_gone", "{subject} does not exist any more.")
COLUMN_GONE = Template(
    "data_column_gone", "A column of {subject} does not exist any more. Describe the table again."
)
NOT_FILLED = Template(
    "data_not_filled",
    "{subject} reads a materialized view that is not filled yet; REFRESH MATERIALIZED VIEW fills it.",
)
NOT_READABLE = Template("data_not_readable", "{subject} may not be read.")
TOO_WIDE = Template(
    "data_too_wide",
    "A row of the result for {subject} is too wide: {why}. Keep fewer columns (the operation columns, "
    "or columns of an export), and try again.",
)
TOO_MUCH = Template(
    "data_too_much", "The question about {subject} needs more than the database may spend on it."
)
OUT_OF_RANGE = Template(
    "data_out_of_range",
    "A value in the question about {subject} is out of range for the calculation: {why}. Use smaller or "
    "valid values, or filter out the rows that have them.",
)
BAD_GEOMETRIES = Template(
    "data_bad_geometries",
    "PostGIS could not do this with the geometries of {subject}: a coordinate is outside what its coordinate system "
    "covers, or a geometry is invalid. Repair the shapes with make_valid, or filter out those at fault.",
)

NONE = Template("none", "none")
DID_YOU_MEAN = Template("hint_did_you_mean", " Did you mean {names}?")
NO_COLUMN = Template("data_no_column", "{table} has no column {column}.{hint} Its columns: {names}.")
ROW_BYTES = Template(
    "data_row_bytes", "it has {n} bytes, and PostgreSQL holds {most} in a row, 8 for a number"
)
ROW_COLUMNS = Template("data_row_columns", "PostgreSQL holds {most} columns")

log = structlog.get_logger(__name__)


class GisError(ToolFailed):
    """A question about the data that could not be answered."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnknownTable(GisError):
    """No table of the registry has this name."""

    code = "unknown_table"


class InvalidFilter(GisError):
    """The filter is not CQL2, or does not fit the columns of the table."""

    code = "invalid_filter"


class UnknownColumn(InvalidFilter):
    """The table has no such column; raised for filters and for other questions."""


class InvalidQuestion(GisError):
    """Arguments that make no sense together: the mean of a text, a limit of -1."""

    code = "invalid_payload"


class TooExpensive(GisError):
    """The work or its result is larger than is allowed."""

    code = "too_large"


class NotStarted(TooExpensive):
    """A step that would take PostgreSQL too long. If another engine runs it, only the `reason` is reported."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(joined(" ", (reason, advice)))
        self.reason = reason


class DataUnavailable(GisError, ToolUnavailable):
    """The database does not answer now; the same request may succeed later."""

    code = "unavailable"


class DataBusy(GisError, ToolUnavailable):
    """No connection was free in time. The database itself is available; the same question may be asked again soon."""

    code = "busy"

    def __init__(self, message: str, retry_after: float) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class InternalFault(GisError):
    """GeoAgent built a statement that PostgreSQL refuses. No user can correct that; the log has PostgreSQL's error."""


def listed(names: Sequence[str], limit: int = 30) -> str:
    """`a, b, c and 12 more`."""
    shown = joined(", ", names[:limit])
    return shown if len(names) <= limit else LIST_MORE(first=shown, n=len(names) - limit)


def either(names: Sequence[str]) -> str:
    """`a or b or c`."""
    return reduce(lambda one, other: LIST_OR(first=one, last=other), names)


def did_you_mean(names: Sequence[str]) -> str:
    """A sentence with a space before it, to follow another one; empty without names."""
    return DID_YOU_MEAN(names=either(names)) if names else ""


def unknown_column(table: Table, name: str) -> UnknownColumn:
    """The error of a column that the table does not have, with the nearest names."""
    names = [column.name for column in table.columns]
    close = nearest(name, names)
    hint = did_you_mean([repr(each) for each in close])
    return UnknownColumn(NO_COLUMN(table=table.id, column=repr(name), hint=hint, names=listed(names)))


def existing_column(table: Table, name: str) -> Column:
    """The column. Raises UnknownColumn with the nearest names."""
    column = table.column(name)
    if column is None:
        raise unknown_column(table, name)
    return column


UNAVAILABLE = fault_texts.AWAY()


COMPLAINTS = {
    "mixed SRID|Only lon/lat|unknown \\(0\\) SRID|does not match column SRID": Template(
        "data_mixed_systems",
        "The geometries of {subject} are in different reference systems, or some are in none. Bring them into one "
        "with reproject, or filter out those at fault.",
    ),
    "eometry type:? .*(Tin|Triangle|Polyhedral|Curve)|type does not support|Wrapping of": Template(
        "data_curved",
        "Among the geometries of {subject} are surfaces or curves that PostGIS cannot compute with here. "
        "Filter those out first.",
    ),
    "transform: |Invalid coordinate|NaN/Inf|tolerance condition|out of range|latitude or longitude": Template(
        "data_outside_earth",
        "Among the geometries of {subject} are some outside of the earth, or outside of what the reference system "
        "covers. Filter those out first.",
    ),
    "in wrong order": Template(
        "data_no_order",
        "Among the geometries of {subject} are some that go around a pole or around the whole earth, which have no "
        "order by distance. Filter those out, or use their centroids.",
    ),
}
"""Messages of PostGIS about data that it cannot compute with (always English), and what they mean."""

DATA_FAULTS = {
    "22003": Template("data_too_large", "a number becomes too large"),
    "22007": Template("data_no_time", "a text is not a date or time"),
    "22008": Template("data_time_range", "a date or time is out of range"),
    "22012": Template("data_by_zero", "something is divided by zero"),
    "2201B": Template("data_pattern", "a pattern cannot be read"),
    "2201E": Template("data_logarithm", "there is no such logarithm"),
    "2201F": Template("data_power", "there is no such power or root"),
    "22025": Template("data_escape", "a pattern ends in an escape character"),
    "22P02": Template("data_type", "a text is not of the type that is needed"),
}
"""Values that PostgreSQL cannot compute with, and what that means. All else of class 22 is a statement built wrong."""


@contextmanager
def faults_about(subject: str) -> Iterator[None]:
    """Raise errors of the database in the block as faults of a question about `subject`, as `translated` does."""
    try:
        yield
    except (SQLAlchemyError, OSError) as error:
        translated(error, subject)


def translated(error: BaseException, subject: str, *, unchanged: bool = False) -> NoReturn:
    """Raise the fault that a database error means for a question about `subject` (for example a table's id).

    `unchanged` says that the tables have not changed since the statement was built. A name that PostgreSQL does
    not find is then a bug in the statement, not a table that was changed."""
    if isinstance(error, GisError):
        raise error
    if isinstance(error, LaneBusy):
        raise DataBusy(error.message, error.retry_after) from error
    if is_unavailable(error):
        raise DataUnavailable(UNAVAILABLE) from error
    state = sqlstate(error)
    fault = (
        None
        if unchanged and is_undefined(error)
        else by_sqlstate(state, subject, str(error.__cause__ or error))
    )
    if fault is None:
        log.error(
            "a question to the database failed", subject=subject, sqlstate=state, error=str(error)[:500]
        )
        raise InternalFault(INTERNAL(subject=subject)) from error
    log.info(
        "a question to the database was refused", subject=subject, sqlstate=state, error=str(error)[:500]
    )
    raise fault from error


def is_undefined(error: BaseException) -> bool:
    """Whether PostgreSQL knows no such schema, table or column."""
    return sqlstate(error) in (UNDEFINED_TABLE, UNDEFINED_SCHEMA, UNDEFINED_COLUMN)


def too_wide(message: str) -> str:
    """The limit of PostgreSQL for the columns of a row that a message is about; empty if it is about none."""
    if found := re.search(r"row is too big: size (\d+), maximum size (\d+)", message):
        return ROW_BYTES(n=int(found[1]), most=int(found[2]))
    if found := re.search(r"(?:tables|target lists) can have at most (\d+)", message):
        return ROW_COLUMNS(most=int(found[1]))
    return ""


def by_sqlstate(state: str, subject: str, message: str = "") -> GisError | None:
    """The error for an SQLSTATE and the database's `message`; None if the request did not cause it."""
    # Some functions of GEOS report a timeout as another error.
    if state == QUERY_CANCELED or (state == INTERNAL_ERROR and "InterruptedException" in message):
        return TooExpensive(TOO_SLOW(subject=subject))
    if state in (UNDEFINED_TABLE, UNDEFINED_SCHEMA):
        return UnknownTable(GONE(subject=subject))
    if state == UNDEFINED_COLUMN:
        return UnknownColumn(COLUMN_GONE(subject=subject))
    if state == INSUFFICIENT_PRIVILEGE:
        return UnknownTable(NOT_READABLE(subject=subject))
    if state == "55000" and "has not been populated" in message:
        return InvalidQuestion(NOT_FILLED(subject=subject))
    if state in ("54000", "54011") and (wide := too_wide(message)):
        return InvalidQuestion(TOO_WIDE(subject=subject, why=wide))
    if state in ("53100", "53200", "53400", "54000", "54001"):
        return TooExpensive(TOO_MUCH(subject=subject))
    if state in DATA_FAULTS:
        return InvalidFilter(OUT_OF_RANGE(subject=subject, why=DATA_FAULTS[state]()))
    if state in (INTERNAL_ERROR, "22023"):
        for complaint, meaning in COMPLAINTS.items():
            if re.search(complaint, message):
                return InvalidQuestion(meaning(subject=subject))
    if state == INTERNAL_ERROR:
        return InvalidFilter(BAD_GEOMETRIES(subject=subject))
    return None
