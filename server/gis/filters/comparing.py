"""Comparisons of two terms: = <> < > <= >=, between, in, like, isNull.

A date and a timestamp are compared by day in UTC: `updated <= DATE('2024-12-31')` includes that evening. The
condition is a half-open range of timestamps, so that it can use an index on the column."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.literals import ONLY_IS_NULL, bound, instant, typed, untyped
from server.gis.filters.terms import INSTANTS, NUMBERS, Term
from server.gis.filters.texts import fold_both

NULL_IN_LIST = Template("filter_null_in_list", "null cannot be in a list of values. Use isNull.")
NULL_OF_COLUMN = Template("filter_null_of_column", "isNull takes a column.")
LIKE_TEXT = Template("filter_like_text", "like compares text, {term} is not text.")
PATTERN_END = Template("filter_pattern_end", "A pattern may not end with a single backslash.")
NOT_COMPARABLE = Template("filter_not_comparable", "{term} cannot be compared with {other}.")
ONLY_EQUAL = Template("filter_only_equal", "{term} can only be compared with = and <>.")

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "=": operator.eq, "<>": operator.ne,
    "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge,
}  # fmt: skip
_MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}


def comparison(op: str, left: Term, right: Term) -> Term:
    """A comparison with `op`. Raises InvalidFilter for types that cannot be compared."""
    if "null" in (left.kind, right.kind):
        return _with_null(op, left, right)
    left, right = _of_one_type(op, left, right)
    sql = _instants(op, left, right) if left.kind in INSTANTS else COMPARISONS[op](*_sides(left, right))
    return Term("boolean", {"op": op, "args": [left.json, right.json]}, sql)


def _of_one_type(op: str, left: Term, right: Term) -> tuple[Term, Term]:
    equality = op in ("=", "<>")
    if left.is_literal and right.is_literal:
        left, right = untyped(left), untyped(right)
    left, right = typed(left, right, equality=equality), typed(right, left, equality=equality)
    _comparable(op, left, right)
    return fold_both(left, right)


def between(value: Term, low: Term, high: Term) -> Term:
    """`value` from `low` to `high`, both included. Raises InvalidFilter."""
    lower, upper = comparison(">=", value, low), comparison("<=", value, high)
    value_json, low_json = lower.json["args"]
    json = {"op": "between", "args": [value_json, low_json, upper.json["args"][1]]}
    return Term("boolean", json, sa.and_(lower.expression, upper.expression))


def is_in(value: Term, choices: Sequence[Term]) -> Term:
    """Whether the value is one of the choices, with one array parameter per type. Raises InvalidFilter for null."""
    if any(choice.kind == "null" for choice in choices):
        raise InvalidFilter(NULL_IN_LIST())
    simple = value.sql is not None and not value.folds and value.kind in (*NUMBERS, "text")
    simple = simple and not isinstance(value.type, sa.REAL)
    if simple and all(choice.is_literal for choice in choices):
        typed_choices = [_of_one_type("=", value, choice)[1] for choice in choices]
        json = {"op": "in", "args": [value.json, [choice.json for choice in typed_choices]]}
        return Term("boolean", json, _any_of(value, typed_choices))
    each = [comparison("=", value, choice) for choice in choices]
    value_json = each[0].json["args"][0]
    json = {"op": "in", "args": [value_json, [one.json["args"][1] for one in each]]}
    return Term("boolean", json, sa.or_(*(one.expression for one in each)))


def is_null(value: Term) -> Term:
    """Whether a column has no value. Raises InvalidFilter for a literal."""
    if value.is_literal:
        raise InvalidFilter(NULL_OF_COLUMN())
    return Term("boolean", {"op": "isNull", "args": [value.json]}, value.expression.is_(sa.null()))


def like(value: Term, pattern: Term) -> Term:
    """A text comparison with the wildcards % and _. Raises InvalidFilter for other types and invalid patterns."""
    if value.kind != "text":
        raise InvalidFilter(LIKE_TEXT(term=value.label))
    if value.is_literal:
        value = untyped(value)
    pattern = typed(pattern, value)
    if isinstance(pattern.value, str) and _ends_in_escape(pattern.value):
        raise InvalidFilter(PATTERN_END())
    value, pattern = fold_both(value, pattern)
    sql = value.expression.like(pattern.expression)
    return Term("boolean", {"op": "like", "args": [value.json, pattern.json]}, sql)


def _with_null(op: str, left: Term, right: Term) -> Term:
    """`x = null`, which models write, as isNull."""
    value = right if left.kind == "null" else left
    if op not in ("=", "<>") or value.is_literal:
        raise InvalidFilter(ONLY_IS_NULL())
    found = is_null(value)
    return found if op == "=" else found.negated


def _comparable(op: str, left: Term, right: Term) -> None:
    groups = (NUMBERS, INSTANTS, ("text",), ("boolean",), ("other",))
    if not any(left.kind in group and right.kind in group for group in groups):
        raise InvalidFilter(NOT_COMPARABLE(term=left.label, other=right.label))
    if left.kind == "other" and op not in ("=", "<>"):
        raise InvalidFilter(ONLY_EQUAL(term=left.label))


def _sides(left: Term, right: Term) -> tuple[Expression, Expression]:
    if left.kind == "other" and not isinstance(left.type or right.type, pg.UUID):
        return sa.cast(left.expression, sa.Text), sa.cast(right.expression, sa.Text)
    return left.expression, right.expression


def _instants(op: str, left: Term, right: Term) -> Expression:
    if right.kind == "date" and right.value is not None and left.kind == "timestamp":
        return _day(op, left, right.value)
    if left.kind == "date" and left.value is not None and right.kind == "timestamp":
        return _day(_MIRRORED[op], right, left.value)
    comparison: Expression = COMPARISONS[op](*_common(left, right))
    return comparison


def _day(op: str, moment: Term, day: date) -> Expression:
    """A moment compared with a whole day."""
    value = moment.expression
    start = instant(datetime.combine(day, time(), UTC), moment)
    if day >= date.max:
        last = {"<=": where_known(value, True), ">": where_known(value, False), "<": value < start}
        return last.get(op, value < start if op == "<>" else value >= start)
    end = instant(datetime.combine(day + timedelta(days=1), time(), UTC), moment)
    ranges: dict[str, Expression] = {
        "=": sa.and_(value >= start, value < end), "<>": sa.or_(value < start, value >= end),
        "<": value < start, "<=": value < end, ">": value >= end, ">=": value >= start,
    }  # fmt: skip
    return ranges[op]


def where_known(value: Expression, truth: bool) -> Expression:
    """Constantly true or false, but NULL where the value is, so that `not` does not make it true."""
    return sa.case((value.is_not(sa.null()), sa.true() if truth else sa.false()))


def _common(left: Term, right: Term) -> tuple[Expression, Expression]:
    """Both sides in the same type, in UTC, independent of the session's time zone."""
    if "date" in (left.kind, right.kind):
        return _as_day(left), _as_day(right)
    zoned = [_has_zone(term) for term in (left, right)]
    if zoned[0] == zoned[1]:
        return left.expression, right.expression
    return _in_utc(left, zoned[0]), _in_utc(right, zoned[1])


def _as_day(term: Term) -> Expression:
    if term.kind == "date":
        return term.expression
    return sa.cast(_in_utc(term, _has_zone(term)), sa.Date)


def _has_zone(term: Term) -> bool:
    kind = term.expression.type
    return isinstance(kind, sa.TIMESTAMP) and bool(kind.timezone)


def _in_utc(term: Term, zoned: bool) -> Expression:
    if zoned:
        return sa.func.timezone("UTC", term.expression, type_=sa.TIMESTAMP(timezone=False))
    return sa.cast(term.expression, sa.TIMESTAMP(timezone=False))


def _any_of(value: Term, choices: Sequence[Term]) -> Expression:
    """One parameter for all values of the same type, however many there are."""
    by_type: dict[str, tuple[sa.types.TypeEngine[Any], list[Any]]] = {}
    for choice in choices:
        parameter = choice.sql
        assert isinstance(parameter, sa.BindParameter)  # noqa: S101 - typed() makes literals parameters
        by_type.setdefault(repr(parameter.type), (parameter.type, []))[1].append(parameter.value)
    return sa.or_(
        *(value.expression == sa.any_(bound(found, pg.ARRAY(kind))) for kind, found in by_type.values())
    )


def _ends_in_escape(pattern: str) -> bool:
    return (len(pattern) - len(pattern.rstrip("\\"))) % 2 == 1
