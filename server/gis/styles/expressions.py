"""The part of MapLibre's expression language that our styles use: evaluated here, so that a legend shows what is drawn.

`evaluate` gives what MapLibre gives for one feature. An operator that is missing here raises, never guesses."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

Expression = Any
"""JSON as in a MapLibre style: a list with an operator first, or a literal."""


def evaluate(expression: Expression, properties: Mapping[str, Any], zoom: float = 6.0) -> Any:
    """The value of a MapLibre expression for one feature at a zoom."""
    if not isinstance(expression, list):
        return expression
    operator, *arguments = expression
    special = _SPECIAL.get(operator)
    if special is not None:
        return special(arguments, properties, zoom)
    plain = _PLAIN.get(operator)
    if plain is None:
        raise NotImplementedError(f"the expression {operator!r} is not one that our styles use")
    return plain(*(evaluate(argument, properties, zoom) for argument in arguments))


def columns_of(expression: Expression) -> set[str]:
    """The properties that an expression reads."""
    if isinstance(expression, dict):
        return {name for part in expression.values() for name in columns_of(part)}
    if not isinstance(expression, list | tuple) or not expression:
        return set()
    if expression[0] == "literal":
        return set()
    if expression[0] in ("get", "has") and len(expression) == 2:
        return {expression[1]}
    return {name for part in expression for name in columns_of(part)}


def _case(arguments: list[Any], properties: Mapping[str, Any], zoom: float) -> Any:
    *pairs, otherwise = arguments
    for condition, output in zip(pairs[::2], pairs[1::2], strict=True):
        if evaluate(condition, properties, zoom):
            return evaluate(output, properties, zoom)
    return evaluate(otherwise, properties, zoom)


def _match(arguments: list[Any], properties: Mapping[str, Any], zoom: float) -> Any:
    subject, *pairs, otherwise = arguments
    value = evaluate(subject, properties, zoom)
    for label, output in zip(pairs[::2], pairs[1::2], strict=True):
        labels = label if isinstance(label, list) else [label]
        if any(_same(value, one) for one in labels):
            return evaluate(output, properties, zoom)
    return evaluate(otherwise, properties, zoom)


def _step(arguments: list[Any], properties: Mapping[str, Any], zoom: float) -> Any:
    subject, output, *stops = arguments
    value = evaluate(subject, properties, zoom)
    for stop, next_output in zip(stops[::2], stops[1::2], strict=True):
        if value < stop:
            break
        output = next_output
    return evaluate(output, properties, zoom)


def _interpolate(arguments: list[Any], properties: Mapping[str, Any], zoom: float) -> Any:
    """Linear, between numbers."""
    _kind, subject, *stops = arguments
    value = evaluate(subject, properties, zoom)
    inputs, outputs = stops[::2], [evaluate(output, properties, zoom) for output in stops[1::2]]
    if value <= inputs[0]:
        return outputs[0]
    for index in range(1, len(inputs)):
        if value <= inputs[index]:
            share = (value - inputs[index - 1]) / (inputs[index] - inputs[index - 1])
            return outputs[index - 1] + (outputs[index] - outputs[index - 1]) * share
    return outputs[-1]


def _number_format(arguments: list[Any], properties: Mapping[str, Any], zoom: float) -> str:
    """The number as in English; clients write numbers in their language."""
    value, options = arguments
    digits = evaluate(options["max-fraction-digits"], properties, zoom)
    whole, _, fraction = f"{evaluate(value, properties, zoom):,.{digits}f}".partition(".")
    return f"{whole}.{fraction}".rstrip("0").rstrip(".") if fraction else whole


def _same(first: Any, second: Any) -> bool:
    """Equality as JavaScript's `===`: a boolean is not a number."""
    return isinstance(first, bool) == isinstance(second, bool) and first == second


_Special = Callable[[list[Any], Mapping[str, Any], float], Any]

_SPECIAL: dict[str, _Special] = {
    "get": lambda arguments, properties, _zoom: properties.get(arguments[0]),
    "has": lambda arguments, properties, _zoom: properties.get(arguments[0]) is not None,
    "literal": lambda arguments, _properties, _zoom: arguments[0],
    "zoom": lambda _arguments, _properties, zoom: zoom,
    "case": _case,
    "match": _match,
    "step": _step,
    "interpolate": _interpolate,
    "number-format": _number_format,
}

_PLAIN: dict[str, Callable[..., Any]] = {
    "==": _same,
    "<": lambda a, b: a < b,
    ">=": lambda a, b: a >= b,
    "!": lambda a: not a,
    "all": lambda *parts: all(parts),
    "any": lambda *parts: any(parts),
    "+": lambda *parts: sum(parts),
    "*": lambda *parts: math.prod(parts),
    "-": lambda a, b=None: -a if b is None else a - b,
    "/": lambda a, b: a / b,
    "concat": lambda *parts: "".join(parts),
    "to-string": str,
    "abs": abs,
    "sqrt": math.sqrt,
    "max": max,
    "min": min,
}
