"""Literals: reads them from JSON and gives them the type of the other side of a comparison.

Only safe coercion: '5' may become 5, and 5 may become '5' in an equality with text; 'high' never becomes a
number. Every literal becomes a bound parameter with an SQL type, so that it cannot be interpreted as SQL."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, time
from decimal import Decimal
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression, base_type
from server.gis.filters.terms import INSTANTS, NUMBERS, Term

TYPE = Template("filter_type", "{column} is of type {type} and cannot be compared with {value}.")

LONG_TEXT = Template(
    "filter_long_text", "A text in the filter has {n} characters; at most {most} are allowed."
)
BAD_CHARACTER = Template(
    "filter_bad_character", "A text in the filter holds a character that no database text can hold."
)
ONLY_IS_NULL = Template("filter_only_is_null", "null can only be asked for with isNull.")
IS_NUMBER = Template("filter_is_number", "{column} is a number, {value} is not.")
IS_TEXT = Template("filter_is_text", "{column} is text, {value} is not.")
IS_BOOLEAN = Template("filter_is_boolean", "{column} is true or false, {value} is neither.")
NOT_FINITE = Template("filter_not_finite", "A number in the filter is not finite.")
NO_DATE = Template("filter_no_date", "{text} is not a date. Write it as 2024-12-31.")
NO_TIME = Template("filter_no_time", "{text} is not a time. Write it as 2024-12-31T23:59:00Z.")
IS_INSTANT = Template("filter_is_instant", "{column} is a {kind}, {value} is not. Write it as '{example}'.")
IS_UUID = Template("filter_is_uuid", "{column} is a UUID, {value} is not.")
IS_LIST = Template(
    "filter_is_list", "{column} is a list. Compare it with a_contains, a_overlaps or a_equals."
)
IS_GEOMETRY = Template(
    "filter_is_geometry", "{column} is a geometry. Compare it with s_intersects and the like."
)

MAX_STRING = 10_000
INT64 = 2**63
FLOAT32 = 3.4e38
EXACT_FLOAT = 2**53
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_TRUE, _FALSE = ("true", "t", "yes"), ("false", "f", "no")


def literal(node: Any) -> Term | None:
    """A plain JSON value, or {"date": ...}, {"timestamp": ...}, {"value": ...}; None if the node is not a literal."""
    if node is None:
        return Term("null", None)
    if isinstance(node, bool):
        return Term("boolean", node, value=node)
    if isinstance(node, int | float):
        return _number(node)
    if isinstance(node, str):
        return Term("text", node, value=checked_text(node))
    if isinstance(node, Mapping) and len(node) == 1:
        ((key, inner),) = node.items()
        if key == "date" and isinstance(inner, str):
            return _date(inner)
        if key == "timestamp" and isinstance(inner, str):
            return _timestamp(inner)
        if key in ("value", "literal") and not isinstance(inner, Mapping | list):
            return literal(inner)
    return None


def checked_text(text: str) -> str:
    """The text. Raises InvalidFilter if it is too long or contains a character that PostgreSQL cannot store."""
    if len(text) > MAX_STRING:
        raise InvalidFilter(LONG_TEXT(n=len(text), most=MAX_STRING))
    if "\x00" in text or any("\ud800" <= character <= "\udfff" for character in text):
        raise InvalidFilter(BAD_CHARACTER())
    return text


def _number(number: float) -> Term:
    if isinstance(number, float):
        if not math.isfinite(number):
            raise InvalidFilter(NOT_FINITE())
        if number.is_integer() and abs(number) < EXACT_FLOAT:
            number = int(number)
    return Term("integer" if isinstance(number, int) else "number", number, value=number)


def _date(text: str) -> Term:
    try:
        day = date.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidFilter(NO_DATE(text=repr(text))) from error
    return Term("date", {"date": day.isoformat()}, value=day)


def _timestamp(text: str) -> Term:
    """A timestamp without a time zone is in UTC."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InvalidFilter(NO_TIME(text=repr(text))) from error
    moment = moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    return Term("timestamp", {"timestamp": moment.isoformat().replace("+00:00", "Z")}, value=moment)


def typed(term: Term, like: Term, *, equality: bool = False) -> Term:
    """A literal with the type of the term it is compared with; other terms unchanged. Raises InvalidFilter."""
    if not term.is_literal:
        return term
    if like.kind in NUMBERS:
        return _as_number(term, like)
    if like.kind == "text":
        return _as_text(term, like, equality)
    if like.kind == "boolean":
        return _as_boolean(term, like)
    if like.kind in INSTANTS:
        return _as_instant(term, like)
    if like.kind == "other" and isinstance(term.value, str):
        return _as_other(term, like)
    raise _mismatch(term, like)


def untyped(term: Term) -> Term:
    """A literal that is compared with another literal, with the SQL type of its JSON type."""
    if not term.is_literal:
        return term
    kinds: dict[str, sa.types.TypeEngine[Any]] = {
        "text": sa.Text(), "integer": sa.Double(), "number": sa.Double(), "boolean": sa.Boolean(),
        "date": sa.Date(), "timestamp": sa.TIMESTAMP(timezone=True),
    }  # fmt: skip
    if term.kind not in kinds:
        raise InvalidFilter(ONLY_IS_NULL())
    return typed(term, Term(term.kind, None, type=kinds[term.kind]), equality=True)


def bound(value: Any, kind: sa.types.TypeEngine[Any]) -> sa.BindParameter[Any]:
    """A value as a parameter of this type."""
    return sa.bindparam(None, value, type_=kind, unique=True)


def _parameter(value: Any, kind: sa.types.TypeEngine[Any]) -> Expression:
    """SQLAlchemy sends REAL as double precision, which would not equal the stored value; a cast corrects that."""
    parameter = bound(value, kind)
    return sa.cast(parameter, sa.REAL) if isinstance(kind, sa.REAL) else parameter


def _as_number(term: Term, like: Term) -> Term:
    value = term.value
    if term.kind == "text" and _NUMBER.fullmatch(value.strip()):
        term = _number(_parsed(value.strip()))
    if term.kind not in NUMBERS:
        raise InvalidFilter(IS_NUMBER(column=like.label, value=term.label))
    value, kind = _fitting(term.value, like.type or sa.Double())
    # Browsers would round a longer integer; as text it is exact, and it is read as a number here.
    is_long = not like.is_literal and isinstance(term.value, int) and abs(term.value) > EXACT_FLOAT
    return Term(term.kind, str(term.value) if is_long else term.json, _parameter(value, kind), term.value)


def _parsed(text: str) -> float:
    return int(text) if re.fullmatch(r"[+-]?\d{1,40}", text) else float(text)


def _fitting(value: float, kind: sa.types.TypeEngine[Any]) -> tuple[Any, sa.types.TypeEngine[Any]]:
    """The value as the driver expects it for a column of this type, or in a wider type if it does not fit."""
    if isinstance(kind, sa.SmallInteger | sa.Integer | sa.BigInteger):
        if not isinstance(value, int):
            return value, sa.Double()
        return (value, sa.BigInteger()) if -INT64 <= value < INT64 else (Decimal(value), sa.Numeric())
    if isinstance(kind, sa.REAL) and abs(value) < FLOAT32:
        return float(value), kind
    if isinstance(kind, sa.Float):
        return (float(value), sa.Double()) if abs(value) < 1e308 else (Decimal(value), sa.Numeric())
    return Decimal(str(value)), sa.Numeric()


def _as_text(term: Term, like: Term, equality: bool) -> Term:
    value = term.value
    if equality and term.kind == "integer":
        value = str(value)
    if not isinstance(value, str):
        raise InvalidFilter(IS_TEXT(column=like.label, value=term.label))
    return Term("text", value, bound(value, sa.Text()), value)


def _as_boolean(term: Term, like: Term) -> Term:
    value = term.value
    if isinstance(value, str):
        value = True if value.lower() in _TRUE else False if value.lower() in _FALSE else value
    elif term.kind == "integer" and value in (0, 1):
        value = bool(value)
    if not isinstance(value, bool):
        raise InvalidFilter(IS_BOOLEAN(column=like.label, value=term.label))
    return Term("boolean", value, bound(value, sa.Boolean()), value)


def _as_instant(term: Term, like: Term) -> Term:
    """A date stays a date when it is compared with a timestamp; see comparing.py."""
    if isinstance(term.value, str):
        try:
            term = (
                _date(term.value)
                if re.fullmatch(r"[\d-]{8,10}", term.value.strip())
                else _timestamp(term.value)
            )
        except InvalidFilter as error:
            raise _no_instant(term, like) from error
    if term.kind not in INSTANTS:
        raise _no_instant(term, like)
    if like.kind == "date" and isinstance(term.value, datetime):
        term = Term("date", {"date": term.value.date().isoformat()}, value=term.value.date())
    return Term(term.kind, term.json, instant(term.value, like), term.value)


def _no_instant(term: Term, like: Term) -> InvalidFilter:
    example = "2024-12-31" if like.kind == "date" else "2024-12-31T23:59:00Z"
    return InvalidFilter(IS_INSTANT(column=like.label, kind=like.kind, value=term.label, example=example))


def instant(value: date, like: Term) -> sa.BindParameter[Any]:
    """A date or time as a parameter of the type of `like`, without a time zone if that has none."""
    if like.kind == "date":
        return bound(value, sa.Date())
    zoned = isinstance(like.type, sa.TIMESTAMP) and like.type.timezone
    moment = value if isinstance(value, datetime) else datetime.combine(value, time(), UTC)
    return bound(moment if zoned else moment.replace(tzinfo=None), sa.TIMESTAMP(timezone=zoned))


def _as_other(term: Term, like: Term) -> Term:
    if isinstance(like.type, pg.UUID):
        try:
            return Term("other", term.json, bound(str(UUID(term.value)), like.type), term.value)
        except ValueError as error:
            raise InvalidFilter(IS_UUID(column=like.label, value=term.label)) from error
    return Term("other", term.json, bound(term.value, sa.Text()), term.value)


def _mismatch(term: Term, like: Term) -> InvalidFilter:
    if like.kind == "array":
        return InvalidFilter(IS_LIST(column=like.label))
    if like.kind == "geometry":
        return InvalidFilter(IS_GEOMETRY(column=like.label))
    if like.kind == "null" or term.kind == "null":
        return InvalidFilter(ONLY_IS_NULL())
    kind = base_type(like.column.sql_type) if like.column else like.kind
    return InvalidFilter(TYPE(column=like.label, type=kind, value=term.label))
