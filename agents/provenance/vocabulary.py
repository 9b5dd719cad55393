"""Words around numbers in the most common languages of answers. Data only."""

from __future__ import annotations

from agents import units
from agents.units import COLUMN_ENDINGS, MAGNITUDES, UNITS, names_of


def _words(text: str) -> list[str]:
    """The words of a list with commas."""
    return [word.strip() for word in text.split(",")]


def _magnitude(factor: float) -> list[str]:
    return [word for word, value in MAGNITUDES.items() if value == factor]


_THOUSAND = (
    *_magnitude(1e3),
    *_words("Thousand, K, tsd, Tsd, Tausend, tausend, mille, mila, mil, tusen, ألف, тысяч, тыс, 千"),
)
_MILLION = (*_magnitude(1e6), *_words(
    "Million, Millions, Millionen, Mio, mln, M, millón, millones, milhão, milhões, milione, milioni, miljoen, مليون, "
    "ملايين, миллион, миллиона, миллионов, млн, 百万"
))  # fmt: skip
_BILLION = (*_magnitude(1e9), *_words(
    "Billions, Milliarde, Milliarden, Mrd, milliard, milliards, miliardo, miliardi, miljard, mil millones, مليار, "
    "миллиард, миллиарда, миллиардов, млрд"
))  # fmt: skip

SCALES: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(_THOUSAND, (1e3,)),
    **dict.fromkeys(_MILLION, (1e6,)),
    **dict.fromkeys(_BILLION, (1e9,)),
    **dict.fromkeys(["trillion", "trillions", "Trillion"], (1e12,)),
    **dict.fromkeys(["Billion", "billion"], (1e9, 1e12)),
    "Billionen": (1e12,),
    **dict.fromkeys(["lakh", "lakhs"], (1e5,)),
    **dict.fromkeys(["crore", "crores"], (1e7,)),
    "万": (1e4,),
    "億": (1e8,),
    "亿": (1e8,),
}
"""The factors that a word after a number can mean; several where languages differ."""


def _measured(name: str) -> tuple[str, float]:
    unit = UNITS[name]
    return unit.dimension, unit.factor


_ELSEWHERE = {
    "m": _words("Meter, م"),
    "km": _words("Kilometer, كم, км"),
    "mi": _words("Meilen"),
    "nmi": _words("nautical miles"),
    "ft": _words("Fuß"),
    "m²": _words("sq m, square metres, square meters"),
    "km²": _words("km^2, qkm, sq km, square kilometres, square kilometers, كم²"),
    "ha": _words("Hektar"),
    "yd": _words("Yard, Yards"),
    "acres": _words("Acre, Acres"),
    "sq mi": _words("square mile, square miles, Quadratmeilen"),
    "ft²": _words("sq ft, square foot, square feet"),
}
"""Names of units in other languages, or of several words."""
_NAMES = {symbol: (*names_of(symbol), *more) for symbol, more in _ELSEWHERE.items()}
_OTHERS = ("s", "min", "h", "kg", "t", "kt", "ms", "px", "yr", "yrs")

FACTORS: dict[str, tuple[float, ...]] = {
    **{name: (UNITS[symbol].factor,) for symbol, names in _NAMES.items() for name in names},
    **dict.fromkeys(_NAMES["m"], (1 / UNITS["km"].factor, 1 / UNITS["ft"].factor)),
    **dict.fromkeys(_NAMES["m²"], (1 / UNITS["km²"].factor,)),
    **dict.fromkeys(("cm", "mm", *_OTHERS, "N", "E", "S", "W"), ()),
}
"""Units that may follow a number, and what it is in the units that a result may have instead: metres, mostly."""

DIMENSIONS: dict[str, tuple[str, float]] = {
    **{name: _measured(symbol) for symbol, names in _NAMES.items() for name in names},
    **{name: _measured(name) for name in ("cm", "mm")},
    **dict.fromkeys(_OTHERS, ("other", 1.0)),
}
"""What a unit measures, and how many metres or square metres it is."""

AREAS = {name: square_metres for name, (kind, square_metres) in DIMENSIONS.items() if kind == "area"}
"""Square metres of each unit of area, which a density may be stated for."""

COLUMN_UNITS: dict[str, tuple[str, float]] = {
    **{name: _measured(name) for name in COLUMN_ENDINGS if UNITS[name].dimension in ("length", "area")},
    **{name: DIMENSIONS[name] for name in AREAS},
    **dict.fromkeys(("percent", "pct", "percentage"), ("share", 1.0)),
    **dict.fromkeys(("population", "people", "inhabitants", "pop", "residents"), ("people", 1.0)),
    **dict.fromkeys(("count", "n", "rows", "total", "nulls", "distinct", "number"), ("count", 1.0)),
    "year": ("year", 1.0),
    "density": ("other", 1.0),
}
"""Units implied by the last word or two of a column's name or a value's name."""

PEOPLE = _words(
    "people, persons, inhabitants, residents, population, Einwohner, Menschen, habitants, habitantes, personas, "
    "نسمة, شخص"
)
FUNCTION_WORDS = _words(
    "of, in, on, at, for, from, to, and, or, but, with, without, by, is, are, was, were, has, have, had, as, than, "
    "that, which, who, more, less, fewer, others, other, rows, features, results, entries, matches, records, here, "
    "there, them, these, those, it, all, respectively, times, von, und, oder, mit, im, der, die, das, sind, mehr"
)
"""Words that, after a number, do not name what is counted."""
CLAUSES = _words("where, whose, which, that, with, without, when, wo, deren, dessen, où, dont, donde, cuyo")
"""Words that begin what is true of the counted rows, and may name others: “62 rows where country is Switzerland”."""
TIMES = "times|fold|×|x\\b|mal\\b|fois|veces|volte|مرات|مرة|раза?"
MORE = "more|larger|higher|greater|bigger|above|longer|farther|further|increase|mehr|größer|höher|plus|más|أكثر|أكبر"
LESS = "less|fewer|smaller|lower|below|shorter|nearer|closer|decrease|weniger|kleiner|niedriger|moins|menos|أقل|أصغر"
TOGETHER = (
    "together|total|sum|combined|both|altogether|in all|overall|zusammen|insgesamt|ensemble|juntos|مجموع|معا"
)
GONE = (
    "no|none|empty|missing|lacks?|lost|left|dropped|removed|deleted|excluded|skipped|remain|remains|remained|keine?|"
    "fehlen|entfernt|sans|manquent|supprimées?|sin|faltan|بلا|بدون|مفقودة?|حذف"
)
APART_ONLY = "than|difference|differ|gap|apart|rest|remaining|other|others|without|not|Unterschied|فرق|باقي"
APART = f"{MORE}|{LESS}|{GONE}|{APART_ONLY}"
RATIO = "ratio|quotient|proportion|for (?:each|every)|Verhältnis|rapport|proporción|razón|نسبة"
AVERAGE = "average|mean|on average|Durchschnitt|Mittel|moyenne|promedio|media|متوسط"
"""Words that say how a number was calculated from others."""

NUMBER_WORDS: dict[str, float] = {
    **{word: number for word, number in units.NUMBER_WORDS.items() if number >= 2},
    **{word: float(number) for number, word in enumerate(_words(
        "zwei, drei, vier, fünf, sechs, sieben, acht, neun, zehn, elf, zwölf"), 2)},
}  # fmt: skip
NO_CLAIM = (
    "the|these|those|both|other|first|last|next|following|top|any|every|die|diese|beiden|anderen|ersten"
)
"""A spelled-out number after these refers to things that were mentioned before."""

LEAST = "over|more than|at least|über|mehr als|mindestens|plus de|más de|oltre|أكثر من|более"
"""What is meant is no less than the number after these."""
MOST = "nearly|almost|under|less than|fewer than|at most|up to|fast|knapp|höchstens|casi|quasi|أقل من|почти"
"""What is meant is no more than the number after these."""
HEDGES = (
    f"about|around|roughly|approximately|approx\\.?|circa|ca\\.?|some|just|etwa|rund|ungefähr|environ|près de|"
    f"unos|cerca de|حوالي|نحو|около|{LEAST}|{MOST}"
)
YEARS = (
    "in|since|of|from|until|till|by|year|years|before|after|during|to|and|im Jahr|seit|von|bis|vor|nach|en|depuis|"
    "desde|hasta|año|dal|nel|в|с|до|عام|سنة"
)
CODES = (
    "EPSG|SRID|ISO|RFC|UTM(?: zone)?|zone|version|v|No\\.|Nr\\.|number|step|option|page|chapter|figure|table|route|"
    "highway|interstate|terminal|runway|gate|flight|boeing|airbus|airport|SQL|CQL|WGS|ETRS|NAD|Python|PostGIS|"
    "PostgreSQL|GPT|top"
)
"""Words that are followed by a name, even one written in digits."""
