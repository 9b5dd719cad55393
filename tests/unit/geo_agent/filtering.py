"""CQL2 JSON evaluated in Python over rows, for the ports in memory: an independent reading of the standard."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from agents.core import ToolFailed


def passes(node: Any, row: Mapping[str, Any]) -> bool:
    return bool(_evaluate(node, row))


def properties(node: Any) -> set[str]:
    """The columns a filter speaks of."""
    if isinstance(node, Mapping):
        own = {str(node["property"])} if "property" in node else set()
        return own.union(*(properties(part) for part in node.get("args", ())))
    return set().union(*(properties(part) for part in node)) if isinstance(node, list) else set()


def _evaluate(node: Any, row: Mapping[str, Any]) -> Any:
    if isinstance(node, Mapping):
        if "property" in node:
            return row[node["property"]]
        for kind in ("date", "timestamp"):
            if kind in node:
                return node[kind]
        if "op" in node:
            return _operation(str(node["op"]), node.get("args", []), row)
        return node
    return node


_DATE_PARTS = {
    "year": lambda when: when.year,
    "month": lambda when: when.month,
    "weekday": lambda when: when.isoweekday(),
    "hour": lambda when: when.hour,
}


def _operation(op: str, arguments: list[Any], row: Mapping[str, Any]) -> Any:
    if op == "and":
        return all(_evaluate(part, row) for part in arguments)
    if op == "or":
        return any(_evaluate(part, row) for part in arguments)
    if op == "not":
        # Three-valued logic: the opposite of unknown is unknown, and unknown does not pass.
        inner = _evaluate(arguments[0], row)
        return None if inner is None else not inner
    if op == "isNull":
        return _evaluate(arguments[0], row) is None
    if op == "casei":
        inner = _evaluate(arguments[0], row)
        return inner.casefold() if isinstance(inner, str) else inner
    if op == "accenti":
        inner = _evaluate(arguments[0], row)
        apart = unicodedata.normalize("NFKD", inner) if isinstance(inner, str) else inner
        return "".join(c for c in apart if not unicodedata.combining(c)) if isinstance(apart, str) else apart
    if op in _DATE_PARTS:
        inner = _evaluate(arguments[0], row)
        return None if inner is None else _DATE_PARTS[op](datetime.fromisoformat(str(inner)))
    if op == "s_intersects":
        return _intersects(row[arguments[0]["property"]], arguments[1])
    values = [_evaluate(part, row) for part in arguments]
    if values[0] is None:
        return None
    if op == "in":
        return values[0] in values[1]
    if op == "between":
        return values[1] <= values[0] <= values[2]
    if op == "like":
        pattern = re.escape(values[1]).replace("%", ".*").replace("_", ".")
        pattern = pattern.replace(r"\\.*", "%").replace(r"\\.", "_")
        return re.fullmatch(pattern, values[0], re.DOTALL) is not None
    compare = {
        "=": lambda a, b: a == b,
        "<>": lambda a, b: a != b,
        ">": lambda a, b: a > b,
        ">=": lambda a, b: a >= b,
        "<": lambda a, b: a < b,
        "<=": lambda a, b: a <= b,
    }.get(op)
    if compare is None:
        raise ToolFailed(f"{op!r} is not a CQL2 operator.")
    try:
        return compare(values[0], values[1])
    except TypeError:
        raise ToolFailed(f"{values[0]!r} and {values[1]!r} cannot be compared.") from None


def _intersects(point: tuple[float, float], shape: Any) -> bool:
    box = shape.get("bbox") if isinstance(shape, Mapping) else None
    if box is None:
        ring = shape["coordinates"][0]
        xs, ys = [p[0] for p in ring], [p[1] for p in ring]
        box = [min(xs), min(ys), max(xs), max(ys)]
    west, south, east, north = box
    inside = west <= point[0] <= east if west <= east else point[0] >= west or point[0] <= east
    return inside and south <= point[1] <= north
