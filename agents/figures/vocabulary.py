"""Words around numbers, in the languages that answers are most often written in. Data, no code."""

from __future__ import annotations


def _words(text: str) -> list[str]:
    """The words of a list with commas."""
    return [word.strip() for word in text.split(",")]


_THOUSAND = _words(
    "thousand, thousands, Thousand, k, K, tsd, Tsd, Tausend, tausend, mille, mila, mil, tusen, ألف, тысяч, тыс, 千"
)
_MILLION = _words(
    "million, millions, Million, Millions, Millionen, Mio, mio, mn, mln, M, millón, millones, milhão, milhões, "
    "milione, milioni, miljoen, مليون, ملايين, миллион, миллиона, миллионов, млн, 百万"
)
_BILLION = _words(
    "billions, Billions, bn, Milliarde, Milliarden, Mrd, milliard, milliards, miliardo, miliardi, miljard, "
    "mil millones, مليار, миллиард, миллиарда, миллиардов, млрд"
)

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
"""By how much a word after a number multiplies it; several where languages differ."""

_SQUARE_KM = "km² km2 km^2 sqkm qkm"
FACTORS: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(
        ("km", "kilometre", "kilometres", "kilometer", "kilometers", "Kilometer", "كم", "км"), (1e3,)
    ),
    **dict.fromkeys((*_SQUARE_KM.split(), "sq km", "square kilometres", "square kilometers", "كم²"), (1e6,)),
    **dict.fromkeys(("ha", "hectare", "hectares", "Hektar"), (1e4,)),
    **dict.fromkeys(("mi", "mile", "miles", "Meilen"), (1609.344,)),
    **dict.fromkeys(("nmi", "nautical miles"), (1852.0,)),
    **dict.fromkeys(("ft", "feet", "foot", "Fuß"), (0.3048,)),
    **dict.fromkeys(("m", "metre", "metres", "meter", "meters", "Meter", "م"), (1e-3, 1 / 0.3048)),
    **dict.fromkeys(("m²", "m2", "sq m", "square metres", "square meters"), (1e-6,)),
    **dict.fromkeys(
        ("cm", "mm", "s", "min", "h", "kg", "t", "kt", "ms", "px", "yr", "yrs", "N", "E", "S", "W"), ()
    ),
}
"""Units that may follow a number, and what it is in the units that a result may have instead: metres, mostly."""

HEDGES = (
    "about|around|roughly|approximately|approx\\.?|circa|ca\\.?|some|nearly|almost|over|under|more than|less than|"
    "fewer than|at least|at most|up to|just|etwa|rund|ungefähr|fast|über|knapp|mehr als|environ|près de|plus de|"
    "unos|cerca de|casi|más de|quasi|oltre|حوالي|نحو|أكثر من|около|почти|более"
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
"""What comes after these is a name, even where it is written in digits."""
