"""Non-standard spellings of operations that models write, as far as they are unambiguous.

`{"op": "gte", ...}`, `{"property": "x", "op": ">", "value": 3}`, `{"and": [...]}`, `not in`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

OPERATORS = {
    "==": "=", "eq": "=", "equals": "=", "equal": "=",
    "!=": "<>", "ne": "<>", "neq": "<>", "noteq": "<>",
    "gt": ">", "greaterthan": ">", "gte": ">=", "ge": ">=",
    "lt": "<", "lessthan": "<", "lte": "<=", "le": "<=",
    "&&": "and", "||": "or", "!": "not",
    "is null": "isNull", "isnull": "isNull", "is_null": "isNull",
    "lower": "casei", "upper": "casei", "unaccent": "accenti",
    "intersects": "s_intersects", "st_intersects": "s_intersects",
    "within": "s_within", "st_within": "s_within", "dwithin": "s_dwithin", "st_dwithin": "s_dwithin",
    "geometrytype": "geometry_type", "st_isvalid": "is_valid", "isvalid": "is_valid",
    "st_isempty": "is_empty", "isempty": "is_empty",
    "a_containedby": "a_containedBy", "t_finishedby": "t_finishedBy", "t_metby": "t_metBy",
    "t_overlappedby": "t_overlappedBy", "t_startedby": "t_startedBy",
}  # fmt: skip
NEGATED = {
    "not in": "in", "notin": "in", "not like": "like", "notlike": "like", "not between": "between",
    "not ilike": "ilike", "is not null": "isNull", "isnotnull": "isNull", "not null": "isNull",
}  # fmt: skip


def canonical_operation(node: Mapping[str, Any]) -> tuple[str, list[Any], bool] | None:
    """Operator, arguments and whether it is negated; None if the node is not an operation in any known form."""
    name = node.get("op", node.get("operator"))
    if not isinstance(name, str):
        return _by_single_key(node)
    if "args" in node or "arguments" in node:
        args = node.get("args", node.get("arguments"))
        args = list(args) if isinstance(args, list | tuple) else [args]
    elif "property" in node or "column" in node:
        args = [{"property": node.get("property", node.get("column"))}]
        args += [node[key] for key in ("value", "values") if key in node]
    else:
        return None
    return _named(name, args)


def _by_single_key(node: Mapping[str, Any]) -> tuple[str, list[Any], bool] | None:
    """`{"and": [...]}` and `{">": [...]}`."""
    if len(node) != 1:
        return None
    ((name, args),) = node.items()
    if not isinstance(args, list) or not re.fullmatch(
        r"and|or|not|[<>=!]{1,2}|like|in|between", str(name).lower()
    ):
        return None
    return _named(str(name), args)


def _named(name: str, args: list[Any]) -> tuple[str, list[Any], bool]:
    plain = " ".join(name.strip().lower().split())
    negated = plain in NEGATED
    plain = NEGATED.get(plain, plain)
    operator = OPERATORS.get(plain, plain)
    if operator == "ilike":
        operator, args = "like", [{"op": "casei", "args": [each]} for each in args]
    if operator == "in" and (len(args) > 2 or (len(args) == 2 and not isinstance(args[1], list))):
        args = [args[0], args[1:]]
    if operator == "between" and len(args) == 2 and isinstance(args[1], list):
        args = [args[0], *args[1]]
    return operator, args, negated
