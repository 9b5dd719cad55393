"""Units of measure, magnitudes and number words in English: defined once, for the agents and the server.

What only one reader needs (other languages in answers, the endings of columns' names) is defined in that reader's
package and refers to these."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Unit:
    """`factor` turns a value of this unit into the base unit of its dimension."""

    symbol: str
    dimension: str
    factor: float

    @property
    def ending(self) -> str:
        """As the end of a column's name: `people_km2`."""
        return "_".join(self.symbol.replace("²", "2").replace(",", "").replace("/", " ").split())


def _units(dimension: str, *rows: tuple[str, float, str]) -> dict[str, Unit]:
    return {
        name: Unit(symbol, dimension, factor)
        for symbol, factor, names in rows
        for name in (symbol.lower(), *names.split())
    }


UNITS: dict[str, Unit] = {
    **_units(
        "length",
        ("m", 1.0, "meter meters metre metres mtr"),
        ("km", 1000.0, "kilometer kilometers kilometre kilometres kms"),
        ("cm", 0.01, "centimeter centimeters centimetre centimetres"),
        ("mm", 0.001, "millimeter millimeters millimetre millimetres"),
        ("inch", 0.0254, "inches"),
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
        ("sq mi", 2589988.110336, "mi2 mi² sqmi"),
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
    **_units(
        "power",
        ("watts", 1.0, "watt"),
        ("kW", 1e3, "kilowatt kilowatts"),
        ("MW", 1e6, "megawatt megawatts"),
        ("GW", 1e9, "gigawatt gigawatts"),
    ),
    **_units("share", ("%", 1.0, "percent pct")),
    **_units("people", ("people", 1.0, "person persons inhabitants inhabitant residents resident souls")),
    **_units("density", ("people/km²", 1.0, ""), ("people/mi²", 1 / 2.589988110336, "")),
    **_units(
        "currency",
        ("$", 1.0, "usd cad aud nzd dollars dollar"),
        ("€", 1.0, "eur euros euro"),
        ("£", 1.0, "gbp sterling"),
        ("CHF", 1.0, "chf francs franc"),
    ),
    **_units(
        "time",
        ("years", 365.25, "year yrs"),
        ("days", 1.0, "day"),
        ("hours", 1 / 24, "hour hrs"),
        ("minutes", 1 / 1440, "minute mins min"),
        ("seconds", 1 / 86400, "secs"),
    ),
}
"""Units by each of their names; the yard and pound are those of 1959, the nautical mile that of 1929."""

US_SURVEY_FOOT = 1200 / 3937
"""Metres; the foot of some older reference systems, which users do not mean by "foot"."""

_IN_NAMES = (
    "m km cm mm ft feet mi miles nmi meters metres inch inches",
    "m2 km2 sqkm sqm ha acres ac",
    "kmh mph kn kg t watt watts kw mw gw pct usd cad aud nzd eur gbp chf",
    "years yrs days hours",
)
COLUMN_ENDINGS = frozenset(word for words in _IN_NAMES for word in words.split())
"""Names of units that a column's name may end with."""

MAGNITUDES: dict[str, float] = {
    "hundred": 1e2,
    **dict.fromkeys(("thousand", "thousands", "k"), 1e3),
    **dict.fromkeys(("million", "millions", "mio", "mn"), 1e6),
    **dict.fromkeys(("billion", "billions", "bn"), 1e9),
}
"""The factor of a word after a number."""

_TO_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS: dict[str, float] = {
    **{word: float(number) for number, word in enumerate(_TO_TWENTY.split())},
    **{word: 10.0 * number for number, word in enumerate(_TENS.split(), 2)},
}


def factors(dimension: str) -> dict[str, float]:
    """The factors of a dimension's units, by their names of one word."""
    return {
        name: unit.factor for name, unit in UNITS.items() if unit.dimension == dimension and " " not in name
    }


def names_of(symbol: str) -> tuple[str, ...]:
    """All names of a unit, its symbol first."""
    return tuple(name for name, unit in UNITS.items() if unit.symbol == symbol)
