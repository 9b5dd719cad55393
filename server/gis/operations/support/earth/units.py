"""Parses and formats lengths and areas in metres and square metres. Degrees are refused."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from agents.units import factors

METRES, SQUARE_METRES = factors("length"), factors("area")

_QUANTITY = re.compile(
    # Thousands may be separated, in threes; a decimal comma is refused, because 1,5 must not be read as 15.
    r"\s*([-+]?(?:\d{1,3}(?:[, _]\d{3})+|\d*)(?:\.\d+|(?<=\d))(?:e[-+]?\d+)?)\s*([^\d\s,.][^\s]*|)\s*",
    re.IGNORECASE,
)


def _parse(value: Any, units: dict[str, float], base: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"give a number of {base}, or a number with a unit: {', '.join(list(units)[:8])}")
    if isinstance(value, int | float):
        return _finite(float(value))
    match = _QUANTITY.fullmatch(value)
    if match is None:
        raise ValueError(f"{value!r} is not a quantity; write for example '500 {base}' or '1.5 {base}'")
    unit = match[2].lower()
    if unit and unit not in units:
        hint = (
            " Degrees are not a length: give metres or kilometres."
            if unit in {"°", "deg", "degree", "degrees"}
            else ""
        )
        raise ValueError(f"unknown unit {match[2]!r}; known are {', '.join(units)}.{hint}")
    return _finite(float(re.sub(r"[,_ ]", "", match[1])) * (units[unit] if unit else 1.0))


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("give a number that is not infinite")
    return number


def metres(value: Any) -> float:
    """`5000`, `"5 km"`, `"3 mi"` as metres. Raises ValueError naming the units."""
    return _parse(value, METRES, "m")


def square_metres(value: Any) -> float:
    """`1e6`, `"1 km2"`, `"20 ha"` as square metres. Raises ValueError naming the units."""
    return _parse(value, SQUARE_METRES, "m2")


def length_text(length: float) -> str:
    """Formats metres: `250 m`, `100 km`."""
    return f"{length:,g} m" if abs(length) < 1000 else f"{length / 1000:,g} km"


def _schema(number: str, text: str) -> WithJsonSchema:
    """The description of each alternative, so that the description of an argument cannot hide the unit."""
    return WithJsonSchema(
        {"anyOf": [{"type": "number", "description": number}, {"type": "string", "description": text}]}
    )


Length = Annotated[
    float, BeforeValidator(metres), _schema("Metres.", "With a unit: '500 m', '5 km', '3 mi'.")
]
Area = Annotated[
    float, BeforeValidator(square_metres), _schema("Square metres.", "With a unit: '20 ha', '1 km2'.")
]


def _spacing(value: Any) -> float | str:
    """A number as it is; a text with a unit of length as it is written, once it was understood."""
    if not isinstance(value, str):
        return _parse(value, METRES, "m")
    length = metres(value)
    return length if re.fullmatch(r"[-+\d.,_ e]+", value.strip(), re.IGNORECASE) else value


Spacing = Annotated[
    float | str,
    BeforeValidator(_spacing),
    _schema("Units of the table's reference system.", "A length, for a table in metres or feet: '1 m'."),
]
"""A distance in the plane of a table."""
