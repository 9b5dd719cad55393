"""The fixed words of the language: verbs, comparisons, colours, colour ramps, names of measures.

Data only; vocabulary.py has everything that depends on the user's tables.
"""

from __future__ import annotations

from functools import lru_cache

from agents import units
from agents.geo.styling import ramps
from agents.geo.styling.colours import CSS_NAMES
from agents.offline.language.names.foreign import MEANINGS
from agents.offline.language.words import name_words, word_set

ARTICLES = word_set("a an the all every each any some these those my our your world's")

SHOW = word_set("""
    show add display draw highlight map mark plot put see load open give view bring visualise visualize present
    insert overlay
""")
COLOUR = word_set("colour color shade paint style fill recolour recolor tint")

STARTS = word_set("""
    add afterwards also average boxplot bring call center centre change chart classify clear color colour count
    delete deliver describe discard display download draw drop erase exclude export filter finally find fit fly
    focus give graph hide highlight histogram how insert jump just keep kill label limit list lists load lower make mark
    move navigate only outline overlay paint pan plot put query raise recolor recolour redo remove rename reset
    restrict revert save scatter search send set shade show size sort switch tell then tint turn undo unhide
    unlabel visualise visualize what where which who zoom
""")
"""Words that begin a new command after `and`."""

ABOVE = {
    "above": ">", "over": ">", "exceeding": ">", "beyond": ">", "after": ">", "exceeds": ">",
    "exceed": ">", "below": "<", "under": "<", "beneath": "<", "before": "<", "minimum": ">=", "min": ">=",
    "maximum": "<=", "max": "<=", "since": ">=", "until": "<=", "till": "<=", "exactly": "=",
    "equals": "=", "equal": "=", ">": ">", "<": "<", ">=": ">=", "<=": "<=", "≥": ">=", "≤": "<=",
    "=": "=", "==": "=", "!=": "<>", "<>": "<>", "≠": "<>", "tops": ">", "surpasses": ">", "surpassing": ">",
}  # fmt: skip
"""Comparison words and their operators."""

COMPARATIVES = {
    "more": (">", ""), "greater": (">", ""), "larger": (">", "big"), "bigger": (">", "big"),
    "higher": (">", "high"), "taller": (">", "tall"), "longer": (">", "long"), "deeper": (">", "deep"),
    "older": (">", "old"), "faster": (">", "fast"), "heavier": (">", "heavy"), "wider": (">", "wide"),
    "stronger": (">", "strong"), "better": (">", ""), "later": (">", "time"), "less": ("<", ""),
    "fewer": ("<", ""), "smaller": ("<", "big"), "lower": ("<", "high"), "shorter": ("<", "long"),
    "shallower": ("<", "deep"), "younger": ("<", "old"), "slower": ("<", "fast"),
    "lighter": ("<", "heavy"), "narrower": ("<", "wide"), "weaker": ("<", "strong"),
    "earlier": ("<", "time"), "newer": ("<", "old"), "thicker": (">", "thick"), "thinner": ("<", "thick"),
    "wetter": (">", "wet"), "drier": ("<", "wet"), "hotter": (">", "hot"), "warmer": (">", "hot"),
    "colder": ("<", "hot"), "cooler": ("<", "hot"), "cheaper": ("<", "worth"),
    "steeper": (">", "steep"), "flatter": ("<", "steep"), "busier": (">", "busy"), "quieter": ("<", "busy"),
    "denser": (">", "dense"), "richer": (">", "rich"), "poorer": ("<", "rich"),
}  # fmt: skip
"""Comparatives used with `than`: operator and measure."""

ADJECTIVES = {
    "high": "high", "tall": "tall", "long": "long", "deep": "deep", "wide": "wide", "old": "old",
    "big": "big", "large": "big",
}  # fmt: skip
"""Measures of adjectives after a quantity: `over 300 m high`."""

SIDES = word_set("above below under beneath higher lower")
"""Comparison words that may tell where something lies: of a depth, the other way than its number."""
WAYS = {
    **dict.fromkeys(
        word_set("high large great big huge strong heavy long deep tall wide thick old fast steep"), ">"
    ),
    **dict.fromkeys(
        word_set("low small tiny little weak light short shallow poor narrow thin young new slow"), "<"
    ),
}
"""The comparison that an adjective implies: `high nitrate, more than 50 mg/l`."""

AFTERWARDS = {
    "more": ">=", "above": ">=", "over": ">=", "higher": ">=", "larger": ">=", "greater": ">=",
    "bigger": ">=", "up": ">=", "older": ">=", "longer": ">=", "later": ">=", "less": "<=", "below": "<=",
    "under": "<=", "lower": "<=", "smaller": "<=", "fewer": "<=", "down": "<=", "younger": "<=",
    "shorter": "<=", "earlier": "<=",
}  # fmt: skip
"""Operators of words after a quantity: `2000 m or more`."""

SUPERLATIVES = {
    "largest": ("big", True), "biggest": ("big", True), "greatest": ("big", True),
    "highest-lying": ("high", True), "lowest-lying": ("high", False),
    "highest": ("high", True), "tallest": ("tall", True), "longest": ("long", True),
    "deepest": ("deep", True), "oldest": ("old", True), "strongest": ("strong", True),
    "fastest": ("fast", True), "widest": ("wide", True), "heaviest": ("heavy", True),
    "richest": ("rich", True), "thickest": ("thick", True), "thinnest": ("thick", False),
    "top": ("", True), "best": ("", True), "latest": ("time", True),
    "newest": ("time", True), "most recent": ("time", True), "most populous": ("people", True),
    "most populated": ("people", True), "densest": ("dense", True), "most dense": ("dense", True),
    "smallest": ("big", False),
    "lowest": ("high", False), "shortest": ("long", False), "shallowest": ("deep", False),
    "youngest": ("old", False), "weakest": ("strong", False), "slowest": ("fast", False),
    "narrowest": ("wide", False), "poorest": ("rich", False), "bottom": ("", False), "worst": ("", False),
    "wettest": ("wet", True), "driest": ("wet", False), "hottest": ("hot", True), "warmest": ("hot", True),
    "coldest": ("hot", False), "most expensive": ("worth", True), "dearest": ("worth", True),
    "most valuable": ("worth", True),
    "worth the most": ("worth", True), "worth the least": ("worth", False),
    "least expensive": ("worth", False), "cheapest": ("worth", False),
    "most densely populated": ("dense", True), "least densely populated": ("dense", False),
    "most crowded": ("dense", True), "steepest": ("steep", True), "flattest": ("steep", False),
    "busiest": ("busy", True), "quietest": ("busy", False), "least busy": ("busy", False),
    "most costly": ("worth", True),
    "earliest": ("time", False), "least populous": ("people", False), "least populated": ("people", False),
    "least dense": ("dense", False),
}  # fmt: skip
"""Superlatives: the measure, and whether the greatest value comes first."""

_ORDINALS = "second third fourth fifth sixth seventh eighth ninth tenth"
ORDINALS = {
    **{word: place for place, word in enumerate(_ORDINALS.split(), 2)},
    "2nd": 2, "3rd": 3, **{f"{place}th": place for place in range(4, 11)},
}  # fmt: skip
"""Places in a ranking: `the second largest`."""

_MEASURES = {
    "thick": "thickness diameter trunk girth",
    "people": "population pop people inhabitant resident person population_estimate",
    "high": "elevation elev altitude alt height ele level top",
    "tall": "height elevation altitude floor storey",
    "big": "population pop area size capacity surface space seat bed",
    "area": "area size surface extent",
    "long": "length distance duration len span",
    "deep": "depth",
    "old": "age year built founded established",
    "fast": "speed velocity maxspeed",
    "heavy": "weight mass",
    "wide": "width wid",
    "strong": "magnitude mag strength intensity",
    "rich": "gdp income wealth gni",
    "dense": "density",
    "worth": "worth value price cost fee fare rent",
    "steep": "slope gradient incline",
    "busy": "traffic rider passenger ridership boarding visitor visit adt aadt",
    "wet": "moisture humidity precipitation precip rainfall rain",
    "hot": "temperature temp",
    "time": "date time timestamp year day created updated opened started built founded",
}
MEASURES: dict[str, tuple[str, ...]] = {name: tuple(words.split()) for name, words in _MEASURES.items()}
"""Column names for each measure, best first."""

MEASURE_OF_NOUN = {
    "population": "people", "people": "people", "person": "people", "inhabitant": "people",
    "resident": "people", "populous": "people", "elevation": "high", "altitude": "high", "height": "high",
    "high": "high", "area": "area", "size": "big", "length": "long", "long": "long", "depth": "deep",
    "age": "old", "speed": "fast", "weight": "heavy", "width": "wide", "magnitude": "strong",
    "land": "area", "acreage": "area", "density": "dense", "gdp": "rich", "income": "rich", "date": "time",
    "worth": "worth",
}  # fmt: skip
"""Measures that nouns mean if no column has that name."""

ABBREVIATIONS: dict[str, tuple[str, ...]] = MEANINGS | {
    own: tuple(words.split())
    for own, words in {
        "addr": "address", "alt": "altitude", "amt": "amount", "cd": "code", "cond": "condition", "ct": "count number",
        "cod": "code", "db": "decibel", "dec": "decision decided", "dt": "date", "eco": "ecological ecology",
        "insp": "inspection inspected", "nm": "name", "smp": "sample sampling", "surf": "surface", "sys": "system",
        "wd": "weekday", "wkdy": "weekday", "wknd": "weekend", "avg": "average mean", "cap": "capacity",
        "cat": "category", "cls": "class", "cnt": "count number", "conc": "concentration", "dens": "density",
        "cert": "certificate", "desc": "description", "dia": "diameter", "diam": "diameter",
        "dbh": "diameter girth trunk", "dist": "distance", "dur": "duration", "el": "elevation",
        "elev": "elevation", "edu": "education", "est": "estimate", "exp": "expectancy expenditure expected expiry",
        "acc": "accident accessible", "ann": "annual", "apt": "apartment", "blk": "block", "cov": "coverage cover",
        "cty": "county", "day": "daily", "dept": "department", "dev": "development", "fac": "facility",
        "fld": "field flood", "grp": "group", "gw": "groundwater", "hgt": "height", "hgv": "truck lorry",
        "hsg": "housing", "ht": "height", "compl": "completed completion compliant compliance",
        "hyd": "hydrant",
        "ind": "individual industry industrial index", "inh": "inhabitant", "inv": "inventory", "loc": "location",
        "mat": "material", "mfr": "manufacturer", "mgmt": "management", "mth": "month", "nbhd": "neighbourhood",
        "obs": "observer observation observed", "occ": "occupancy occupied", "op": "operating operation operator",
        "pk": "park", "priv": "private", "prop": "property proportion", "prot": "protected protection", "pub": "public",
        "pvt": "private", "rte": "route", "sch": "school", "sev": "severity", "spd": "speed", "spec": "species",
        "spp": "species", "subst": "substation", "typ": "type", "veg": "vegetation", "veh": "vehicle",
        "wt": "weight", "wtr": "water", "yld": "yield", "zn": "zone",
        "hr": "hour", "pax": "passenger", "inc": "income incident", "blt": "built", "chg": "change", "cnty": "county",
        "dpth": "depth", "expr": "expiry expired", "issd": "issued", "lngth": "length", "rcvd": "received",
        "rslt": "result", "bldg": "building", "hh": "household", "hwy": "highway", "len": "length",
        "lvl": "level", "max": "maximum", "med": "median", "min": "minimum", "no": "number",
        "nr": "number", "num": "number", "pct": "percent percentage share cover", "pop": "population",
        "pov": "poverty", "prov": "province", "qty": "quantity", "rd": "road", "rec": "received record",
        "recd": "received", "rtg": "rating rated", "seg": "segment", "sq": "square", "stat": "status",
        "inst": "installed installation", "rmk": "remark", "cmt": "comment", "descr": "description",
        "qual": "quality", "freq": "frequency", "rsn": "reason", "org": "organisation organization",
        "mgr": "manager", "dmg": "damage damaged", "appl": "application applied",
        "maint": "maintenance maintained", "mnt": "maintenance maintained", "wid": "width",
        "sz": "size", "ctr": "centre center",
        "auth": "authority", "src": "source", "lic": "licence license", "cust": "customer", "equip": "equipment",
        "dest": "destination", "trt": "treatment", "riv": "river", "elec": "electricity electric", "pwr": "power",
        "opn": "opened open", "rpt": "reported report", "prio": "priority", "vill": "village", "ctrl": "control",
        "rdg": "reading", "mtr": "meter", "brk": "break", "evac": "evacuation", "wx": "weather",
        "chk": "check checked", "upd": "updated update",
        "surv": "survey surveyed", "vel": "velocity", "stn": "station",
        "sun": "sunday", "temp": "temperature", "tot": "total", "val": "value", "vol": "volume", "yr": "year",
    }.items()
}  # fmt: skip
"""Abbreviations in names of columns and tables, and names in other languages."""


def longer_forms(word: str) -> tuple[str, ...] | None:
    """The words for an abbreviation, also for a name behind its noun (`buurtnaam`); None for other words."""
    compound = ("name",) if len(word) > _LONG and word.endswith(("name", "naam", "namn", "navn")) else None
    return ABBREVIATIONS.get(word, compound)


@lru_cache(maxsize=65536)
def spelt_out(name: str) -> frozenset[str]:
    """The words of a name and the words that they abbreviate."""
    return frozenset(word for own in name_words(name) for word in (own, *ABBREVIATIONS.get(own, ())))


_LONG = 6
"""Length of a word above which its end may be a noun of its own."""

FIGURE_NOUNS = word_set(
    "amount concentration count figure level limit number order rate reading result score value volume"
)
"""Nouns without meaning after the name of a number: `nitrate level`, `speed limit`."""

UNIT_NOUNS = {
    **dict.fromkeys(("circumference", "diameter", "height", "length", "thickness", "width"), "length"),
    "area": "area", "size": "area", "speed": "speed", "weight": "mass", "share": "share", "percentage": "share",
    "time": "time", "duration": "time", "acreage": "area", "tonnage": "mass", "wattage": "power",
}  # fmt: skip
"""Nouns for quantities, and their dimensions."""

_SYNONYMS = tuple(
    word_set(nouns)
    for nouns in (
        "home house building dwelling property residence",
        "person people resident inhabitant citizen",
        "road street",
        "business company firm",
        "well borehole",
        "crash accident collision",
        "excavation dig",
        "earthquake quake tremor",
        "parcel lot plot",
        "rider passenger ridership boarding",
        "occupant occupier",
        "pupil student",
        "staff employee worker",
        "campsite campground",
        "airport airfield aerodrome",
        "country nation",
        "cost spend spending expenditure",
    )
)
"""Synonyms."""
_SAME_AT_THE_END = word_set("accident borehole collision crash earthquake quake tremor well")
"""Synonyms also after other words: `crashes` for road collisions."""

_STATES = tuple(
    word_set(words)
    for words in (
        "granted approved permitted consented authorised authorized", "refused rejected denied declined",
        "pending undecided outstanding", "withdrawn retracted", "finished completed done", "poor bad",
    )
)  # fmt: skip
"""States of applications and works, and conditions, that are called differently."""
DECIDED = _STATES[0] | _STATES[1]
DECISION = word_set("decision decided determination determined")
"""States that a decision brings about, and what the columns of its date are called."""


def same_state(text: str) -> frozenset[str]:
    """The words for the same state; none for other words."""
    return next((words for words in _STATES if text.lower() in words), frozenset())


COUNTED_ALIKE = word_set(
    "rider passenger ridership boarding pupil student staff employee worker occupant occupier cost"
)
"""Words of columns that may be called by a synonym."""


_RIDERS = tuple(word_set(nouns) for nouns in ("cyclist bicycle bike", "motorcyclist motorcycle motorbike"))
"""Values that are called after the vehicle or its rider."""


def nouns_of_riders(noun: str) -> frozenset[str]:
    """A noun for a vehicle or its rider, with the others: `cyclist`, bicycle and bike; else none."""
    return next((nouns for nouns in _RIDERS if noun in nouns), frozenset[str]())


def synonyms_of(noun: str) -> frozenset[str]:
    """A noun and its synonyms."""
    return next((nouns for nouns in _SYNONYMS if noun in nouns), frozenset((noun,)))


def names_alike(words: tuple[str, ...], noun: str) -> bool:
    """Whether the words of a name are the noun, or end with it and mean the same: road collisions are collisions."""
    return words == (noun,) or (noun in _SAME_AT_THE_END and words[-1:] == (noun,))


SHORT_FORMS = {
    "w/": "with",
    "w/o": "without",
    "w/in": "within",
    "cnt": "count",
    "hw": "how",
    "ppl": "people",
    "thru": "through",
    "worlds": "world's",
    "pct": "percent",
    "no.": "number",
    "min.": "minimum",
    "max.": "maximum",
    "#": "number",
    "avg": "average",
    "max": "maximum",
    "min": "minimum",
    "+": "and",
    **{
        f"{verb}nt": f"{verb}n't"
        for verb in ("are", "did", "do", "does", "had", "has", "have", "is", "was", "were")
    },
}
"""Abbreviations in requests."""

STATISTICS = {
    "average": "mean", "mean": "mean", "avg": "mean", "median": "median", "sum": "sum", "total": "sum",
    "combined": "sum",
    "minimum": "minimum", "min": "minimum", "maximum": "maximum", "max": "maximum", "statistics": "all",
    "stats": "all", "distribution": "all", "range": "all", "spread": "all", "summary": "all",
    "values": "values", "distinct": "values",
}  # fmt: skip

ANALYSIS_FUNCTIONS = {
    **{word: {"minimum": "min", "maximum": "max"}.get(name, name) for word, name in STATISTICS.items()
       if name in ("mean", "median", "sum", "minimum", "maximum")},
    **dict.fromkeys(["largest", "highest", "greatest", "biggest", "tallest", "deepest", "longest", "strongest"], "max"),
    **dict.fromkeys(["smallest", "lowest", "shortest", "shallowest", "weakest"], "min"),
}  # fmt: skip
"""Words for aggregates, and the functions of operations."""

PARALLELS = {
    "the equator": 0.0, "equator": 0.0, "the arctic circle": 66.5636, "the antarctic circle": -66.5636,
    "the polar circle": 66.5636, "the tropic of cancer": 23.4364, "the tropic of capricorn": -23.4364,
}  # fmt: skip
MERIDIANS = {"the prime meridian": 0.0, "the greenwich meridian": 0.0, "greenwich": 0.0}
"""Named lines on the earth, in degrees."""
HEMISPHERES = frozenset(
    ("northern hemisphere", "southern hemisphere", "eastern hemisphere", "western hemisphere")
)

NUMBER_WORDS = {**units.NUMBER_WORDS, "hundred": 100.0, "dozen": 12.0}

RAMPS = {name.casefold().replace("-", ""): name for name in ramps.ALL if name.casefold() not in NUMBER_WORDS}
"""Colour ramps by their spelling in a request. `Nine` is a number first."""
RAMP_OF_COLOUR = {
    **{name.casefold().removesuffix("s"): name for name in ramps.SEQUENTIAL if name[:-1].casefold() in CSS_NAMES},
    "gray": "Greys", "violet": "Purples",
}  # fmt: skip
"""Ramps named after a colour: `Blues`."""

SHADES = {"light": False, "pale": False, "dark": True, "deep": True}
"""Words before a colour; whether they darken it."""

RAMPS_BETWEEN = {
    ("yellow", "blue"): "YlGnBu", ("yellow", "red"): "YlOrRd", ("yellow", "green"): "YlGn", ("orange", "red"): "OrRd",
    ("blue", "green"): "BuGn", ("blue", "purple"): "BuPu", ("purple", "blue"): "PuBu", ("purple", "yellow"): "Viridis",
    ("red", "blue"): "RdBu", ("purple", "orange"): "PuOr", ("purple", "green"): "PRGn", ("brown", "green"): "BrBG",
    ("red", "green"): "RdYlGn",
}  # fmt: skip
"""Ramps by their first and last colour."""

METHODS = {
    "quantile": "quantile", "quantiles": "quantile", "equal": "equal", "equal-interval": "equal",
    "jenks": "jenks", "natural": "jenks", "quartiles": "quantile", "quintiles": "quantile",
}  # fmt: skip

COLOURS = frozenset(CSS_NAMES) - {"peru"}
"""CSS colours except `peru`, which means the country."""
PLAIN_COLOURS = word_set("""
    black blue brown cyan gray green grey magenta orange pink purple red turquoise violet white yellow
""")
"""Words that only mean a colour, unlike `snow` and `wheat`."""

NO_MISTAKES = ARTICLES | STARTS | STATISTICS.keys()
"""Words never treated as typing mistakes: `count` is not `country`."""
OBSERVED = word_set(
    "seen spotted sighted observed recorded reported noted logged surveyed found caught counted taken collected"
)
"""What people do with things that they see."""

ASKING = word_set("""
    which what what's how who where when is are does do name mean median total sum highest lowest largest
    smallest share percentage percent number density nearest closest farthest distance for in within per each every
""")
"""Words that begin a question, besides those that begin a command."""

_MONTH_NAMES = (
    "january jan|february feb|march mar|april apr|may|june jun|july jul|august aug|september sep sept|october oct"
    "|november nov|december dec"
)
MONTHS = {name: number for number, names in enumerate(_MONTH_NAMES.split("|"), 1) for name in names.split()}
