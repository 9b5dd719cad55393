"""Class-based tools: for tools that have state or collaborators, or that several projects share."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, cast

from agents.core.errors import DeclarationError
from agents.core.tools.blueprint import Blueprint, from_schema
from agents.core.tools.hints import tidy
from agents.core.tools.param import arity
from agents.core.tools.tool import Options, Runner, Tool


class BaseTool:
    """A tool as an object: a name, a description, an input schema, and `execute(args)`, sync or async.

    Either give `input_schema` (a JSON schema of type object; enums and other dynamic keywords may be callables of
    this tool) or declare a pydantic model as `Arguments`: then `execute` receives an instance of it. `execute` may
    take the `ToolContext` as a second argument."""

    name: str = ""
    description: str = ""
    input_schema: Mapping[str, Any] = {"type": "object", "properties": {}}
    Arguments: ClassVar[Any] = None
    shown_schema: dict[str, Any] | None = None
    """What the model sees in place of `input_schema`, where that is long; calls are checked against the whole."""
    blueprint: Blueprint | None = None
    """Ready schemas and checks, for tools that are made often; without it they are made of the schemas each time."""
    timeout: float | None = None
    sequential: bool = False
    requires_approval: bool | Callable[..., Any] = False
    strict: bool = False
    retries: int | None = None
    thread: bool = False
    drop_unknown: bool = False
    needs_choice: bool = False
    phrases: Sequence[str] = ()

    def execute(self, args: Any) -> Any:
        """Run the tool. Returns what the model should read: any JSON value, a text, or a `Result`."""
        raise NotImplementedError(f"{type(self).__name__} has no execute method")

    def get_tool_info(self) -> dict[str, Any]:
        """`name`, `description` and `input_schema`, without dynamic values."""
        return as_tool(self).get_tool_info()


def as_tool(source: Any) -> Tool:
    """Wraps a class-based tool, or any object with the same four members, as a `Tool`."""
    name = getattr(source, "name", "") or type(source).__name__
    model = getattr(source, "Arguments", None)
    schema = tidy(model.model_json_schema()) if model is not None else source.input_schema
    if callable(schema):
        schema = schema()
    if not isinstance(schema, Mapping):
        raise DeclarationError(f"{name}: input_schema must be a JSON schema")
    description = source.description or (type(source).__doc__ or "").strip()
    if model is not None:
        schema = {key: value for key, value in schema.items() if key != "description"}
    options = {key: getattr(source, key) for key in Options.__dataclass_fields__ if hasattr(source, key)}
    return Tool(
        name,
        getattr(source, "blueprint", None)
        or from_schema(
            description if isinstance(description, str) else "",
            schema,
            whole=None if model is None else model.model_validate,
            shown_schema=getattr(source, "shown_schema", None),
        ),
        _runner(source),
        owner=source,
        options=Options(**options),
        description=description,
        preprocess=getattr(source, "preprocess", None),
        postprocess=getattr(source, "postprocess", None),
        suspends=inspect.iscoroutinefunction(source.execute),
    )


def _runner(source: Any) -> Runner:
    if arity(source.execute, 2) == 2:
        return cast("Runner", source.execute)
    return lambda arguments, _: source.execute(arguments)
