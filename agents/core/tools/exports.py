"""Tools as JSON schemas and as catalogues in Markdown and OpenAPI: pure functions of `ToolSpec`s.

The schemas inside are shared with the specs. The formats of providers are in `agents.models.adapters`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agents.core.model import ToolSpec
from agents.core.tools.hints import redirected

Json = dict[str, Any]


def json_schema(specs: Iterable[ToolSpec]) -> list[Json]:
    """`name`, `description` and `parameters`, independent of any provider."""
    return [
        {"name": spec.name, "description": spec.description, "parameters": spec.parameters} for spec in specs
    ]


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
            description = _cell(_described(schema))
            rows.append(
                f"| `{name}` | {_cell(type_text(schema))} | {'yes' if name in required else ''} | {description} |"
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


def _described(schema: Mapping[str, Any]) -> str:
    words = [str(schema.get("description", ""))]
    for key, label in (("default", "default"), ("minimum", "at least"), ("maximum", "at most")):
        if key in schema:
            words.append(f"({label} `{schema[key]}`)")
    return " ".join(word for word in words if word)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "\\|").split())
