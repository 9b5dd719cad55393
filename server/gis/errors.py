"""Faults of the data side. Each has a `code` as in server/protocol/ and a message for the model or the
person.

A message names what was wrong, what was expected and the nearest valid thing. `translated` is the one place
where an error of the database becomes one of these; what PostgreSQL said goes to the log, never into a
message.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar, NoReturn

import structlog
from rapidfuzz import fuzz, process, utils
from sqlalchemy.exc import DBAPIError

from agents.core.errors import ToolFailed
from agents.domain import Table
from server.database import is_unavailable

log = structlog.get_logger(__name__)


class GisError(ToolFailed):
    """A question about the data that could not be answered."""

    code: ClassVar[str] = "internal"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class UnknownTable(GisError):
    code = "unknown_table"


class InvalidFilter(GisError):
    code = "invalid_filter"


class UnknownColumn(InvalidFilter):
    """Also of columns asked for outside filters."""


class InvalidQuestion(GisError):
    """Arguments that make no sense together: the mean of a text, a limit of -1."""

    code = "invalid_payload"


class TooExpensive(GisError):
    code = "too_large"


class DataUnavailable(GisError):
    code = "unavailable"


def nearest(wanted: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names most like the wanted one, best first; none when nothing is alike."""
    found = process.extract(
        wanted, list(known), scorer=fuzz.WRatio, processor=utils.default_process, limit=limit, score_cutoff=60
    )
    return [name for name, _score, _index in found]


def listed(names: Sequence[str], limit: int = 30) -> str:
    """`a, b, c and 12 more`."""
    shown = ", ".join(names[:limit])
    return shown if len(names) <= limit else f"{shown} and {len(names) - limit} more"


def unknown_column(table: Table, name: str) -> UnknownColumn:
    names = [column.name for column in table.columns]
    close = nearest(name, names)
    hint = f" Did you mean {' or '.join(map(repr, close))}?" if close else ""
    return UnknownColumn(f"{table.id} has no column {name!r}.{hint} Its columns: {listed(names)}.")


UNAVAILABLE = "The database cannot be reached at the moment. Try again in a moment."


def translated(error: BaseException, subject: str) -> NoReturn:
    """Raise the fault that a database error means to whoever asked about `subject` (a table's id, say)."""
    if isinstance(error, GisError):
        raise error
    if is_unavailable(error):
        raise DataUnavailable(UNAVAILABLE) from error
    state = str(getattr(error.orig, "sqlstate", "") or "") if isinstance(error, DBAPIError) else ""
    fault = by_sqlstate(state, subject)
    if fault is None:
        log.error(
            "a question to the database failed", subject=subject, sqlstate=state, error=str(error)[:500]
        )
        fault = GisError(
            f"The database could not answer this about {subject}. The log of the server says why."
        )
    raise fault from error


def by_sqlstate(state: str, subject: str) -> GisError | None:
    """The fault that a state of the database means; None for one that is not the asker's."""
    if state == "57014":
        return TooExpensive(
            f"The question about {subject} took too long and was stopped. Narrow it with a filter."
        )
    if state in ("42P01", "3F000"):
        return UnknownTable(f"{subject} does not exist any more.")
    if state == "42703":
        return UnknownColumn(f"A column of {subject} does not exist any more. Describe the table again.")
    if state == "42501":
        return UnknownTable(f"{subject} may not be read.")
    if state in ("53100", "53200", "53400", "54000", "54001"):
        return TooExpensive(f"The question about {subject} needs more than the database may spend on it.")
    if state[:2] in ("22", "2F"):
        return InvalidFilter(
            f"A value in the question about {subject} is out of range for the calculation (division, power, "
            "overflow or an impossible date). Use smaller or valid values."
        )
    if state == "XX000":
        return InvalidFilter(
            f"PostGIS could not do this with the geometries of {subject}: a coordinate is outside what its "
            "coordinate system covers, or a geometry is invalid."
        )
    return None
