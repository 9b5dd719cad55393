"""Type hints to JSON schema, and to the conversion from checked JSON to the hinted Python value.

Plain types (str, int, list[str], Literal, enums, optionals, unions ...) are translated here; hints with more
structure (pydantic models, dataclasses, TypedDicts, dates) are left to pydantic, which is imported when first needed.
"""

from __future__ import annotations

import collections.abc
import enum
import types
import typing
from collections.abc import Callable, Collection, Mapping
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from agents.core.free_names import free_name
from agents.core.tools.param import Param

Schema = dict[str, Any]
_PLAIN: dict[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    type(None): {"type": "null"},
    Any: {},
    object: {},
}
_LISTS = (list, collections.abc.Sequence, collections.abc.Iterable, collections.abc.Collection)
_ARRAYS = (*_LISTS, set, frozenset, collections.abc.Set)
_MAPPINGS = (dict, collections.abc.Mapping, collections.abc.MutableMapping)


def markers(hint: Any) -> tuple[Param, ...]:
    """The `Param`s directly on a hint; a bare string in `Annotated` is a description."""
    if get_origin(hint) is not Annotated:
        return ()
    found = (Param(description=item) if isinstance(item, str) else item for item in hint.__metadata__)
    return tuple(item for item in found if isinstance(item, Param))


def inner_markers(hint: Any) -> tuple[Param, ...]:
    """The `Param`s of the value of an optional: of `str` in `Annotated[str, Param(...)] | None`."""
    if get_origin(hint) is Annotated:
        return inner_markers(hint.__origin__)
    if get_origin(hint) not in (Union, types.UnionType):
        return ()
    values = [each for each in get_args(hint) if each is not type(None)]
    return markers(values[0]) if len(values) == 1 else ()


def schema_of(hint: Any) -> Schema:
    """The JSON schema of a hint. Dynamic keywords of nested `Param`s are left in place as callables."""
    if isinstance(hint, typing.TypeVar):
        return schema_of(hint.__bound__) if hint.__bound__ is not None else {}
    if isinstance(hint, collections.abc.Hashable) and hint in _PLAIN:
        return dict(_PLAIN[hint])
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return _annotated(hint)
    if origin in (Required, NotRequired):
        return schema_of(arguments[0])
    if origin is Literal:
        return _choice([item.value if isinstance(item, enum.Enum) else item for item in arguments])
    if origin in (Union, types.UnionType):
        return _union([schema_of(item) for item in arguments])
    if hint in _ARRAYS or origin in _ARRAYS:
        schema: Schema = {"type": "array", "items": schema_of(arguments[0]) if arguments else {}}
        unique = (origin or hint) in (set, frozenset, collections.abc.Set)
        return {**schema, "uniqueItems": True} if unique else schema
    if hint is tuple or origin is tuple:
        return _tuple(arguments)
    if hint in _MAPPINGS or origin in _MAPPINGS:
        extra = schema_of(arguments[1]) if arguments else {}
        return {"type": "object", "additionalProperties": extra or True}
    if isinstance(hint, type) and issubclass(hint, enum.Enum):
        return _choice([item.value for item in hint])
    return _by_pydantic(hint)


def converter_of(hint: Any) -> Callable[[Any], Any] | None:
    """A function from checked JSON to the hinted value, or None where JSON already is that value."""
    if not _structured(hint):
        return None
    from pydantic import TypeAdapter

    return TypeAdapter(_without_params(hint)).validate_python


def overlay(schema: Schema, param: Param) -> Schema:
    """A schema with a marker's keywords: an optional's go to the value, a list's enum to its items."""
    words = param.overlay()
    branches = [part for part in schema.get("anyOf", ()) if part.get("type") != "null"]
    if len(branches) == 1 and len(schema["anyOf"]) == 2:
        outer: Schema = {key: words.pop(key) for key in ("description", "default") if key in words}
        inner = overlay(branches[0], Param(schema=words))
        return {**schema, "anyOf": [inner, {"type": "null"}], **outer}
    if "enum" in words and schema.get("type") == "array":
        values = words.pop("enum")
        return {**schema, "items": {**schema.get("items", {}), "enum": values}, **words}
    return {**schema, **words}


def without_null(schema: Schema) -> Schema:
    """An optional's schema as that of its value: the model leaves it out where it would say null."""
    branches = schema.get("anyOf")
    if not branches:
        return schema
    kept = [part for part in branches if part.get("type") != "null"]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**kept[0], **rest} if len(kept) == 1 else {**rest, "anyOf": kept}


def _annotated(hint: Any) -> Schema:
    others = tuple(item for item in hint.__metadata__ if not isinstance(item, Param | str))
    base = hint.__origin__
    schema = _by_pydantic(Annotated[(base, *others)]) if others else schema_of(base)
    for param in markers(hint):
        schema = overlay(schema, param)
    return schema


def _choice(values: list[Any]) -> Schema:
    kinds = {_kind(value) for value in values}
    schema: Schema = {"enum": values}
    return {"type": kinds.pop(), **schema} if len(kinds) == 1 else schema


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    names = {bool: "boolean", int: "integer", float: "number", str: "string"}
    return next((name for kind, name in names.items() if isinstance(value, kind)), "object")


def _union(schemas: list[Schema]) -> Schema:
    distinct = [schema for index, schema in enumerate(schemas) if schema not in schemas[:index]]
    return distinct[0] if len(distinct) == 1 else {"anyOf": distinct}


def _tuple(arguments: tuple[Any, ...]) -> Schema:
    if not arguments:
        return {"type": "array", "items": {}}
    if len(arguments) == 2 and arguments[1] is Ellipsis:
        return {"type": "array", "items": schema_of(arguments[0])}
    parts = [schema_of(item) for item in arguments]
    same = all(part == parts[0] for part in parts)
    # Providers require `items` on every array, and few of them support prefixItems.
    items = {"items": parts[0]} if same else {"prefixItems": parts, "items": {"anyOf": parts}}
    return {"type": "array", **items, "minItems": len(parts), "maxItems": len(parts)}


def _by_pydantic(hint: Any) -> Schema:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError

    try:
        schema = TypeAdapter(_without_params(hint)).json_schema()
    except PydanticUserError as error:
        raise TypeError(f"the type {hint!r} has no JSON schema: {error.message}") from error
    return typing.cast("Schema", tidy(schema))


def tidy(schema: Any, dropped: Collection[str] = ("title",), *, names: bool = False) -> Any:
    """A schema without some keys: by default the titles of pydantic, which only repeat names. `names`: the keys are
    names."""
    if isinstance(schema, Mapping):
        return {
            key: tidy(value, dropped, names=not names and key in ("properties", "$defs"))
            for key, value in schema.items()
            if names or key not in dropped
        }
    return [tidy(item, dropped) for item in schema] if isinstance(schema, list) else schema


def redirected(node: Any, renamed: Mapping[str, str]) -> Any:
    """The schema with each `$ref` replaced."""
    if isinstance(node, Mapping):
        return {
            key: renamed.get(value, value)
            if key == "$ref" and isinstance(value, str)
            else redirected(value, renamed)
            for key, value in node.items()
        }
    return [redirected(item, renamed) for item in node] if isinstance(node, list) else node


def hoisted(schema: Schema, definitions: Schema) -> Schema:
    """The schema with the `$defs` in it moved to the one place that `$ref` points to, under unique names."""
    found: Schema = {}
    schema = _without_definitions(schema, found)
    renamed = {
        f"#/$defs/{name}": f"#/$defs/{free_name(name, definitions)}"
        for name, definition in found.items()
        if definitions.get(name, definition) != definition
    }
    for name, definition in found.items():
        target = renamed.get(f"#/$defs/{name}", f"#/$defs/{name}").rpartition("/")[2]
        definitions[target] = redirected(definition, renamed)
    redirect: Schema = redirected(schema, renamed)
    return redirect


def _without_definitions(node: Any, found: Schema) -> Any:
    if isinstance(node, dict):
        if "$defs" in node:
            found.update(_without_definitions(node["$defs"], found))
        return {key: _without_definitions(value, found) for key, value in node.items() if key != "$defs"}
    return [_without_definitions(item, found) for item in node] if isinstance(node, list) else node


def _structured(hint: Any) -> bool:
    """Whether JSON has to be converted to become a value of this type."""
    if isinstance(hint, typing.TypeVar) or (isinstance(hint, collections.abc.Hashable) and hint in _PLAIN):
        return False
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        others = [item for item in hint.__metadata__ if not isinstance(item, Param | str)]
        return any(not _is_constraint(item) for item in others) or _structured(hint.__origin__)
    if origin is Literal:
        return any(isinstance(item, enum.Enum) for item in arguments)
    if origin in (Union, types.UnionType) or hint in _LISTS or origin in _LISTS:
        return any(_structured(item) for item in arguments)
    if hint in _MAPPINGS or origin in _MAPPINGS:
        return bool(arguments) and (_structured(arguments[1]) or arguments[0] is not str)
    return hint is not Ellipsis


def _is_constraint(item: Any) -> bool:
    """Field and annotated-types only constrain, which the checker does; validators also convert."""
    return type(item).__name__ == "FieldInfo" or type(item).__module__.startswith("annotated_types")


def _without_params(hint: Any) -> Any:
    if get_origin(hint) is Annotated:
        kept = tuple(item for item in hint.__metadata__ if not isinstance(item, Param | str))
        base = _without_params(hint.__origin__)
        return Annotated[(base, *kept)] if kept else base
    return hint
