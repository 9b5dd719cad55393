"""Temporal relations of CQL2: t_after, t_during, t_intersects ...

Every operand is an interval; a column or a single time is one whose start is its end. Comparisons with an open
end (`..`) have a constant result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from agents.worded import Template
from server.gis.errors import InvalidFilter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.comparing import comparison, where_known
from server.gis.filters.literals import literal, typed
from server.gis.filters.terms import INSTANTS, Term

INTERVAL_ENDS = Template(
    "filter_interval_ends", 'An interval has two ends: {"interval": ["2020-01-01", ".."]}.'
)
INTERVAL_ORDER = Template("filter_interval_order", "The interval ends ({end}) before it starts ({start}).")
TAKES_TIMES = Template("filter_takes_times", "Temporal operators take dates and times, {term} is neither.")
ENDS_ARE_TIMES = Template(
    "filter_ends_are_times", "The ends of an interval are dates or times, {term} is neither."
)
NEITHER_TIME = Template("filter_neither_time", "{text} is neither a date nor a time.")

OPEN = ".."

# Comparisons that hold together (of t_disjoint: one of them); s is a start, e an end, 1 and 2 the operands.
RELATIONS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "t_after": (("s1", ">", "e2"),),
    "t_before": (("e1", "<", "s2"),),
    "t_contains": (("s1", "<", "s2"), ("e1", ">", "e2")),
    "t_disjoint": (("e1", "<", "s2"), ("s1", ">", "e2")),
    "t_during": (("s1", ">", "s2"), ("e1", "<", "e2")),
    "t_equals": (("s1", "=", "s2"), ("e1", "=", "e2")),
    "t_finishedBy": (("s1", "<", "s2"), ("e1", "=", "e2")),
    "t_finishes": (("s1", ">", "s2"), ("e1", "=", "e2")),
    "t_intersects": (("s1", "<=", "e2"), ("e1", ">=", "s2")),
    "t_meets": (("e1", "=", "s2"),),
    "t_metBy": (("s1", "=", "e2"),),
    "t_overlappedBy": (("s1", ">", "s2"), ("s1", "<", "e2"), ("e1", ">", "e2")),
    "t_overlaps": (("s1", "<", "s2"), ("e1", ">", "s2"), ("e1", "<", "e2")),
    "t_startedBy": (("s1", "=", "s2"), ("e1", ">", "e2")),
    "t_starts": (("s1", "=", "s2"), ("e1", "<", "e2")),
}


@dataclass(frozen=True)
class Interval:
    """`start` and `end` are terms, None where the interval is open."""

    start: Term | None
    end: Term | None
    is_instant: bool = False

    @property
    def json(self) -> Any:
        """The interval or instant in CQL2 JSON."""
        if self.is_instant and self.start is not None:
            return self.start.json
        return {"interval": [_end_json(self.start), _end_json(self.end)]}


def temporal_relation(op: str, left: Interval, right: Interval) -> Term:
    """A temporal relation of two intervals. Raises InvalidFilter."""
    left, right = _with_types_of(left, right), _with_types_of(right, left)
    ends = {"s1": left.start, "e1": left.end, "s2": right.start, "e2": right.end}
    conditions = [_condition(ends, one, comparison, other) for one, comparison, other in RELATIONS[op]]
    together = sa.or_(*conditions) if op == "t_disjoint" else sa.and_(*conditions)
    return Term("boolean", {"op": op, "args": [left.json, right.json]}, together)


def interval(ends: Any, term_of: Any) -> Interval:
    """`{"interval": [a, b]}`; `term_of` compiles an end that is a property. Raises InvalidFilter."""
    if not isinstance(ends, Sequence) or isinstance(ends, str) or len(ends) != 2:
        raise InvalidFilter(INTERVAL_ENDS())
    start, end = (_end(each, term_of) for each in ends)
    if start is not None and end is not None and start.is_literal and end.is_literal and _later(start, end):
        raise InvalidFilter(INTERVAL_ORDER(end=str(end.value), start=str(start.value)))
    return Interval(start, end)


def instant_of(term: Term) -> Interval:
    """A date or time as an interval of no length. Raises InvalidFilter for other terms."""
    if term.kind == "text" and term.is_literal:
        term = _moment(term.value)
    if term.kind not in INSTANTS:
        raise InvalidFilter(TAKES_TIMES(term=term.label))
    return Interval(term, term, is_instant=True)


def _end(node: Any, term_of: Any) -> Term | None:
    if node is None or node == OPEN or node == "":
        return None
    if isinstance(node, str):
        return _moment(node)
    term: Term = term_of(node)
    if term.kind not in INSTANTS:
        raise InvalidFilter(ENDS_ARE_TIMES(term=term.label))
    return term


def _moment(text: str) -> Term:
    found = literal({"date" if len(text.strip()) <= 10 else "timestamp": text})
    if found is None:
        raise InvalidFilter(NEITHER_TIME(text=repr(text)))
    return found


def _later(one: Term, other: Term) -> bool:
    return str(one.value) > str(other.value) if one.kind == other.kind else False


def _with_types_of(side: Interval, other: Interval) -> Interval:
    """Literals get the type of a column on the other side; without one, that of timestamps in UTC."""
    known = [
        end
        for end in (other.start, other.end, side.start, side.end)
        if end is not None and not end.is_literal
    ]
    like = known[0] if known else Term("timestamp", None, type=sa.TIMESTAMP(timezone=True))
    start, end = (typed(each, like) if each is not None else None for each in (side.start, side.end))
    return Interval(start, end, side.is_instant)


def _condition(ends: Mapping[str, Term | None], one: str, op: str, other: str) -> Expression:
    left, right = ends[one], ends[other]
    if left is not None and right is not None:
        return comparison(op, left, right).expression
    first, second = _infinity(one, left), _infinity(other, right)
    truth = {"<": first < second, ">": first > second, "=": first == second}
    truth |= {"<=": first <= second, ">=": first >= second}
    known = left or right
    if known is None:
        return sa.true() if truth[op] else sa.false()
    return where_known(known.expression, truth[op])


def _infinity(name: str, end: Term | None) -> int:
    """-1 for an open start, 1 for an open end, 0 for a closed one."""
    if end is not None:
        return 0
    return -1 if name.startswith("s") else 1


def _end_json(end: Term | None) -> Any:
    if end is None:
        return OPEN
    if isinstance(end.json, Mapping) and (inner := end.json.get("date") or end.json.get("timestamp")):
        return inner
    return end.json
