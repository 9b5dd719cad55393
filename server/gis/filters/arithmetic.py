"""Arithmetic: + - * / ^ % div. All in double precision, so that no integer overflows and 1/2 is 0.5.

Division by zero gives NULL: such rows pass no comparison."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.literals import typed
from server.gis.filters.terms import NUMBERS, Term

NO_NUMBER = Template("filter_no_number", "{op} calculates with numbers, {term} is not a number.")

_DOUBLE: sa.types.TypeEngine[Any] = sa.Double()
_FLOAT = Term("number", None, type=_DOUBLE)


def _remainder(left: Expression, right: Expression) -> Expression:
    """The remainder, with the sign of the dividend, as in SQL."""
    return _cast(sa.func.mod(_exact(left), sa.func.nullif(_exact(right), 0)))


def _whole(left: Expression, right: Expression) -> Expression:
    """The integer part of the quotient, rounded towards zero."""
    return _cast(sa.func.div(_exact(left), sa.func.nullif(_exact(right), 0)))


ARITHMETIC: dict[str, Callable[[Expression, Expression], Any]] = {
    "+": lambda left, right: left + right,
    "-": lambda left, right: left - right,
    "*": lambda left, right: left * right,
    "/": lambda left, right: left / sa.func.nullif(right, 0.0, type_=_DOUBLE),
    "^": lambda left, right: sa.func.power(left, right, type_=_DOUBLE),
    "%": _remainder,
    "div": _whole,
}


def calculation(op: str, left: Term, right: Term) -> Term:
    """The result of an arithmetic operator. Raises InvalidFilter unless both sides are numbers."""
    sides = [typed(term, _FLOAT) for term in (left, right)]
    for term in sides:
        if term.kind not in NUMBERS:
            raise InvalidFilter(NO_NUMBER(op=op, term=term.label))
    sql = ARITHMETIC[op](*(_cast(term.expression) for term in sides))
    json = {"op": op, "args": [term.json for term in sides]}
    return Term("number", json, sql, type=_DOUBLE)


def _cast(expression: Expression) -> Expression:
    return sa.cast(expression, _DOUBLE)


def _exact(expression: Expression) -> Expression:
    return sa.cast(expression, sa.Numeric)
