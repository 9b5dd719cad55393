"""Tools in the words of each provider, and as catalogues for people. Pure functions of `ToolSpec`s.

The schemas inside are shared with the specs, but where strict mode needs another one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast

from agents.core.hints import redirected
from agents.core.model import ToolSpec

Json = dict[str, Any]
_STRICT_UNKNOWN = frozenset({"default", "examples", "nullable", "uniqueItems", "prefixItems"})


def json_schema(specs: Iterable[ToolSpec]) -> list[Json]:
    """`name`, `description` and `parameters`, of no provider in particular."""
    return [
        {"name": spec.name, "description": spec.description, "parameters": spec.parameters} for spec in specs
    ]


def openai_responses(specs: Iterable[ToolSpec]) -> list[Json]:
    tools: list[Json] = []
    for spec in specs:
        parameters, strict = _parameters(spec)
        tools.append(
            {
                "type": "function",
                "name": spec.name,
                "description": spec.description,
                "parameters": parameters,
                "strict": strict,
            }
        )
    return tools


def openai_chat(specs: Iterable[ToolSpec]) -> list[Json]:
    tools: list[Json] = []
    for spec in specs:
        parameters, strict = _parameters(spec)
        function: Json = {"name": spec.name, "description": spec.description, "parameters": parameters}
        tools.append({"type": "function", "function": {**function, "strict": True} if strict else function})
    return tools


def anthropic(specs: Iterable[ToolSpec]) -> list[Json]:
    return [
        {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}
        for spec in specs
    ]


def strict_schema(schema: Mapping[str, Any]) -> Json | None:
    """The schema for strict mode: all properties required, no further ones, optionals nullable.

    None where strict mode cannot say it (an object whose keys are free).
    """
    try:
        return cast("Json", _strict(schema))
    except _NotStrict:
        return None


def markdown(specs: Iterable[ToolSpec], *, title: str = "Tools") -> str:
    """A catalogue: each tool with its description and a table of its parameters."""
    parts = [f"# {title}"]
    for spec in specs:
        parts.append(f"## `{spec.name}`")
        if spec.description:
            parts.append(spec.description)
        properties: Mapping[str, Any] = spec.parameters.get("properties", {})
        if not properties:
            parts.append("No parameters.")
            continue
        required = spec.parameters.get("required", ())
        rows = ["| parameter | type | required | description |", "|---|---|---|---|"]
        for name, schema in properties.items():
            told = _cell(_described(schema))
            rows.append(
                f"| `{name}` | {_cell(type_text(schema))} | {'yes' if name in required else ''} | {told} |"
            )
        parts.append("\n".join(rows))
    return "\n\n".join(parts) + "\n"


def openapi(specs: Iterable[ToolSpec], *, title: str = "Tools", version: str = "1") -> Json:
    """An OpenAPI 3.1 document in which every tool is `POST /tools/<name>`."""
    paths: Json = {}
    schemas: Json = {}
    for spec in specs:
        inner = dict(spec.parameters)
        definitions = inner.pop("$defs", {})
        renamed = {f"#/$defs/{key}": f"#/components/schemas/{spec.name}.{key}" for key in definitions}
        for key, definition in definitions.items():
            schemas[f"{spec.name}.{key}"] = redirected(definition, renamed)
        paths[f"/tools/{spec.name}"] = {
            "post": {
                "operationId": spec.name,
                "summary": spec.description.partition("\n")[0],
                "description": spec.description,
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": redirected(inner, renamed)}},
                },
                "responses": {
                    "200": {"description": "What the tool answered", "content": {"text/plain": {}}}
                },
            }
        }
    document: Json = {"openapi": "3.1.0", "info": {"title": title, "version": version}, "paths": paths}
    return {**document, "components": {"schemas": schemas}} if schemas else document


FORMATS: Mapping[str, Callable[[Iterable[ToolSpec]], Any]] = {
    "json": json_schema,
    "openai": openai_responses,
    "openai-chat": openai_chat,
    "anthropic": anthropic,
    "markdown": markdown,
    "openapi": openapi,
}
"""The exports by the name that a command line gives them."""


def type_text(schema: Mapping[str, Any]) -> str:
    """A schema's type in a few words: `array of string`, `one of "a", "b"`."""
    if "enum" in schema:
        values = list(schema["enum"])
        listed = ", ".join(f"`{value}`" for value in values[:12])
        return f"one of {listed}" + (f" ... ({len(values)} in all)" if len(values) > 12 else "")
    if "const" in schema:
        return f"`{schema['const']}`"
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return " or ".join(dict.fromkeys(type_text(part) for part in schema[keyword]))
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    kind = schema.get("type", "any")
    if isinstance(kind, list):
        return " or ".join(kind)
    if kind == "array":
        inner = type_text(schema.get("items", {}))
        return "array" if inner == "any" else f"array of {inner}"
    return str(kind)


def _parameters(spec: ToolSpec) -> tuple[Mapping[str, Any], bool]:
    schema = strict_schema(spec.parameters) if spec.strict else None
    return (spec.parameters, False) if schema is None else (schema, True)


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
    if "enum" in schema and None not in schema["enum"]:
        # The enum itself may be long and is shared, so the null goes beside it.
        told = {"description": schema["description"]} if "description" in schema else {}
        inner = {key: value for key, value in schema.items() if key != "description"}
        return {"anyOf": [inner, {"type": "null"}], **told}
    if isinstance(kind, str) and kind != "null":
        return {**schema, "type": [kind, "null"]}
    if isinstance(kind, list):
        return schema if "null" in kind else {**schema, "type": [*kind, "null"]}
    if "anyOf" in schema:
        branches = schema["anyOf"]
        known = any(part.get("type") == "null" for part in branches)
        return schema if known else {**schema, "anyOf": [*branches, {"type": "null"}]}
    told = {"description": schema["description"]} if "description" in schema else {}
    inner = {key: value for key, value in schema.items() if key != "description"}
    return {"anyOf": [inner, {"type": "null"}], **told}


def _described(schema: Mapping[str, Any]) -> str:
    words = [str(schema.get("description", ""))]
    for key, said in (("default", "default"), ("minimum", "at least"), ("maximum", "at most")):
        if key in schema:
            words.append(f"({said} `{schema[key]}`)")
    return " ".join(word for word in words if word)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
