"""Costs of matching words with a name that is spelt out, abbreviated, or written in other word forms.

Names are those of columns: `pct_unins` is `percent uninsured`, `life_exp_yrs` is `life expectancy`. Words are
folded and singular.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.domain import Table
from agents.offline.language.lexicon import (
    ABBREVIATIONS,
    ABOVE,
    COUNTED_ALIKE,
    STATISTICS,
    UNIT_NOUNS,
    longer_forms,
    synonyms_of,
)
from agents.offline.language.names.comments import HEAD_ENDS, PASSED_OVER, comment_head
from agents.offline.language.words import (
    Words,
    are_forms,
    begins_others,
    fold,
    name_words,
    singular,
    word_set,
)
from agents.units import COLUMN_ENDINGS, UNITS

UNIT_WORDS = {singular(word) for word in COLUMN_ENDINGS if UNITS[word].dimension != "time"} | {"deg"}
"""Units in column names. `year` is a measure there."""
PER_CURRENCY = frozenset((each, "per") for each in ("eur", "usd", "gbp", "chf"))
"""How the name of a price begins: `eur_per_m2`."""
NUMBERS, TIMES = ("integer", "number"), ("integer", "date", "timestamp")
"""Kinds of columns that hold numbers, and kinds that may hold times."""
COUNTS = frozenset(("n", "num", "cnt", "count"))
"""Words in the names of columns that count something: `n_pup`."""
_CODES = word_set("cd code no nr num number")
_SAY_HOW = _CODES | word_set("""
    average avg cat category class cls cnt common count ct date dt has is last max maximum mean med median min minimum
    name nm on share stat status sum tot total type year yr
""")
"""Words about how something is recorded; the other words of the name suffice to mean the column."""
_NAMING = word_set("name nm type typ class category")
_SHORTEST_BEGINNING, _LEAST_CUT = 4, 4
"""Minimum length of an abbreviation by truncation, and of the part cut off."""
_SHORTEST_OF_SEVERAL, _LEAST_OF_SEVERAL = 3, 2
"""The same, beside other matching words. Complete words do not count as abbreviations: `land` is not landslides."""
_LONGEST_UNIT, _LEAST_INITIALS = 3, 3
"""Maximum length of an unknown unit at the end of a name; minimum length of initials that stand alone."""
_MADE = word_set("built constructed erected laid installed")
_MAKING = ("construction", "installation")
"""Verbs and nouns of construction: `mains laid before 1950`, for `installed`."""
_OF_YEAR = frozenset(("in", "of", "for", "during"))
"""Prepositions between a measure and its year."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_POWER = re.compile(r"(?:[cdhkm]?m|ft|mi)[23]")
"""A unit with an exponent: `m3`."""
_VOWELS = re.compile("[aeiou]")
_TIMED = ("date", "timestamp")
_YEARS = word_set("year yr date dt")
SPELT_OUT, TOGETHER, INITIALS, SHORT, RELATED, IN_UNIT = 0.5, 0.5, 1.0, 1.0, 1.5, 0.75
"""Costs of a word: spelt-out abbreviation, compound, initials, truncation, other word form, noun for a unit's
dimension."""
LEFT_UNIT, LEFT_HOW, LEFT_CODE, LEFT, PASSED, TURNED = 0.25, 0.5, 0.75, 1.0, 0.1, 0.25
"""Costs of words of the name left out (by type), of ignored words, and of another word order."""
MAX_WORDS = 6
_SHORTEST_KEY = 4
"""Minimum length of a noun in the name of a row number."""

UNITS_IN_FULL = {
    "litre": "l", "liter": "l", "gallon": "gal", "tonne": "t", "ton": "t", "kilo": "kg", "kilogram": "kg",
    "metre": "m", "meter": "m", "kilometre": "km", "kilometer": "km", "hectare": "ha", "euro": "eur", "dollar": "usd",
    "pound": "gbp", "second": "s", "minute": "min", "hour": "h", "day": "d", "milligram": "mg", "megalitre": "ml",
}  # fmt: skip
"""Nouns for units at the end of a name."""
_WITHOUT_INITIALS = (HEAD_ENDS | ABOVE.keys() | {"all"}) - {"of", "and", "for"}
"""Words that no initial stands for: `as a line chart` is no column `alc`."""
Match = tuple[float, tuple[int, ...], bool]
"""The cost, the positions of the matched words of the name, and whether all are spelt as in the name."""


def short_unit(words: Words) -> Words:
    """A unit by its symbols: `l`, `min` for `litres per minute` and `l/min`."""
    return tuple([UNITS_IN_FULL.get(word, word) for word in words if word != "per"])


@lru_cache(maxsize=32768)
def cost_of_name(name: str, kind: str, words: Words, *, when: bool = False) -> float | None:
    """The cost of matching words with a column's name; None if they do not match. `when`: a noun for a time
    followed."""
    own = name_words(name)
    content = tuple(word for at, word in enumerate(words) if word not in PASSED_OVER or word in own or not at)
    if not own or not content or len(content) > MAX_WORDS or words[-1] in PASSED_OVER - {*own}:
        return None
    says_how = len(own) > 1 and _NAMING.issuperset(own[1:])  # `hab_name` for the habitat
    found = _aligned(own, content, 0, (), len(content) > 1 or says_how)
    if found is None:
        is_in_unit = UNITS_IN_FULL.get(content[0]) == own[-1] and len(content) > 1 and kind in NUMBERS
        rest = cost_of_name(name, kind, content[1:], when=True) if is_in_unit else None  # `litres lost`
        return rest + IN_UNIT if rest is not None else None
    cost, places, exact = found
    left = [at for at in range(len(own)) if at not in places]
    units = _units(own, kind)
    if not (_in_a_row(own, places) if exact else _is_telling(own, content, places, left, units)):
        return None
    if not exact and _is_only_related(own, kind, content, places, units, when=when):
        return None
    cost += PASSED * (len(words) - len(content)) + (TURNED if list(places) != sorted(places) else 0.0)
    return cost + sum(_cost_of_leaving(own[at], unit=at in units) for at in left)


def _cost_of_leaving(word: str, *, unit: bool) -> float:
    if unit:
        return LEFT_UNIT
    return LEFT_CODE if word in _CODES else LEFT_HOW if word in _SAY_HOW else LEFT


def _aligned(own: Words, words: Words, at: int, used: tuple[int, ...], several: bool) -> Match | None:
    """The cheapest assignment of the words from `at` on to unused words of the name."""
    if at == len(words):
        return 0.0, used, True
    best: Match | None = None
    for place, word in enumerate(own):
        if place in used:
            continue
        for length, cost in _beginnings(word, words, at, several):
            rest = _aligned(own, words, at + length, (*used, place), several)
            if rest is not None and (best is None or cost + rest[0] < best[0]):
                best = cost + rest[0], rest[1], rest[2] and not cost
    return best


def _beginnings(own: str, words: Words, at: int, several: bool) -> list[tuple[int, float]]:
    """How many of the words from `at` on a word of the name matches, with the costs."""
    single = word_cost(own, words[at], several=several)
    found = [] if single is None else [(1, single)]
    for length in range(2, min(len(own), len(words) - at) + 1):
        part = words[at : at + length]
        ending = "".join([*(each[0] for each in part[:-1]), part[-1]])  # `fclass` of `functional class`
        if own in ("".join(part), ending):
            found.append((length, TOGETHER))
        elif _are_initials(own, part, alone=length == len(words)):
            found.append((length, INITIALS))
    return found


def are_initials_among(own: str, letters: str) -> bool:
    """Whether a word of a name may consist of some of the first letters of words, in their order."""
    left = iter(letters)
    return len(own) <= len(letters) and all(each in left for each in own)


@lru_cache(maxsize=32768)
def initials_in(name: str) -> Words:
    """The words of a name that may consist of initials."""
    known = {"id", *ABBREVIATIONS, *UNIT_WORDS}
    return tuple(each for each in name_words(name) if each not in known and 1 < len(each) <= MAX_WORDS)


def _are_initials(own: str, part: Words, *, alone: bool) -> bool:
    """Whether a word consists of initials: `hpsa` for `health professional shortage area`; of two words only
    beside others."""
    if len(own) != len(part) or own in ABBREVIATIONS or own == "id" or (alone and len(own) < _LEAST_INITIALS):
        return False
    is_other = own in UNIT_WORDS or not _WITHOUT_INITIALS.isdisjoint(part)
    return "".join(word[0] for word in part) == own and not is_other


@lru_cache(maxsize=32768)
def word_cost(own: str, word: str, *, several: bool = False) -> float | None:
    """The cost of matching a word with a word of a name; None if they differ. `several`: other words match too."""
    if own == word:
        return 0.0
    unit, longer = UNITS.get(own), longer_forms(own)
    if longer is not None and word in longer:
        return SPELT_OUT
    if unit is not None and UNIT_NOUNS.get(word) == unit.dimension:
        return IN_UNIT
    if longer is not None:
        return RELATED if any(are_forms(word, each) for each in longer) or are_made(own, word) else None
    if is_short_for(own, word):
        return SHORT
    alike = own in COUNTED_ALIKE and word in synonyms_of(own)
    related = alike or are_forms(own, word) or are_made(own, word) or (several and _is_cut(own, word))
    return RELATED if related else None


def are_made(own: str, word: str) -> bool:
    """Whether both words are about construction: `built`, for `const_yr` or “Year of construction”."""
    names = {own, *ABBREVIATIONS.get(own, ())} & {*_MADE, *_MAKING}
    return word in _MADE and (bool(names) or is_short_for(own, "construction"))


def is_short_for(short: str, word: str) -> bool:
    """Whether `short` abbreviates a word: a known abbreviation, its beginning (`precip`) or its consonants
    (`dpth`), with some of its vowels, too (`playgrnd`)."""
    if short in ABBREVIATIONS:
        return word in ABBREVIATIONS[short]
    is_cut = len(short) >= _SHORTEST_BEGINNING and len(word) >= len(short) + _LEAST_CUT
    begins = is_cut and begins_word(short, word)
    some_vowels = len(word) - 1 > len(short) > _SHORTEST_BEGINNING and _consonants(short) == _consonants(word)
    return begins or some_vowels or (len(short) > 2 and short == _consonants(word) != word)


def _consonants(word: str) -> str:
    return word[:1] + _VOWELS.sub("", word[1:])


def begins_word(short: str, word: str) -> bool:
    """Whether `short` is the beginning of a word, and not a known abbreviation or another word."""
    return (
        short not in ABBREVIATIONS and word.startswith(short) and short.isalpha() and not begins_others(short)
    )


@lru_cache(maxsize=65536)
def years_in(name: str) -> frozenset[str]:
    """The years in a name: `2023` of `aadt_2023`."""
    return frozenset(_YEAR.findall(name))


def names_year(words: Words) -> bool:
    """Whether two words state the year of a measure: `in 2023`."""
    return len(words) == 2 and words[0] in _OF_YEAR and _YEAR.fullmatch(words[1]) is not None


def are_of_other_years(names: Sequence[str], after: Words) -> bool:
    """Whether the words after a column state a year, and all candidate columns are of other years: `traffic
    in 2021` for `aadt_2019`."""
    return names_year(after[:2]) and all(years_in(each) and after[1] not in years_in(each) for each in names)


def _is_cut(short: str, word: str) -> bool:
    """Whether `short` abbreviates a word that is beside other words: `exp` of `expectancy`, `rtg` of `rating`, `ld` of
    `load`."""
    if len(short) > 1 and short == _consonants(word) != word:
        return True
    if len(short) < _SHORTEST_OF_SEVERAL or len(word) < len(short) + _LEAST_OF_SEVERAL or short[0] != word[0]:
        return False
    letters = iter(word)
    return begins_word(short, word) or (not _VOWELS.search(short) and all(each in letters for each in short))


def _units(own: Words, kind: str) -> frozenset[int]:
    """Positions of units beside other words; in the name of a number, a few final letters count too: `turb_ntu`."""
    if len(own) == 1:
        return frozenset()
    last, word = len(own) - 1, own[-1]
    unknown = (
        kind in ("integer", "number") and last and word.isalpha() and len(word) <= _LONGEST_UNIT
        and word not in ABBREVIATIONS
    )  # fmt: skip
    return frozenset(
        at
        for at, each in enumerate(own)
        if each in UNIT_WORDS or _POWER.fullmatch(each) or (unknown and at == last)
    )


def _in_a_row(own: Words, places: tuple[int, ...]) -> bool:
    """Whether the words are adjacent in the name: `visits 2023` of `ed_visits_2023`. A unit alone does not count."""
    begin = places[0]
    in_a_row = places == tuple(range(begin, begin + len(places)))
    return len(places) == len(own) or (in_a_row and own[begin] not in UNIT_WORDS)


def _is_telling(
    own: Words, words: Words, places: tuple[int, ...], left: list[int], units: frozenset[int]
) -> bool:
    """Whether words that are spelt differently in the name cover its essential words."""
    telling = [at for at in places if at not in units and own[at] not in _SAY_HOW]
    more = [at for at in left if at not in units and own[at] not in _SAY_HOW]
    if telling and (not more or (len(places) > 1 and len(more) == 1)):
        return True
    last = max(at for at in range(len(own)) if own[at] not in UNIT_WORDS or not at)
    ends = places == (last,) and own[last] != "cd" and words[0] not in STATISTICS
    known = own[last] in ABBREVIATIONS or own[last] in COUNTED_ALIKE
    return ends and (known or is_short_for(own[last], words[0]))


def _is_only_related(
    own: Words, kind: str, words: Words, places: tuple[int, ...], units: frozenset[int], *, when: bool
) -> bool:
    """Whether the words are merely related to a number or date: `installation` is not the date `installed`.
    `vacancy` does mean `vacant_pct`."""
    telling = [word for at, word in enumerate(own) if at not in units and word not in _SAY_HOW]
    if len(telling) != 1 or kind not in ("integer", "number", *_TIMED) or (kind in _TIMED and len(own) > 1):
        return False
    is_time = kind in _TIMED or not _YEARS.isdisjoint(own)
    if when or not _YEARS.isdisjoint(words) or (is_time and words[0].endswith("ed")):
        return False
    (name,) = telling
    costs = {word: word_cost(name, word, several=len(words) > 1) for word in words}
    related = [word for word, cost in costs.items() if cost == RELATED and not are_made(name, word)]
    if not related or any(cost not in (None, RELATED) for cost in costs.values()):
        return False
    kinds = {UNITS[own[at]].dimension for at in units if own[at] in UNITS}
    is_measured = bool(units) and words[0].endswith("ing")  # `losing` for `loss_m3_d`
    return kinds.isdisjoint(("share", "currency")) and units.isdisjoint(places) and not is_measured


def nouns_of_columns(table: Table) -> frozenset[str]:
    """Nouns for the rows of a table, from the names of its columns."""
    return _nouns_of_ing(table) | _nouns_of_keys(table) | _other_singulars(table)


def _other_singulars(table: Table) -> frozenset[str]:
    """`wijk` for a table `wijken` with columns such as `wijk_nr`: a plural of another language."""
    own = name_words(table.name)[-1]
    first = [words[0] for column in table.columns if len(words := name_words(column.name)) > 1]
    return frozenset(
        each for each in first if first.count(each) > 1 and own in (f"{each}en", f"{each}e", f"{each}n")
    )


def _nouns_of_ing(table: Table) -> frozenset[str]:
    """`zone` for a table `zoning` with columns such as `zone_code`."""
    last = name_words(table.name)[-1]
    if not last.endswith("ing"):
        return frozenset()
    first = (words[0] for column in table.columns if len(words := name_words(column.name)) > 1)
    return frozenset(word for word in first if are_forms(word, last))


EVENTS = word_set("incident event occurrence case record unit")
"""Nouns for rows that say no more than the word before them: “Wildfire incidents”."""
_KEY_ENDS = frozenset(("no", "nr", "number", "id", "code", "cd"))
"""Last words of row numbers."""


def _nouns_of_keys(table: Table) -> frozenset[str]:
    """`path` for rights of way with a key `path_no` and a comment about footpaths; `site` for `campsites`
    with a `site_no`.

    Other columns may repeat a number in many rows: `station_id` of measurements.
    """
    keys = [name for name in table.key if table.column(name) is not None]
    numbers = _numbered([column.name for column in table.columns])
    own = name_words(table.name)[-1]
    compound = frozenset(noun for noun in numbers if own.endswith(noun) and own != noun)
    nouns = _numbered(keys) if keys and keys != ["id"] else numbers
    if len(keys) > 1 or not nouns:
        return compound
    named = re.split(r"[,;:.(]|\band\b", fold(table.comment or ""))
    heads = [head for part in named if (head := comment_head(part.strip()))]
    kinds = [each for head in heads for each in (head[-2:] if head[-1] in EVENTS else head[-1:])]
    return compound | {noun for noun in nouns if any(kind.endswith(noun) for kind in kinds)}


def _numbered(names: Sequence[str]) -> frozenset[str]:
    """The things that columns number: `path` for `path_no`."""
    words = map(name_words, names)
    return frozenset(
        each[0] for each in words if len(each) == 2 and each[1] in _KEY_ENDS and len(each[0]) >= _SHORTEST_KEY
    )


_NAME_OF = re.compile(r"name of the ([^\W\d_]+)\b", re.IGNORECASE)


def nouns_of_names(table: Table) -> frozenset[str]:
    """`county` for areas `county_boundaries` with a column `county_name`, or “County name” if the table's
    comment has the word; `shop` for “Shops and cafes” with a “Name of the shop”."""
    said = {*name_words(table.comment or "")}
    named = (_NAME_OF.match(column.comment or "") for column in table.columns if column.kind == "text")
    nouns = frozenset(noun for each in named if each and (noun := each[1].lower()) in said)
    if table.geometry_family != "polygon":
        return nouns
    own, head = name_words(table.name), comment_head(table.comment)
    if _AREAS.isdisjoint((own[-1], *head[-1:])):
        return nouns
    found = {*nouns}
    for column in table.columns if len(own) > 1 else ():
        words, head_words = name_words(column.name), comment_head(column.comment)
        if column.kind == "text" and len(words) == 2 and words[1] in ("name", "nm"):
            found |= {words[0], *ABBREVIATIONS.get(words[0], ())} if words[0] == own[0] else set()
            found |= {head_words[0]} if head_words[1:] == ("name",) and head_words[0] in head else set()
    return frozenset(found)


_AREAS = frozenset(("boundary", "border", "limit", "outline", "shape", "polygon"))
"""Last words of table names or comments that only say how areas are stored."""


def is_cost_of(name: str, said: str) -> bool:
    """Whether `said` is what the amount in a column is paid for, not an amount: `repairs` of `repair_cost_eur`."""
    costs = _COSTS.intersection(name_words(name))
    return bool(costs) and _PAYMENTS.isdisjoint(name_words(said))


_COSTS = word_set("cost price fee budget expenditure expense")
_PAYMENTS = _COSTS | word_set(
    "amount charge money paid pay payment spend spending spent sum total value worth"
)
