"""Normalises words: folding, singulars, parts of names, misspellings and word forms.

Word forms come from `english.txt`, an extract of WordNet made by `tools/word_forms.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from rapidfuzz import fuzz, process

from agents.core.nearest import fold as fold
from agents.core.nearest import nearest as nearest
from agents.offline.language.grammar import compiled, spellings
from agents.offline.language.names.foreign import MEANINGS


def word_set(text: str) -> frozenset[str]:
    """The whitespace-separated words of a text."""
    return frozenset(text.split())


Words = tuple[str, ...]
_IRREGULAR = {
    "people": "person", "men": "man", "women": "woman", "children": "child", "feet": "foot",
    "statuses": "status", "campuses": "campus",
    "indices": "index", "vertices": "vertex", "data": "data", "news": "news", "gps": "gps", "buses": "bus",
    "bus": "bus", "gas": "gas", "leaves": "leaf", "knives": "knife", "wolves": "wolf",
    "species": "species", "series": "series", "mice": "mouse", "analyses": "analysis", "axes": "axis",
    "geese": "goose", "meas": "meas", "this": "this", "is": "is", "us": "us", "has": "has",
}  # fmt: skip


_PLURALS_IN_OES = ("tatoes", "matoes", "heroes", "echoes", "goes", "nadoes", "lcanoes", "quitoes", "ffaloes")
"""Endings of plurals with an added “es”, such as `potatoes`, `mangoes` and `tornadoes`; others add “s”: `shoes`."""


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a folded English noun, accurate enough to compare words."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zzes", "tzes", *_PLURALS_IN_OES)):
        return word[:-2]
    if (len(word) > 2 and word.endswith("s") and word[-2].isdigit()) or (
        word.endswith("en") and word[:-1] in MEANINGS
    ):
        return word[:-1]  # `P1s`, `gemeinden`
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def plural(noun: str) -> str:
    """The regular plural of an English noun, of several words of the last; a plural stays as it is."""
    if singular(noun.lower()) != noun.lower() or noun.lower().rpartition(" ")[2] in _UNCHANGED:
        return noun
    if noun[-1:] == "y" and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "sh", "ch")) else f"{noun}s"


_UNCHANGED = word_set("""
    deer sheep fish moose elk boar swine bison lynx grouse trout salmon cod carp pike snipe aircraft
""")


def may_be_plural(noun: str) -> bool:
    """Whether a noun may be plural: `airports`, `deer`."""
    return singular(noun) != noun or noun in _UNCHANGED


_CAMEL, _SIGNS = re.compile(r"([a-z0-9])([A-Z])(?=[^\W\d_])"), re.compile(r"[\W_]+")
"""Where a name is split: `busStops`, but not `pH`."""
_MC, _OWNED = re.compile(r"\bMc([A-Z])(?=[a-z])"), re.compile(r"(?<=\w)['’][sS]\b")
"""Parts of names: `McDonald's` is `mcdonalds`, `St John's` is `St Johns`."""
_PREFIXED = re.compile(r"\b[kMGm](?:Wh?|VA?|Ah?|Hz|Pa|Bq?)\b")
"""Units that are one word: `kWh`."""
_TYPES = re.compile(r"^([a-z]{1,4})(type)$")
"""A column of types with a letter or some for its table: `vtype`."""
_YEAR_BEHIND = re.compile(
    r"(?<=[a-z]{3})(?=(?:19|20)\d\d(?!\d))|(?<=(?<![a-z])pop)(?=\d\d(?!\d))", re.IGNORECASE
)
"""Where the year of a column begins without a sign: `sheep2024`, `pop21`."""


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """The singular words of a table's or column's name: `busStops_2024` -> bus, stop, 2024.

    A name of nothing but signs, such as an emoji, is one word, so that each name has a first and a last one."""
    return tuple(map(singular, _spelt(name))) or ((name,) if name else ())


_SPELLINGS = {
    american + ending: british + ending
    for american, british in (
        ("center", "centre"), ("color", "colour"), ("fiber", "fibre"), ("gray", "grey"), ("harbor", "harbour"),
        ("neighbor", "neighbour"), ("neighborhood", "neighbourhood"), ("organization", "organisation"),
        ("theater", "theatre"),
    )
    for ending in ("", "s")
}  # fmt: skip
"""American spellings and their British forms: `neighborhoods` equals `neighbourhoods`."""
_SPELLINGS |= {
    "licence": "license", "licences": "licenses", "defence": "defense", "offence": "offense", "offences": "offenses",
    "rainfall": "precipitation", "streamflow": "discharge", "salary": "wage", "salaries": "wages",
    "info": "information", "turnover": "revenue", "fatality": "death", "fatalities": "deaths",
}  # fmt: skip
"""Synonyms of a measure."""


def _spelt(name: str) -> Words:
    """The words of a name, folded and in British spelling."""
    whole = _MC.sub(lambda found: f"mc{found[1].lower()}", _OWNED.sub("", name))
    split = _TYPES.sub(r"\1 \2", _CAMEL.sub(r"\1 \2", _PREFIXED.sub(lambda unit: unit[0].lower(), whole)))
    split = _YEAR_BEHIND.sub(" ", split)
    folded = (fold(word) for word in _SIGNS.split(split) if word)
    return tuple(_SPELLINGS.get(word, word) for word in folded)


def is_plural(name: str) -> bool:
    """Whether a column's name ends in a plural, like counts do: `pupils`, `fire_engines`."""
    return name_words(name)[-1:] != _spelt(name)[-1:]


def participle_of(verb: str) -> str:
    """`refused` of `refuse`."""
    irregular = (done for done, each in english().irregular.items() if each == verb)
    return next(irregular, f"{verb.removesuffix('e')}ed")


def is_participle(word: str) -> bool:
    """Whether a word may say what was done: `affected`, `built`."""
    return word.endswith("ed") or word in english().irregular


def is_singular_of(said: str, name: str) -> bool:
    """Whether `said` is the singular of a column's name: `bed` of `beds`."""
    return is_plural(name) and not is_plural(said) and name_words(said) == name_words(name)


DRAWN_AS = word_set("""
    segment link line point polygon area footprint centerline centreline location boundary outline shape feature layer
    data table position site list inventory register network reach section stretch pipe asset sighting observation
""")
"""Nouns that only say how things are stored: `road_segments` are roads."""


_SHAPES = {
    "polygon": word_set("areas zones zone polygons polygon shapes"),
    "line": word_set("segments segment sections section lines stretches stretch"),
    "point": word_set("points locations location sites site"),
}
"""Nouns for geometries. The singular `area` usually means a size, and `line` a line of points."""


def is_storage_noun(name: str, noun: str, shape: str | None = None) -> bool:
    """Whether a noun adds nothing to a table's name or geometry: `sites` for `heritage_assets`, `areas` for
    polygons."""
    is_alike = singular(noun) in DRAWN_AS and name_words(name)[-1] in DRAWN_AS
    return is_alike or noun in _SHAPES.get(shape or "", ())


def words_of_things(name: str) -> Words:
    """The words of a table's name without a noun for how things are stored: `road` for `road_segments`."""
    words = name_words(name)
    while len(words) > 1 and words[-1] in DRAWN_AS:
        words = words[:-1]
    return words


@lru_cache(maxsize=65536)
def naming_places(name: str) -> frozenset[int]:
    """Positions in `name_words(name)` of the nouns for the rows: `permit` of `building_permits`.

    That is a plural, the last word, or a word for how things are stored; without a plural, any word.
    """
    words = name_words(name)
    spelt = _spelt(name)
    if len(words) < 2 or spelt == words or len(spelt) != len(words):
        return frozenset(range(len(words)))
    found, drawn = [], True
    for at in range(len(words) - 1, -1, -1):
        if drawn or spelt[at] != words[at]:
            found.append(at)
        drawn = drawn and (words[at] in DRAWN_AS or words[at].isdigit())
    return frozenset(found)


def doers_of(verb: str) -> frozenset[str]:
    """Nouns for the agent of a verb: `own` -> owner, `operate` -> operator."""
    verbs = (verb, *_SAME_DOERS.get(verb, ()))
    stems = [stem for each in verbs for stem in (each, each.removesuffix("e"), *_doubled(each))]
    return frozenset(f"{stem}{ending}" for stem in stems for ending in ("er", "or"))


_SAME_DOERS = {
    "run": ("operate",),
    "manag": ("operate", "manage"),
    "manage": ("operate",),
    "operate": ("manage",),
}
"""Verbs of which the doers are called alike."""


def _doubled(verb: str) -> tuple[str, ...]:
    """The verb with a doubled consonant: `winn` for `win`; not `runner` for `run`."""
    return (f"{verb}{verb[-1]}",) if re.search(r"[^aeiou][aeiou][^aeiouwxy]$", verb) and verb != "run" else ()


MIN_STEM = 4
"""Least number of letters of a stem in a name."""
_ENGLISH = Path(__file__).with_name("english.txt")
_VERB_ENDINGS = (
    ("ies", "y"),
    ("s", ""),
    ("es", ""),
    ("ied", "y"),
    ("ed", "e"),
    ("ed", ""),
    ("ing", "e"),
    ("ing", ""),
)
_NO_FORMS = frozenset(("building",))
"""Nouns that are not treated as verb forms: what was built is not a building."""


@dataclass(frozen=True, slots=True)
class English:
    """Word lists: roots of words, irregular verbs, adjectives of places, beginnings of other words."""

    roots: dict[str, str]
    irregular: dict[str, str]
    places: dict[str, str]
    beginnings: frozenset[str]


@cache
def english() -> English:
    """The word lists, read once."""
    sections = [part.split("\n")[1:] for part in _ENGLISH.read_text("utf-8").strip().split("\n= ")[1:]]
    roots, irregular, places, beginnings = sections

    def mapping(lines: list[str]) -> dict[str, str]:
        return {word: rest for word, _, rest in (line.partition(" ") for line in lines)}

    return English(mapping(roots), mapping(irregular), mapping(places), frozenset(beginnings))


def are_forms(one: str, other: str) -> bool:
    """Whether two words are forms of one verb or adjective: `paved` and `pavement`, `dense` and `density`;
    agents (`owner`) do not count."""
    return one == other or not _roots(one).isdisjoint(_roots(other))


def is_stem_of(name: str, word: str) -> bool:
    """Whether a word of a column's name is the beginning of a word: `restor` of `restored`."""
    return len(name) >= MIN_STEM and word.startswith(name)


@lru_cache(maxsize=65536)
def _roots(word: str) -> frozenset[str]:
    if word in _NO_FORMS:
        return frozenset((word,))
    roots = english().roots
    verbs = [*_without_ending(word)]
    known = [each for each in verbs if each in roots][:1] or verbs
    if (verb := english().irregular.get(word)) is not None:
        known.append(verb)
    return frozenset(
        (word, *known, *(root for each in (word, *known) for root in roots.get(each, "").split()))
    )


def _without_ending(word: str) -> Iterator[str]:
    """Verbs of which a word may be an inflected form, likeliest first."""
    for ending, instead in _VERB_ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word.removesuffix(ending)
            yield stem + instead
            if len(stem) > 2 and stem[-1] == stem[-2] and not instead:  # `planned`
                yield stem[:-1]


def begins_others(text: str) -> bool:
    """Whether other words begin with this word: `land` does not abbreviate landslide."""
    return text in english().beginnings


def is_numbered(text: str) -> bool:
    """Whether a text is one word of letters and digits, like codes of rows: `LJ-0042`."""
    return " " not in text and text[:1].isalpha() and text[-1:].isdigit()


def place_of(adjective: str) -> str:
    """The place of an adjective: `Canada` for `canadian`; else empty."""
    return english().places.get(adjective.replace(" ", "_"), "").replace("_", " ")


def misspelt(word: str, choices: Iterable[str]) -> str | None:
    """The only choice that a word clearly misspells; None if in doubt."""
    if len(word) < 5:
        return None
    found = process.extract(word, list(choices), scorer=fuzz.ratio, limit=2, score_cutoff=82)
    if not found or (len(found) > 1 and found[1][1] > found[0][1] - 4):
        return None
    right = str(found[0][0])
    if word.startswith(right) and word[len(right) :] in _INFLECTIONS:
        return None
    return right if right[:1] == word[:1] or found[0][1] >= 90 else None


_INFLECTIONS = frozenset(("ed", "er", "ers", "ing"))
"""Endings that make another word: `planted` is not a misspelling of `plant`."""


class Phrases:
    """Phrases written as a template; the longest match wins."""

    def __init__(self, text: str) -> None:
        spelt = sorted(dict.fromkeys(spellings(compiled(text).node)), key=len, reverse=True)
        self._all = frozenset(" ".join(words) for words in spelt)
        self._by_first: dict[str, list[tuple[str, list[str]]]] = {}
        for first, *more in spelt:
            self._by_first.setdefault(first, []).append((" ".join((first, *more)), more))

    def starting_with(self, word: str) -> Sequence[tuple[str, list[str]]]:
        """The phrases that begin with a word, longest first, each with its remaining words."""
        return self._by_first.get(word, ())

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __contains__(self, phrase: object) -> bool:
        return phrase in self._all


def are_names(text: str) -> bool:
    """Whether all words are capitalised: `Switzerland`, `Ireland, France and Spain`."""
    words = [word for word in text.split() if word not in ("and", "or", "the")]
    return bool(words) and all(word[:1].isupper() for word in words)
