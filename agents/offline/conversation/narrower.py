"""Follow-ups that ask the previous question, or show its rows, for fewer rows: `only those with status open`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.domain import Column, Table
from agents.offline.conversation.memory import Memory
from agents.offline.conversation.other_times import with_time
from agents.offline.conversation.past_calls import calls_made
from agents.offline.conversation.pieces import GROUP, one_of
from agents.offline.conversation.spoken import Again, Spoken
from agents.offline.language.lexicon import MONTHS
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.units import column_unit

_NARROWER = re.compile(
    r"(?:and |now |ok |okay |but )?"
    r"(?P<same>(?:do )?(?:the )?same(?: thing| again| question)?,? (?:(?:but|and|now) )?)?(?P<only>(?:only|just) )?"
    r"(?:for |of |count |counting )?(?P<what>[^\d\s][^?]*?)\s*\?*",
    re.IGNORECASE,
)
THOSE = re.compile(r"(?:those|the ones|ones|the rest)(?: of them)? ", re.IGNORECASE)
_OF_ROWS = re.compile(
    r"(?:that|which|with|without|where|whose|in|on|at|from|since|before|after|between|above|below|over|under|within"
    r"|near|not)\b",
    re.IGNORECASE,
)
"""Words that begin a condition after a noun."""


def narrower(memory: Memory, asked_now: str, vocabulary: Vocabulary) -> str | None:
    """`only those with status open`, `same thing, just for the private ones`: the question about fewer rows. Without
    `the same` it applies to the layer mentioned last, unless only the question's rows fit."""
    before, asked = memory.question_text, _NARROWER.fullmatch(asked_now)
    if asked is not None and asked["same"] and memory.rows is not None and memory.rows.charted:
        what = re.sub(r"(?: only)?(?: please)?$|^(?:the )?(?:those |ones )?", "", asked["what"])
        return f"only those {what}" if _OF_ROWS.match(what) else f"only the {what.removesuffix(' ones')} ones"
    if not before or asked is None or not (asked["same"] or asked["only"]):
        return None
    what = asked["what"]
    if not asked["same"] and not _only_rows_have(what, before, memory, vocabulary):
        return None
    if (those := THOSE.match(what)) is not None:
        return f"{before} {what[those.end() :]}"
    if _OF_ROWS.match(what):
        return f"{before} {what}"
    if (of_noun := _with_its_noun(before, what, vocabulary)) is not None:
        return of_noun
    words = re.sub(r" ones?$", "", what.removeprefix("the ")).split()
    if len(words) > 1 and vocabulary.values_called(name_words(" ".join(words))):
        return f'{before} that are "{" ".join(words)}"'
    if len(words) > 1 and words[-1].lower() in before.lower().split():
        words = words[:-1]  # `only private parcels`
    return f"{before} that are {' '.join(words)}"


def _with_its_noun(before: str, what: str, vocabulary: Vocabulary) -> str | None:
    """`only levees in poor condition` after `claims within 500 m of a levee`: the noun with that condition."""
    noun, _, rest = what.partition(" ")
    called = [each for each in _NOUN.finditer(before) if name_words(each["noun"]) == name_words(noun)]
    if len(called) != 1 or not _OF_ROWS.match(rest) or vocabulary.match_table(name_words(noun)) is None:
        return None
    return f"{before[: called[0].start()]}{what}{before[called[0].end() :]}"


_NOUN = re.compile(r"(?:\b(?:an?|any|the|some|all) )?\b(?P<noun>[^\W\d_]+)", re.IGNORECASE)


def of_fewer_groups(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """`just 2024`, `P1 jobs only`, `leave out the closed ones` after figures of groups, of which the result has no such
    column: the figures of fewer rows."""
    before, table = spoken.memory.question_text, spoken.table
    if table is None or not table.is_result or not re.search(rf"{GROUP}|\b(?:each|every)\b", before, re.I):
        return
    when, only, left_out = (each.fullmatch(asked_now) for each in (_ONLY_WHEN, _ONLY, _LEFT_OUT))
    if when is not None and not any(_is_time(each) for each in table.columns):
        other = with_time(before, f"and {when['when']}") if not when["since"] else None
        how = (when["since"] or ("from" if when["last"] else "in")).lower().replace("for", "in")
        yield Again(other or f"{before} {how} {when['when']}")
        return
    asked = only or left_out
    what = next(filter(None, asked.groups()), "") if asked is not None else ""
    words, called = name_words(what), spoken.vocabulary.values_called
    parts = [words[:at] for at in range(len(words), 0, -1)]
    tables = {found.id for part in parts for found, _, _ in called(part)}
    if tables and table.id not in tables:
        yield Again(f"{before} that are {'not ' if only is None else ''}{what}")


_ONLY_WHEN = re.compile(
    r"(?:and |now |but )?(?:(?:only|just) )?(?:(?P<since>in|for|from|since|before|after|during|until) )?"
    rf"(?P<when>(?:(?:{one_of([*MONTHS])}|q[1-4]) )?(?:19|20)\d\d(?P<last> ?(?:to|-|–) ?(?:19|20)\d\d)?"
    r"|(?:this|last) (?:year|quarter|month|week))(?: only)?\W*",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"(?:and |now |but )?(?:(?:only|just) (?:for |of |the |those |count |counting )*([^\W\d][^?,]*?)"
    r"|(?:the )?([^\W\d][^?,]*?) only)(?: ones)?\W*",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    r"(?:and |now |but |please )*(?:exclud(?:e|ing)|leav(?:e|ing) out|without|except|ignor(?:e|ing)|drop|skip|omit|not)"
    r" (?:the |any |all )*([^\W\d][^?,]*?)(?: ones)?\W*",
    re.IGNORECASE,
)


def _is_time(column: Column) -> bool:
    return column.kind in ("date", "timestamp") or bool(
        {"year", "month", "quarter"} & {*name_words(column.name)}
    )


def is_only_a_value(asked_now: str, vocabulary: Vocabulary) -> bool:
    """Whether nothing but a value in several words is said, which may begin like a table: `just listed buildings`."""
    asked = re.fullmatch(r"(?:only|just) (?P<what>\w+(?: \w+)+?)(?: ones)?\W*", asked_now, re.IGNORECASE)
    return asked is not None and bool(vocabulary.values_called(name_words(asked["what"])))


def _only_rows_have(what: str, before: str, memory: Memory, vocabulary: Vocabulary) -> bool:
    """Whether the words name columns or values of a table in the question, and not of the layer mentioned last."""
    layer = vocabulary.layer(memory.layers[0]) if memory.layers else None
    shown = vocabulary.table(layer.table) if layer is not None else None
    words, asked = name_words(what), name_words(before)
    rows = {
        table.id: table
        for at in range(len(asked))
        if (match := vocabulary.match_table(asked[at:])) is not None and not match.guessed
        for table in match.found
        if not table.is_result
    }
    if not rows or (shown is not None and shown.id in rows):
        return False
    own = {each.name for each in shown.columns} if shown is not None else set()
    begins = [at for at in range(len(words)) if not (at and words[at - 1].isdigit())]  # no unit
    parts = {words[at:end] for at in begins for end in range(at + 1, len(words) + 1)}
    columns = {name for part in parts for name in vocabulary.columns_called([*rows.values()], " ".join(part))}
    columns |= {
        name for part in parts for table, name, _ in vocabulary.values_called(part) if table.id in rows
    }
    return bool(columns - own)


def part_of_sum(spoken: Spoken, asked_now: str) -> str | None:
    """`how many of those were flu`, after a sum (`how many doses did we give`): the same sum of fewer rows; `how many
    of them in brazil` after `how many people live in south america`, also in a place whose row is not in the sum."""
    part, place = _PART_OF_SUM.fullmatch(asked_now), _PART_IN.fullmatch(asked_now)
    before, calls = spoken.memory.question_text, calls_made(spoken.messages)
    if not (part or place) or not before.lower().startswith(("how many ", "total ", "sum of ")) or not calls:
        return None
    table = spoken.vocabulary.table(str(calls[-1].arguments.get("table")))
    column = table.column(str(calls[-1].arguments.get("column"))) if table is not None else None
    is_sum, unit = calls[-1].call.name == "column_stats", column_unit(column) if column is not None else None
    if is_sum and unit is not None and (place is None or unit.dimension != "people"):
        return None  # of kilometres, none is `33 kV`
    if place is not None:
        of_rows = _sum_in(spoken, table, column, place["place"]) if is_sum and table and column else None
        return of_rows or _people_in(spoken, place["place"])
    return f"{before.rstrip(' ?')} that were {part['what']}" if part is not None and is_sum else None


def _sum_in(spoken: Spoken, table: Table, column: Column, place: str) -> str | None:
    """The sum of the rows before that have this place as a value."""
    own = {name for found, name, _ in spoken.vocabulary.values_called(name_words(place)) if found == table}
    named = name_column(table)
    how = "named" if named is not None and named.name in own else "in"
    return f'total "{column.name}" of them {how} {place}' if own else None


def _people_in(spoken: Spoken, place: str) -> str | None:
    """The people of a place in the place before: `how many people live in berlin, germany`."""
    memory = spoken.memory
    whole = memory.asked_of if _OF_PEOPLE.match(memory.question_text) else ""
    return whole.replace("{}", f"{place}, {memory.asked_about}") if whole else None


_OF_PEOPLE = re.compile(r"how many (?:people|inhabitants|residents|persons)\b", re.IGNORECASE)
_PART_IN = re.compile(
    r"(?:and |so )?how many of (?:those|them|these) (?:(?:are|is|were|was|live|lives|lived|living|there) )*"
    r"in (?:the )?(?P<place>[^\W\d][^?,]*?)\W*",
    re.IGNORECASE,
)
_PART_OF_SUM = re.compile(
    r"(?:and )?how many of (?:those|them|these) (?:were|are|was|is) (?P<what>.+?)\??", re.IGNORECASE
)
