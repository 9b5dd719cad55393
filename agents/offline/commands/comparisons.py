"""Questions about rows by name: a fact of one row, several rows compared, which has more, added up."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal, TypeVar

from agents.geo.place_names import other_names
from agents.offline.commands.analyses.rules import are_times
from agents.offline.commands.requests import Commands, tables_of
from agents.offline.language.conditions.flags import without_negation
from agents.offline.language.conditions.rules import Conditions
from agents.offline.language.lexicon import COMPARATIVES, STATISTICS
from agents.offline.language.names.columns import fact_columns, measure_columns
from agents.offline.language.names.costs import years_in
from agents.offline.language.phrasebook import SET_AGAINST
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, name_words
from agents.offline.meaning.conditions import (
    ColumnMention,
    Compare,
    Condition,
    Mention,
    OneOf,
    Quantity,
    all_of,
    lies_in_place,
    split_off_places,
)
from agents.offline.meaning.intents import Count, Intent, Lookup, Statistic

_THERE_ARE = "((are|were) there|(do|did) (we|you|they) have)"
_THERE_IS = f"({_THERE_ARE}|(is|was) there|where (are|were|is|was) there)"
_IN = "(in|at|within)"
_PEOPLE = "(people|inhabitants|residents|persons|citizens)"
_MORE = "bigger|larger|smaller|higher|lower|taller|longer|shorter|deeper|older|younger|wider|narrower|denser|busier"
_TIMES_MORE = "bigger|larger|smaller|higher|taller|longer|shorter|deeper|wider|denser|busier"
_TIMES_AS = "big|large|high|tall|long|deep|wide|dense|populous"
"""Not for ages and years, which have no multiples."""
_MEASURED = "big|large|small|high|tall|long|deep|old|wide|dense|populous"
_COMPARED_TO = "[,] ((compared|in comparison|relative) (to|with)|against|vs|vs .|versus)"
_DIFFERENCE = "[what is] [the] difference"
_VERSUS = "(vs|vs .|versus|compared (to|with)|against)"
_REST = (
    "[,] (compared (to|with)|in comparison (to|with)|vs|vs .|versus|against|and) [(that|those) of|of|for|in]"
    " [all|all of] [the] (rest|others|other ones|remaining ones|all others)"
)
_FIGURE = "[the] how=(average|avg|mean|median|total|minimum|maximum) {what:words}"
_BOTH = "{one:words} (and|with|to|vs|vs .|versus|against) {other:words}"
_HOW_MANY_PEOPLE = f"how many {_PEOPLE}"
_BY_HOW_MUCH = "[[,] [and] by how (much|many)]"
_BY = "[,] (by|:|-|–|in terms of|by their|on|regarding|(with|in) regard to|with respect to)"
_SEVERAL = "{one:words} [, {second:words} [, {third:words} [, {fourth:words}]]] [,] and {other:words}"
_BESIDE = "(side by side|next to each other|beside each other|compared|in comparison)"
_YEAR, _GROUPS = re.compile(r"(?:19|20)\d\d"), re.compile(r"\b(?:by|per|for each|in each)\b", re.IGNORECASE)
COMMANDS = Commands()
on = COMMANDS.on


_OWNED = re.compile(
    r"(?:the )?(?:(?P<owner>.+)['’]s(?: (?P<what>.+))?|(?:that|the one|(?P<fact>.+)) (?:of|in) (?P<whose>.+))"
)
"""`Peru's population`, `Peru's`, `the population of Peru`, `that of Peru`."""


def _names(bound: Mapping[str, Any]) -> list[str]:
    return [bound[name] for name in ("one", "second", "third", "fourth", "other") if name in bound]


def _of_owners(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Mapping[str, Any]:
    """The fact apart from the names, where both are `Peru's population` and `that of Chile`."""
    both = [_OWNED.fullmatch(bound[name]) for name in ("one", "other")]
    found = [each.groupdict() for each in both if each is not None]
    whats = {what for each in found if (what := each["what"] or each["fact"])}
    if len(found) < 2 or len(whats) != 1 or "what" in bound:
        return bound
    (what,), (one, other) = whats, [each["owner"] or each["whose"] for each in found]
    are_facts = any(fact_columns(table, what) for table in vocabulary.few_tables)
    return {**bound, "what": what, "one": one, "other": other} if are_facts else bound


@on(f"compare {_BOTH}", cost=3.0)
@on(f"compare [the] {{facts:columns}} (of|in|for) ({_SEVERAL}|{_BOTH})", cost=-8.0)
@on(
    f"compare ({_SEVERAL}|{_BOTH}) {_BY} {{facts:columns}}",
    f"[put|set|show|list|give me] ({_SEVERAL}|{_BOTH}) {_BESIDE} ({_BY}|with [their]) {{facts:columns}}",
    f"{{one:words}} {_VERSUS} [{{second:words}} {_VERSUS} [{{third:words}} {_VERSUS}]] {{other:words}} [,] (:|by|-|–)"
    " {facts:columns}",
    cost=-4.0,
)
@on(
    "compare {what:words} (of|in) {one:words}"
    " ((and|with|to)|, {second:words} [, {third:words}] [,] and) {other:words}"
)
def _compared(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """A comparison by one or several facts, or by the numbers that the table has."""
    bound = _of_owners(bound, vocabulary)
    names = _names(bound)
    first, *also = [each.text for each in bound["facts"]] if "facts" in bound else [bound.get("what", "")]
    are_names = not any(_GROUPS.search(each) or _AGAINST.search(each) for each in names)
    return Lookup(first, names[0], (*names[1:],), also=(*also,)) if are_names else None


def _is_name(text: str, vocabulary: Vocabulary) -> bool:
    """Whether words in small letters are a value, or another name of a place: `usa`."""
    name = text.removeprefix("the ")
    return bool(vocabulary.values_called(name_words(name)) or other_names(name))


@on(
    f"<what> [the] {{facts:columns}} (of|in) {{one:words}} {_VERSUS} [{{second:words}} {_VERSUS}] {{other:words}}",
    cost=1.0,
)
@on(f"<what> [the] {{facts:columns}} (of|in) {_SEVERAL}", cost=2.0)
def _facts_of(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`population of Germany, France and Italy`, `population and area of …`."""
    (first, *also), named = [each.text for each in bound["facts"]], _names(bound)
    are_known = all(each[:1].isupper() or _is_name(each, vocabulary) for each in named)
    are_known &= not any(map(_AGAINST.search, named))
    tables, rows = vocabulary.few_tables, vocabulary.match_table(name_words(first))
    if rows is not None and is_plural(first) and rows.length == len(name_words(first)) and not rows.guessed:
        return None  # `cities of France and Spain` are not their column `city`
    if not are_known or not any(all(fact_columns(each, fact) for fact in (first, *also)) for each in tables):
        return None
    return Lookup(first, named[0], tuple(named[1:]), also=tuple(also))


@on(f"how much how=({_MORE}) is {{one:words}} than {{other:words}} by {{what:words}}", cost=-3.0)
@on(
    f"how much how=({_MORE}) is {{one:words}} than {{other:words}} [in {{unit:unit}}]",
    f"by how (much|many {{what:words}}) is {{one:words}} how=({_MORE}) than {{other:words}}",
)
def _how_much(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how much bigger is Brazil than Argentina?`, `by how much is Brazil's area larger than Peru's?`: looks up both
    values."""
    bound = _of_owners(bound, vocabulary)
    measure = COMPARATIVES[bound["how"]][1]
    instead = "population" if measure == "big" and not {"unit", "what"} & bound.keys() else ""
    words = bound.get("what") or ("area" if measure == "big" else measure)
    return Lookup(words, bound["one"], (bound["other"],), unit=bound.get("unit"), instead=instead)


@on(f"how how=({_MEASURED}) is {{one:words}} {_COMPARED_TO} {{other:words}}")
def _how_big(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`how big is France compared to Spain?`: looks up both values."""
    words = {**dict.fromkeys(("big", "large", "small"), "area"), "populous": "population"}.get(bound["how"])
    words = words or bound["how"]
    return Lookup(words, bound["one"], (bound["other"],), instead="population" if words == "area" else "")


@on(
    f"how many times (more|as many) {_PEOPLE} (live|are [there]) in {{one:words}} (than|as) in {{other:words}}",
    cost=-2.0,
)
@on(
    "how many times (more|as many|as much) {what:words} (does|do|has|have) {one:words} [have]"
    " (than|as) {other:words}",
    cost=-1.0,
)
@on(f"how many times as how=({_TIMES_AS}) is {{one:words}} as {{other:words}}", cost=-1.0)
@on(f"how many times how=({_TIMES_MORE}) is {{one:words}} than {{other:words}}", cost=-1.0)
def _times(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many times bigger is Brazil than Peru?`, `how many times more people live in Brazil than in Peru?`"""
    means = _how_much if bound.get("how") in COMPARATIVES else _how_big if "how" in bound else _more_people
    found = (_compared if "what" in bound else means)(bound, vocabulary)
    return replace(found, claim="times") if isinstance(found, Lookup) else None


@on(
    "((does|do) {one:words} have|(has|have) {one:words}) how=(more|fewer|less) {what:words}"
    f" than {{other:words}} {_BY_HOW_MUCH}",
    f"((does|do) {{one:words}} have|(has|have) {{one:words}}) (a|an|the) how=({_MORE}) {{what:words}}"
    f" than {{other:words}} {_BY_HOW_MUCH}",
)
@on(f"(is|are) {{one:words}} (how=({_MORE})|how=(more|less) populous) than {{other:words}} {_BY_HOW_MUCH}")
def _is_more(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`is Germany bigger than Japan?`, `does Germany have more people than Japan?`: looks up both values."""
    bound = _of_owners(bound, vocabulary)
    op, measure = COMPARATIVES[bound["how"]]
    words = bound.get("what") or {"big": "area", "": "population"}.get(measure, measure)
    instead = "population" if measure == "big" and "what" not in bound else ""
    if not any(
        fact_columns(table, each) for table in vocabulary.few_tables for each in (words, instead) if each
    ):
        return None
    return Lookup(words, bound["one"], (bound["other"],), claim=">" if op == ">" else "<", instead=instead)


@on(
    f"(does|do) {{one:words}} or {{other:words}} have (how=(more|fewer|less)|(a|an|the) how=({_MORE})) {{what:words}}"
)
@on(f"(is|are) {{one:words}} or {{other:words}} how=({_MORE})")
@on(
    *(
        text.replace("IS MORE", more)
        for more in (
            f"(is|are) how=({_MORE})",
            f"(has|have) (how=(more|fewer|less)|(a|an|the) how=({_MORE})) {{what:words}}",
        )
        for text in (
            "(which|who) [one|{rows:mention}] IS MORE [,|:] {one:words} or {other:words}",
            "(which|who) of {one:words} (and|or) {other:words} IS MORE",
        )
    )
)
def _which_is_more(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`which is bigger, Germany or Japan?`, `does Riverside or Lakeside have more residents?`"""
    found = _is_more(bound, vocabulary)
    return replace(found, claim="") if isinstance(found, Lookup) else None


@on("how (many|much) (more|fewer|less) {what:words} does {one:words} have than {other:words}")
@on(
    f"{_DIFFERENCE} (in {{what:words}} between {{one:words}} and"
    "|between [the] {what:words} (of|in) {one:words} and [(that|the one) (of|in)]) {other:words}",
    f"{_DIFFERENCE} between {{one:words}} and {{other:words}}",
)
def _difference(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`the difference in population between Germany and France`"""
    bound = _of_owners(bound, vocabulary)
    is_known = "what" in bound and _is_more({"how": "more", **bound}, vocabulary)
    return _compared(bound, vocabulary) if is_known else None


@on(
    "((does|do) {one:words} have|(has|have) {one:words}) how=(more|fewer|less) {rows:selection} than {other:words}",
    *(
        f"{_THERE_IS} {how} {_IN} {{one:words}} {other} {{other:words}}"
        for how, other in (
            ("how=(more|fewer|less) {rows:selection}", f"than [{_IN}]"),
            ("(more|fewer|less) {rows:selection} [,]", f"[,] or [{_IN}]"),
        )
    ),
    "compare [the] [number of] {rows:selection} in {one:words} (and|with|to) [in] {other:words}",
    f"compare {{one:words}} (and|with|to) {{other:words}} {_BY} [the] (number|count) of {{rows:selection}}",
    "(which|what|who) [{kind:mention}] (has|have) (more|the more|most|the most) {rows:selection} [,|:] {one:words}"
    " or {other:words}",
    "(how many (more|fewer|less) {rows:selection} (does|do) {one:words} have than {other:words}"
    "|(does|do) {one:words} or {other:words} have (more|the more) {rows:selection})",
    "[<what>|compare|how many] [the] [number of] {rows:selection} in {one:words}"
    f" {_VERSUS} [in] {{other:words}}",
    cost=-5.0,
)
def _more_rows(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`does Germany have more airports than France?`: counts the rows in both."""
    rows = bound["rows"]
    if rows.mention.guessed or not rows.mention.tables or rows.top or _GROUPS.search(bound["other"]):
        return None
    one, other = (_place_or_year(bound[name]) for name in ("one", "other"))
    return Count(rows.mention, one, among=rows.where, versus=other, claim=_CLAIMS[bound.get("how", "")])


def _place_or_year(text: str) -> Condition:
    if _YEAR.fullmatch(text):
        return Compare("=", Quantity(float(text), text=text), measure="time")
    return OneOf(text.removeprefix("the "))


_Figure = TypeVar("_Figure", Count, Statistic)


def of_both_values(figure: _Figure, after: Conditions) -> _Figure:
    """`how many granted vs refused permits`, `average height of watered and unwatered trees`: the figure of the rows
    of both values; for a column, only of both answers of yes and no. `after`: the rules for what follows."""
    where = figure.where
    if not isinstance(where, OneOf) or where.how not in ("kind", "is"):
        return figure
    one, *others = _AGAINST.split(where.text)
    if not others and isinstance(figure, Statistic):
        one, *others = where.text.split(" and ")
    if not others and after.cursor.take(SET_AGAINST):
        other = after.kind()
        others = [other.text] if isinstance(other, OneOf) else []
    are_answers = len(others) == 1 and name_words(one) == without_negation(others[0])
    if len(others) != 1 or not (are_answers or isinstance(figure, Count)):
        return figure
    return replace(figure, where=replace(where, text=one), versus=replace(where, text=others[0]))


_AGAINST = re.compile(r" (?:vs ?\.?|versus|against) ", re.IGNORECASE)


@on(
    f"[<what>|compare] {_FIGURE} of {{rows:selection}} in {{one:words}} {_VERSUS} [in] {{other:words}}",
    cost=-6.0,
)
def _figures_of_both(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`average elevation of airports in Peru vs Bolivia`."""
    rows = bound["rows"]
    columns = vocabulary.columns_called(tables_of(rows.mention, vocabulary), bound["what"])
    if not columns or rows.top or not rows.mention.tables or _GROUPS.search(bound["other"]):
        return None
    one, other = (all_of(rows.where, _place_or_year(bound[name])) for name in ("one", "other"))
    what = STATISTICS[bound["how"].lower()]
    return Statistic(what, ColumnMention(bound["what"], columns), rows.mention, one, versus=other)


@on(
    f"[<what>|compare] {_FIGURE} [(of|for|in) (them|these|those|it)|there|here] {_REST}",
    f"[<what>|compare] {_FIGURE} (of|for|in) {{rows:selection}} {_REST}",
    cost=-6.0,
)
def _compared_with_rest(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`average losses there compared to the rest`, `average rent of flats in Barley vs all others`."""
    rows = bound.get("rows")
    mention = rows.mention if rows is not None else Mention("them", pronoun=True)
    tables = tables_of(mention, vocabulary) if rows is not None else vocabulary.few_tables
    columns = vocabulary.columns_called(tables, bound["what"])
    is_all = rows is not None and (rows.top is not None or (rows.where is None and not mention.pronoun))
    if is_all or not columns or (rows is not None and not mention.tables):
        return None
    column = ColumnMention(bound["what"], columns if rows is not None else ())
    where = rows.where if rows is not None else None
    return Statistic(STATISTICS[bound["how"].lower()], column, mention, where, versus="rest")


@on(
    f"compare {_FIGURE} of {{rows:selection}} in {{one:words}} (and|with|to) [in] {{other:words}}", cost=-12.0
)
def _figures_compared(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """The same, unless both places are values of a table: those are groups."""
    known = [vocabulary.values_called(name_words(bound[name])) for name in ("one", "other")]
    return None if all(known) else _figures_of_both(bound, vocabulary)


@on(
    f"{_THERE_ARE} how=(more|fewer|less) {{rows:selection}} than {{others:selection}}",
    f"{_THERE_ARE} how=(more|fewer|less) {{rows:selection}} which=(or [more|fewer|less]) {{others:selection}}",
    "how many which=(more|fewer|less) {rows:selection} than {others:selection} [are|were|do] [there|we have]",
    "compare [the] which=(number) of {rows:selection} (and|with|to) [that of] {others:selection}",
    cost=-6.0,
)
def _more_of(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`are there more tram stops than bus stops?`: counts both; a place or time behind the second is that of both."""
    rows, others = bound["rows"], bound["others"]
    if rows.top is not None or others.top is not None or not (rows.mention.tables and others.mention.tables):
        return None
    claim = "" if "which" in bound else _CLAIMS[bound["how"]]
    where, both = rows.where, others.where
    shared = both if both is not None and are_times(both) else split_off_places(both)[1]
    if where is None or not (lies_in_place(where) or are_times(where)):
        where = all_of(where, shared)
    return Count(rows.mention, where, versus=both, claim=claim, other=others.mention)


_CLAIMS: Mapping[str, Literal[">", "<", ""]] = {"more": ">", "fewer": "<", "less": "<", "": ""}


@on(
    "[what is] [the] (total|combined) {what:words} of {one:words} and {other:words} [together|combined]",
    cost=3.0,
)
@on(
    "how many {what:words} do {one:words} and {other:words} have [together|in total|altogether|combined]",
    cost=-1.0,
)
@on(f"{_HOW_MANY_PEOPLE} live in {{one:words}} and {{other:words}} (together|combined|altogether)", cost=-2.0)
def _together(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`how many residents do Old Town and Riverside have together?`"""
    return Lookup(bound.get("what", "population"), bound["one"], (bound["other"],), total=True)


@on(
    f"{_HOW_MANY_PEOPLE} (live in|are living in|are there in|are in|in|inhabit) {{where:value}}"
    " [altogether|in total|combined|together]",
    cost=3.0,
)
def _people_in(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`how many people live in Germany?`"""
    return Lookup("population", bound["where"])


@on(f"{_HOW_MANY_PEOPLE} live in {{rows:selection}} [(in|as of) {{year:count}}]", cost=-1.0)
def _people_of_rows(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`how many people live in South American cities with more than 1 million inhabitants?`, `in the districts`, `in
    them as of 2020`: the sum of the population, or of its column for that year."""
    rows, year = bound["rows"], str(bound.get("year", ""))
    tables = tables_of(rows.mention, vocabulary)
    names = measure_columns(tables[0], "people") if len(tables) == 1 and not rows.mention.guessed else []
    names = [each for each in names if year in years_in(each)] if year else names
    if rows.mention.pronoun and rows.where is not None:
        return None  # `in them in 2020`: the year is that of the column
    is_known = len(names) == 1 or (names and rows.mention.pronoun)
    is_value = rows.where is None and (rows.mention.of_value or not tables)
    if not is_known or is_value or rows.top is not None:
        return None
    text = names[0] if len(names) == 1 else "population"
    return Statistic("sum", ColumnMention(text, tuple(names)), rows.mention, rows.where)


@on(f"how many (more|fewer) {_PEOPLE} (live|are [there]) in {{one:words}} than in {{other:words}}", cost=-2.0)
def _more_people(bound: Mapping[str, Any], _: Vocabulary) -> Intent:
    """`how many more people live in Germany than in France?`: both populations and the difference."""
    return Lookup("population", bound["one"], (bound["other"],))
