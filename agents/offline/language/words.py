"""Words as the language sees them: folded, singular, names taken apart, near misses found, and their forms.

Forms are those of `english.txt`, an extract of WordNet that `tools/word_forms.py` makes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path

from rapidfuzz import fuzz, process

from agents.core.nearest import fold, nearest
from agents.offline.language.grammar import compiled, spellings

__all__ = [
    "Phrases",
    "Words",
    "are_forms",
    "are_kept_alike",
    "begins_others",
    "doers_of",
    "fold",
    "is_numbered",
    "is_plural",
    "may_be_plural",
    "misspelt",
    "name_words",
    "naming_places",
    "nearest",
    "place_of",
    "singular",
    "word_set",
    "words_of_things",
]


def word_set(text: str) -> frozenset[str]:
    """The words of a text that spaces separate."""
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


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of an English noun, near enough to compare two words; of folded words only."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zzes", "tzes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


_UNCHANGED = word_set("""
    deer sheep fish moose elk boar swine bison lynx grouse trout salmon cod carp pike snipe aircraft
""")


def may_be_plural(noun: str) -> bool:
    """Whether a noun may name several: `airports`, `deer`."""
    return singular(noun) != noun or noun in _UNCHANGED


_CAMEL, _SIGNS = re.compile(r"([a-z0-9])([A-Z])(?=[^\W\d_])"), re.compile(r"[\W_]+")
"""Where a name is taken apart: `busStops`, and not `pH`."""


@lru_cache(maxsize=65536)
def name_words(name: str) -> tuple[str, ...]:
    """The singular words that a table's or column's name is made of: `busStops_2024` -> bus, stop, 2024."""
    return tuple(map(singular, _spelt(name)))


_SPELLINGS = {
    american + ending: british + ending
    for american, british in (
        ("center", "centre"), ("color", "colour"), ("fiber", "fibre"), ("gray", "grey"), ("harbor", "harbour"),
        ("neighbor", "neighbour"), ("neighborhood", "neighbourhood"), ("organization", "organisation"),
        ("theater", "theatre"),
    )
    for ending in ("", "s")
}  # fmt: skip
"""American spellings, of names and in requests: `neighborhoods` and `neighbourhoods` are the same."""


def _spelt(name: str) -> Words:
    """The words of a name as they are written, but for their case, accents and American spelling."""
    folded = (fold(word) for word in _SIGNS.split(_CAMEL.sub(r"\1 \2", name)) if word)
    return tuple(_SPELLINGS.get(word, word) for word in folded)


def is_plural(name: str) -> bool:
    """Whether a column's name ends in a plural, as those of what is counted do: `pupils`, `fire_engines`."""
    return name_words(name)[-1:] != _spelt(name)[-1:]


def is_singular_of(said: str, name: str) -> bool:
    """Whether `said` is the singular of a column's name: `bed` of `beds`."""
    return is_plural(name) and not is_plural(said) and name_words(said) == name_words(name)


_DRAWN_AS = word_set("""
    segment link line point polygon area footprint centerline centreline location boundary outline shape feature layer
    data table position site list inventory register network reach section stretch pipe asset
""")
"""Nouns that only say how the things before them are kept: `road_segments` are roads."""


_SHAPES = {
    "polygon": word_set("areas zones zone polygons polygon shapes"),
    "line": word_set("segments segment sections section lines stretches stretch"),
    "point": word_set("points locations location sites site"),
}
"""Nouns for the shapes of rows. The singular `area` usually means a size, and `line` a line of points."""


def are_kept_alike(name: str, noun: str, shape: str | None = None) -> bool:
    """Whether a noun says no more than the last word of a table's name, or how its things are drawn: `sites`, of
    `heritage_assets`, and `areas`, of polygons."""
    is_alike = singular(noun) in _DRAWN_AS and name_words(name)[-1] in _DRAWN_AS
    return is_alike or noun in _SHAPES.get(shape or "", ())


_PIECES = word_set("segment section reach stretch")
"""Those of them that are parts of the things: a road is all of its segments."""


def are_pieces_of(name: str, things: Words) -> bool:
    """Whether the rows of a table are parts of what the words name: `road_segments`, of `road`."""
    own = name_words(name)
    return own[-1] in _PIECES | {"seg"} and things[-1] not in own[-1:] and things[-1] not in _PIECES


def words_of_things(name: str) -> Words:
    """The words of a table's name without those that only say how its things are kept: `road` of `road_segments`."""
    words = name_words(name)
    while len(words) > 1 and words[-1] in _DRAWN_AS:
        words = words[:-1]
    return words


@lru_cache(maxsize=65536)
def naming_places(name: str) -> frozenset[int]:
    """Which of `name_words(name)` name the things themselves: `permit` of `building_permits`, and not `building`.

    It is a plural, or the last word, or says how the things are kept; without a plural any word may be the noun.
    """
    words = name_words(name)
    spelt = _spelt(name)
    if len(words) < 2 or spelt == words or len(spelt) != len(words):
        return frozenset(range(len(words)))
    found, drawn = [], True
    for at in range(len(words) - 1, -1, -1):
        if drawn or spelt[at] != words[at]:
            found.append(at)
        drawn = drawn and (words[at] in _DRAWN_AS or words[at].isdigit())
    return frozenset(found)


def doers_of(verb: str) -> frozenset[str]:
    """What the one who does something may be called: `own` -> owner, `operate` -> operator."""
    verbs = (verb, "operate") if verb == "run" else (verb,)
    stems = [stem for each in verbs for stem in (each, each.removesuffix("e"), *_doubled(each))]
    return frozenset(f"{stem}{ending}" for stem in stems for ending in ("er", "or"))


def _doubled(verb: str) -> tuple[str, ...]:
    """`winn` of `win`; who runs something is no runner."""
    return (f"{verb}{verb[-1]}",) if re.search(r"[^aeiou][aeiou][^aeiouwxy]$", verb) and verb != "run" else ()


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
"""Nouns for things that a verb is not about: what was built is no building."""


@dataclass(frozen=True, slots=True)
class English:
    """The verbs and adjectives that a word is derived from, as a text, and the other lists."""

    roots: dict[str, str]
    irregular: dict[str, str]
    places: dict[str, str]
    beginnings: frozenset[str]


@cache
def english() -> English:
    """The words, read once."""
    sections = [part.split("\n")[1:] for part in _ENGLISH.read_text("utf-8").strip().split("\n= ")[1:]]
    roots, irregular, places, beginnings = sections

    def mapping(lines: list[str]) -> dict[str, str]:
        return {word: rest for word, _, rest in (line.partition(" ") for line in lines)}

    return English(mapping(roots), mapping(irregular), mapping(places), frozenset(beginnings))


def are_forms(one: str, other: str) -> bool:
    """Whether two words are forms of one verb or adjective: `paved` and `pavement`, `dense` and `density`. Who does
    something is no form of it."""
    return one == other or not _roots(one).isdisjoint(_roots(other))


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
    """The verbs that a word may be an inflected form of, the likeliest first."""
    for ending, instead in _VERB_ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 1:
            stem = word.removesuffix(ending)
            yield stem + instead
            if len(stem) > 2 and stem[-1] == stem[-2] and not instead:  # `planned`
                yield stem[:-1]


def begins_others(text: str) -> bool:
    """Whether it is a word with which others begin: `land` is not short for landslide."""
    return text in english().beginnings


def is_numbered(text: str) -> bool:
    """Whether it is one word of letters and a number, as the codes of rows are: `LJ-0042`."""
    return " " not in text and text[:1].isalpha() and text[-1:].isdigit()


def place_of(adjective: str) -> str:
    """`Canada` of `canadian`; empty where it is no adjective of a place."""
    return english().places.get(adjective.replace(" ", "_"), "").replace("_", " ")


def misspelt(word: str, choices: Iterable[str]) -> str | None:
    """The one choice that a word is plainly a typing mistake of; None if there is doubt."""
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
"""What makes another word of a noun: `planted` is not a mistake for `plant`."""


class Phrases:
    """Phrases to look for in a request, written as a template; of several that fit the longest is taken."""

    def __init__(self, text: str) -> None:
        spelt = sorted(dict.fromkeys(spellings(compiled(text).node)), key=len, reverse=True)
        self._all = frozenset(" ".join(words) for words in spelt)
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for words in spelt:
            self._by_first.setdefault(words[0], []).append(words)

    def starting_with(self, word: str) -> list[tuple[str, ...]]:
        """Longest first."""
        return self._by_first.get(word, [])

    def __iter__(self) -> Iterator[str]:
        return iter(self._all)

    def __contains__(self, phrase: object) -> bool:
        return phrase in self._all


def are_names(text: str) -> bool:
    """Whether all words have a capital: `Switzerland`, `Ireland, France and Spain`."""
    words = [word for word in text.split() if word not in ("and", "or", "the")]
    return bool(words) and all(word[:1].isupper() for word in words)


# --- what a comment calls something ---------------------------------------------------------------------------

HEAD_ENDS = word_set("""
    of with in from for by at on per that which where and or as is are to the a an above below over
    under between since until before after during whether within near around
""")
"""Words before which the noun of a comment ends."""
_PERIODS = word_set("hour day week month quarter year")


@lru_cache(maxsize=65536)
def comment_head(comment: str | None) -> Words:
    """The words of a comment up to its first preposition: `Airports of the world` -> airport; of “Has a shelter”,
    shelter, and of “Number of seats”, seats."""
    words = _phrase(_HAS.sub("", comment or ""))[0]
    counted = _phrase(_NUMBER_OF.sub("", comment or ""))[0] if words[-1:] == ("number",) else ()
    is_plural = bool(counted) and singular(counted[-1]) != counted[-1]
    return name_words(" ".join(counted if is_plural else words))


_HAS = re.compile(r"^(?:has|have) (?:(?:a|an|its|their|own|any) )+", re.IGNORECASE)
_NUMBER_OF = re.compile(r"^(?:total |maximum )?number of ", re.IGNORECASE)


@lru_cache(maxsize=65536)
def phrases_for_rows(comment: str | None) -> tuple[str, ...]:
    """What a table's comment calls its rows: `bird atlas` and `survey squares` of “Bird atlas: survey squares of 1 km”.
    Kinds of rows are no names for all of them: “Heritage: listed buildings and parks”."""
    head, rest = _phrase(comment)
    again, after = _phrase(rest[1:]) if rest[:1] in (":", "(") else ((), "")
    if not again or singular(again[-1]) == again[-1] or re.match(r",|and\b|or\b", after):
        again = ()
    told = re.sub(r"\s*\([^()]*\)$", "", fold(comment or "").strip(" ."))
    last = re.search(r"\b(?:by|per|for each|of each) ((?:[^\W\d_]+ )?([^\W\d_]+))$", told)
    by = (
        (f"{last[1]}s",) if last is not None and last[2] not in _PERIODS else ()
    )  # a plural ends with its noun
    return tuple(" ".join(words) for words in (head, again, by) if words)


_FACILITIES = word_set("centre shelter refuge site location place facility")
"""Nouns of which one may stand for another."""


def second_noun(comment: str | None) -> str:
    """`shelter` of “Evacuation centres and shelters, emergency plan”: the other plural that a comment begins with,
    where both are the same sort of thing, unlike “Schools and their pupils”."""
    head, rest = _phrase(comment)
    second, after = _phrase(rest.removeprefix("and ")) if rest.startswith("and ") else ((), "")
    if not head or not 0 < len(second) < 3 or after.startswith("and") or {"their", "its"} & {*second}:
        return ""
    nouns = {singular(head[-1]), singular(second[-1])}
    plural = nouns.isdisjoint((head[-1], second[-1]))
    return singular(second[-1]) if plural and (nouns <= _FACILITIES or nouns <= _DRAWN_AS) else ""


def without_origin(comment: str | None) -> str | None:
    """The comment of a result's column without the table that it came from."""
    if comment is None or not comment.startswith("From "):
        return comment
    return re.sub(r"^From \S+?(?:, column \S+)?: ", "", comment)


def _phrase(text: str | None) -> tuple[tuple[str, ...], str]:
    """The words of a text up to a sign, a preposition, or what was done to things (“Permits applied for”), without
    their case and accents, and what follows them."""
    words: list[str] = []
    folded = fold(text or "")
    for found in re.finditer(r"[^\W_]+|[.,;:()]", folded):
        is_done = found[0].endswith("ed") and bool(words) and singular(words[-1]) != words[-1]
        if (found[0] in HEAD_ENDS or not found[0][0].isalnum() or is_done) and words:
            return tuple(words), folded[found.start() :]
        if found[0] not in HEAD_ENDS and found[0][0].isalnum():
            words.append(found[0])
    return tuple(words), ""
