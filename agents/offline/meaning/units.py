"""Units of measure: in requests (`2 km`), in columns (`elevation_ft`), and conversion.

Numbers are compared only within one dimension, and converted only if both units are known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from math import isclose

from agents.domain import Column, Table
from agents.offline.language.names.comments import unit_at_end
from agents.offline.language.names.costs import UNIT_WORDS
from agents.offline.language.words import name_words, word_set
from agents.units import COLUMN_ENDINGS, MAGNITUDES, UNITS, Unit

_COSTS = word_set("cost price budget revenue value turnover spend funding investment income gdp profit grant")
_PERCENT = frozenset(("pct", "perc", "percent", "percentage"))
"""First words of names of columns with percentages: `pct_insured`."""
_SQUARE = {"square", "sq"}
_PEOPLE = {"people", "pop", "population", "inhabitants", "residents"}
_DURATIONS = frozenset(
    ("response", "time", "duration", "travel", "drive", "walk", "wait", "delay", "trip", "elapsed", "journey")
)
"""Words before `min` when it means minutes, not minimum."""
_MEASURED_IN_INCHES = word_set("""
    dbh depth dia diam diameter dpth height length precip rain rainfall snow snowfall thickness width
""")
"""Words before `in` when it means inches."""
_METRIC = frozenset(("m", "km", "m²", "km²", "km/h", "kg", "t"))
_VOLUMES = frozenset(("m3", "cbm", "fm", "efm", "vfm", "l"))
"""Units of volume, of timber in German, that are not converted."""
_LENGTHS_OF_SQUARES = {"m": "m²", "km": "km²", "mi": "sq mi", "ft": "ft²"}


def unit_named(word: str, following: str = "") -> tuple[Unit, int] | None:
    """The unit that a word, or two (`square km`, `million euros`), names, and the number of words used."""
    if word in _SCALES and (money := UNITS.get(following)) is not None and money.dimension == "currency":
        letter, factor = _SCALES[word]
        return Unit(f"{letter}{money.symbol}", "currency", factor * money.factor), 2
    if word in _SQUARE and following:
        length = UNITS.get(following)
        if length is not None and length.symbol in _LENGTHS_OF_SQUARES:
            return UNITS[_LENGTHS_OF_SQUARES[length.symbol]], 2
    if word == "nautical" and UNITS.get(following) == UNITS["mi"]:
        return UNITS["nmi"], 2
    unit = UNITS.get(word)
    return None if unit is None else (unit, 1)


def density_of(area: Unit) -> Unit | None:
    """People per unit of area (`people per km²`), if supported."""
    return {"km²": UNITS["people/km²"], "sq mi": UNITS["people/mi²"]}.get(area.symbol)


_YIELDS = word_set("yield yld q qtl bu")
_WHOLE_NAMES = word_set("acres hectares ha kilometers kilometres km miles watt watts")
"""Units that are the whole name of a column."""


def column_unit(column: Column) -> Unit | None:
    """The unit of a column: from the ending of its name, else from the first unit in its comment."""
    if column.kind not in ("integer", "number"):
        return None
    if (scaled := _scaled_currency(column)) is not None:
        return scaled
    *before, ending = re.split(r"[_\s]+", column.name.lower().replace("(", " ").replace(")", " ").strip())
    if before[:1] and before[0] in _PERCENT and ending not in COLUMN_ENDINGS:
        return UNITS["%"]
    if ending in ("min", "minutes") and _DURATIONS & set(before):
        return UNITS["minutes"]
    if ending == "in" and before and _MEASURED_IN_INCHES & {*before}:
        return UNITS["inch"]
    if before and ending in COLUMN_ENDINGS:
        if "per" in before[-2:]:
            return density_of(UNITS[ending]) if _PEOPLE & set(before) else None
        if UNITS[ending].dimension == "length" and _COSTS & {*before}:
            return None  # `est_cost_m` is in millions
        if before[-1] in COLUMN_ENDINGS | _VOLUMES and before[-1] not in _SQUARE:
            return None  # `yield_t_ha`: tonnes per hectare
        if UNITS[ending].dimension == "area" and _YIELDS & {*before}:
            return None  # `yld_q_ac`: quintals per acre
        if unit_per(column) == UNITS[ending]:
            return None  # `VFM_HA`: “growing stock per hectare”
        square = unit_named(before[-1], ending) if before[-1] in _SQUARE else None
        return square[0] if square is not None else UNITS[ending]
    if not before and ending in _WHOLE_NAMES:
        return UNITS[ending]
    if (last := unit_at_end(column)) and last[0] in UNITS:
        return UNITS[last[0]]
    explanation = "" if (column.comment or "").startswith("Calculated: ") else (column.comment or "")
    words = re.findall(r"[a-z]+[²2]?(?:/[a-z]+)?|%", explanation.lower())
    for index, word in enumerate(words):
        previous = words[index - 1] if index else ""
        if previous.removesuffix("s") in MAGNITUDES:
            return None
        if len(word) <= 2 and previous not in ("in", "unit", "units", "square") and word != "km":
            continue
        if word in COLUMN_ENDINGS or len(word) > 4 or word in _SQUARE or word in ("km²", "m²"):
            found = unit_named(word, words[index + 1] if index + 1 < len(words) else "")
            if found is not None and found[0].dimension == "people" and "per" in words:
                return _per_area(words[index + 1 :])
            if found is not None:
                around = (previous, *words[index + 1 : index + 2])  # `litres per minute`, `cubic metres`
                return None if {"per", "cubic"} & {*around} else found[0]
    return None


def unit_per(column: Column) -> Unit | None:
    """The unit of which a column holds figures for each one, by its comment: “cubic metres per hectare”."""
    words = (column.comment or "").lower().replace("/", " per ").split()
    found = (UNITS.get(second.strip(".,;()")) for first, second in pairwise(words) if first == "per")
    return next(filter(None, found), None)


_SCALES = {"thousand": ("k", 1e3), "million": ("M", 1e6), "billion": ("bn ", 1e9)}
_MONEY = r"euros?|eur|dollars?|usd|gbp|€|\$|£"
_IN_THOUSANDS = re.compile(
    rf"\b(?P<scale>thousand|million|billion)s?\s+(?:of\s+)?(?:us\s+)?(?P<money>{_MONEY})"
    rf"|(?P<before>{_MONEY})\s+(?P<behind>thousand|million|billion)s?\b",
    re.IGNORECASE,
)
_SHORT_SCALES = {"k": "thousand", "t": "thousand", "m": "million", "bn": "billion"}
_SHORT_IN_THOUSANDS = re.compile(
    r"(?:^|_)(?:(?P<scale>k|t|m|bn)_?(?P<money>eur|usd|gbp)|(?P<first>eur|usd|gbp)_(?P<then>k|m|bn))$"
)


def _scaled_currency(column: Column) -> Unit | None:
    """The currency unit with its scale: thousand euros for `cost_keur`, `cost_eur_k` or “Building cost in
    thousand euros”."""
    short = _SHORT_IN_THOUSANDS.search(column.name.lower())
    commented = _IN_THOUSANDS.search(column.comment or "")
    if short is not None:
        scale, money = _SHORT_SCALES[short["scale"] or short["then"]], short["money"] or short["first"]
    elif commented is not None:
        scale = (commented["scale"] or commented["behind"]).lower()
        money = (commented["money"] or commented["before"]).lower()
    else:
        return None
    letter, factor = _SCALES[scale]
    return Unit(f"{letter}{UNITS[money].symbol}", "currency", factor)


def in_unit(column: Column | None, unit: Unit) -> bool:
    """Whether a column's values can be converted to a unit."""
    own = column_unit(column) if column is not None else None
    return own is not None and own.dimension == unit.dimension


def is_share(column: Column) -> bool:
    """Whether a column holds percentages."""
    unit = column_unit(column)
    return unit is not None and unit.dimension == "share"


def are_shares(tables: Sequence[Table], names: Sequence[str]) -> bool:
    """Whether one of the columns holds percentages."""
    own = (table.column(name) for table in tables for name in names)
    return any(is_share(each) for each in own if each is not None)


def _per_area(words: list[str]) -> Unit | None:
    """The unit of `inhabitants per square kilometre`; None for other rates, which are not converted."""
    place = words.index("per") + 1 if "per" in words else len(words)
    area = (
        unit_named(words[place], words[place + 1] if place + 1 < len(words) else "")
        if place < len(words)
        else None
    )
    return density_of(area[0]) if area is not None else None


def convert(value: float, source: Unit, target: Unit) -> float:
    """Convert between units of one dimension, rounded to 10 significant digits."""
    if source == target:
        return value
    return float(f"{value * source.factor / target.factor:.10g}")


_PARTS = {"half": 0.5, "quarter": 0.25, "three quarters": 0.75, "three quarter": 0.75}


def part_of_unit(words: Sequence[str]) -> tuple[int, float] | None:
    """The number of words and the value of a fraction before a unit, `a quarter`, `half a`, `three quarters of a`, or
    of `a` before a length, `a mile`."""
    whole = unit_named(words[1]) if words[:1] == ["a"] and len(words[1]) > 1 else None
    if whole is not None and whole[0].dimension == "length":
        return 1, 1.0
    begin = 1 if words[:1] == ["a"] else 0
    for length in (2, 1):
        part = _PARTS.get(" ".join(words[begin : begin + length]))
        end = begin + length
        while part is not None and words[end : end + 1] and words[end] in ("of", "a", "an"):
            end += 1
        if part is not None and end < len(words) and (MAGNITUDES.get(words[end]) or unit_named(words[end])):
            return end, part
    return None


def is_year(number: float) -> bool:
    """Whether a number without a unit may be a year."""
    return 1000 <= number < 3000


def in_one_unit(columns: Sequence[Column]) -> list[Column]:
    """The metric column of a measure kept in several units; all columns if they hold different measures."""
    if len(columns) < 2 or len({name_without_unit(column) for column in columns}) > 1:
        return list(columns)
    metric = [
        column for column in columns if (own := column_unit(column)) is not None and own.symbol in _METRIC
    ]
    return (metric or list(columns))[:1]


def name_without_unit(column: Column) -> tuple[str, ...]:
    """The words of a column's name without its unit: `elevation` for `elevation_m`."""
    words = name_words(column.name)
    return words[:-1] if len(words) > 1 and words[-1] in UNIT_WORDS else words


def whole(value: float, text: str = "") -> float | int:
    """A number as an integer if it is one, so that it is compared exactly; of one with many digits, by its `text`."""
    if text.isdecimal() and isclose(float(text), value):  # not 1 of `between 1 and 5 million`
        return int(text)
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def of_any_unit(table: Table) -> list[Column]:
    """The numeric columns whose unit another column of the row tells: `result`, beside `units`."""
    has_units = any(
        each.kind == "text" and not _UNIT_COLUMNS.isdisjoint(name_words(each.name)) for each in table.columns
    )
    return [
        each
        for each in (table.columns if has_units else ())
        if each.kind in ("integer", "number")
        and column_unit(each) is None
        and not _RESULTS.isdisjoint((*name_words(each.name), *name_words(each.comment or "")[:1]))
    ]


_UNIT_COLUMNS = word_set("unit uom")
_RESULTS = word_set("result rslt value val reading measurement concentration conc amount")
