"""Array comparisons: a_contains, a_containedBy, a_overlaps, a_equals for arrays; a_contains also for JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql as pg

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.comparing import NOT_COMPARABLE
from server.gis.filters.literals import bound, typed
from server.gis.filters.terms import Term

TAKES_LISTS = Template("filter_takes_lists", "{op} takes a column that holds lists.")
NO_LISTS = Template("filter_no_lists", "{op} takes a column that holds lists, {term} does not.")
JSON_CONTAINS = Template("filter_json_contains", "Of JSON columns only a_contains can be asked, not {op}.")

ARRAYS: dict[str, Callable[[Expression, Expression], Any]] = {
    "a_contains": lambda left, right: left.op("@>", is_comparison=True)(right),
    "a_containedBy": lambda left, right: left.op("<@", is_comparison=True)(right),
    "a_overlaps": lambda left, right: left.op("&&", is_comparison=True)(right),
    "a_equals": lambda left, right: left == right,
}
_MIRRORED = {"a_contains": "a_containedBy", "a_containedBy": "a_contains"}


def array_compared(op: str, left: Term | Sequence[Term], right: Term | Sequence[Term]) -> Term:
    """An array comparison of a column with another column or with literals, in either order. Raises InvalidFilter."""
    if not isinstance(left, Term):
        if not isinstance(right, Term):
            raise InvalidFilter(TAKES_LISTS(op=op))
        swapped = array_compared(_MIRRORED.get(op, op), right, left)
        return Term("boolean", {"op": op, "args": swapped.json["args"][::-1]}, swapped.sql)
    if left.kind not in ("array", "json"):
        raise InvalidFilter(NO_LISTS(op=op, term=left.label))
    if isinstance(right, Term):
        if left.kind != right.kind:
            raise InvalidFilter(NOT_COMPARABLE(term=left.label, other=right.label))
        return _result(op, left, right.json, right.expression)
    if left.kind == "json":
        return _json_contains(op, left, right)
    if not isinstance(left.type, pg.ARRAY):
        raise AssertionError("an array column has an array type")
    like = Term(_element_kind(left.type.item_type), None, type=left.type.item_type, column=left.column)
    values = [typed(each, like, equality=True) for each in right]
    parameter = bound([_value(each) for each in values], left.type)
    return _result(op, left, [each.json for each in values], parameter)


def _result(op: str, left: Term, right_json: Any, right: Expression) -> Term:
    return Term("boolean", {"op": op, "args": [left.json, right_json]}, ARRAYS[op](left.expression, right))


def _json_contains(op: str, left: Term, right: Sequence[Term]) -> Term:
    if op != "a_contains":
        raise InvalidFilter(JSON_CONTAINS(op=op))
    values = [each.json for each in right]
    wanted = sa.cast(bound(json.dumps(values), sa.Text()), pg.JSONB)
    return _result(op, left, values, wanted)


def _value(term: Term) -> Any:
    parameter = term.sql.clause if isinstance(term.sql, sa.Cast) else term.sql
    assert isinstance(parameter, sa.BindParameter)  # noqa: S101 - typed() makes literals parameters
    return parameter.value


def _element_kind(kind: sa.types.TypeEngine[Any]) -> Any:
    if isinstance(kind, sa.Integer):
        return "integer"
    if isinstance(kind, sa.Numeric | sa.Float):
        return "number"
    if isinstance(kind, sa.Boolean):
        return "boolean"
    if isinstance(kind, sa.Date):
        return "date"
    if isinstance(kind, sa.TIMESTAMP):
        return "timestamp"
    return "other" if isinstance(kind, pg.UUID) else "text"
