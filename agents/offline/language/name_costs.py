"""What it costs to take words for a name that is spelt out, cut short, or written in other forms of its words.

Names are those of columns: `pct_unins` is `percent uninsured`, `life_exp_yrs` is `life expectancy`. Words are folded
and singular.
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
    things_called,
)
from agents.offline.language.words import (
    Words,
    are_forms,
    begins_others,
    comment_head,
    fold,
    name_words,
    singular,
    word_set,
)
from agents.units import COLUMN_ENDINGS, UNITS

UNIT_WORDS = {singular(word) for word in COLUMN_ENDINGS if UNITS[word].dimension != "time"} | {"deg"}
"""Units as words of a column's name. `year` is a measure there."""
PASSED_OVER = frozenset(("of", "per", "on", "a", "an"))
"""Words in the midst of a column's name that say nothing: `boardings on a weekday`."""
NUMBERS, TIMES = ("integer", "number"), ("integer", "date", "timestamp")
"""Kinds of columns that hold numbers, and those that may tell when."""
_CODES = word_set("cd code no nr num number")
_SAY_HOW = _CODES | word_set("""
    average avg cat category class cls cnt common count ct date dt has is last max maximum mean med median min minimum
    name nm on share stat status sum tot total type year yr
""")
"""Words of names that tell how something is recorded, and not what: the rest may mean the column without them."""
_SHORTEST_BEGINNING, _LEAST_CUT = 4, 4
_SHORTEST_OF_SEVERAL, _LEAST_OF_SEVERAL = 3, 2
"""Letters of a beginning that stands for a whole word, and of what is cut off, also beside other words of the name. No
beginning is a word of its own: `land` is not short for landslides."""
_LONGEST_UNIT, _LEAST_INITIALS = 3, 3
"""Letters of the end of a name that may be a unit which is not known, and of initials that stand alone."""
_MADE = word_set("built constructed erected laid installed")
_MAKING = ("construction", "installation")
"""How something came to be where it is, and nouns for it: `mains laid before 1950`, of `installed`."""
_OF_YEAR = frozenset(("in", "of", "for", "during"))
"""Words between what was measured and its year."""
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_POWER = re.compile(r"(?:[cdhkm]?m|ft|mi)[23]")
"""A unit to a power: `m3`."""
_VOWELS = re.compile("[aeiou]")
_TIMED = ("date", "timestamp")
_YEARS = word_set("year yr date dt")
SPELT_OUT, TOGETHER, INITIALS, SHORT, RELATED, IN_UNIT = 0.5, 0.5, 1.0, 1.0, 1.5, 0.75
"""Costs of a word: that an abbreviation stands for, of words written as one or by their first letters, of one cut
short, of another form of a word, and of a noun for what is measured in a unit."""
LEFT_UNIT, LEFT_HOW, LEFT_CODE, LEFT, PASSED, TURNED = 0.25, 0.5, 0.75, 1.0, 0.1, 0.25
"""Costs of a word of the name that is left out, of a word that is passed over, and of another order."""
MAX_WORDS = 6
_SHORTEST_KEY = 4
"""Letters of a noun that the number of a row is called after."""

Match = tuple[float, tuple[int, ...], bool]
"""The cost, the places of the words of the name, and whether all of them are spelt as in the name."""


@lru_cache(maxsize=32768)
def cost_of_name(name: str, kind: str, words: Words, *, when: bool = False) -> float | None:
    """What it costs to take words for a column's name; None where they do not mean it. `when`: a noun for a time was
    said behind them."""
    own = name_words(name)
    said = tuple(word for at, word in enumerate(words) if word not in PASSED_OVER or word in own or not at)
    if not own or not said or len(said) > MAX_WORDS or words[-1] in PASSED_OVER - {*own}:
        return None
    found = _aligned(own, said, 0, (), len(said) > 1)
    if found is None:
        return None
    cost, places, exact = found
    left = [at for at in range(len(own)) if at not in places]
    units = _units(own, kind)
    if not (_in_a_row(own, places) if exact else _is_telling(own, said, places, left, units)):
        return None
    if not exact and _is_only_related(own, kind, said, places, units, when=when):
        return None
    cost += PASSED * (len(words) - len(said)) + (TURNED if list(places) != sorted(places) else 0.0)
    return cost + sum(_cost_of_leaving(own[at], unit=at in units) for at in left)


def _cost_of_leaving(word: str, *, unit: bool) -> float:
    if unit:
        return LEFT_UNIT
    return LEFT_CODE if word in _CODES else LEFT_HOW if word in _SAY_HOW else LEFT


def _aligned(own: Words, said: Words, at: int, used: tuple[int, ...], several: bool) -> Match | None:
    """The cheapest way to find each word from `at` on in a word of the name that is not used yet."""
    if at == len(said):
        return 0.0, used, True
    best: Match | None = None
    for place, word in enumerate(own):
        if place in used:
            continue
        for length, cost in _beginnings(word, said, at, several):
            rest = _aligned(own, said, at + length, (*used, place), several)
            if rest is not None and (best is None or cost + rest[0] < best[0]):
                best = cost + rest[0], rest[1], rest[2] and not cost
    return best


def _beginnings(own: str, said: Words, at: int, several: bool) -> list[tuple[int, float]]:
    """How many of the words from `at` on a word of the name stands for, and at which cost."""
    single = word_cost(own, said[at], several=several)
    found = [] if single is None else [(1, single)]
    for length in range(2, min(len(own), len(said) - at) + 1):
        part = said[at : at + length]
        if "".join(part) == own:
            found.append((length, TOGETHER))
        elif _are_initials(own, part, alone=length == len(said)):
            found.append((length, INITIALS))
    return found


def may_have_initials(name: str, words: Words) -> bool:
    """Whether a word of a name may be made of first letters of some of the words."""
    for own in _initials_in(name):
        if len(own) <= len(words):
            letters = (word[0] for word in words)
            if all(each in letters for each in own):
                return True
    return False


@lru_cache(maxsize=32768)
def _initials_in(name: str) -> Words:
    known = {"id", *ABBREVIATIONS, *UNIT_WORDS}
    return tuple(each for each in name_words(name) if each not in known and 1 < len(each) <= MAX_WORDS)


def _are_initials(own: str, part: Words, *, alone: bool) -> bool:
    """`hpsa` of `health professional shortage area`; of two words only beside others."""
    if len(own) != len(part) or own in ABBREVIATIONS or own == "id" or (alone and len(own) < _LEAST_INITIALS):
        return False
    is_other = own in UNIT_WORDS or "the" in part or bool(ABOVE.keys() & set(part))
    return "".join(word[0] for word in part) == own and not is_other


@lru_cache(maxsize=32768)
def word_cost(own: str, word: str, *, several: bool = False) -> float | None:
    """What it costs to take a word for a word of a name. `several`: there are others beside it."""
    if own == word:
        return 0.0
    unit, longer = UNITS.get(own), ABBREVIATIONS.get(own)
    if longer is not None and word in longer:
        return SPELT_OUT
    if unit is not None and UNIT_NOUNS.get(word) == unit.dimension:
        return IN_UNIT
    if longer is not None:
        return RELATED if any(are_forms(word, each) for each in longer) else None
    if is_short_for(own, word):
        return SHORT
    alike = own in COUNTED_ALIKE and word in things_called(own)
    related = alike or are_forms(own, word) or are_made(own, word) or (several and _is_cut(own, word))
    return RELATED if related else None


def are_made(own: str, word: str) -> bool:
    """Whether it tells how something came to be where it is: `built`, of `const_yr` or “Year of construction”."""
    return word in _MADE and (own in _MADE or own in _MAKING or is_short_for(own, "construction"))


def is_short_for(short: str, word: str) -> bool:
    """Whether a word of a name is short for a word: one of those that are known, its beginning (`precip`), or its
    consonants (`dpth`)."""
    if short in ABBREVIATIONS:
        return word in ABBREVIATIONS[short]
    begins = (
        len(short) >= _SHORTEST_BEGINNING
        and len(word) >= len(short) + _LEAST_CUT
        and begins_word(short, word)
    )
    return begins or (len(short) > 2 and short == word[:1] + _VOWELS.sub("", word[1:]) != word)


def begins_word(short: str, word: str) -> bool:
    """Whether it is the beginning of a word, and none itself that is known to be short for another."""
    return (
        short not in ABBREVIATIONS and word.startswith(short) and short.isalpha() and not begins_others(short)
    )


@lru_cache(maxsize=65536)
def years_in(name: str) -> frozenset[str]:
    """`2023` of `aadt_2023`."""
    return frozenset(_YEAR.findall(name))


def says_year(words: Words) -> bool:
    """Whether two words are `in 2023`, behind what was measured then."""
    return len(words) == 2 and words[0] in _OF_YEAR and _YEAR.fullmatch(words[1]) is not None


def are_of_other_years(names: Sequence[str], after: Words) -> bool:
    """Whether the words behind a column say a year, and all columns that it may be are of others: `traffic in 2021` of
    `aadt_2019`."""
    return says_year(after[:2]) and all(years_in(each) and after[1] not in years_in(each) for each in names)


def _is_cut(short: str, word: str) -> bool:
    """`exp` of `expectancy`, `rtg` of `rating`: only beside other words of the name."""
    if len(short) < _SHORTEST_OF_SEVERAL or len(word) < len(short) + _LEAST_OF_SEVERAL or short[0] != word[0]:
        return False
    letters = iter(word)
    return begins_word(short, word) or (not _VOWELS.search(short) and all(each in letters for each in short))


def _units(own: Words, kind: str) -> frozenset[int]:
    """The places of units. A few letters that end the name of a number, as in `turb_ntu`, are one, too."""
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
    """`visits 2023` of `ed_visits_2023`. A unit alone means nothing."""
    begin = places[0]
    in_a_row = places == tuple(range(begin, begin + len(places)))
    return len(places) == len(own) or (in_a_row and own[begin] not in UNIT_WORDS)


def _is_telling(
    own: Words, said: Words, places: tuple[int, ...], left: list[int], units: frozenset[int]
) -> bool:
    """Whether words that are not written so in the name may mean it: they say what it tells."""
    telling = [at for at in places if at not in units and own[at] not in _SAY_HOW]
    more = [at for at in left if at not in units and own[at] not in _SAY_HOW]
    if telling and (not more or (len(places) > 1 and len(more) == 1)):
        return True
    last = max(at for at in range(len(own)) if own[at] not in UNIT_WORDS or not at)
    ends = places == (last,) and own[last] != "cd" and said[0] not in STATISTICS
    known = own[last] in ABBREVIATIONS or own[last] in COUNTED_ALIKE
    return ends and (known or is_short_for(own[last], said[0]))


def _is_only_related(
    own: Words, kind: str, said: Words, places: tuple[int, ...], units: frozenset[int], *, when: bool
) -> bool:
    """`installation` of a number or date `installed`: it is not when it was. `vacancy` of `vacant_pct` is the same."""
    telling = [word for at, word in enumerate(own) if at not in units and word not in _SAY_HOW]
    if len(telling) != 1 or kind not in ("integer", "number", *_TIMED) or (kind in _TIMED and len(own) > 1):
        return False
    is_time = kind in _TIMED or not _YEARS.isdisjoint(own)
    if when or not _YEARS.isdisjoint(said) or (is_time and said[0].endswith("ed")):
        return False
    (name,) = telling
    costs = {word: word_cost(name, word, several=len(said) > 1) for word in said}
    related = [word for word, cost in costs.items() if cost == RELATED and not are_made(name, word)]
    if not related or any(cost not in (None, RELATED) for cost in costs.values()):
        return False
    kinds = {UNITS[own[at]].dimension for at in units if own[at] in UNITS}
    is_measured = bool(units) and said[0].endswith("ing")  # `losing` of `loss_m3_d`
    return kinds.isdisjoint(("share", "currency")) and units.isdisjoint(places) and not is_measured


# --- what rows are called by the names of their columns ----------------------------------------------------


def nouns_of_columns(table: Table) -> frozenset[str]:
    """What the rows of a table may be called by the names of its columns."""
    return _nouns_of_ing(table) | _nouns_of_keys(table)


def _nouns_of_ing(table: Table) -> frozenset[str]:
    """`zone` of a table `zoning` that has columns such as `zone_code`."""
    last = name_words(table.name)[-1]
    if not last.endswith("ing"):
        return frozenset()
    first = (words[0] for column in table.columns if len(words := name_words(column.name)) > 1)
    return frozenset(word for word in first if are_forms(word, last))


_KEY_ENDS = frozenset(("no", "nr", "number", "id", "code", "cd"))
"""Last words of columns that number the rows."""


def _nouns_of_keys(table: Table) -> frozenset[str]:
    """`path` of rights of way whose key is `path_no`, where the comment is about footpaths, and `site` of `campsites`
    with a `site_no`. Another column may have one number in many rows: `station_id` of measurements."""
    keys = [name for name in table.key if table.column(name) is not None]
    numbers = _numbered([column.name for column in table.columns])
    own = name_words(table.name)[-1]
    compound = frozenset(noun for noun in numbers if own.endswith(noun) and own != noun)
    nouns = _numbered(keys) if keys else numbers
    if len(keys) > 1 or not nouns:
        return compound
    named = re.split(r"[,;:.(]|\band\b", fold(table.comment or ""))
    kinds = [head[-1] for part in named if (head := comment_head(part.strip()))]
    return compound | {noun for noun in nouns if any(kind.endswith(noun) for kind in kinds)}


def _numbered(names: Sequence[str]) -> frozenset[str]:
    """`path` of `path_no`: what columns number."""
    words = map(name_words, names)
    return frozenset(
        each[0] for each in words if len(each) == 2 and each[1] in _KEY_ENDS and len(each[0]) >= _SHORTEST_KEY
    )


def nouns_of_names(table: Table) -> frozenset[str]:
    """`county` of areas `county_boundaries` with a column `county_name`: the column says what each area is. So does
    “County name” where the table's comment has the word."""
    if table.geometry_family != "polygon":
        return frozenset()
    own, head = name_words(table.name), comment_head(table.comment)
    if _AREAS.isdisjoint((own[-1], *head[-1:])):
        return frozenset()
    found: set[str] = set()
    for column in table.columns if len(own) > 1 else ():
        words, said = name_words(column.name), comment_head(column.comment)
        if column.kind == "text" and len(words) == 2 and words[1] in ("name", "nm"):
            found |= {words[0], *ABBREVIATIONS.get(words[0], ())} if words[0] == own[0] else set()
            found |= {said[0]} if said[1:] == ("name",) and said[0] in head else set()
    return frozenset(found)


_AREAS = frozenset(("boundary", "border", "limit", "outline", "shape", "polygon"))
"""Last words of a table's name, or of its comment's first phrase, that say how areas are kept."""


def says_when(kind: str, comment: str | None, done: str) -> bool:
    """`registered`, of “Date of registration”; `beginning`, of “Planned start”."""
    if kind not in TIMES or not (done.endswith(("ed", "ing")) or are_made("built", done) or done in _BEGAN):
        return False
    said, head = name_words(comment or ""), comment_head(comment)
    of_time = said[:1] in (("date",), ("day",), ("year",), ("time",))
    done = _BEGAN.get(done, done)
    told = said if of_time else head[-1:]
    return any(are_forms(done, each) or are_made(done, each) for each in told)


_BEGAN = {**dict.fromkeys(("began", "begun", "beginning", "commencing", "commenced"), "start"), **dict.fromkeys(
    ("finished", "finishing"), "end"
)}  # fmt: skip
"""Other verbs for the start and the end."""


def says_how_much(kind: str, comment: str | None, done: str) -> bool:
    """`loaded`, of a number “Peak loading, % of rating”."""
    (noun,) = comment_head(comment)[-1:] or ("",)
    return kind in NUMBERS and done.endswith("ed") and noun.endswith("ing") and are_forms(done, noun)


def says_who(kind: str, own: Words, comment: str | None, word: str) -> bool:
    """`operator`, of a text “Operating company”."""
    verb = word[:-2] if kind == "text" and word.endswith(("er", "or")) else ""
    doing = [each for each in (*own, *comment_head(comment)) if each.endswith("ing")]
    return len(verb) > 2 and any(are_forms(each, form) for form in (verb, f"{verb}e") for each in doing)
