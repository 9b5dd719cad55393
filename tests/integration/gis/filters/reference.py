"""What a CQL2 filter means, said a second time in plain Python and without a look at the compiler.

Values are true, false or None (unknown), as in SQL. Only what the property tests generate is understood."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

Row = Mapping[str, Any]


def passes(node: Any, row: Row) -> bool:
    return _truth(node, row) is True


def _truth(node: Any, row: Row) -> bool | None:
    if isinstance(node, bool):
        return node
    if "property" in node:
        return row[node["property"]]  # type: ignore[no-any-return]
    op, args = node["op"], node["args"]
    if op == "and":
        return _all([_truth(each, row) for each in args])
    if op == "or":
        found = _all([_opposite(_truth(each, row)) for each in args])
        return _opposite(found)
    if op == "not":
        return _opposite(_truth(args[0], row))
    if op == "isNull":
        return _value(args[0], row) is None
    if op == "between":
        return _all([_compare(">=", args[0], args[1], row), _compare("<=", args[0], args[2], row)])
    if op == "in":
        return _opposite(_all([_opposite(_compare("=", args[0], each, row)) for each in args[1]]))
    if op == "like":
        return _like(_value(args[0], row), _value(args[1], row))
    if op.startswith("a_"):
        return _lists(op, _value(args[0], row), _value(args[1], row))
    if op.startswith("t_"):
        return _temporal(op, _ends(args[0], row), _ends(args[1], row))
    if op == "s_intersects":
        return _inside(row[args[0]["property"]], args[1]["bbox"])
    return _compare(op, args[0], args[1], row)


def _all(truths: list[bool | None]) -> bool | None:
    if False in truths:
        return False
    return None if None in truths else True


def _opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


def _value(node: Any, row: Row) -> Any:
    if isinstance(node, list):
        return [_value(each, row) for each in node]
    if not isinstance(node, Mapping):
        return node
    if "property" in node:
        return row[node["property"]]
    if "date" in node:
        return date.fromisoformat(node["date"])
    if "timestamp" in node:
        return datetime.fromisoformat(node["timestamp"])
    op, args = node["op"], [_value(each, row) for each in node["args"]]
    if None in args:
        return None
    if op == "casei":
        return args[0].lower()
    if op == "accenti":
        decomposed = unicodedata.normalize("NFD", args[0])
        return "".join(each for each in decomposed if not unicodedata.combining(each))
    return _calculated(op, *args)


def _calculated(op: str, left: Any, right: Any) -> float | None:
    one, other = float(left), float(right)
    if op in ("/", "%", "div") and other == 0:
        return None
    if op == "+":
        return one + other
    if op == "-":
        return one - other
    if op == "*":
        return one * other
    if op == "/":
        return one / other
    if op == "^":
        return one**other
    return math.fmod(one, other) if op == "%" else float(math.trunc(one / other))


def _compare(op: str, left: Any, right: Any, row: Row) -> bool | None:
    one, other = _value(left, row), _value(right, row)
    if one is None or other is None:
        return None
    if isinstance(one, datetime) != isinstance(other, datetime) and isinstance(one, date):
        return _moment_and_day(op, one, other)
    if isinstance(one, int | float | Decimal) and not isinstance(one, bool):
        one, other = _of_one_type(one, other, [isinstance(each, float) for each in (left, right)])
        one, other = _ordered(one), _ordered(other)
    return bool(
        {"=": one == other, "<>": one != other}[op]
        if op in ("=", "<>")
        else {"<": one < other, ">": one > other, "<=": one <= other, ">=": one >= other}[op]
    )


def _of_one_type(one: Any, other: Any, written: list[bool]) -> tuple[Any, Any]:
    """A number written with a point is exact beside an exact column; a float in the data makes all floats."""
    if isinstance(one, Decimal) and written[1]:
        return one, Decimal(repr(other))
    if isinstance(other, Decimal) and written[0]:
        return Decimal(repr(one)), other
    return (float(one), float(other)) if isinstance(one, float) or isinstance(other, float) else (one, other)


def _ordered(number: Any) -> tuple[bool, Any]:
    """PostgreSQL holds NaN equal to itself and above all others."""
    if isinstance(number, float) and math.isnan(number):
        return True, 0
    return False, number


def _moment_and_day(op: str, one: Any, other: Any) -> bool:
    """A moment is compared with a day by the day it is on, in UTC."""
    days = [each.astimezone(UTC).date() if isinstance(each, datetime) else each for each in (one, other)]
    return bool(
        {
            "=": days[0] == days[1], "<>": days[0] != days[1], "<": days[0] < days[1],
            ">": days[0] > days[1], "<=": days[0] <= days[1], ">=": days[0] >= days[1],
        }[op]
    )  # fmt: skip


def _like(text: str | None, pattern: str | None) -> bool | None:
    if text is None or pattern is None:
        return None
    parts, escaped = [], False
    for character in pattern:
        if escaped:
            parts.append(re.escape(character))
            escaped = False
        elif character == "\\":
            escaped = True
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return re.fullmatch("".join(parts), text, re.DOTALL) is not None


def _lists(op: str, one: list[Any] | None, other: list[Any] | None) -> bool | None:
    if one is None or other is None:
        return None
    if op == "a_equals":
        return one == other
    first, second = set(one), set(other)
    if op == "a_overlaps":
        return bool(first & second)
    return first >= second if op == "a_contains" else first <= second


def _ends(node: Any, row: Row) -> tuple[Any, Any] | None:
    """Start and end; open ends lie outside everything that is generated."""
    if isinstance(node, Mapping) and "interval" in node:
        start, end = node["interval"]
        low = date(1, 1, 2) if start == ".." else date.fromisoformat(start)
        high = date(9000, 1, 1) if end == ".." else date.fromisoformat(end)
        return low, high
    value = _value(node, row)
    return None if value is None else (value, value)


def _temporal(op: str, one: tuple[Any, Any] | None, other: tuple[Any, Any] | None) -> bool | None:
    if one is None or other is None:
        return None
    (s1, e1), (s2, e2) = one, other

    def is_(left: Any, relation: str, right: Any) -> bool:
        return _compare(relation, _as_node(left), _as_node(right), {}) is True

    return {
        "t_after": lambda: is_(s1, ">", e2),
        "t_before": lambda: is_(e1, "<", s2),
        "t_disjoint": lambda: is_(e1, "<", s2) or is_(s1, ">", e2),
        "t_during": lambda: is_(s1, ">", s2) and is_(e1, "<", e2),
        "t_equals": lambda: is_(s1, "=", s2) and is_(e1, "=", e2),
        "t_intersects": lambda: is_(s1, "<=", e2) and is_(e1, ">=", s2),
        "t_starts": lambda: is_(s1, "=", s2) and is_(e1, "<", e2),
        "t_finishes": lambda: is_(s1, ">", s2) and is_(e1, "=", e2),
    }[op]()


def _as_node(value: Any) -> Any:
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    return {"date": value.isoformat()}


def _inside(point: tuple[float, float] | None, bbox: list[float]) -> bool | None:
    if point is None:
        return None
    west, south, east, north = bbox
    longitude, latitude = point
    within = west <= longitude <= east if west <= east else longitude >= west or longitude <= east
    return within and south <= latitude <= north
