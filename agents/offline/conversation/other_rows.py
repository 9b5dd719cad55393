"""Follow-ups that ask the previous question about other rows: of another table, or fulfilling another condition."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.domain import Table
from agents.offline.conversation.memory import Rows
from agents.offline.conversation.pieces import ENDS, FIGURE_WORDS, GROUP, message, spelt_out
from agents.offline.conversation.spoken import PRONOUNS, Again, Spoken, message_about_rows
from agents.offline.language.conditions.flags import is_flag
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_plural, name_words
from agents.offline.meaning.cql2 import columns_in, conjunction, conjuncts

_OTHERS = re.compile(r"(?:and )?(?P<many>how many )?(?P<rows>[^\W\d][^?,]*?)\s*\?", re.IGNORECASE)
_COUNTED = re.compile(
    r"how many \w[^?]*?"
    rf"(?P<rest> (?:lie|lies|do|does|have|has|were|was|along|inside|outside|(?!and\b|or\b){ENDS})\b.*)?",
    re.IGNORECASE,
)
"""A question about the number of rows."""
_FIGURE_OF_ROWS = re.compile(
    rf"(?:what(?:'s| is) |whats )?(?:the )?(?P<figure>(?:{FIGURE_WORDS}) [^?,]+?) (?:of|for) (?P<rows>[^?,]+?)\W*",
    re.IGNORECASE,
)
_SHARE = re.compile(
    r"(?P<asked>(?:what(?:'s| is)? |which )?(?:the )?(?:share|percentage|percent|proportion|fraction) of"
    r" (?:the |all |our )*)(?P<rows>[^?,]+?)\W*",
    re.IGNORECASE,
)
_PLACE_BEFORE = re.compile(
    r"in (?:the )?[A-ZÀ-Þ].*? (?=(?:is|are|was|were|has|have|had|in|with|without|that|which|above|below|over|under)\b)"
)


@message_about_rows(r"(?:and )?(?:what|how) about (?:the )?(?P<what>[^?,]+?)")
def with_other_flag(spoken: Spoken, asked: re.Match[str], table: Table) -> Iterator[Again]:
    """`what about water rescue?` after `stations with a hazmat team`: the rows with the other flag."""
    layer = spoken.layer
    if layer is None or layer.table != table.id:
        return
    own, named = columns_in(layer.filter or {}), spoken.vocabulary.columns_called((table,), asked["what"])
    flags = {each.name for each in table.columns if is_flag(each)}
    is_single = len(own) == len(named) == len(conjuncts(layer.filter)) == 1
    if is_single and own[0] != named[0] and flags >= {own[0], named[0]}:
        yield Again(f'show {table.name.replace("_", " ")} where "{named[0]}" is yes')


_SAME_NAME_IN = re.compile(
    r"(?:and |but |not that one, |not that, |zoom to )*(?:(?:the )?(?:one|other one)|(?:the )?(?P<name>[^\W\d][^?,]*?))"
    r" in (?:the )?(?P<where>[^\W\d][^?,]*?)\W*",
    re.IGNORECASE,
)


def same_name_elsewhere(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`no, the one in Ohio` after `airports within 30 miles of Springfield` or `zoom to Springfield`: the same for the
    place of that name there."""
    memory, asked = spoken.memory, _SAME_NAME_IN.fullmatch(asked_now)
    form = memory.asked_of or "zoom to {}"
    name = spoken.place_found or memory.asked_about
    if (
        asked is None
        or not name
        or "," in name
        or not (spoken.place_found or memory.question_text.count(name) == 1)
    ):
        return
    if asked["name"] is None or asked["name"].lower() == name.lower():
        yield Again(form.replace("{}", f"{name}, {asked['where']}"), memory.of_rows)


@message(
    r"(?:and )?(?:what|how) about (?:just |only )?the (?:(?P<kind>[^\W\d][\w-]*) one"
    rf"|one (?P<where>{ENDS} [^?,]+?))"
)
def one_of_several(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`I mean the American one`, `what about the one in Ohio` after several rows were drawn: only that one."""
    if spoken.layer is not None and spoken.memory.rows is None:
        yield Again(f"only the {asked['kind']} ones" if asked["kind"] else f"only those {asked['where']}")


BY_FLAG_OR_PLACE = (with_other_flag, same_name_elsewhere, one_of_several)

_IN_PLACE = re.compile(
    r"(?:and |now |what about |how about )+(?:in|for) (?:the )?[^\W\d][^?,]*?\W*", re.IGNORECASE
)


def in_other_place(again: Again, spoken: Spoken, asked_now: str) -> Again:
    """`and in Benfica?` after `how many of them are pharmacies`, of shops in Alvalade: the same rows without the place
    that they are in."""
    rows, table = again.rows, spoken.table
    before = rows.filter if rows is not None else spoken.layer.filter if spoken.layer is not None else None
    kept = [each for each in conjuncts(before) if each.get("op") != "s_intersects"]
    is_elsewhere = _IN_PLACE.fullmatch(asked_now) is not None and len(kept) < len(conjuncts(before))
    if table is None or not is_elsewhere or PRONOUNS.isdisjoint(again.text.lower().split()):
        return again
    where = conjunction(kept)
    return Again(again.text, Rows(table.id, where))


@message(
    r"(?:and |what about |how about )+(?:(?P<of>of) |(?:for|in|at) )?(?:the )?(?:ones|those)"
    r" (?P<what>(?:that|which|who|with|without|above|below|over|under|between|\w+er than) [^?,]+?)"
)
def figure_of_other_rows(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`and the ones that didn't burn?` after `average age of the burned stands`: the figure of other rows; `and of
    those above 500 m?`: of some of them."""
    before = spoken.memory.question_text
    figure = _FIGURE_OF_ROWS.fullmatch(before)
    words = figure["rows"].split() if figure is not None else []
    nouns = [each for each in words if are_rows(each, spoken.vocabulary)]
    if figure is None or len(nouns) != 1 or re.search(GROUP, before, re.IGNORECASE):
        return None
    rows = figure["rows"] if asked["of"] else nouns[0]
    return f"{figure['figure']} of {rows} {asked['what']}"


@message(
    r"(?:and |now |what about |how about )+(?:(?P<place>in (?:the )?\w[^?,]*?)"
    r"|(?:(?:for|of|among) )?(?:the )?(?P<kind>(?!in\b)[^\W\d][^?,]*?)(?: ones)?)"
)
def share_among_others(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`and in York?`, `and for fire safety ones?` after `what share of inspections failed`: the share among those."""
    vocabulary = spoken.vocabulary
    if (share := _SHARE.fullmatch(spoken.memory.question_text)) is None:
        return None
    words = share["rows"].split()
    noun = next(
        (
            " ".join(words[:end])
            for end in range(1, len(words))
            if are_rows(" ".join(words[:end]), vocabulary)
        ),
        "",
    )
    if not noun or are_rows(asked["kind"] or "", vocabulary):
        return None
    among = f"{noun} {asked['place']}" if asked["place"] else f"{asked['kind']} {noun}"
    rest = share["rows"][len(noun) :].strip()
    if asked["place"] and rest.startswith("in ") and (own := _PLACE_BEFORE.match(rest)) is not None:
        rest = rest[own.end() :]  # another place instead of the one before
    return f"{share['asked']}{among} {rest if ' ' in rest else f'are {rest}'}"  # `inspections failed`


@message(r"(?:and |now )?(?:do )?(?:the )?same (?:thing )?(?:for|with|of) (?:the )?(?P<rows>[^?,]+?)")
def same_of_others(spoken: Spoken, asked: re.Match[str]) -> str | None:
    """`same for airports` after `how many countries are there per continent?`: the question about other rows."""
    if not are_rows(asked["rows"], spoken.vocabulary):
        return None
    words = spoken.memory.question_text.rstrip(" ?!.").split()
    spans = [
        (begin, end)
        for begin in range(len(words))
        for end in range(begin + 1, min(begin + 4, len(words) + 1))
        if are_rows(" ".join(words[begin:end]), spoken.vocabulary)
    ]
    if len({begin for begin, _ in spans}) != 1:
        return None
    begin, end = spans[-1]
    return " ".join((*words[:begin], asked["rows"], *words[end:]))


def number_of_others(before: str, asked_now: str, vocabulary: Vocabulary) -> str | None:
    """`and how many hydrants?`, `and hydrants?` after `how many valves are in Castle`: rows of another table."""
    counted, other = _COUNTED.fullmatch(before), _OTHERS.fullmatch(asked_now)
    if counted is None or other is None or not asked_now.lower().startswith("and "):
        return None
    if not vocabulary.tables_called(other["rows"]):
        return None
    return f"how many {other['rows']}{counted['rest'] or ' are there'}"


def with_other_value(before: str, rows: str, asked_now: str, vocabulary: Vocabulary) -> str | None:
    """`and silver?` after `how many clinics have gold status`: the only value of the same column is replaced, in the
    question or in the words for the `rows` that its pronoun means (`and pruning?` after `how much did they cost`). A
    value that was left out is not replaced, because the other one would be left out, too."""
    if _PRONOUN.search(before) is not None:
        others = with_other_value(rows, "", asked_now, vocabulary)
        return _PRONOUN.sub(lambda _: others or "", before, count=1) if others is not None else None
    other = _OTHER_VALUE.fullmatch(asked_now)
    found = vocabulary.values_called(name_words(other["what"])) if other is not None else ()
    if other is None or not before:
        return None
    named = {
        match.span()
        for table, name, value in found
        for column in table.columns
        if column.name == name
        for sample in column.samples
        if sample != value
        for match in re.finditer(rf"(?<!\w){re.escape(sample)}(?:e?s)?(?!\w)", before, re.IGNORECASE)
    }
    if len(named) != 1:
        return None
    ((begin, end),) = named
    left_out = re.search(r"(?i)(?:\bnot|n't|\bno|\bwithout|\bexcept|\bbut) (?:the )?$", before[:begin])
    return f"{before[:begin]}{other['what']}{before[end:]}" if left_out is None else None


_PRONOUN = re.compile(r"\b(?:they|them|those|these)\b", re.IGNORECASE)
_OTHER_VALUE = re.compile(
    r"(?:and |now |what about |how about |same for )+(?:for |the )*(?P<what>[^\W\d][^?,]*?)(?: ones?)?\W*",
    re.IGNORECASE,
)


def are_rows(text: str, vocabulary: Vocabulary) -> bool:
    """Whether the words name the rows of a table, in the plural."""
    return is_plural(text) and bool(vocabulary.tables_called(text))


_INSIDE = (
    (
        r"(?:and )?(?P<asked>(?:how many|which|what) \w[^?]*?)(?: (?:are|lie|is))? (?:inside|within|in there)",
        r"\g<asked> are in it",
    ),
    (
        r"(?:and |now )?(?P<asked>(?:show|list|map|add)(?: me)?(?: all)?(?: the)? \w[^?]*?) (?:inside|in there)",
        r"\g<asked> in it",
    ),
)
_IN_CIRCLE = (
    r"(?P<rows>(?:and |show |list |count |how many |which )*\w[^?]*?) (?:(?:are|lie) )?(?:inside|within|in)"
    r" (?:the|that|this) (?:circle|buffer|ring|radius)",
    r"\g<rows> in it",
)


def inside_of_it(spoken: Spoken, asked_now: str) -> str | None:
    """`which stores are inside?` after areas; `stores in the circle`, after those made by an analysis."""
    table = spoken.table_shown
    if table is None or table.geometry_family != "polygon":
        return None
    return spelt_out(asked_now, *((_IN_CIRCLE,) if table.is_result else ()), *_INSIDE)
