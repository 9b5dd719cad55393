"""Finds the columns that words mean: by name, abbreviation, measure or comment. Words are folded and singular."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache

from agents.domain import Column, Table
from agents.offline.language.lexicon import (
    ABBREVIATIONS,
    COUNTED_ALIKE,
    FIGURE_NOUNS,
    MEASURE_OF_NOUN,
    MEASURES,
    STATISTICS,
    spelt_out,
    synonyms_of,
)
from agents.offline.language.names.actions import dates_action, measures_action, names_agent
from agents.offline.language.names.comments import (
    DULL,
    HEAD_ENDS,
    PASSED_OVER,
    PERIODS,
    clause_of,
    clauses_of,
    columns_in_unit,
    comment_head,
    comment_words,
    counted_in,
    phrases_for_rows,
    second_noun,
    with_synonyms,
    wordings,
)
from agents.offline.language.names.compared import KeptComparisons
from agents.offline.language.names.costs import (
    NUMBERS,
    PER_CURRENCY,
    TIMES,
    UNIT_WORDS,
    UNITS_IN_FULL,
    begins_word,
    cost_of_name,
    names_year,
    word_cost,
    years_in,
)
from agents.offline.language.names.dates import records_last_time, times_of
from agents.offline.language.names.measured import distances_to
from agents.offline.language.names.periods import (
    counts_years,
    of_people_aged,
    of_year_in_comment,
    per,
    without_period,
)
from agents.offline.language.names.species import columns_for_species
from agents.offline.language.words import Words, are_forms, name_words, word_set

MAX_MEANT = 50
"""With more tables than this, the table is asked for before columns are compared."""
_WHEN = word_set("date day month time year")
KIND_NOUNS = word_set("status state type kind class category condition")
"""Nouns without meaning after the name of a text column: `protection status`."""
_FLAG_NOUNS = word_set("department service facility unit info information")  # `with an emergency department`
_DULL = dict.fromkeys(NUMBERS, FIGURE_NOUNS) | {"text": KIND_NOUNS | _FLAG_NOUNS, "boolean": _FLAG_NOUNS}
_SHORT_CODE = 4  # maximum length of a column name that abbreviates a kind of code
_LEADING = word_set("amount concentration date level rate year")
"""Of these nouns, those that may come first: `amount paid`, `year of construction`."""
_WITHIN = word_set("at during from for the")  # ignored inside a comment: `level at night`
SURE_BEGINNING = 4  # length of an abbreviation that is accepted even if the comment lacks the full word
_CODES = word_set("code number id")  # several columns may share these: `code` is not `country_code` then
_SHARES = tuple((word,) for word in ABBREVIATIONS["pct"])  # alone, only the unit of a column
_RATES = frozenset(("ratio", "rate", "share", "percentage", "density", "index"))
_GROUP_SIZES = frozenset((each, "size") for each in ("group", "flock", "herd", "pack"))  # of individuals
_SOME_PEOPLE = re.compile(r"(?i)(?:number of )?(?:people|persons|residents|inhabitants) [^\W\d]+ed\b")
_VERBS, _WHOSE = word_set("has have had is are was were do does did"), word_set("the their its")
_NEUTRAL_WORDS = PASSED_OVER | _WITHIN | FIGURE_NOUNS | KIND_NOUNS | _FLAG_NOUNS | _WHEN | _LEADING | _WHOSE
_NEUTRAL_WORDS |= {"name", "code", "number", "land", "size", *UNITS_IN_FULL}
"""All words that may stand beside those that mean a column."""
SAME_COMMENT, AS_MEASURE, IN_COMMENT, DESCRIBED = 0.4, 2.0, 2.5, 3.5
"""Costs of a match: with a whole comment or its head, by a measure noun, with a phrase of a comment, with single
words."""
NOTHING_NEW = 0.75  # added for a noun without meaning
OF_WHOLE = 2.5  # added for what a share is of: `pupils` of “% of pupils who walk”
_TO_OTHERS = re.compile(r"(?i)^[\w -]+ to\b")
"""“Deer to be culled” are not all deer, nor is “Depth to water” any depth."""
_SHARE_OF = re.compile(r"(?i)(?:%|percent(?:age)?|share|proportion) of\b")


def columns_called(
    tables: Sequence[Table], words: Words, fits: Callable[[Column], bool] | None = None
) -> list[str]:
    """Names of the columns that match the words best: by name, measure or comment.

    Several if they match equally well; none if these are mere descriptions. `fits` excludes columns. `traffic in
    2023` is the column of that year.
    """
    if set(words) <= _VERBS:
        return []  # `which has the most pupils` does not group by `has_camera`
    few = tables[:MAX_MEANT]
    if found := columns_in_unit(few, words) or columns_for_species(few, words) or of_people_aged(few, words):
        return found
    if of_year := of_year_in_comment(few, words, lambda rest: columns_called(tables, rest, fits)):
        return of_year
    if len(words) > 2 and names_year(words[-2:]):
        found = [name for name in columns_called(tables, words[:-2], fits) if words[-1] in years_in(name)]
        return found or columns_called(tables, (*words[:-2], words[-1]), fits)
    costs = _costs(tables, ("individual",) if words in _GROUP_SIZES else words, fits)
    figure, period = without_period(words)
    if period and not costs:
        return columns_called(tables, figure, per(period, fits))
    if not costs or min(costs.values()) >= NOTHING_NEW:
        # `road class` of roads means `class`, not `road_name`
        after = _costs(tables, words, fits, after_noun=True)
        costs = {**after, **costs} if not costs or min(after.values(), default=1.0) > 0 else after
    least = min(costs.values(), default=0.0)
    found = [name for name, cost in costs.items() if cost == least]
    if least >= DESCRIBED and len(found) > 1:
        return []
    found = found or distances_to(few, words)
    if not found and words in _DATED:
        times = [[each for each in times_of(table) if fits is None or fits(each)] for table in few]
        found = list(dict.fromkeys(own[0].name for own in times if len(own) == 1))
    if found and words[-1] in _CODES:
        found += [
            each.name
            for table in tables[:MAX_MEANT]
            for each in table.columns
            if each.name not in found and _is_in_comment(each.comment, words)
        ]
    return found


_DATED = (("date",), ("time",))
"""Nouns for the only time of the rows, however its column is called."""


def _costs(
    tables: Sequence[Table], words: Words, fits: Callable[[Column], bool] | None, *, after_noun: bool = False
) -> dict[str, float]:
    """The cost of each matching column. `after_noun`: the table's noun comes first: `road class`."""
    costs: dict[str, float] = {}
    for table in tables[:MAX_MEANT]:
        begin = _after_noun(table, words) if after_noun else 0
        if begin == len(words) or (after_noun and not begin):
            continue
        for name, cost in _compared.of(table.columns).costs(words[begin:]).items():
            own = table.column(name)
            if own is not None and cost < costs.get(name, cost + 1) and (fits is None or fits(own)):
                costs[name] = cost
    return costs


def _after_noun(table: Table, words: Words) -> int:
    """The position after the words that only name the rows of the table."""
    noun = _words_only_of_rows(table.name, table.comment, _compared.of(table.columns).single_words)
    at = 0
    while at < len(words) and _is_one_of(words[at], noun):
        at += 1
    return at


@lru_cache(maxsize=32768)
def _is_one_of(word: str, nouns: frozenset[str]) -> bool:
    """Whether a word is a form of one of the nouns: `sampling lab` of samples is their `lab`."""
    return word in nouns or any(are_forms(word, each) for each in nouns)


def _as_money(name: str, words: Words) -> Words:
    """The words with a currency for the price noun: `price per m2` for `eur_per_m2`."""
    own = name_words(name)
    return (own[0], *words[1:]) if words[0] in ("price", "cost") and own[:2] in PER_CURRENCY else words


@lru_cache(maxsize=65536)
def _is_related(name: str, comment: str | None, word: str) -> bool:
    """Whether a word, beside others, can refer to a column."""
    own, known = name_words(name), comment_words(comment)
    return (
        word in _NEUTRAL_WORDS
        or any(word in each or word_cost(each, word, several=True) is not None for each in own)
        or word in name_words(comment or "")
        or any(are_forms(word, each) or each in ABBREVIATIONS.get(word, ()) for each in known)
        or (word in COUNTED_ALIKE and not known.isdisjoint(synonyms_of(word)))
        or names_agent("text", own, None, word)
    )


@lru_cache(maxsize=32768)
def _cost(name: str, kind: str, comment: str | None, words: Words) -> float | None:
    """The cost of matching a column with the words; None if they do not match."""
    costs = [
        cost + added
        for part, added in _without_dull_noun(name, kind, words)
        if (cost := cost_of_name(name, kind, part, when=words[-1] in _WHEN)) is not None
        and not _is_other_word(name, comment, part)
    ]
    measure = MEASURE_OF_NOUN.get(words[0]) if len(words) == 1 else None
    own = name_words(name)
    is_acres = measure == "area" and own in _AREA_UNITS
    is_measured = is_acres or (
        measure is not None and bool({*own, counted_in(comment)} & {*MEASURES[measure]})
    )
    if is_measured and kind not in ("text", "boolean"):
        costs.append(AS_MEASURE + 0.1 * len(_without_units(own)))
    called = with_synonyms(words) if kind in NUMBERS else (words,)
    said = next((w for w in called if _is_in_comment(comment, w) or _is_kind_of(comment, w)), None)
    head = comment_head(comment)
    if said is None and kind == "text" and head and words == (*head, words[-1]) and words[-1] in KIND_NOUNS:
        said = head  # `ownership type` of “Ownership: private, state”
    if said is not None:
        whole = said == name_words(comment or "") or head in (said, (*said, "name"), ("total", *said))
        whole |= kind == "text" and head[:-1] == said and head[-1] in KIND_NOUNS  # `object` of “Object type”
        whole = whole and ("to" in said or not _TO_OTHERS.search(comment or ""))
        other = 0.0 if said == words else NOTHING_NEW
        other += OF_WHOLE if _SHARE_OF.match(comment or "") else 0.0
        costs.append((SAME_COMMENT if whole else IN_COMMENT) + 0.1 * len(_without_units(own)) + other)
    elif _SHARE_OF.match(comment or "") and "of" in words and _RATES.isdisjoint(words):
        return min(costs, default=None)  # `pupils of schools` does not mean “% of pupils who walk to school”
    elif (not costs and len(words) > 1 and _is_described(own, comment, words)) or (
        not costs
        and len(words) == 1
        and (
            dates_action(kind, comment, *words)
            or names_agent(kind, own, comment, *words)
            or measures_action(kind, comment, *words)
        )
    ):
        costs.append(DESCRIBED)
    return min(costs, default=None)


def _cost_in_words(name: str, kind: str, comment: str | None, words: Words) -> float | None:
    return _cost(name, kind, comment, _as_money(name, words))


_compared = KeptComparisons(_is_related, _cost_in_words)


def _without_dull_noun(name: str, kind: str, words: Words) -> Iterator[tuple[Words, float]]:
    """The words, and the words without leading or trailing nouns that add nothing for this kind of column; but a key
    is no figure: `school level` is not `sch_id`."""
    yield words, 0.0
    dull = frozenset[str]() if name_words(name)[-1:] == ("id",) else _DULL.get(kind, frozenset())
    dull |= {"size"} if kind in NUMBERS and name_words(name) == words[:-1] else frozenset()  # `clutch size`
    dull |= _WHEN if kind in TIMES else frozenset()
    if len(words) > 1 and (words[-1] in dull or _restates_content(name, kind, words[-1])):
        yield words[:-1], NOTHING_NEW
    if len(words) > 1 and (words[0] in dull & _LEADING or words == ("land", "area")):
        yield words[2:] if words[1] == "of" else words[1:], NOTHING_NEW
    if kind == "text" and len(words) > 2 and words[1] == "of" and words[0] in KIND_NOUNS | {"name"}:
        yield words[2 + (words[2] in _WHOSE) :], NOTHING_NEW


def _restates_content(name: str, kind: str, noun: str) -> bool:
    """Whether the noun only restates what a column holds: `IATA code` for `iata`, `phone number` for `phone`."""
    is_short = noun == "code" and len(name) <= _SHORT_CODE
    return kind == "text" and (is_short or (noun == "number" and len(name_words(name)) == 1))


def fact_columns(table: Table, words: str) -> list[str]:
    """Columns that hold a fact asked about a row, by name or by the measure of a noun."""
    keys = name_words(words)
    found = columns_called([table], keys) if keys else []
    if not found and len(keys) == 1 and keys[0] in MEASURE_OF_NOUN:
        found = columns_called([table], (MEASURE_OF_NOUN[keys[0]],))
    return found or (measure_columns(table, keys[0]) if len(keys) == 1 else [])


def measure_columns(table: Table, measure: str) -> list[str]:
    """Numeric (or date) columns for a measure, in the order of the measure's words; best matches only."""
    wanted = (*NUMBERS, "date", "timestamp") if measure == "time" else NUMBERS
    columns = [column for column in table.columns if column.kind in wanted and column.name not in table.key]
    columns = [c for c in columns if measure != "old" or not (records_last_time(c) or counts_years(c))]
    columns = [column for column in columns if measure != "people" or not of_some_people(column)]
    for word in MEASURES.get(measure, ()):
        found = [column for column in columns if word in spelt_out(column.name)]
        if found:
            lengths = [len(_without_units(name_words(column.name))) for column in found]
            return [each.name for each, length in zip(found, lengths, strict=True) if length == min(lengths)]
    if measure in ("big", "area") and (whole := [c for c in columns if name_words(c.name) in _AREA_UNITS]):
        return [each.name for each in whole]
    if measure == "long" and (whole := [each for each in columns if _is_whole_length(each)]):
        return [each.name for each in whole]
    words = () if measure == "time" else MEASURES.get(measure, ())
    heads = {
        c.name: {last for each in wordings(c.comment) for last in comment_head(each)[-1:]} for c in columns
    }
    described = ([name for name, nouns in heads.items() if word in nouns] for word in words)
    return next(filter(None, described), [])


def of_some_people(column: Column) -> bool:
    """Whether a column counts only some people: “People warned”."""
    return _SOME_PEOPLE.match(column.comment or "") is not None


def _is_whole_length(column: Column) -> bool:
    """Whether a column is called by nothing but a unit of length, also in its comment: `km`, “Kilometres driven”."""
    unit, said = name_words(column.name), name_words(column.comment or "")[:1]
    return unit in _LENGTH_UNITS and (said == unit or said in _LENGTH_UNITS)


_LENGTH_UNITS = (("km",), ("kilometre",), ("kilometer",), ("mile",))
_AREA_UNITS = (("acre",), ("hectare",))
"""Whole names of columns of areas."""


def _without_units(own: Words) -> Words:
    return tuple(word for word in own if word not in UNIT_WORDS and not years_in(word))


def contains(name: Words, part: Words) -> bool:
    """Whether `part` is a run of words in `name`."""
    size = len(part)
    return any(name[at : at + size] == part for at in range(len(name) - size + 1))


def _is_in_comment(comment: str | None, words: Words) -> bool:
    is_short = min(len(words[0]), len(words[-1]) + 1) < 3 and words != name_words(comment or "")
    if not comment or is_short or words[0] in DULL or words in _SHARES:
        return False
    if not HEAD_ENDS.isdisjoint(words):  # `kind of land use`, `species at risk`
        begins = name_words(comment)[: len(words)] == words and words[-1] not in HEAD_ENDS
        return begins or clause_of(words) in clauses_of(comment)
    head = comment_head(comment)
    if words[-1] in MEASURE_OF_NOUN and not _RATES.isdisjoint(set(head[-1:]) - {words[-1]}):
        return False  # `area` is not “Floor area ratio”
    return contains(head, words) or words in clauses_of(comment)


def _is_kind_of(comment: str | None, words: Words) -> bool:
    """Whether `settlement type` and `settlement` match “Kind of rural settlement”, `species` “Name of the species”."""
    text = [word for word in name_words(re.split(r"[;:,.(=]", comment or "", maxsplit=1)[0]) if word != "the"]
    if text[1:2] == ["of"] and text[0] in KIND_NOUNS:
        before = words[0] in KIND_NOUNS and words[1:2] == ("of",)
        own = list(words[2:] if before else words[: -1 if words[-1] in KIND_NOUNS else None])
        return bool(own) and text[2:][-len(own) :] == own
    return text[1:] == ["name", "of", *words]


@lru_cache(maxsize=4096)
def _words_only_of_rows(name: str, comment: str | None, columns: frozenset[str]) -> frozenset[str]:
    """Nouns of the rows that are also column names mean the column: `dwellings` of building permits."""
    return _words_of_rows(name, comment) - columns


@lru_cache(maxsize=65536)
def _words_of_rows(name: str, comment: str | None) -> frozenset[str]:
    """Words that only name the table of a column: `road class`, `survey hours` of survey squares."""
    own = spelt_out(name)
    phrases = (*phrases_for_rows(comment), second_noun(comment))
    return own.union(*map(synonyms_of, own), *map(name_words, phrases))


def fits_column(table: Table, name: str, words: Words) -> bool:
    """Whether all words are in a column's name or comment, or name its table: `road surface` for `surf_cond`."""
    column, of_rows = table.column(name), _words_of_rows(table.name, table.comment)
    return column is not None and set(words) <= of_rows | spelt_out(name) | comment_words(column.comment)


def _is_other_word(name: str, comment: str | None, words: Words) -> bool:
    """Whether the comment resolves an abbreviation differently: `turbulence` and “Turbidity in NTU”."""
    own, comment_words = name_words(name), name_words(comment or "")
    cut = [(short, word) for word in set(words).difference(own) for short in own if begins_word(short, word)]
    return bool(comment_words) and any(
        not any(are_forms(word, each) or each.startswith(word) for each in comment_words)
        and (len(short) < SURE_BEGINNING or any(each.startswith(short) for each in comment_words))
        for short, word in cut
    )


_LIMITS = frozenset(("max", "maximum", "min", "minimum"))


def _is_described(own: Words, comment: str | None, words: Words) -> bool:
    """Whether all words occur in the comment or name: `weekday boardings`, `boardings on a weekday`."""
    content = set(words) - PASSED_OVER - _WITHIN
    dull = DULL - {words[-1]} if contains(name_words(comment or ""), words) else DULL  # `waiting list`
    statistics = STATISTICS.keys() - (_LIMITS & {*own})  # `max height`, of `height_max_m`
    if {words[0], words[-1]} & (PASSED_OVER | _WITHIN) or content & {*dull, *statistics, *HEAD_ENDS}:
        return False
    per = words[words.index("per") + 1] if "per" in words else ""
    if per and per not in PERIODS and "per" not in (*own, *name_words(comment or "")):
        return False  # `stage per gauge` is not “Water level above gauge zero”
    telling = all(len(word) > 2 or word in own for word in content - UNIT_WORDS)
    known = comment_words(comment)
    known = known.union(*map(synonyms_of, known & COUNTED_ALIKE))
    return (
        telling and bool(content & known)
        and all(
            word in known
            or any(word_cost(each, word) is not None for each in own)
            or any(are_forms(each, word) or each in ABBREVIATIONS.get(word, ()) for each in known)
            for word in content
        )
    )  # fmt: skip
