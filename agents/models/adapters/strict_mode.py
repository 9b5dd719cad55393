"""Strict mode of OpenAI's APIs: which tools may use it, and their schemas in the subset that it supports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from agents.core.model import ToolSpec

Json = dict[str, Any]
_STRICT_UNKNOWN = frozenset({"default", "examples", "nullable", "uniqueItems", "prefixItems"})


def as_allowed(tools: Sequence[ToolSpec], *, strict: bool) -> Sequence[ToolSpec]:
    """The tools, without strict mode where the provider does not have it."""
    if strict or not any(tool.strict for tool in tools):
        return tools
    return [replace(tool, strict=False) if tool.strict else tool for tool in tools]


def tool_parameters(spec: ToolSpec) -> tuple[Mapping[str, Any], bool]:
    """A tool's parameters as they are sent, and whether the provider is to enforce them."""
    schema = strict_schema(spec.parameters) if spec.strict else None
    return (spec.parameters, False) if schema is None else (schema, True)


def strict_schema(schema: Mapping[str, Any]) -> Json | None:
    """The schema for strict mode: all properties required, no further ones, optionals nullable.

    None if strict mode cannot express it (an object with arbitrary keys)."""
    try:
        return cast("Json", _strict(schema))
    except _NotStrict:
        return None


class _NotStrict(Exception):
    pass


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, Mapping):
        return node
    result: Json = {}
    for key, value in node.items():
        if key in ("properties", "required", "additionalProperties") or key in _STRICT_UNKNOWN:
            continue
        if key == "$defs":
            result[key] = {name: _strict(part) for name, part in value.items()}
        elif key == "oneOf":
            result["anyOf"] = [_strict(part) for part in value]
        elif key in ("items", "anyOf", "allOf"):
            result[key] = _strict(value)
        else:
            result[key] = value
    if node.get("type") == "array" and not node.get("items"):
        raise _NotStrict
    if node.get("type") == "object" or "properties" in node:
        if node.get("additionalProperties", False) or (
            "properties" not in node and "additionalProperties" not in node
        ):
            raise _NotStrict
        required = node.get("required", ())
        properties = node.get("properties", {})
        result["properties"] = {
            name: _strict(part) if name in required else _nullable(_strict(part))
            for name, part in properties.items()
        }
        result["required"] = list(properties)
        result["additionalProperties"] = False
    elif not any(key in node for key in ("type", "enum", "const", "anyOf", "oneOf", "allOf", "$ref")):
        raise _NotStrict
    return result


def _nullable(schema: Json) -> Json:
    kind = schema.get("type")
    # An enum may be long and is shared, so null is added as an alternative beside it.
    if "enum" not in schema or None in schema["enum"]:
        if isinstance(kind, str) and kind != "null":
            return {**schema, "type": [kind, "null"]}
        if isinstance(kind, list):
            return schema if "null" in kind else {**schema, "type": [*kind, "null"]}
        if "anyOf" in schema:
            branches = schema["anyOf"]
            known = any(part.get("type") == "null" for part in branches)
            return schema if known else {**schema, "anyOf": [*branches, {"type": "null"}]}
    description = {"description": schema["description"]} if "description" in schema else {}
    inner = {key: value for key, value in schema.items() if key != "description"}
    return {"anyOf": [inner, {"type": "null"}], **description}
