"""Filters in CQL2 JSON: their parts, and filters made of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agents.domain import Cql2


def property_of(column: str) -> Cql2:
    """A column as CQL2 JSON."""
    return {"property": column}


def equals(column: str, values: Sequence[Any]) -> Cql2:
    """CQL2 JSON for a column that has one of the values."""
    if len(values) == 1:
        return {"op": "=", "args": [property_of(column), values[0]]}
    return {"op": "in", "args": [property_of(column), list(values)]}


def contains(column: str, text: str, before: str = "%", after: str = "%") -> Cql2:
    """CQL2 for a column that contains a text, ignoring case; wildcards in the text are literal."""
    literal = text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    insensitive = {"op": "casei", "args": [property_of(column)]}
    return {"op": "like", "args": [insensitive, {"op": "casei", "args": [f"{before}{literal}{after}"]}]}


def is_null(column: str) -> Cql2:
    """CQL2 JSON for a column without a value."""
    return {"op": "isNull", "args": [property_of(column)]}


def negated(inner: Cql2) -> Cql2:
    """The opposite of a filter."""
    if inner.get("op") == "not":
        found: Cql2 = inner["args"][0]
        return found
    return {"op": "not", "args": [inner]}


def combined(op: str, one: Cql2 | None, other: Cql2) -> Cql2:
    """Two filters as one, without needless nesting."""
    if one is None:
        return other
    return {"op": op, "args": flat(op, [one, other])}


def flat(op: str, parts: list[Cql2]) -> list[Cql2]:
    """The parts without nested groups of the same operator and without duplicates."""
    inner = [each for part in parts for each in (part["args"] if part.get("op") == op else [part])]
    return [each for at, each in enumerate(inner) if each not in inner[:at]]


def conjuncts(whole: Cql2 | None) -> list[Cql2]:
    """The conditions joined by `and` in a filter, or the filter itself."""
    if whole is None:
        return []
    return list(whole["args"]) if whole.get("op") == "and" else [whole]


def conjunction(parts: Sequence[Cql2]) -> Cql2 | None:
    """The filter with these conditions joined by `and`; None without any."""
    return {"op": "and", "args": [*parts]} if len(parts) > 1 else next(iter(parts), None)


def disjunction(parts: Sequence[Cql2]) -> Cql2:
    """The filter with these conditions joined by `or`; there is at least one."""
    return {"op": "or", "args": [*parts]} if len(parts) > 1 else parts[0]


def columns_in(filter: Any) -> list[str]:
    """The columns that a filter uses."""
    if not isinstance(filter, dict):
        return []
    own = [str(filter["property"])] if "property" in filter else []
    return own + [name for part in filter.get("args", ()) for name in columns_in(part)]
