"""Describes one parameter of a tool: dynamic values, resolvers, narrowing, injection.

`Param` goes into `Annotated`; the same names are keys of an explicit `params` fragment. Every callable may be sync
or async, and takes nothing, the owner of the tool (the agent), or the owner and one further argument."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

Dynamic = Callable[..., Any]
DYNAMIC_KEYWORDS = frozenset(
    {"enum", "description", "default", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"}
)
"""Schema keywords whose value may be a callable, evaluated once for every model call."""


@dataclass(frozen=True, slots=True, eq=False)
class Param:
    """A marker for `Annotated[type, Param(...)]`.

    `resolve(owner[, arguments])` fills the parameter when the model left it out; None means "I cannot". `narrow(owner,
    values, message)` cuts a long dynamic enum to what is relevant to the user's message. `inject(context)` supplies the
    parameter always; it is then no part of the schema. `drop_invalid` drops an invalid optional argument with a warning
    in place of refusing the call. `shown` is a schema that the model sees in place of the parameter's own, which calls
    are still checked against: for long schemas and enums that another tool shows already."""

    description: str | Dynamic | None = None
    enum: Any = None
    default: Any = None
    minimum: Any = None
    maximum: Any = None
    resolve: Dynamic | None = None
    narrow: Dynamic | None = None
    inject: Dynamic | None = None
    drop_invalid: bool = False
    shown: Mapping[str, Any] | None = None
    schema: Mapping[str, Any] = field(default_factory=dict)
    """Any further JSON-schema keywords."""

    def overlay(self) -> dict[str, Any]:
        """The JSON-schema keywords that this marker sets."""
        pairs = (
            ("description", self.description),
            ("enum", self.enum),
            ("default", self.default),
            ("minimum", self.minimum),
            ("maximum", self.maximum),
        )
        return {**self.schema, **{key: value for key, value in pairs if value is not None}}


def arity(function: Callable[..., Any], most: int) -> int:
    """How many positional arguments, up to `most`, the callable takes."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return most
    count = 0
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            return most
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            count += 1
    return min(count, most)


def adapt_arity(function: Callable[..., Any], most: int) -> Callable[..., Any]:
    """A callable that takes `most` arguments and passes on as many of the first ones as `function` wants.

    The first one is the owner, which a bound method already has."""
    if inspect.ismethod(function):
        wanted = arity(function, most - 1)
        return lambda _, *arguments: function(*arguments[:wanted])
    count = arity(function, most)
    if count == most:
        return function
    return lambda *arguments: function(*arguments[:count])


def adapt_processor(function: Callable[..., Any]) -> Callable[[Any, Any], Any]:
    """For pre- and postprocessors: `f(value)` or `f(owner, value)`, called as the latter."""
    if arity(function, 2) == 2:
        return function
    return lambda owner, value: function(value)
