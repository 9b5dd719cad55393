"""A tool's parameters, worked out once per declaration and shared by every agent that has the tool.

Two sources make one blueprint: a function (signature, hints, docstring, explicit fragments; mixed per
parameter) or a ready JSON schema (class-based tools). It knows the static schema, the dynamic places in it,
the compiled checker, the resolvers and the conversions."""

from __future__ import annotations

import copy
import inspect
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from agents.core.errors import DeclarationError
from agents.core.tokens import schema_size
from agents.core.tools.argument_faults import Fault, Path
from agents.core.tools.checker import compile_schema
from agents.core.tools.context import ToolContext
from agents.core.tools.docstrings import Documentation, document
from agents.core.tools.hints import (
    converter_of,
    hoisted,
    inner_markers,
    markers,
    overlay,
    schema_of,
    without_null,
)
from agents.core.tools.param import DYNAMIC_KEYWORDS, Dynamic, Param, adapt_arity
from agents.core.tools.schema_keywords import Check, Slot, Slots

Schema = dict[str, Any]
_EXTRAS = ("resolve", "narrow", "drop_invalid", "shown")
_FREE = ("enum", "const", "default", "examples")


@dataclass(frozen=True, slots=True)
class DynamicPlace:
    """A dynamic keyword of a schema, evaluated at every model call; `path` leads to the dict that holds it."""

    path: tuple[str | int, ...]
    keyword: str
    source: Dynamic
    narrow: Dynamic | None = None
    is_shown: bool = True
    """Whether the model sees the value; calls are checked against it in any case."""


@dataclass(frozen=True, slots=True)
class Blueprint:
    """A tool's parameters. `schema` is without dynamic keywords; their values are inserted at `places`."""

    description: str
    schema: Schema
    places: tuple[DynamicPlace, ...]
    required: tuple[str, ...]
    check_arguments: Check
    checks: Mapping[str, Check]
    resolvers: Mapping[str, Dynamic] = field(default_factory=dict)
    converters: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)
    injected: Mapping[str, Dynamic] = field(default_factory=dict)
    droppable: frozenset[str] = frozenset()
    defaults: Mapping[str, Any] = field(default_factory=dict)
    """Values of left-out arguments by the schema, each perhaps a Slot."""
    whole: Callable[[Any], Any] | None = None
    """Converts all arguments at once, for tools with a pydantic model of them."""
    open: bool = False
    """Whether arguments beyond the declared ones are taken."""
    size: int = 0
    """Approximate size of the static schema, in bytes."""
    details: Mapping[str, Schema] = field(default_factory=dict)
    """The whole schemas of parameters of which the model is shown less; a refusal quotes them."""

    def check(self, arguments: Mapping[str, Any], slots: Slots) -> tuple[dict[str, Any], list[Fault]]:
        """The coerced arguments and their faults; missing arguments are not checked here."""
        faults: list[Fault] = []
        checked = self.check_arguments(dict(arguments), (), faults, slots)
        return checked, faults

    def convert(self, arguments: dict[str, Any], slots: Slots) -> Any:
        """The values as the function wants them, with the schema's defaults. Raises ArgumentFaults."""
        ready = dict(arguments)
        for name, value in self.defaults.items():
            if name not in ready:
                ready[name] = slots[value.index] if type(value) is Slot else copy.copy(value)
        for name, convert in self.converters.items():
            if name in ready:
                ready[name] = _converted(convert, ready[name], (name,))
        return ready if self.whole is None else _converted(self.whole, ready, ())


class ArgumentFaults(Exception):
    """The arguments fit the schema but not the type. Never leaves the framework."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("arguments do not fit their types")
        self.faults = faults


def _converted(convert: Callable[[Any], Any], value: Any, path: Path) -> Any:
    try:
        return convert(value)
    except ValueError as error:
        described = getattr(error, "errors", None)
        if described is None:
            raise ArgumentFaults([Fault("type", path, str(error), value)]) from error
        faults = [
            Fault("type", (*path, *item["loc"]), str(item["msg"]), item.get("input"))
            for item in described(include_url=False, include_context=False)
        ]
        raise ArgumentFaults(faults) from error


def from_schema(
    description: str, schema: Mapping[str, Any], *, shown_schema: Schema | None = None, **extras: Any
) -> Blueprint:
    """The blueprint of a ready JSON schema of type object; it may hold callables and resolvers.

    With `shown_schema` the model sees that one, and calls are checked against `schema`."""
    if schema.get("type", "object") != "object":
        raise DeclarationError("a tool's input schema must be of type object")
    properties: dict[str, Schema] = {}
    resolvers, narrows, droppable = {}, {}, set()
    for name, fragment in schema.get("properties", {}).items():
        properties[name] = {key: value for key, value in fragment.items() if key not in _EXTRAS}
        if fragment.get("resolve") is not None:
            resolvers[name] = adapt_arity(fragment["resolve"], 2)
        if fragment.get("narrow") is not None:
            narrows[name] = adapt_arity(fragment["narrow"], 3)
        if fragment.get("drop_invalid"):
            droppable.add(name)
    required = tuple(schema.get("required", ()))
    for name in required:
        if name not in properties:
            raise DeclarationError(f"the required parameter {name!r} is not among the parameters")
    extra = schema.get("additionalProperties", False)
    whole: Schema = {"type": "object", "properties": properties, "additionalProperties": extra}
    asked = [name for name in required if name not in resolvers]
    if asked:
        whole["required"] = asked
    whole.update({key: value for key, value in schema.items() if key not in (*whole, "required", "title")})
    static, slotted, places = _split(whole, narrows)
    slotted.pop("required", None)  # checked after the resolvers have run
    shown = _shown(schema.get("properties", {}))
    if shown_schema is not None:
        shown = dict.fromkeys(static["properties"], shown_schema)
    details = {name: static["properties"][name] for name in shown}
    static, places = _showing(static, places, shown)
    static = static if shown_schema is None else shown_schema
    try:
        checks = {
            name: compile_schema({**part, "$defs": slotted.get("$defs", {})})
            for name, part in slotted["properties"].items()
        }
        check = compile_schema(slotted)
    except (ValueError, AttributeError) as error:
        raise DeclarationError(str(error)) from error
    return Blueprint(
        description=description,
        schema=static,
        places=places,
        required=required,
        check_arguments=check,
        checks=checks,
        resolvers=resolvers,
        droppable=frozenset(droppable - set(required)),
        defaults={name: part["default"] for name, part in slotted["properties"].items() if "default" in part},
        open=bool(extra),
        size=schema_size(static),
        details=details,
        **extras,
    )


def _shown(fragments: Mapping[str, Any]) -> dict[str, Schema]:
    """What the model sees of the parameters that declare a shorter schema for it."""
    return {
        name: ({"description": part["description"]} if isinstance(part.get("description"), str) else {})
        | part["shown"]
        for name, part in fragments.items()
        if part.get("shown") is not None
    }


def _showing(
    static: Schema, places: tuple[DynamicPlace, ...], shown: Mapping[str, Schema]
) -> tuple[Schema, tuple[DynamicPlace, ...]]:
    """The shortened schema that the model sees, and the dynamic places that are not in it."""
    if not shown:
        return static, places
    kept = tuple(
        replace(place, is_shown=False) if len(place.path) > 1 and place.path[1] in shown else place
        for place in places
    )
    return {**static, "properties": {**static["properties"], **shown}}, kept


def from_function(
    function: Callable[..., Any],
    *,
    method: bool,
    description: str | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    required: Sequence[str] | None = None,
    scope: Mapping[str, Any] | None = None,
) -> Blueprint:
    """The blueprint of a function. `params` fragments override, keyword by keyword, what is inferred."""
    explicit = dict(params or {})
    documentation = document(function)
    inferred = _Signature(function, method, documentation, scope)
    for name, fragment in explicit.items():
        if name in inferred.injected:
            raise DeclarationError(
                f"{function.__qualname__}: the injected parameter {name!r} cannot be declared"
            )
        if name not in inferred.properties and not inferred.takes_any:
            raise DeclarationError(
                f"{function.__qualname__} has no parameter {name!r}, which params declares"
            )
        if not isinstance(fragment, Mapping):
            raise DeclarationError(
                f"{function.__qualname__}: params[{name!r}] must be a JSON-schema fragment"
            )
        inferred.override(name, fragment)
    if required is not None:
        names = tuple(required)
    else:
        extra = [name for name, part in explicit.items() if part.get("required") is True]
        needed = [name for name in inferred.required if "default" not in inferred.properties[name]]
        names = tuple(dict.fromkeys([*needed, *extra]))
    for part in inferred.properties.values():
        if isinstance(part.get("required"), bool):
            del part["required"]
    schema: Schema = {"type": "object", "properties": inferred.properties, "required": names}
    if inferred.takes_any and not explicit:
        schema["additionalProperties"] = True
    if inferred.definitions:
        schema["$defs"] = inferred.definitions
    try:
        return from_schema(
            description if description is not None else documentation.description,
            schema,
            converters=inferred.converters,
            injected=inferred.injected,
        )
    except DeclarationError as error:
        raise DeclarationError(f"{function.__qualname__}: {error}") from None


class _Signature:
    """What a function's signature, hints and docstring say about its parameters."""

    def __init__(
        self,
        function: Callable[..., Any],
        method: bool,
        documentation: Documentation,
        scope: Mapping[str, Any] | None,
    ) -> None:
        self.properties: dict[str, Schema] = {}
        self.required: list[str] = []
        self.converters: dict[str, Callable[[Any], Any]] = {}
        self.injected: dict[str, Dynamic] = {}
        self.definitions: Schema = {}
        self.takes_any = False
        self.documentation = documentation
        self.function = function
        parameters = list(inspect.signature(function).parameters.values())
        if method:
            if not parameters:
                raise DeclarationError(f"{function.__qualname__} is a method and must take self")
            parameters = parameters[1:]
        hints = self._hints(scope)
        for parameter in parameters:
            self._add(parameter, hints.get(parameter.name, Any))

    def _hints(self, scope: Mapping[str, Any] | None) -> dict[str, Any]:
        # An attribute of the class may have the name of a type of its module; the type is meant.
        names = None if scope is None else {**scope, **getattr(self.function, "__globals__", {})}
        try:
            return typing.get_type_hints(self.function, localns=names, include_extras=True)
        except NameError as error:
            raise DeclarationError(
                f"{self.function.__qualname__}: the type {error.name!r} in its hints cannot be found; "
                "import it at the top of the module, outside of TYPE_CHECKING"
            ) from error

    def _add(self, parameter: inspect.Parameter, hint: Any) -> None:
        name = parameter.name
        if parameter.kind is parameter.VAR_KEYWORD:
            self.takes_any = True
            return
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.POSITIONAL_ONLY):
            raise DeclarationError(
                f"{self.function.__qualname__}: the parameter {name!r} cannot be given by name, as models do"
            )
        if hint is ToolContext:
            self.injected[name] = _the_context
            return
        params = markers(hint)
        inject = next((param.inject for param in params if param.inject is not None), None)
        if inject is not None:
            self.injected[name] = adapt_arity(inject, 1)
            return
        self.properties[name] = self._fragment(parameter, hint, params)
        if parameter.default is parameter.empty:
            self.required.append(name)
        converter = converter_of(hint)
        if converter is not None:
            self.converters[name] = converter

    def _fragment(self, parameter: inspect.Parameter, hint: Any, params: Sequence[Param]) -> Schema:
        try:
            schema = schema_of(hint)
        except TypeError as error:
            raise DeclarationError(f"{self.function.__qualname__}: {parameter.name}: {error}") from error
        schema = hoisted(schema, self.definitions)
        if parameter.default is None:
            schema = without_null(schema)
        elif parameter.default is not parameter.empty and _is_json(parameter.default):
            schema.setdefault("default", parameter.default)
        description = self.documentation.parameters.get(parameter.name)
        if description and "description" not in schema:
            schema["description"] = description
        for param in (*inner_markers(hint), *params):
            for key in _EXTRAS:
                if getattr(param, key):
                    schema[key] = getattr(param, key)
        return schema

    def override(self, name: str, fragment: Mapping[str, Any]) -> None:
        inferred = self.properties.get(name, {})
        if any(key in fragment for key in ("type", "anyOf", "oneOf", "allOf", "$ref")):
            # The fragment has its own type: only the description of the parameter is kept from the inference.
            inferred = {key: inferred[key] for key in ("description", "default", *_EXTRAS) if key in inferred}
            merged = {**inferred, **fragment}
        else:
            extras = {key: fragment[key] for key in _EXTRAS if key in fragment}
            rest = {key: value for key, value in fragment.items() if key not in _EXTRAS}
            merged = {**overlay(inferred, Param(schema=rest)), **extras}
        self.definitions.update(merged.pop("$defs", {}))
        self.properties[name] = merged


def _the_context(context: ToolContext) -> ToolContext:
    return context


def _is_json(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(_is_json(item) for item in value)
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_json(item) for key, item in value.items())
    return value is None or type(value) in (str, int, float, bool)


def _split(schema: Schema, narrows: Mapping[str, Dynamic]) -> tuple[Schema, Schema, tuple[DynamicPlace, ...]]:
    """The schema without its dynamic keywords, the same with a Slot for each, and where they were."""
    places: list[DynamicPlace] = []

    def walk(node: Any, path: tuple[str | int, ...], names: bool) -> tuple[Any, Any]:
        if isinstance(node, Mapping):
            static: Schema = {}
            slotted: Schema = {}
            for key, value in node.items():
                if not names and callable(value):
                    if key not in DYNAMIC_KEYWORDS:
                        raise DeclarationError(
                            f"{key!r} cannot be a callable; these can: {sorted(DYNAMIC_KEYWORDS)}"
                        )
                    narrow = narrows.get(str(path[1])) if len(path) > 1 and key == "enum" else None
                    slotted[key] = Slot(len(places))
                    places.append(DynamicPlace(path, key, adapt_arity(value, 1), narrow))
                elif not names and key in _FREE:
                    static[key] = slotted[key] = list(value) if isinstance(value, tuple) else value
                else:
                    inner = not names and key in ("properties", "$defs")
                    static[key], slotted[key] = walk(value, (*path, key), inner)
            if not names and static.get("type") == "array" and "items" not in static:
                static["items"] = slotted["items"] = {}
            return static, slotted
        if isinstance(node, list | tuple):
            pairs = [walk(item, (*path, index), False) for index, item in enumerate(node)]
            return [one for one, _ in pairs], [other for _, other in pairs]
        return node, node

    static, slotted = walk(schema, (), False)
    return static, slotted, tuple(places)
