"""The table of operations in docs/analysis.md, from their classes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from server.gis.operations import OPERATIONS


def operations_table() -> str:
    """One row per operation: name, summary, and each argument with type, default and description."""
    lines = ["| operation | what it does | arguments |", "| --- | --- | --- |"]
    for operation in OPERATIONS.values():
        schema = operation.arguments.model_json_schema()
        arguments = "<br>".join(
            _argument(name, fragment, name in schema.get("required", ()))
            for name, fragment in schema["properties"].items()
            if name != "parts"  # All have it.
        )
        lines.append(f"| `{operation.name}` | {_cell(operation.summary)} | {arguments} |")
    return "\n".join(lines)


def _argument(name: str, fragment: Mapping[str, Any], required: bool) -> str:
    default = fragment.get("default")
    parts = [_kind(fragment)]
    if not required and default not in (None, []) and name != "aggregates":
        parts.append(f"else `{default if isinstance(default, str) else json.dumps(default)}`")
    elif not required and name != "aggregates":
        parts.append("optional")
    return f"`{name}` ({', '.join(parts)}): {_cell(_description(fragment))}"


def _description(fragment: Mapping[str, Any]) -> str:
    """Its own, or that of its only alternative besides null."""
    inner = [each.get("description") for each in fragment.get("anyOf", ()) if each.get("type") != "null"]
    return str(fragment.get("description") or next(filter(None, inner), ""))


def _kind(fragment: Mapping[str, Any]) -> str:
    """What to write: a table, a column, a length, one of some words ..."""
    if "items" in fragment:
        inner = {key: value for key, value in fragment.items() if key.startswith("x-")}
        return f"list: {_kind({**fragment['items'], **inner})}"
    if "x-refers-to" in fragment:
        other = fragment.get("x-of")
        return f"column of `{other}`" if other not in (None, "source") else str(fragment["x-refers-to"])
    if "enum" in fragment:
        return " or ".join(f"`{value}`" for value in fragment["enum"])
    if "$ref" in fragment:
        return str(fragment["$ref"]).rsplit("/", 1)[1].lower()
    kinds = [each for each in fragment.get("anyOf", ()) if each.get("type") != "null"]
    if any(each.get("description") == "Metres." for each in kinds):
        return "length"
    if kinds:
        return " or ".join(_kind(each) for each in kinds)
    return {"boolean": "yes or no", "integer": "whole number", "string": "text", "object": "JSON"}.get(
        str(fragment.get("type")), str(fragment.get("type"))
    )


def _cell(text: str) -> str:
    return re.sub(r"\s+", " ", text).replace("|", "\\|")
