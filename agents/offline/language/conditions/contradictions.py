"""Finds conditions that contradict a new one, which then replaces them."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator
from typing import Any

import shapely
from shapely.geometry import shape

from agents.domain import Cql2
from agents.offline.meaning.cql2 import conjunction, conjuncts

MAX_COMMON_SHARE = 0.01
"""Maximum share of the smaller of two places in the other one: borders of neighbours may overlap a little."""
_COMPARED = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def without_contradicted(before: Cql2 | None, wanted: Cql2) -> Cql2 | None:
    """The filter without conditions that `wanted` excludes: `and in Spain?` after `in France`, `in 2022`
    after `in 2021`.

    A column, or a part of its date, has one value in a row; and rows in one place are not in another beside it.
    """
    if before is None:
        return None
    new = conjuncts(wanted)
    kept = [
        part
        for part in conjuncts(before)
        if not _are_unsatisfiable([part, *(each for each in new if _compared(each) == _compared(part))])
        and not any(_are_opposites(part, each) for each in new)
    ]
    sides = {_compared(part) for part in conjuncts(before) if part not in kept}
    kept = [part for part in kept if _compared(part) is None or _compared(part) not in sides]
    left = [
        each
        for part in kept
        for each in _places(part)
        if any(_are_apart(each, one) for one in _places(wanted))
    ]
    kept = [part for part in kept if not any(each in left for each in _places(part))]
    return conjunction(kept)


def _places(part: Any) -> Iterator[dict[str, Any]]:
    """The areas with a name in a condition."""
    if isinstance(part, dict):
        if "name" in part and part.get("type") in ("Polygon", "MultiPolygon"):
            yield part
        elif part.get("op") not in ("not", "or"):
            for each in part.get("args", ()):
                yield from _places(each)


def _are_apart(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether two areas have no more than their borders in common."""
    first, second = (shapely.make_valid(shape(each)) for each in (one, other))
    return bool(first.intersection(second).area <= MAX_COMMON_SHARE * min(first.area, second.area))


def _are_opposites(one: Cql2, other: Cql2) -> bool:
    return one == {"op": "not", "args": [other]} or other == {"op": "not", "args": [one]}


def column_of_two_values(parts: list[Cql2]) -> str | None:
    """The column that the conditions would give two values in one row, also within alternatives (`with wheat
    in Aston or barley`); None if there is none."""
    equal = [part for part in parts if _gives_value(part)]
    several = [
        part["args"] for part in parts if part.get("op") == "or" and not _is_of_one_value(part["args"])
    ]
    either = [each for alternatives in several for each in alternatives if _gives_value(each)]
    for part in (*equal, *either):
        same = [each for each in equal if each is not part and _compared(each) == _compared(part)]
        if any(_are_unsatisfiable([part, each]) for each in same):
            return str(part["args"][0]["property"])
    return None


def _is_of_one_value(alternatives: list[Cql2]) -> bool:
    """Whether one value may be in several columns: `with a truck and a bicycle`, of two road users."""
    values = [each["args"][1] for each in alternatives if _gives_value(each)]
    return len(values) == len(alternatives) and all(each == values[0] for each in values)


def _gives_value(part: Cql2) -> bool:
    return part.get("op") in ("=", "in") and _compared(part) is not None and "property" in part["args"][0]


def _compared(part: Cql2) -> str | None:
    """The left side of a comparison with constants, as text; None for other conditions."""
    if part.get("op") not in ("=", "in", *_COMPARED):
        return None
    subject, values = part["args"]
    given = values if part["op"] == "in" else [values]
    plain = all(not isinstance(each, dict) or set(each) <= {"date", "timestamp"} for each in given)
    return json.dumps(subject, sort_keys=True) if plain else None


def _are_unsatisfiable(parts: list[Cql2]) -> bool:
    """Whether no value satisfies all these comparisons of the same thing."""
    lists: list[set[Any]] = []
    bounds: list[tuple[str, Any]] = []
    for part in parts:
        if _compared(part) is None:
            return False
        op, (_, given) = part["op"], part["args"]
        if op in _COMPARED:
            bounds.append((op, _value(given)))
        else:
            lists.append({_value(each) for each in (given if op == "in" else [given])})
    try:
        if lists:
            allowed = set.intersection(*lists)
            return not any(all(_COMPARED[op](each, end) for op, end in bounds) for each in allowed)
        lows = [(end, op) for op, end in bounds if op in (">", ">=")]
        highs = [(end, op) for op, end in bounds if op in ("<", "<=")]
        return any(
            low > high or (low == high and (above == ">" or below == "<"))
            for low, above in lows
            for high, below in highs
        )
    except TypeError:  # numbers compared with texts
        return False


def _value(given: Any) -> Any:
    return next(iter(given.values())) if isinstance(given, dict) else given
