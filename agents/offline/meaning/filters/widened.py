"""Filters that change what a layer shows: with further rows, or with another bound."""

from __future__ import annotations

from dataclasses import replace

from agents.domain import Cql2
from agents.offline.meaning.conditions import ColumnMention, Compare, Condition, Quantity
from agents.offline.meaning.cql2 import columns_in, combined, conjuncts


def widened(before: Cql2 | None, wanted: Cql2) -> Cql2:
    """A filter for more rows. Another value of a column that the filter gives one of is an alternative to that only:
    `also vandalism` after `graffiti in 2024` is vandalism in 2024."""
    parts = conjuncts(before)
    same = [each for each in parts if _gives_value(each, wanted)]
    if len(same) != 1 or len(parts) < 2:
        return combined("or", before, wanted)
    either = combined("or", same[0], wanted)
    return {"op": "and", "args": [either if each is same[0] else each for each in parts]}


def of_compared_column(where: Condition | None, before: Cql2 | None) -> Condition | None:
    """A bare bound with the only column that is compared already: `under 50` after `occupancy over 70 %`."""
    is_bare = isinstance(where, Compare) and where.column is None and not where.measure
    compared = {name for each in conjuncts(before) if each["op"] in _BOUNDS for name in columns_in(each)}
    if (
        not isinstance(where, Compare)
        or not is_bare
        or len(compared) != 1
        or not isinstance(where.value, Quantity)
    ):
        return where
    (name,) = compared
    return replace(where, column=ColumnMention(name, (name,))) if where.value.unit is None else where


_BOUNDS = ("<", "<=", ">", ">=")


def _gives_value(one: Cql2, other: Cql2) -> bool:
    """Whether both give values of one column."""
    equal = one["op"] in ("=", "in") and other["op"] in ("=", "in")
    return equal and len(columns_in(one)) == 1 and columns_in(one) == columns_in(other)
