"""Writes a canonical filter as CQL2 text. Parsing that text gives an equivalent filter."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from shapely.geometry import shape

from agents.domain import Cql2

_STRENGTH = {"or": 1, "and": 2, "not": 3}
_COMPARISONS = ("=", "<>", "<", ">", "<=", ">=")
_STRENGTHS_OF_NUMBERS = {"+": 5, "-": 5, "*": 6, "/": 6, "%": 6, "div": 6, "^": 7}
_RESERVED = re.compile(
    r"and|or|not|like|between|in|is|null|true|false|div|casei|accenti|date|timestamp|interval|bbox"
    r"|(multi)?(point|linestring|polygon)|geometrycollection",
    re.IGNORECASE,
)


def to_text(filter: Cql2) -> str:
    """The filter as CQL2 text."""
    return _written(filter)[0]


def _written(node: Any) -> tuple[str, int]:
    """The text of a node and its precedence; parts of lower precedence get parentheses."""
    if isinstance(node, bool):
        return ("TRUE" if node else "FALSE"), 9
    if node is None:
        return "NULL", 9
    if isinstance(node, int | float):
        return repr(node), 9
    if isinstance(node, str):
        return _quoted(node), 9
    if isinstance(node, list):
        return f"({', '.join(to_text(each) for each in node)})", 9
    if "op" in node:
        return _operation(node["op"], node["args"])
    return _value(node), 9


def _operation(op: str, args: list[Any]) -> tuple[str, int]:
    if op in ("and", "or"):
        return f" {op.upper()} ".join(_parenthesized(each, _STRENGTH[op] + 1) for each in args), _STRENGTH[op]
    if op == "not":
        return _negation(args[0])
    if op in _STRENGTHS_OF_NUMBERS:
        strength = _STRENGTHS_OF_NUMBERS[op]
        return f"{_parenthesized(args[0], strength)} {op} {_parenthesized(args[1], strength + 1)}", strength
    if op in (*_COMPARISONS, "like", "in", "between", "isNull"):
        return _condition(op, args, ""), 4
    return f"{op.upper() if op[1:2] == '_' else op}({', '.join(to_text(each) for each in args)})", 9


def _negation(inner: Any) -> tuple[str, int]:
    if isinstance(inner, Mapping) and inner.get("op") in ("like", "in", "between", "isNull"):
        return _condition(inner["op"], inner["args"], "NOT "), 4
    return f"NOT {_parenthesized(inner, 4)}", 3


def _condition(op: str, args: list[Any], negated: str) -> str:
    value = _parenthesized(args[0], 5)
    if op == "isNull":
        return f"{value} IS {negated}NULL"
    if op == "between":
        return f"{value} {negated}BETWEEN {_parenthesized(args[1], 5)} AND {_parenthesized(args[2], 5)}"
    if op in ("like", "in"):
        return f"{value} {negated}{op.upper()} {_parenthesized(args[1], 5)}"
    return f"{value} {op} {_parenthesized(args[1], 5)}"


def _parenthesized(node: Any, strength: int) -> str:
    text, own = _written(node)
    return text if own >= strength else f"({text})"


def _value(node: Mapping[str, Any]) -> str:
    if "property" in node:
        return _name(str(node["property"]))
    for key in ("date", "timestamp"):
        if key in node:
            return f"{key.upper()}({_quoted(str(node[key]))})"
    if "interval" in node:
        return f"INTERVAL({', '.join(to_text(each) for each in node['interval'])})"
    if "bbox" in node:
        return f"BBOX({', '.join(repr(each) for each in node['bbox'])})"
    return str(shape(dict(node)).wkt)


def _name(name: str) -> str:
    plain = re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) and not _RESERVED.fullmatch(name)
    return name if plain else '"' + name.replace('"', '""') + '"'


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
