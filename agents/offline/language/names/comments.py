"""Nouns in comments of tables and columns."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from agents.domain import Column, Table
from agents.offline.language.lexicon import COUNTED_ALIKE, MONTHS, same_state, synonyms_of
from agents.offline.language.names.singulars import english_dictionary
from agents.offline.language.words import DRAWN_AS, Words, are_forms, fold, name_words, singular, word_set
from agents.units import COLUMN_ENDINGS, UNITS, Unit

HEAD_ENDS = word_set("""
    of with in from for by at on per that which where and or as is are to the a an above below over
    under between since until before after during whether within near around
""")
"""Words that end the head of a comment."""
DULL = word_set("table data layer feature row column value number name type list of all each one open")
"""Words that tell no column from others."""
PASSED_OVER = frozenset(("of", "per", "on", "a", "an"))
"""Words ignored within a column's name or a clause: `boardings on a weekday`."""
PERIODS = word_set("hour day weekday week month quarter year season date time period visit survey")


@lru_cache(maxsize=65536)
def comment_head(comment: str | None) -> Words:
    """The words of a comment up to its first preposition: `Airports of the world` -> airport; “Has a shelter”
    -> shelter; “Number of seats” -> seat; “Number of injured” -> injured; none of “Where the object is now”."""
    if _CLAUSE.match(comment or ""):
        return ()
    words = _phrase(_HAS.sub("", comment or ""))[0]
    counted = _phrase(_NUMBER_OF.sub("", comment or ""))[0] if words[-1:] == ("number",) else ()
    are_several = bool(counted) and (singular(counted[-1]) != counted[-1] or counted[-1].endswith("ed"))
    return name_words(" ".join(counted if are_several else words))


_HAS = re.compile(r"^(?:has|have) (?:(?:a|an|its|their|own|any) )+", re.IGNORECASE)
_CLAUSE = re.compile(r"(?:where|when|who|whom|how|why|whether|if) ", re.IGNORECASE)
_NUMBER_OF = re.compile(r"^(?:total |maximum )?number of ", re.IGNORECASE)


@lru_cache(maxsize=65536)
def phrases_for_rows(comment: str | None) -> tuple[str, ...]:
    """Phrases for the rows in a table's comment: `bird atlas` and `survey squares` of “Bird atlas: survey
    squares of 1 km”; not lists of kinds: “Heritage: listed buildings and parks”, “Roads, pipelines and others”."""
    head, rest = _phrase(comment)
    if rest.startswith("and ") and singular(head[-1]) == head[-1] and _is_plural(_phrase(rest[4:])[0]):
        head, rest = _phrase(rest[4:])  # “Street and park trees”
    second = _phrase(rest[1:])[0] if rest[:1] == "," else ()
    if _is_plural(second):
        head = ()  # “Planned roads, pipelines and other schemes”
    again, after = _phrase(rest[1:]) if rest[:1] in (":", "(") else ((), "")
    if not _is_plural(again) or re.match(r",|and\b|or\b", after):
        again = ()
    text = re.sub(r"\s*\([^()]*\)$", "", fold(comment or "").strip(" ."))
    last = re.search(r"\b(?:by|per|for each|of each) ((?:[^\W\d_]+ )?([^\W\d_]+))$", text)
    by = (
        (f"{last[1]}s",) if last is not None and last[2] not in PERIODS else ()
    )  # a plural ends with its noun
    return tuple(" ".join(words) for words in (head, again, by) if words)


@lru_cache(maxsize=65536)
def acronym(comment: str | None) -> str:
    """The acronym that a comment adds to the words before it, in lower case: `da` of “Development applications (DA)
    by portal”; empty without one."""
    found = _ACRONYM.match(comment or "")
    letters = found["letters"].lower() if found is not None else ""
    before = re.findall(r"\w+", fold(found["before"])) if found is not None else []
    initials = "".join(word[0] for word in before[-len(letters) :])
    return letters if letters and initials == letters else ""


_ACRONYM = re.compile(r"(?P<before>[^;:.()]+) \((?P<letters>[A-Z]{2,5})s?\)")


def joint_name(comment: str | None) -> Words:
    """The words of a comment that joins two nouns before a plural: `tram and bus lines`; else none."""
    words = re.split(r"[;:,.(=]", fold(comment or ""), maxsplit=1)[0].split()
    return name_words(" ".join(words)) if "and" in words[1:-1] and _is_plural(tuple(words)) else ()


def _is_plural(words: Words) -> bool:
    return bool(words) and singular(words[-1]) != words[-1]


def row_in_words(comment: str | None) -> str:
    """What a row is, by a comment: `section` of “one row per line and section between stops”; empty for a time."""
    said = _ROW_PER.search(fold(comment or ""))
    first, rest = _phrase(said[1]) if said is not None else ((), "")
    words = _phrase(rest.removeprefix("and "))[0] if rest.startswith("and ") else first
    noun = singular(words[-1]) if words else ""
    return "" if noun in PERIODS else noun


_ROW_PER = re.compile(r"\b(?:one|each) (?:row|record|entry|line)(?: is| per) (?:an? |one )?(.+)")
_FACILITIES = word_set("centre shelter refuge site location place facility")
"""Interchangeable nouns for places."""


def second_noun(comment: str | None) -> str:
    """The second plural in a comment: `shelter` of “Evacuation centres and shelters, emergency plan”; only if
    both nouns are interchangeable, unlike “Schools and their pupils”."""
    head, rest = _phrase(comment)
    second, after = _phrase(rest.removeprefix("and ")) if rest.startswith("and ") else ((), "")
    if not head or not 0 < len(second) < 3 or after.startswith("and") or {"their", "its"} & {*second}:
        return ""
    nouns = {singular(head[-1]), singular(second[-1])}
    plural = nouns.isdisjoint((head[-1], second[-1]))
    return singular(second[-1]) if plural and (nouns <= _FACILITIES or nouns <= DRAWN_AS) else ""


def is_paper_of(noun: str, comment: str | None) -> bool:
    """Whether a plural names what the rows of a table have: `HMO licences` of “Register of licensed HMOs”."""
    done = [each for each in name_words(comment or "") if each.endswith("ed")]
    words = name_words(noun)
    is_plural = len(words) == 1 and words[0] != fold(noun)
    return is_plural and any(are_forms(words[0], each) for each in done)


def columns_in_unit(tables: Sequence[Table], words: Words) -> list[str]:
    """The numbers whose comment ends with this unit: `kV`, of several voltages; or whose name does: `km`, of
    `length_km`."""
    unit = ("".join(words),)  # `kVA` is read as two words
    columns = [each for table in tables for each in table.columns]
    found = [each.name for each in columns if unit_at_end(each) == unit]
    measured = UNITS.get(words[0]) if len(words) == 1 else None
    if not found and measured is not None and measured.dimension in _SIZES:
        is_name = any(name_words(each.name) == words for each in columns)
        found = [each.name for each in columns if _is_in_unit(each, measured)] if not is_name else []
    return list(dict.fromkeys(found))


def _is_in_unit(column: Column, unit: Unit) -> bool:
    """Whether a number's name ends with the unit, and with no second one as `kg_ha` does."""
    *_, before, last = ("", "", *name_words(column.name))
    is_one = before != "" and before not in COLUMN_ENDINGS | {"per"}
    return is_one and column.kind in ("integer", "number") and UNITS.get(last) == unit


_SIZES = ("length", "area", "mass", "volume")


def unit_at_end(column: Column) -> Words:
    """The words of a unit after a comma at the end of a number's comment: `kva` of “rated power, kVA”."""
    return _unit_at_end(column.comment) if column.comment and column.kind in ("integer", "number") else ()


@lru_cache(maxsize=65536)
def _unit_at_end(comment: str) -> Words:
    last = _LAST_CLAUSE.search(comment)
    is_unit = last is not None and (
        last[1].lower() in UNITS or not last[1].islower()
    )  # not “temperature, max”
    return name_words(last[1].lower()) if last is not None and is_unit else ()


_LAST_CLAUSE = re.compile(r",\s*([^\W\d]{1,4})\s*$")


def without_origin(comment: str | None) -> str | None:
    """The comment of a result's column without the name of its source table."""
    if comment is None or not comment.startswith("From "):
        return comment
    return re.sub(r"^From \S+?(?:, column \S+)?(?:: |$)", "", comment)


@lru_cache(maxsize=65536)
def comment_words(comment: str | None) -> frozenset[str]:
    """Words of a comment before the first sign: `IATA code of three letters, for example FRA`."""
    return frozenset(name_words(re.split(r"[;:,.(=]", comment or "", maxsplit=1)[0]))


@lru_cache(maxsize=65536)
def common_words(comment: str | None) -> frozenset[str]:
    """Words of a comment but for names: `block` and `park` of “Blocks of the Manyara parks”."""
    first, *rest = (comment or "").split() or [""]
    return frozenset(name_words(" ".join([first, *(word for word in rest if not word[0].isupper())])))


@lru_cache(maxsize=4096)
def with_synonyms(words: Words) -> tuple[Words, ...]:
    """The words, also with each synonym for what columns count: `passengers` of “boardings per weekday”."""
    others = (
        (*words[:at], each, *words[at + 1 :])
        for at, word in enumerate(words)
        if word in COUNTED_ALIKE
        for each in sorted(synonyms_of(word) - {word})
    )
    return (words, *others)


_COUNTING = frozenset(("number", "total", "estimated", "of", "the", "in", "at"))
"""Words of a comment beside the thing that is counted."""


@lru_cache(maxsize=65536)
def counted_in(comment: str | None) -> str:
    """The only thing that a comment says to be counted: `inhabitant` of “inhabitants, 31 Dec 2023”; else empty."""
    words = [word for word in comment_words(comment) - _COUNTING if not word.isdigit()]
    return words[0] if len(words) == 1 else ""


@lru_cache(maxsize=65536)
def wordings(comment: str | None) -> tuple[str | None, ...]:
    """The comment with each of two alternative words: “Leading (dominant) tree species” is read as “Leading tree
    species” and “dominant tree species”, “number of dwellings (flats)” as “number of flats”, too. “Einwohner,
    population in 2023” is also read without the noun of another language."""
    translated = _TRANSLATED.match(comment or "")
    if translated is not None and not english_dictionary().known([fold(translated[1])]):
        return (comment, *wordings(translated[2]))
    found = _ALTERNATIVE.search(comment or "")
    if comment is None or found is None:
        return (comment,)
    return tuple(comment[: found.start()] + word + comment[found.end() :] for word in found.groups() if word)


_ALTERNATIVE = re.compile(
    r"\b([^\W\d_]+) \(([^\W\d_]+)\)(?= [a-z])|\b([^\W\d_]+s) \(([^\W\d_]+s)\)(?=$|[,;])"
)
_TRANSLATED = re.compile(r"([^\W\d_]{4,}), ([a-z]+ .+)", re.DOTALL)
_DONE = re.compile(r"\w*ed|seen|found|caught|taken|built|sold|made")


def _phrase(text: str | None) -> tuple[tuple[str, ...], str]:
    """The folded words of a text up to a sign, preposition or participle (“Permits applied for”), and the
    remaining text."""
    words: list[str] = []
    folded = _OF_YEARS.sub("", fold(text or ""))
    for found in re.finditer(r"[^\W_]+|[.,;:()]|(?<= )/(?= )", folded):
        is_done = bool(words) and singular(words[-1]) != words[-1] and _DONE.fullmatch(found[0])
        if (found[0] in HEAD_ENDS or not found[0][0].isalnum() or is_done) and words:
            return tuple(words), folded[found.start() :]
        if found[0] not in HEAD_ENDS and found[0][0].isalnum():
            words.append(found[0])
    return tuple(words), ""


_MONTH_AND_YEAR = rf"(?:(?:{'|'.join(MONTHS)}) )?(?:19|20)\d\d"
_OF_YEARS = re.compile(rf" {_MONTH_AND_YEAR}(?: ?(?:-|–|to|until) ?{_MONTH_AND_YEAR})?(?= ?[.,;:(]|$)")
"""The time that rows are of: “Supply interruptions July 2024 - September 2025”."""


@lru_cache(maxsize=65536)
def codes_explained(comment: str | None) -> Mapping[Words, tuple[str, ...]]:
    """Codes and other values by their explanation in a comment and its parts: “VCP = vitrified clay”, “Material: DI
    ductile iron”, “Accordé = granted”; both for `tram` of “T = tram, TB = tram and bus”."""
    ends = r"(?= (?:or|and) [A-Z0-9]+ ?=|[,;.()=]|$)"
    found = re.findall(rf"\b([A-Z0-9]+) ?(?:=|\((?=[a-z])) ?([^,;.()=]+?){ends}", comment or "")
    found += re.findall(rf"[:,;] ?([A-Z][^\W\d_]{{0,4}}) ([a-z][a-z /-]+?){ends}(?! ?=)", comment or "")
    stored = re.findall(rf"{_STORED} ?= ?([^,;.()=]+?){ends}", comment or "")
    stored += re.findall(rf"{_STORED} \(([^()=]+)\)", comment or "")
    found += [each for each in stored if each not in found]
    codes: dict[Words, tuple[str, ...]] = {}
    parts = [(code, part) for code, words in found for part in _PARTS.split(words)]
    for code, text in [*found, *parts]:
        if (own := name_words(text)) and code not in codes.get(own, ()):
            codes[own] = (*codes.get(own, ()), code)
    return MappingProxyType(codes)


_PARTS = re.compile(r" (?:or|and) |/")
_STORED = r"(?:^|[:,;(] ?)([^\W\d_][^,;:.()=]*?)"
"""A value as it is stored: a few words up to the sign that explains them, `=` or a bracket."""


def codes_of(column: Column) -> Mapping[Words, tuple[str, ...]]:
    """The codes of a column by their explanation. Those that are not among its common values count if another is."""
    explained = codes_explained(column.comment)
    known = {code for codes in explained.values() for code in codes if code in column.samples}
    if not known or len(column.samples) < MAX_COMMON:
        others = _all_but(column) if len(column.samples) < MAX_COMMON else {}
        return others | {words: codes for words, codes in explained.items() if codes[0] in known}
    return explained


def _all_but(column: Column) -> dict[Words, tuple[str, ...]]:
    """The values of a state that its comment explains by the others: “Active = everything but Out”."""
    said = _ALL_BUT.findall(column.comment or "")
    found = {name_words(name): tuple(s for s in column.samples if s != value.strip()) for name, value in said}
    return {words: values for words, values in found.items() if 0 < len(values) < len(column.samples)}


_ALL_BUT = re.compile(
    r"\b([A-Z][^\W\d_]+) ?= ?(?:(?:all|any|anything|everything) (?:but|except|other than)|not) ([^,;.()=]+)"
)


def same_states(column: Column) -> Mapping[str, str]:
    """Values of a column by words for the same state: `approved`, of permits that are `granted`."""
    named = {name_words(each): each for each in column.samples} if column.kind == "text" else {}
    named |= {words: codes[0] for words, codes in codes_of(column).items()}
    states = {words[0]: value for words, value in named.items() if len(words) == 1}
    alike = ((word, value) for own, value in states.items() for word in same_state(own))
    return {word: value for word, value in alike if word not in states}


MAX_COMMON = 5
"""Number of common values that the registry keeps of a column; fewer are all of them."""


@lru_cache(maxsize=65536)
def clauses_of(comment: str | None) -> frozenset[Words]:
    """Phrases between commas (`vehicles per day`) or in final parentheses (`species richness`) of a comment, also
    without what is measured (`depth over floor` of “Depth of water over floor”)."""
    clauses = re.split(r"[;:.(=]", comment or "", maxsplit=1)[0].split(",")
    again = re.search(r"\(((?:[^\W\d_]+ )*[^\W\d_]+)\)$", comment or "")
    named = again[1] if again is not None and HEAD_ENDS.isdisjoint(again[1].split()) else ""
    phrases = [name_words(each) for each in (*clauses, named)]
    phrases += [
        (*each[: each.index("of")], *each[each.index("of") + 2 :]) for each in phrases if "of" in each[1:-2]
    ]
    found = {words for each in phrases if len(words := clause_of(each)) > 1}
    is_noun = named and " " not in named and named.islower() and named.endswith("s") and named not in UNITS
    return frozenset(found | ({name_words(named)} if is_noun else set()))  # “Number on roll (pupils)”


def clause_of(words: Words) -> Words:
    """The words of a clause that are compared: without PASSED_OVER."""
    return tuple(word for word in words if word not in PASSED_OVER)
