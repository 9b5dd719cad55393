"""Which columns some words mean: by name, abbreviation, measure or comment. Words are folded and singular."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType

from agents.domain import Column, Table
from agents.offline.language.lexicon import (
    ABBREVIATIONS,
    FIGURE_NOUNS,
    MEASURE_OF_NOUN,
    MEASURES,
    STATISTICS,
    things_called,
)
from agents.offline.language.name_costs import (
    NUMBERS,
    PASSED_OVER,
    TIMES,
    UNIT_WORDS,
    begins_word,
    cost_of_name,
    may_have_initials,
    says_how_much,
    says_when,
    says_who,
    says_year,
    word_cost,
    years_in,
)
from agents.offline.language.words import (
    HEAD_ENDS,
    Words,
    are_forms,
    comment_head,
    name_words,
    phrases_for_rows,
    second_noun,
    without_origin,
    word_set,
)

MAX_MEANT = 50
"""Where a name means more tables than that, which one is asked before columns matter; those of the others are not
compared."""
DULL = word_set("table data layer feature row column value number name type list of all each one")
_WHEN = word_set("date day month time year")
KIND_NOUNS = word_set("status state type kind class category condition")
"""Nouns behind the name of a column of texts that say no more: `protection status`."""
_FLAG_NOUNS = word_set("department service facility unit info information")
"""Nouns behind the name of a column of yes and no: `with an emergency department`."""
_SHORT_CODE = 4
"""Letters of the name of a column that is short for a kind of code."""
_LEADING = word_set("amount concentration date level rate year")
"""Those that may stand before it: `amount paid`, `year of construction`."""
_KINDS = word_set("""
    type kind class classification category species genus use usage nature crop cover amenity shop highway subtype sort
    purpose mode breed model product cause role brand chain
""")
"""What columns are called that say what kind of thing a row is."""
_WITHIN = word_set("at during from for the")
"""Words that say nothing between words of a comment: `level at night`."""
SURE_BEGINNING = 4
"""Letters of a beginning that need no comment with the whole word."""
_NUMBERING = word_set("no nr num number id code cd")
_CODES = word_set("code number id")
"""What several columns of a row may hold: `code` is that of an airport rather than `country_code`."""
_SHARES = tuple((word,) for word in ABBREVIATIONS["pct"])
"""Say alone no more than the unit of a column."""
_RATES = frozenset(("ratio", "rate", "share", "percentage", "density", "index"))
_GROUP_SIZES = frozenset((each, "size") for each in ("group", "flock", "herd", "pack"))
"""The number of individuals."""
_PLANNED = word_set("next due planned scheduled expiry expire expires deadline")
ENDED = word_set("""
    close closed complete completed resolve resolved settle settled end ended finish finished restored repaired reopened
    clear cleared remove removed treat treated answered until
""")
"""In the names of dates on which what began on another one ended."""
_RECORDED = word_set("""
    create created load loaded update updated modify modified edit edited insert inserted import imported enter entered
    record recorded change changed
""")
"""In the names of dates of a row of the table, and not of what it tells of."""
_WHOSE = word_set("the their its")
_PRICES, _CURRENCIES = word_set("price cost"), word_set("eur usd gbp chf")
_SAY_NO_MORE = PASSED_OVER | _WITHIN | FIGURE_NOUNS | KIND_NOUNS | _FLAG_NOUNS | _WHEN | _LEADING | _WHOSE
_SAY_NO_MORE |= {"name", "code", "number"}
"""All words that may stand beside those that mean a column."""
SAME_COMMENT, AS_MEASURE, IN_COMMENT, DESCRIBED = 0.4, 2.0, 2.5, 3.5
"""Costs: of words that are a comment or its beginning up to the first preposition, of a noun for a measure, of words in
a row there, and of words that are somewhere in a comment or the name."""
NOTHING_NEW = 0.75
"""Added for a noun that says no more."""


def columns_called(
    tables: Sequence[Table], words: Words, fits: Callable[[Column], bool] = lambda _: True
) -> list[str]:
    """Names of the columns that the words mean at the least cost: by their names, however short these are, by a
    measure, or by their comments. Several where they mean them equally well; of descriptions none then. `fits`: which
    columns may be meant at all. `traffic in 2023` is the column of that year.
    """
    if len(words) > 2 and says_year(words[-2:]):
        found = [name for name in columns_called(tables, words[:-2], fits) if words[-1] in years_in(name)]
        return found or columns_called(tables, (*words[:-2], words[-1]), fits)
    costs = _costs(tables, ("individual",) if words in _GROUP_SIZES else words, fits)
    if not costs or min(costs.values()) >= NOTHING_NEW:
        # `road class` of roads is the column `class` rather than `road_name`
        after = _costs(tables, words, fits, after_noun=True)
        costs = {**after, **costs} if not costs or min(after.values(), default=1.0) > 0 else after
    least = min(costs.values(), default=0.0)
    found = [name for name, cost in costs.items() if cost == least]
    if least >= DESCRIBED and len(found) > 1:
        return []
    if found and words[-1] in _CODES:
        found += [
            each.name
            for table in tables[:MAX_MEANT]
            for each in table.columns
            if each.name not in found and _is_in_comment(each.comment, words)
        ]
    return found


def _costs(
    tables: Sequence[Table], words: Words, fits: Callable[[Column], bool], *, after_noun: bool = False
) -> dict[str, float]:
    """What it costs to take the words for each column that they may mean. `after_noun`: the noun of its table goes
    before the name, as in `road class`."""
    costs: dict[str, float] = {}
    for table in tables[:MAX_MEANT]:
        noun: frozenset[str] = frozenset()
        if after_noun:
            noun = _words_of_rows(table.name, table.comment) - _columns_of_a_word(table)
        begin = next((at for at, word in enumerate(words) if not _is_one_of(word, noun)), len(words))
        if begin == len(words) or (after_noun and not begin):
            continue
        for column in table.columns:
            said, comment = _as_money(column.name, words[begin:]), without_origin(column.comment)
            if column.kind != "geometry" and _may_mean(column.name, comment, said) and fits(column):
                cost = _cost(column.name, column.kind, comment, said)
                if cost is not None and cost < costs.get(column.name, cost + 1):
                    costs[column.name] = cost
    return costs


def _is_one_of(word: str, nouns: frozenset[str]) -> bool:
    """`sampling`, of samples: `sampling lab` is their `lab`."""
    return word in nouns or any(are_forms(word, each) for each in nouns)


def _as_money(name: str, words: Words) -> Words:
    """`eur per m2` for `price per m2`, of a column `eur_per_m2`."""
    own = name_words(name)
    is_price = words[0] in _PRICES and own[:1] and own[0] in _CURRENCIES and own[1:2] == ("per",)
    return (own[0], *words[1:]) if is_price else words


def _may_mean(name: str, comment: str | None, words: Words) -> bool:
    """Whether `_cost` has to look at a column: every one of several words has to do with it."""
    if len(words) == 1:
        return True
    for word in words:
        if not _has_to_do(name, comment, word):
            return may_have_initials(name, words)
    return True


@lru_cache(maxsize=65536)
def _has_to_do(name: str, comment: str | None, word: str) -> bool:
    """Whether a word may be one of several that mean a column."""
    own, known = name_words(name), _comment_words(comment)
    return (
        word in _SAY_NO_MORE
        or any(word in each or word_cost(each, word, several=True) is not None for each in own)
        or word in name_words(comment or "")
        or any(are_forms(word, each) for each in known)
    )


@lru_cache(maxsize=32768)
def _cost(name: str, kind: str, comment: str | None, words: Words) -> float | None:
    """What it costs to take the words for a column; None where they do not mean it."""
    costs = [
        cost + added
        for said, added in _without_dull_noun(name, kind, words)
        if (cost := cost_of_name(name, kind, said, when=words[-1] in _WHEN)) is not None
        and not _is_other_word(name, comment, said)
    ]
    measure = MEASURE_OF_NOUN.get(words[0]) if len(words) == 1 else None
    own = name_words(name)
    if measure is not None and kind not in ("text", "boolean") and not set(own).isdisjoint(MEASURES[measure]):
        costs.append(AS_MEASURE + 0.1 * len(_bare(own)))
    if _is_in_comment(comment, words) or _is_kind_of(comment, words):
        head = comment_head(comment)
        whole = words in (head, name_words(comment or "")) or head == (*words, "name")
        costs.append((SAME_COMMENT if whole else IN_COMMENT) + 0.1 * len(_bare(own)))
    elif (not costs and len(words) > 1 and _is_described(own, comment, words)) or (
        not costs
        and len(words) == 1
        and (
            says_when(kind, comment, *words)
            or says_who(kind, own, comment, *words)
            or says_how_much(kind, comment, *words)
        )
    ):
        costs.append(DESCRIBED)
    return min(costs, default=None)


def _without_dull_noun(name: str, kind: str, words: Words) -> Iterator[tuple[Words, float]]:
    """The words, and the words without a noun before or behind them that says no more of a column of this kind."""
    yield words, 0.0
    dull = FIGURE_NOUNS if kind in NUMBERS else KIND_NOUNS | _FLAG_NOUNS if kind == "text" else frozenset()
    dull |= _FLAG_NOUNS if kind == "boolean" else frozenset()
    dull |= _WHEN if kind in TIMES else frozenset()
    if len(words) > 1 and (words[-1] in dull or _is_code(name, kind, words[-1])):
        yield words[:-1], NOTHING_NEW
    if len(words) > 1 and words[0] in dull & _LEADING:
        yield words[2:] if words[1] == "of" else words[1:], NOTHING_NEW
    if kind == "text" and len(words) > 2 and words[1] == "of" and words[0] in KIND_NOUNS | {"name"}:
        yield words[2 + (words[2] in _WHOSE) :], NOTHING_NEW


def _is_code(name: str, kind: str, noun: str) -> bool:
    """`IATA code` of `iata`, `phone number` of `phone`."""
    is_short = noun == "code" and len(name) <= _SHORT_CODE
    return kind == "text" and (is_short or (noun == "number" and len(name_words(name)) == 1))


def fact_columns(table: Table, words: str) -> list[str]:
    """Columns that hold what the words ask of a row, by their name or the measure that a noun asks for."""
    keys = name_words(words)
    found = columns_called([table], keys) if keys else []
    if not found and len(keys) == 1 and keys[0] in MEASURE_OF_NOUN:
        found = columns_called([table], (MEASURE_OF_NOUN[keys[0]],))
    return found or (measure_columns(table, keys[0]) if len(keys) == 1 else [])


def measure_columns(table: Table, measure: str) -> list[str]:
    """Numeric (or date) columns that hold a measure, in the order of the measure's own words; the best tier only."""
    wanted = (*NUMBERS, "date", "timestamp") if measure == "time" else NUMBERS
    columns = [column for column in table.columns if column.kind in wanted and column.name not in table.key]
    columns = [column for column in columns if measure != "old" or not tells_of_last(column)]
    for word in MEASURES.get(measure, ()):
        found = [column for column in columns if word in spelt_out(column.name)]
        if found:
            lengths = [len(_bare(name_words(column.name))) for column in found]
            return [each.name for each, length in zip(found, lengths, strict=True) if length == min(lengths)]
    words = () if measure == "time" else MEASURES.get(measure, ())
    described = ([c.name for c in columns if word in comment_head(c.comment)[-1:]] for word in words)
    return next(filter(None, described), [])


@lru_cache(maxsize=65536)
def spelt_out(name: str) -> frozenset[str]:
    """The words of a name, and what they are short for."""
    return frozenset(word for own in name_words(name) for word in (own, *ABBREVIATIONS.get(own, ())))


def tells_of_last(column: Column) -> bool:
    """Whether it tells when something was done last: the year of the last inspection is no age."""
    return "last" in (*name_words(column.name), *name_words(column.comment or ""))


def _bare(own: Words) -> Words:
    return tuple(word for word in own if word not in UNIT_WORDS)


def times_of(table: Table) -> list[Column]:
    """The columns of dates or times of which one is meant where none is named: `claims in 2020` had their loss then, if
    the others tell when a claim was `closed`. When a row was recorded tells of no thing, and when something is due next
    is no time at which it was."""
    times = [column for column in table.columns if column.kind in ("date", "timestamp")]
    times = [column for column in times if not _PLANNED & set(name_words(column.name))] or times
    begun = [each for each in times if not ENDED & {*name_words(each.name), *_comment_words(each.comment)}]
    is_sure = len(begun) == 1 and not _RECORDED & set(name_words(begun[0].name))
    return begun if is_sure else times


def contains(name: Words, part: Words) -> bool:
    """Whether the words of `part` follow each other in `name`."""
    size = len(part)
    return any(name[at : at + size] == part for at in range(len(name) - size + 1))


def _is_in_comment(comment: str | None, words: Words) -> bool:
    if not comment or min(len(words[0]), len(words[-1]) + 1) < 3 or words[0] in DULL or words in _SHARES:
        return False
    if not HEAD_ENDS.isdisjoint(words):  # `kind of land use`, `species at risk`
        begins = name_words(comment)[: len(words)] == words and words[-1] not in HEAD_ENDS
        return begins or _telling(words) in _clauses(comment)
    head = comment_head(comment)
    if words[-1] in MEASURE_OF_NOUN and not _RATES.isdisjoint(set(head[-1:]) - {words[-1]}):
        return False  # `area` of “Floor area ratio”
    return contains(head, words) or words in _clauses(comment)


@lru_cache(maxsize=65536)
def _clauses(comment: str | None) -> frozenset[Words]:
    """What a comment says between commas (`vehicles per day`), or in parentheses at its end (`species richness`)."""
    said = re.split(r"[;:.(=]", comment or "", maxsplit=1)[0].split(",")
    again = re.search(r"\(((?:[^\W\d_]+ )+[^\W\d_]+)\)$", comment or "")
    said += [again[1]] if again is not None and HEAD_ENDS.isdisjoint(again[1].split()) else []
    return frozenset(words for each in said if len(words := _telling(name_words(each))) > 1)


def _is_kind_of(comment: str | None, words: Words) -> bool:
    """`settlement type`, `road condition`: of “Kind of settlement: urban or rural” and “Condition of the road”;
    `species`, of “Common name of the species”."""
    said = [word for word in name_words(re.split(r"[;:,.(=]", comment or "", maxsplit=1)[0]) if word != "the"]
    is_kind = words[-1] in KIND_NOUNS and bool(said) and said[0] in KIND_NOUNS
    return (is_kind and said[1:] == ["of", *words[:-1]]) or said[1:] == ["name", "of", *words]


def _telling(words: Words) -> Words:
    return tuple(word for word in words if word not in PASSED_OVER)


def _columns_of_a_word(table: Table) -> frozenset[str]:
    """A noun of the rows that is a column, too, is that column: `dwellings` of building permits."""
    names = (name_words(column.name) for column in table.columns)
    return frozenset(words[0] for words in names if len(words) == 1)


@lru_cache(maxsize=65536)
def _words_of_rows(name: str, comment: str | None) -> frozenset[str]:
    """Words that say of a column no more than whose it is: `road class`, `survey hours` of survey squares."""
    own = spelt_out(name)
    phrases = (*phrases_for_rows(comment), second_noun(comment))
    return own.union(*map(things_called, own), *map(name_words, phrases))


@lru_cache(maxsize=65536)
def _comment_words(comment: str | None) -> frozenset[str]:
    """Those before its first sign, behind which are examples: `IATA code of three letters, for example FRA`."""
    return frozenset(name_words(re.split(r"[;:,.(=]", comment or "", maxsplit=1)[0]))


def says_of_column(table: Table, name: str, words: Words) -> bool:
    """Whether all words are in the name or comment of a column, or say whose it is: `road surface` of `surf_cond`."""
    column, of_rows = table.column(name), _words_of_rows(table.name, table.comment)
    return column is not None and set(words) <= of_rows | spelt_out(name) | _comment_words(column.comment)


def _is_other_word(name: str, comment: str | None, words: Words) -> bool:
    """Whether a word only begins as one of the name does, and the comment says what that is short for: `turbulence` of
    `turb_ntu`, “Turbidity in NTU”."""
    own, said = name_words(name), name_words(comment or "")
    cut = [(short, word) for word in set(words).difference(own) for short in own if begins_word(short, word)]
    return bool(said) and any(
        not any(are_forms(word, each) for each in said)
        and (len(short) < SURE_BEGINNING or any(each.startswith(short) for each in said))
        for short, word in cut
    )


def is_key_name(name: str) -> bool:
    """Whether a column numbers the rows: `plan_no`."""
    return not _NUMBERING.isdisjoint(name_words(name))


def _is_described(own: Words, comment: str | None, words: Words) -> bool:
    """`weekday boardings`, `boardings on a weekday`: words that are all in the comment or the name."""
    said = set(words) - PASSED_OVER - _WITHIN
    if {words[0], words[-1]} & (PASSED_OVER | _WITHIN) or said & {*DULL, *STATISTICS, *HEAD_ENDS}:
        return False
    telling = all(len(word) > 2 for word in said - UNIT_WORDS)
    known = _comment_words(comment)
    return (
        telling and bool(said & known)
        and all(
            word in known
            or any(word_cost(each, word) is not None for each in own)
            or any(are_forms(each, word) for each in known)
            for word in said
        )
    )  # fmt: skip


@lru_cache(maxsize=65536)
def codes_explained(comment: str | None) -> Mapping[Words, str]:
    """The values that a comment explains, by their words there: `VCP` of “PVC, VCP = vitrified clay”, `DI` of
    “Material: DI ductile iron”."""
    ends = r"(?= or | and |[,;.()=/]|$)"
    found = re.findall(rf"\b([A-Z0-9]+) ?(?:=|\((?=[a-z])) ?([^,;.()=/]+?){ends}", comment or "")
    found += re.findall(rf"[:,;] ?([A-Z]{{1,5}}) ([a-z][a-z -]+?){ends}", comment or "")
    return MappingProxyType({name_words(words): code for code, words in found if name_words(words)})


def tells_kind(table: Table, name: str, value: str = "") -> bool:
    """Whether a value of a column can stand for its rows: `oaks` of `species`, but not `rivers` of `habitat`; or words
    of the table itself (`bridleways` of “Footpaths and bridleways”)."""
    column = table.column(name)
    said = spelt_out(name).union(name_words(column.comment or "") if column is not None else ())
    own = spelt_out(table.name).union(name_words(table.comment or ""))
    return bool(_KINDS & said) or (value != "" and set(name_words(value)) <= own)
