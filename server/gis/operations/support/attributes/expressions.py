"""Compiles calculations over columns (`round(population / area, 1)`) to SQL expressions.

The text is parsed by the CQL2 reader and walked here: only known operators and functions exist, columns come from the
registry, numbers are bound. No part of the text reaches the database as SQL."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from sqlalchemy import ColumnElement, Float, Integer, Numeric, case, cast, func, literal

from agents.core.nearest import nearest
from agents.worded import Template
from server.gis.errors import InvalidFilter, InvalidQuestion, did_you_mean, listed
from server.gis.filters.arithmetic import ARITHMETIC
from server.gis.filters.reading import read
from server.gis.operations.support.attributes.columns import number
from server.gis.operations.support.base import Source

EMPTY_CALCULATION = Template("op_empty_calculation", "The calculation is empty. {example}")
CALCULATION_PARTS = Template(
    "op_calculation_parts",
    "A calculation is made of numeric columns, numbers, + - * / ^ % and functions, not {part}. {example}",
)
BAD_CALCULATION = Template("op_bad_calculation", "The calculation {text} cannot be read. {example}")
LONG_CALCULATION = Template(
    "op_long_calculation", "The calculation is too long or nested too deeply. Calculate it in two steps."
)
NO_FUNCTION = Template(
    "op_no_function",
    "There is no function or operator {name} in calculations.{hint} There are + - * / ^ % div, {names}.",
)
FUNCTION_VALUES = Template("op_function_values", "{name} takes {wanted} values, not {n}.")
ROUND = Template("op_round", "round takes a value and a number of digits: round(area / 3, 2).")

MAX_DEPTH = 32
MAX_PARTS = 500
MAX_DIGITS = 15
EXAMPLE = "Write it like: round(population / area_km2, 1)."

Expression = ColumnElement[Any]


def calculation(source: Source, text: str) -> Expression:
    """The value as double precision. Raises InvalidQuestion or UnknownColumn with what was expected."""
    try:
        tree = read(text)
    except InvalidFilter as error:
        raise InvalidQuestion(BAD_CALCULATION(text=repr(text[:80]), example=EXAMPLE)) from error
    if tree is None:
        raise InvalidQuestion(EMPTY_CALCULATION(example=EXAMPLE))
    return cast(_Walk(source).value(tree), Float())


class _Walk:
    def __init__(self, source: Source) -> None:
        self._source = source
        self._depth = 0
        self._parts = 0

    def value(self, node: Any) -> Expression:
        self._depth += 1
        self._parts += 1
        if self._depth > MAX_DEPTH or self._parts > MAX_PARTS:
            raise InvalidQuestion(LONG_CALCULATION())
        try:
            return self._value(node)
        finally:
            self._depth -= 1

    def _value(self, node: Any) -> Expression:
        if isinstance(node, int | float) and not isinstance(node, bool) and math.isfinite(node):
            return literal(float(node), Float())
        if isinstance(node, Mapping) and isinstance(node.get("property"), str):
            return cast(number(self._source, node["property"]), Float())
        if isinstance(node, Mapping) and isinstance(node.get("args"), list):
            return self._operation(str(node.get("op")).lower(), node["args"])
        raise InvalidQuestion(CALCULATION_PARTS(part=repr(str(node)[:60]), example=EXAMPLE))

    def _operation(self, name: str, args: list[Any]) -> Expression:
        if name == "round":
            return self._rounded(args)
        values = [self.value(each) for each in args]
        if name == "-" and len(values) == 1:
            return literal(0.0, Float()) - values[0]
        if name in ARITHMETIC and len(values) >= 2:
            result = values[0]
            for each in values[1:]:
                result = _power(result, each) if name == "^" else ARITHMETIC[name](result, each)
                result = cast(result, Float())
            return result
        if name not in _FUNCTIONS:
            close = nearest(name, FUNCTION_NAMES)
            hint = did_you_mean(close[:1])
            raise InvalidQuestion(NO_FUNCTION(name=repr(name[:40]), hint=hint, names=listed(FUNCTION_NAMES)))
        fewest, most, function = _FUNCTIONS[name]
        if not fewest <= len(values) <= most:
            wanted = str(fewest) if fewest == most else f"{fewest} to {most}"
            raise InvalidQuestion(FUNCTION_VALUES(name=name, wanted=str(wanted), n=len(values)))
        return cast(function(*values), Float())

    def _rounded(self, args: list[Any]) -> Expression:
        """Rounds half away from zero, in exact decimals, so that 0.15 is not slightly less."""
        digits = args[1] if len(args) == 2 else 0
        whole = isinstance(digits, int | float) and float(digits).is_integer() and abs(digits) <= MAX_DIGITS
        if len(args) not in (1, 2) or not whole:
            raise InvalidQuestion(ROUND())
        exact = cast(self.value(args[0]), Numeric())
        return cast(func.round(exact, cast(literal(int(digits)), Integer())), Float())


def _power(base: Expression, exponent: Expression) -> Expression:
    """Null where no real number is the answer: a root of a negative number, or 0 to a negative power."""
    impossible = ((base < 0) & (exponent != func.floor(exponent))) | ((base == 0) & (exponent < 0))
    return case((impossible, None), else_=func.power(base, exponent, type_=Float()))


def _over_zero(value: Expression) -> Expression:
    """Null for what has no logarithm."""
    return case((value > 0, value), else_=None)


_FUNCTIONS: Mapping[str, tuple[int, int, Callable[..., Expression]]] = {
    "abs": (1, 1, func.abs),
    "floor": (1, 1, func.floor),
    "ceil": (1, 1, func.ceil),
    "sign": (1, 1, func.sign),
    "sqrt": (1, 1, lambda value: func.sqrt(case((value >= 0, value), else_=None))),
    "exp": (1, 1, func.exp),
    "ln": (1, 1, lambda value: func.ln(_over_zero(value))),
    "log10": (1, 1, lambda value: func.log(_over_zero(value))),
    "coalesce": (2, 8, func.coalesce),
    "least": (2, 8, func.least),
    "greatest": (2, 8, func.greatest),
}
"""Fewest and most arguments, and what is made of them."""

FUNCTION_NAMES = ("round", *_FUNCTIONS)
