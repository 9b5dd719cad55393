"""The checks of single JSON-schema keywords, each a closure made once; `checker` puts them together.

A check returns the value to use, coerced where that loses nothing, and appends a `Fault` for what is wrong.
A dynamic keyword is a `Slot` in the schema; each check supplies its value."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from agents.core.tools.argument_faults import Fault, Path


@dataclass(frozen=True, slots=True)
class Slot:
    """The place of a dynamic keyword: an index into the values that come with each check."""

    index: int


class Choices:
    """The allowed values of an enum. Hashed on the second look-up only: a long enum that changes with every model
    call is searched at most once, which costs less than hashing it."""

    __slots__ = ("_asked", "_known", "values")

    def __init__(self, values: Sequence[Any]) -> None:
        self.values = values
        self._asked = False
        self._known: frozenset[str] | None = None

    def __contains__(self, value: Any) -> bool:
        if type(value) is not str:
            return any(_same(value, choice) for choice in self.values)
        if self._known is not None:
            return value in self._known
        if self._asked:
            self._known = frozenset(choice for choice in self.values if type(choice) is str)
        self._asked = True
        return value in self.values


Slots = Sequence[Any]
Check = Callable[[Any, Path, list[Fault], Slots], Any]


_INTEGER = re.compile(r"[+-]?\d{1,18}\Z")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")
_MISFIT = object()


def _as_integer(value: Any) -> Any:
    if type(value) is int:
        return value
    if type(value) is float and value.is_integer():
        return int(value)
    if type(value) is str and _INTEGER.match(value):
        return int(value)
    return _MISFIT


def _as_number(value: Any) -> Any:
    kind = type(value)
    if kind is int or (kind is float and math.isfinite(value)):
        return value
    if kind is str and _NUMBER.match(value):
        number = float(value)
        return int(value) if _INTEGER.match(value) else number if math.isfinite(number) else _MISFIT
    return _MISFIT


def _as_boolean(value: Any) -> Any:
    if type(value) is bool:
        return value
    return {"true": True, "false": False}.get(value.lower(), _MISFIT) if type(value) is str else _MISFIT


_CASTS: dict[str, Callable[[Any], Any]] = {
    "integer": _as_integer,
    "number": _as_number,
    "boolean": _as_boolean,
    "string": lambda value: value if type(value) is str else _MISFIT,
    "array": lambda value: value if type(value) is list else _MISFIT,
    "object": lambda value: value if type(value) is dict else _MISFIT,
    "null": lambda value: None if value is None else _MISFIT,
}


def type_check(names: Sequence[str]) -> Check:
    """The check of the JSON Schema keyword `type`. Raises ValueError for unknown names of types."""
    unknown_names = [name for name in names if name not in _CASTS]
    if unknown_names:
        raise ValueError(f"{unknown_names[0]!r} is not a JSON-schema type")
    casts = [_CASTS[name] for name in names]
    article = "an" if names[0][:1] in "aeiou" else "a"
    wanted = " or ".join(names)

    def check_one(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        result = cast(value)
        if result is _MISFIT:
            faults.append(Fault("type", path, f"must be {article} {wanted}, not {type_name(value)}", value))
            return value
        return result

    def check_many(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        best: Any = _MISFIT
        for each in casts:
            result = each(value)
            if result is not _MISFIT and type(result) is type(value):
                return result
            if best is _MISFIT:
                best = result
        if best is _MISFIT:
            faults.append(Fault("type", path, f"must be {article} {wanted}, not {type_name(value)}", value))
            return value
        return best

    cast = casts[0]
    # One type is common, and takes a quarter less time without a loop.
    return check_one if len(casts) == 1 else check_many


def type_name(value: Any) -> str:
    """The JSON type of a Python value."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", int: "integer", float: "number"}
    return "null" if value is None else names.get(type(value), type(value).__name__)


def _enum(values: Any) -> Check:
    fixed = None if isinstance(values, Slot) else Choices(list(values))

    def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        choices = fixed if fixed is not None else slots[values.index]
        if choices is None or value in choices:
            return value
        text = "is not one of the allowed values" if choices.values else "has no allowed value at the moment"
        faults.append(Fault("enum", path, text, value, choices.values))
        return value

    return check


def _bound(words: str, holds: Callable[[Any, Any], bool]) -> Callable[[Any], Check]:
    def factory(limit: Any) -> Check:
        def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
            actual = slots[limit.index] if type(limit) is Slot else limit
            number = type(value) is int or type(value) is float
            if actual is not None and number and not holds(value, actual):
                faults.append(Fault("bound", path, f"must be {words} {actual}", value))
            return value

        return check

    return factory


def _size(
    kind: type[str] | type[list[Any]] | type[dict[str, Any]], words: str, holds: Callable[[int, int], bool]
) -> Callable[[Any], Check]:
    def factory(limit: int) -> Check:
        def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
            if type(value) is kind and not holds(len(value), limit):
                faults.append(Fault("bound", path, f"{words.format(limit)}, it has {len(value)}", value))
            return value

        return check

    return factory


def _pattern(pattern: str) -> Check:
    search = re.compile(pattern).search

    def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        if type(value) is str and search(value) is None:
            faults.append(Fault("pattern", path, f"must match the pattern {pattern}", value))
        return value

    return check


def _multiple(step: float) -> Check:
    def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        if type(value) in (int, float) and not math.isclose(value / step, round(value / step), abs_tol=1e-9):
            faults.append(Fault("bound", path, f"must be a multiple of {step}", value))
        return value

    return check


def _unique(wanted: bool) -> Check:
    def check(value: Any, path: Path, faults: list[Fault], slots: Slots) -> Any:
        if wanted and type(value) is list:
            seen: set[str] = set()
            for item in value:
                key = f"{type_name(item)}:{item!r}"
                if key in seen:
                    faults.append(Fault("bound", path, "must not hold the same item twice", item))
                    break
                seen.add(key)
        return value

    return check


def _same(one: Any, other: Any) -> bool:
    """JSON equality: true is not 1, 1 is 1.0."""
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


KEYWORDS: dict[str, Callable[[Any], Check]] = {
    "enum": _enum,
    "const": lambda constant: _enum([constant]),
    "minimum": _bound("at least", lambda value, limit: value >= limit),
    "maximum": _bound("at most", lambda value, limit: value <= limit),
    "exclusiveMinimum": _bound("more than", lambda value, limit: value > limit),
    "exclusiveMaximum": _bound("less than", lambda value, limit: value < limit),
    "multipleOf": _multiple,
    "minLength": _size(str, "must have at least {} characters", lambda size, limit: size >= limit),
    "maxLength": _size(str, "must have at most {} characters", lambda size, limit: size <= limit),
    "minItems": _size(list, "must have at least {} items", lambda size, limit: size >= limit),
    "maxItems": _size(list, "must have at most {} items", lambda size, limit: size <= limit),
    "minProperties": _size(dict, "must have at least {} entries", lambda size, limit: size >= limit),
    "maxProperties": _size(dict, "must have at most {} entries", lambda size, limit: size <= limit),
    "pattern": _pattern,
    "uniqueItems": _unique,
}
