"""Which columns some words mean: by name, abbreviation, measure or comment. Words are folded and singular."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache

from agents.domain import Column, Table
from agents.offline.language.lexicon import (
    ABBREVIATIONS,
    FIGURE_NOUNS,
    MEASURE_OF_NOUN,
    MEASURES,
    STATISTICS,
    UNIT_NOUNS,
)
from agents.offline.language.words import fold, name_words, singular, stem, word_set
from agents.units import COLUMN_ENDINGS, UNITS

Words = tuple[str, ...]

MAX_MEANT = 50
"""Where a name means more tables than that, which one is asked before columns matter; those of the others are not
compared."""
UNIT_WORDS = {singular(word) for word in COLUMN_ENDINGS if UNITS[word].dimension != "time"} | {"deg"}
"""Units as words of a column's name. `year` is a measure there."""
DULL = word_set("table data layer feature row column value number name type list of all each one")
_SHORTEST_BEGINNING, _LEAST_CUT = 4, 4
"""Letters of a beginning that is said for all of a word, and of what is cut off: `cities` is not a city."""
_VOWELS = re.compile("[aeiou]")
_NUMBERS = ("integer", "number")
_TIMES = ("integer", "date", "timestamp")
_WHEN = word_set("date day month time year")
_KIND_NOUNS = word_set("status state type kind class category condition")
"""Nouns behind the name of a column of texts that say no more: `protection status`."""
_DOINGS = word_set("ation ion ing ment e al") | {""}
"""Endings of nouns for what is done: `installation` of `installed`, `opening` of `opened`."""
PASSED_OVER = frozenset(("per", "on", "a", "an"))
"""Words in the midst of a column's name that say nothing: `boardings on a weekday`."""
_HEAD_ENDS = word_set("""
    of with in from for by at on per that which where and or as is are to the a an above below over
    under between
""")


def columns_called(tables: Sequence[Table], words: Words) -> list[str]:
    """Names of columns that the words mean: whole name, name without unit, part of it, abbreviation, measure, comment;
    else with words before or behind it that say no more (`tree height`, `nitrate level`).
    """
    described = {
        (column.name, column.kind, column.comment): column
        for table in tables[:MAX_MEANT]
        for column in table.columns
        if column.kind != "geometry"
    }
    columns = list(described.values())
    found = _first(columns, words, _KNOWN)
    if found or len(words) < 2:
        return found
    if words[-1] in FIGURE_NOUNS:
        found = _first([each for each in columns if each.kind in _NUMBERS], words[:-1], _KNOWN)
    if not found and words[-1] in _KIND_NOUNS:
        found = _first([each for each in columns if each.kind == "text"], words[:-1], _KNOWN)
    if not found and words[-1] in _WHEN:
        times = [each for each in columns if each.kind in _TIMES]
        found = _first(times, words[:-1], (_was_done, _is_part_of_name, _shares_stems))
    if not found and words[-1] in UNIT_NOUNS:
        found = _first(columns, words, (_is_measured,))
    found = found or _of_their_tables(tables, words)
    commented = [] if found else [each for each in columns if _is_described(each, words)]
    return [commented[0].name] if len(commented) == 1 else found


def fact_columns(table: Table, words: str) -> list[str]:
    """Columns that hold what the words ask of a row, by their name or the measure that a noun asks for."""
    keys = name_words(words)
    found = columns_called([table], keys) if keys else []
    if not found and len(keys) == 1 and keys[0] in MEASURE_OF_NOUN:
        found = columns_called([table], (MEASURE_OF_NOUN[keys[0]],))
    return found or (measure_columns(table, keys[0]) if len(keys) == 1 else [])


def measure_columns(table: Table, measure: str) -> list[str]:
    """Numeric (or date) columns that hold a measure, in the order of the measure's own words; the best tier only."""
    wanted = (*_NUMBERS, "date", "timestamp") if measure == "time" else _NUMBERS
    columns = [column for column in table.columns if column.kind in wanted and column.name not in table.key]
    for word in MEASURES.get(measure, ()):
        found = [column for column in columns if word in name_words(column.name)]
        if found:
            return _closest(found)
    return []


def contains(name: Words, part: Words) -> bool:
    """Whether the words of `part` follow each other in `name`."""
    size = len(part)
    return any(name[at : at + size] == part for at in range(len(name) - size + 1))


@lru_cache(maxsize=65536)
def comment_head(comment: str | None) -> Words:
    """The words of a comment up to its first preposition: `Airports of the world` -> airport."""
    return tuple(singular(word) for word in head_words(comment))


def head_words(comment: str | None) -> Words:
    """The same as they are written, but for case and accents."""
    head: list[str] = []
    for word in re.findall(r"[^\W_]+|[.,;:(]", fold(comment or ""))[:12]:
        if (word in _HEAD_ENDS or not word[0].isalnum()) and head:
            break
        if word not in _HEAD_ENDS and word[0].isalnum():
            head.append(word)
    return tuple(head)


Fits = Callable[[Column, Words], bool]


def _first(columns: Sequence[Column], words: Words, tiers: Sequence[Fits]) -> list[str]:
    """The columns of the first tier that has any."""
    for fits in tiers:
        found = [column for column in columns if fits(column, words)]
        if found and words[-1] in _CODES:
            found += [each for each in columns if each not in found and _is_in_comment(each, words)]
        if found:
            return _closest(found)
    return []


_CODES = word_set("code number id")
"""What several columns of a row may hold: `code` is that of an airport rather than `country_code`."""


def _of_their_tables(tables: Sequence[Table], words: Words) -> list[str]:
    """`road class` of road segments: the noun of the table, then a column of it."""
    found: list[str] = []
    for table in tables[:MAX_MEANT]:
        noun = set(name_words(table.name))
        length = next((at for at, word in enumerate(words) if word not in noun), len(words))
        if 0 < length < len(words):
            columns = [column for column in table.columns if column.kind != "geometry"]
            found += _first(columns, words[length:], _KNOWN)
    return list(dict.fromkeys(found))


def _closest(columns: Sequence[Column]) -> list[str]:
    """Those whose names say least besides: `population` before `population_density`."""
    lengths = {column.name: len(_bare(column)) for column in columns}
    return list(
        dict.fromkeys(column.name for column in columns if lengths[column.name] == min(lengths.values()))
    )


def _bare(column: Column) -> Words:
    return tuple(word for word in name_words(column.name) if word not in UNIT_WORDS)


def _is_name(column: Column, words: Words) -> bool:
    return name_words(column.name) == words


def _is_name_without_unit(column: Column, words: Words) -> bool:
    name = name_words(column.name)
    return len(name) > 1 and name[-1] in UNIT_WORDS and name[:-1] == words


def _is_part_of_name(column: Column, words: Words) -> bool:
    return contains(name_words(column.name), words) and words[0] not in UNIT_WORDS


def _is_abbreviated(column: Column, words: Words) -> bool:
    """`median income` for `med_income_usd`, `well number` for `well_no`, `share of renters` for `pct_renters`,
    `weekday boardings` for `board_wd`."""
    *name, last = name_words(column.name)
    name = name if name and last in UNIT_WORDS else [*name, last]
    words = (*(word for word in words[:-1] if word != "of" and word not in PASSED_OVER), words[-1])
    orders = (words, words[::-1]) if len(words) == 2 else (words,)
    return len(name) == len(words) and any(
        all(word == own or is_short_for(own, word) for own, word in zip(name, order, strict=True))
        for order in orders
    )


def is_short_for(short: str, word: str) -> bool:
    """Whether a word of a name is short for a word: one of those that are known, its beginning (`precip`), or its
    consonants (`dpth`)."""
    if short in ABBREVIATIONS:
        return word in ABBREVIATIONS[short]
    begins = (
        len(short) >= _SHORTEST_BEGINNING and len(word) >= len(short) + _LEAST_CUT and word.startswith(short)
    )
    return begins or (len(short) > 2 and short == word[:1] + _VOWELS.sub("", word[1:]) != word)


def _is_measure(column: Column, words: Words) -> bool:
    if len(words) != 1 or column.kind not in (*_NUMBERS, "date", "timestamp"):
        return False
    measure = MEASURE_OF_NOUN.get(words[0])
    return measure is not None and any(word in name_words(column.name) for word in MEASURES[measure])


def _is_in_comment(column: Column, words: Words) -> bool:
    if len(words[0]) < 3 or words[0] in DULL:
        return False
    if "of" in words:  # `kind of land use`
        return name_words(column.comment or "")[: len(words)] == words
    return contains(comment_head(column.comment), words)


@lru_cache(maxsize=65536)
def _comment_words(comment: str | None) -> frozenset[str]:
    """Those before its first sign, behind which are examples: `IATA code of three letters, for example FRA`."""
    return frozenset(name_words(re.split(r"[;:,.(=]", comment or "", maxsplit=1)[0]))


def _is_described(column: Column, words: Words) -> bool:
    """`weekday boardings`, `boardings on a weekday`: words that are all in the comment or the name."""
    said = set(words) - PASSED_OVER
    if {words[0], words[-1]} & PASSED_OVER or said & {*DULL, *STATISTICS, *_HEAD_ENDS}:
        return False
    telling = all(len(word) > 2 for word in said - UNIT_WORDS)
    return telling and said <= {*_comment_words(column.comment), *name_words(column.name)}


def _ends_abbreviated(column: Column, words: Words) -> bool:
    """`name` for `stop_nm`."""
    last = name_words(column.name)[-1]
    return len(words) == 1 and last != "cd" and words[0] in ABBREVIATIONS.get(last, ())


def _is_written_together(column: Column, words: Words) -> bool:
    """`time zone` for `timezone`."""
    return len(words) > 1 and "".join(words) in name_words(column.name)


def _is_measured(column: Column, words: Words) -> bool:
    """`trunk diameter` for `trunk_cm`: the name without its unit, then a noun of what is measured in such units."""
    *name, unit = name_words(column.name)
    measured = UNITS.get(unit)
    fits = measured is not None and measured.dimension == UNIT_NOUNS[words[-1]]
    return fits and tuple(name) == words[:-1]


def _shares_stems(column: Column, words: Words) -> bool:
    """`last inspection` for `last_inspected`, `protected` for `protection`."""
    own = _bare(column)
    alone = len(own) == 1 and column.kind in (
        *_NUMBERS,
        "date",
        "timestamp",
    )  # `installation` is not when it was
    return not alone and len(own) == len(words) and all(map(_is_related, own, words))


def _tells_when_done(column: Column, words: Words) -> bool:
    """`surveyed` for `last_survey`."""
    timed = column.kind in ("date", "timestamp") and len(words) == 1 and words[0].endswith("ed")
    own = name_words(column.name)
    return timed and (stem(words[0]) in map(stem, own) or any(is_short_for(each, words[0]) for each in own))


def _is_related(own: str, word: str) -> bool:
    return any(each == word or stem(each) == stem(word) for each in (own, *ABBREVIATIONS.get(own, ())))


def _was_done(column: Column, words: Words) -> bool:
    """`installation year` for `installed`, `adoption date` for `adopted_on`."""
    done, noun = name_words(column.name)[0], words[-1]
    stem = done.removesuffix("ed")
    return len(words) == 1 and stem != done and noun.startswith(stem) and noun[len(stem) :] in _DOINGS


_KNOWN: tuple[Fits, ...] = (
    _is_name, _is_name_without_unit, _is_part_of_name, _is_abbreviated, _is_written_together, _is_measure,
    _is_in_comment, _shares_stems, _tells_when_done, _ends_abbreviated,
)  # fmt: skip


YES, NO = frozenset(("yes", "y", "true")), frozenset(("no", "n", "false"))


def is_flag(column: Column) -> bool:
    """Whether `with emergency` asks for yes, and not for any value."""
    samples = {sample.casefold() for sample in column.samples}
    return column.kind == "boolean" or (column.kind == "text" and bool(samples) and samples <= YES | NO)


def flag_value(column: Column, wanted: bool) -> bool | str | None:
    """Yes or no as the column stores it; None where no row has it."""
    if column.kind == "boolean":
        return wanted
    return next((each for each in column.samples if each.casefold() in (YES if wanted else NO)), None)


_OPPOSITES = {"closed": "open", "shut": "open", "inactive": "active"}


def flag_words(column: Column) -> tuple[str, ...]:
    """`open` of `is_open`."""
    words = name_words(column.name)
    return words[1:] if words[:1] == ("is",) else words


def without_negation(text: str) -> tuple[str, ...]:
    """`lit` of `unlit`, `in operation` of `out of operation`; nothing where nothing is denied."""
    if fold(text) in _OPPOSITES:
        return (_OPPOSITES[fold(text)],)
    for denial, before in (("out of ", "in "), ("un", ""), ("non-", ""), ("not ", "")):
        if fold(text).startswith(denial):
            return name_words(f"{before}{fold(text).removeprefix(denial)}")
    return ()
