"""Units of measure: what a request says (`2 km`), what a column holds (`elevation_ft`), and the way between.

A number is never compared with a column of another dimension, and never converted unless both units are known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agents.domain import Column
from agents.offline.language.words import word_set


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` turns a value of this unit into the base unit of its dimension."""

    symbol: str
    dimension: str
    factor: float


def _units(dimension: str, *rows: tuple[str, float, str]) -> dict[str, Unit]:
    return {
        name: Unit(symbol, dimension, factor)
        for symbol, factor, names in rows
        for name in (symbol.lower(), *names.split())
    }


_UNITS: dict[str, Unit] = {
    **_units(
        "length",
        ("m", 1.0, "meter meters metre metres mtr"),
        ("km", 1000.0, "kilometer kilometers kilometre kilometres kms"),
        ("cm", 0.01, "centimeter centimeters centimetre centimetres"),
        ("mm", 0.001, "millimeter millimeters millimetre millimetres"),
        ("ft", 0.3048, "foot feet"),
        ("yd", 0.9144, "yard yards"),
        ("mi", 1609.344, "mile miles"),
        ("nmi", 1852.0, "nm"),
    ),
    **_units(
        "area",
        ("m²", 1.0, "m2 sqm"),
        ("km²", 1e6, "km2 sqkm"),
        ("ha", 1e4, "hectare hectares"),
        ("acres", 4046.8564224, "acre ac"),
        ("sq mi", 2589988.110336, "mi2 sqmi"),
        ("ft²", 0.09290304, "ft2 sqft"),
    ),
    **_units(
        "speed",
        ("km/h", 1 / 3.6, "kmh kph"),
        ("m/s", 1.0, "mps"),
        ("mph", 0.44704, ""),
        ("kn", 0.514444, "knots kt"),
    ),
    **_units("mass", ("kg", 1.0, "kilogram kilograms"), ("t", 1000.0, "tonne tonnes tons")),
    **_units("share", ("%", 1.0, "percent pct")),
    **_units("people", ("people", 1.0, "person persons inhabitants inhabitant residents resident souls")),
    **_units("density", ("people/km²", 1.0, ""), ("people/mi²", 1 / 2.589988110336, "")),
    **_units("currency", ("$", 1.0, "usd dollars dollar"), ("€", 1.0, "eur euros euro")),
    **_units("time", ("years", 365.25, "year yrs"), ("days", 1.0, "day"), ("hours", 1 / 24, "hour hrs")),
}

_SQUARE = {"square", "sq"}
_LENGTHS_OF_SQUARES = {"m": "m²", "km": "km²", "mi": "sq mi", "ft": "ft²"}
_SHORT_IN_NAMES = word_set("""
    m km cm mm ft mi nmi m2 km2 sqkm sqm ha acres kmh mph kg t pct kn feet meters metres miles years
    days hours usd eur
""")


def unit_named(word: str, following: str = "") -> tuple[Unit, int] | None:
    """The unit that a word (or two: `square km`) names, and how many words it took."""
    if word in _SQUARE and following:
        length = _UNITS.get(following)
        if length is not None and length.symbol in _LENGTHS_OF_SQUARES:
            return _UNITS[_LENGTHS_OF_SQUARES[length.symbol]], 2
    unit = _UNITS.get(word)
    return None if unit is None else (unit, 1)


def density_of(area: Unit) -> Unit | None:
    """`people per km²`, of the area's unit."""
    return {"km²": _UNITS["people/km²"], "sq mi": _UNITS["people/mi²"]}.get(area.symbol)


def column_unit(column: Column) -> Unit | None:
    """The unit a column is in, by its name's ending or else by what its comment says first."""
    if column.kind not in ("integer", "number"):
        return None
    ending = re.split(r"[_\s]+", column.name.lower())[-1]
    if ending in _SHORT_IN_NAMES and ending != column.name.lower():
        return _UNITS[ending]
    words = re.findall(r"[a-z]+[²2]?(?:/[a-z]+)?|%", (column.comment or "").lower())
    for index, word in enumerate(words):
        previous = words[index - 1] if index else ""
        if len(word) <= 2 and previous not in ("in", "unit", "units", "square") and word != "km":
            continue
        if word in _SHORT_IN_NAMES or len(word) > 4 or word in _SQUARE or word in ("km²", "m²"):
            found = unit_named(word, words[index + 1] if index + 1 < len(words) else "")
            if found is not None:
                return (
                    _per_area(words[index + 1 :])
                    if found[0].dimension == "people" and "per" in words
                    else found[0]
                )
    return None


def _per_area(words: list[str]) -> Unit | None:
    """What `inhabitants per square kilometre` is in; None for other rates, which are compared as they stand."""
    place = words.index("per") + 1 if "per" in words else len(words)
    area = (
        unit_named(words[place], words[place + 1] if place + 1 < len(words) else "")
        if place < len(words)
        else None
    )
    return density_of(area[0]) if area is not None else None


def convert(value: float, source: Unit, target: Unit) -> float:
    """Between units of one dimension, free of floating-point dust."""
    if source == target:
        return value
    return float(f"{value * source.factor / target.factor:.10g}")
