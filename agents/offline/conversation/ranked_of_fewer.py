"""Follow-ups that leave rows out of a ranking: `only africa`, `leave out countries under 1 million people` after `top
10 countries by density`. The ranking is made again of the rows that are left; `only those of them` means its rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agents.offline.commands.analyses.analysis import read_analysis
from agents.offline.conversation.memory import Memory
from agents.offline.conversation.other_rows import are_rows
from agents.offline.conversation.past_calls import is_chart_of_answer
from agents.offline.conversation.pieces import one_of
from agents.offline.conversation.spoken import COUNTS, Again, Spoken
from agents.offline.language.lexicon import ABOVE, COMPARATIVES, STARTS, SUPERLATIVES
from agents.offline.language.phrasebook import TAIL
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.conditions import Compare, parts_of
from agents.offline.meaning.steps import features_of
from agents.offline.parser import is_unread, parse

_NEAREST = ("nearest", "closest")
_MOST = one_of([*SUPERLATIVES, *_NEAREST, "most", "fewest", "least"])
_IS_RANKING = re.compile(
    rf"\b(?:top|bottom|first|last) (?:{COUNTS})\b|\b(?:{COUNTS}) (?:\w+ )??(?:{_MOST})\b"
    rf"|\b(?:which|what) (?:(?:{COUNTS}) )?\w+(?: \w+)?? (?:is|are|has|have|had)(?: the)? (?:{_MOST})\b"
    rf"|\b(?:the )?(?:{_MOST}) (?:{COUNTS})\b",
    re.IGNORECASE,
)


_CHANGES_LOOKS = (i.Restyle, i.Zoom, i.SetVisible, i.Change, i.SetGroup, i.Reorder)


def ranking_asked(command: i.Command, asked: str, before: Memory, layers: Sequence[str]) -> str:
    """The request of a ranking, for the same of fewer rows, also after its layer was drawn otherwise; else empty.
    `asked`: the command's question, as its analyst saw it; `layers`: those mentioned, latest first."""
    meant = command.intent
    has_top = (
        isinstance(meant, i.Rows | i.Show | i.Chart | i.Refine)
        and meant.top is not None
        and meant.top.limit > 0
    )
    is_part = isinstance(meant, i.Refine) and meant.mode == "and"  # of what the layer shows
    if (has_top and not is_part) or (isinstance(meant, i.Analyse) and _IS_RANKING.search(asked)):
        return asked or command.text
    is_same = (isinstance(meant, _CHANGES_LOOKS) or is_chart_of_answer(command)) and layers[
        :1
    ] == before.layers[:1]
    return before.ranking if is_same else ""


_OPENER = r"(?:(?:and|now|but|ok|okay|please|then|show(?: me)?|list|take)\b,? )*"
_ONLY = re.compile(
    rf"{_OPENER}(?:(?:only|just)(?: for| of| count| counting| consider| considering| include| including)? (?P<what>.+?)"
    r"|(?:limit|restrict|narrow)(?: (?:it|them|that|this))? to (?P<to>.+?)|(?P<first>[^\W\d].*?) only)[ .!?]*",
    re.IGNORECASE,
)
_LEFT_OUT = re.compile(
    rf"{_OPENER}(?:exclud(?:e|ing)|leav(?:e|ing) out|without|except(?: for)?|ignor(?:e|ing)|drop|skip|omit|remove|not)"
    r" (?P<what>.+?)[ .!?]*",
    re.IGNORECASE,
)
_OF_ITS_ROWS = re.compile(r"\bof (?:them|these|those|it)\b|\bof the (?:\d+|top|first|list)\b", re.IGNORECASE)
_ROWS_ONCE_MORE = re.compile(
    r"^(?:(?:everything|anything|all|any|every|the|those|these|ones|rows|rest|other ones)\b ?)+"
    r"(?:(?:that|which|who) )?(?:(?:are|is|lie) )?",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    rf"(?:{one_of([each for each in ABOVE if each.isalpha()])}|(?:{one_of([*COMPARATIVES])}) than|at least|at most"
    r"|with|without|where|whose|in|on|at|from|between|within|near|outside|not|having|have|has|had)\b|[<>=≥≤\d]",
    re.IGNORECASE,
)
"""Words that begin a condition behind a noun."""
_BEHIND = re.compile(
    r"(?P<rest>,? (?:(?:and|then|but|only|show|just) )*(?:the )?(?:top|first|bottom|last) \d+\b.*"
    r"|,? (?:as|in|on) an? (?:(?:bar|line|pie) )?(?:chart|graph|map|table|list)\b.*"
    r"|,? (?:and )?colou?red? .*)$",
    re.IGNORECASE,
)
"""What stays behind a condition: `airports by country, top 10`."""
_NEAR = re.compile(r"(?P<rest>(?: (?:nearest|closest))? to (?!the\b)\w[^,]*)$", re.IGNORECASE)


def ranked_of_fewer(spoken: Spoken, asked_now: str) -> Iterator[Again]:
    """The ranking before with a condition on its rows."""
    before = spoken.memory.ranking
    found = _narrowed(asked_now, spoken.vocabulary) if before else None
    if found is None or _OF_ITS_ROWS.search(asked_now) or not _may_filter(spoken, asked_now):
        return
    noun, what, is_left_out = found
    before = before.rstrip(" ?!.")
    tail = next((each for each in TAIL if before.lower().endswith(f" {each}")), "")
    before = before[: len(before) - len(tail)].rstrip(" ,")
    ends = [rest.start("rest") for behind in (_BEHIND, _NEAR) if (rest := behind.search(before)) is not None]
    requests = [
        f"{before[:end]} {each}{before[end:]}"
        for end in (*ends, len(before))
        for each in _conditions(what, is_left_out=is_left_out)
    ]
    vocabulary = spoken.vocabulary
    if not any(char.isdigit() for char in what) or len(named := _tables_named(before, vocabulary)) < 2:
        yield from map(spoken.repeated, requests)
        return
    counted = {table for each in _COUNTED.finditer(before) for table in _tables_named(each[0], vocabulary)}
    ranked, known = _tables_named(noun, vocabulary) or named - counted, _compared(before, vocabulary)
    right = [
        each for each in requests if {table for table, _ in _compared(each, vocabulary) - known} <= ranked
    ]
    yield from (replace(spoken.repeated(each), only=True) for each in right or [f"{before}: {asked_now}"])


_COUNTED = re.compile(
    r"\b(?:number of|how many|count of|most|fewest|least) (.*?)"
    r"(?= (?:by|per|in|for|with|that|to|near|within|are)\b|,|$)"
    r"|^(?:[a-z]+ )?(\w+) per \b",
    re.IGNORECASE,
)
"""The rows that are counted, not ranked: `number of cities by country, top 10`."""


def _tables_named(text: str, vocabulary: Vocabulary) -> set[str]:
    words = name_words(text)
    found = [vocabulary.match_table(words[at:]) for at in range(len(words))]
    return {table.id for each in found if each is not None and not each.guessed for table in each.found}


def _compared(request: str, vocabulary: Vocabulary) -> set[tuple[str, str]]:
    """The tables of which an analysis compares numbers, each with the comparison."""
    goals = [each.intent.goal for each in parse(request, vocabulary) if isinstance(each.intent, i.Analyse)]
    chains = [read_analysis(goal, vocabulary, vocabulary.operations) for goal in goals]
    return {
        (table, str(part))
        for chain in chains
        for step in (chain.parts if chain is not None else ())
        for rows in features_of(step)
        for part in parts_of(rows.where)
        if isinstance(part, Compare) and rows.mention is not None
        for table in rows.mention.tables
    }


def _may_filter(spoken: Spoken, asked_now: str) -> bool:
    """Whether the message could filter rows: not `remove the chart`, `only the top 2`."""
    meant = [each.intent for each in parse(asked_now, spoken.vocabulary, spoken.default)]
    return all(is_unread(each) or (isinstance(each, i.Refine) and each.top is None) for each in meant)


def _narrowed(asked_now: str, vocabulary: Vocabulary) -> tuple[str, str, bool] | None:
    """The noun of the rows, their condition, and whether the rows that it is true of are left out."""
    only, left_out = _ONLY.fullmatch(asked_now), _LEFT_OUT.fullmatch(asked_now)
    asked = left_out or only
    if asked is None:
        return None
    what = _ROWS_ONCE_MORE.sub("", next(filter(None, asked.groups()), ""))
    words = what.split()
    if words and words[0].lower() in (*STARTS, "their", "its"):
        return None
    for end in range(1, len(words)):
        noun, rest = " ".join(words[:end]), " ".join(words[end:])
        if are_rows(noun, vocabulary) and _CONDITION.match(rest):
            return noun, rest, left_out is not None
    if (
        len(words) > 1
        and not _CONDITION.match(what)
        and (words[-1] == "ones" or are_rows(words[-1], vocabulary))
    ):
        what = " ".join(words[:-1])
    return ("", what, left_out is not None) if what else None


def _conditions(what: str, *, is_left_out: bool) -> Iterator[str]:
    """Wordings of the condition behind the noun of a ranking."""
    if not is_left_out:
        yield from (
            (what, f"that are {what}") if _CONDITION.match(what) else (f"that are {what}", f"with {what}")
        )
        return
    first, _, rest = what.partition(" ")
    denied = {"with": "without", "having": "without", "has": "without", "have": "without", "without": "with"}
    if first.lower() in denied:
        yield f"{denied[first.lower()]} {rest}"
    if not _CONDITION.match(what):
        yield f"that are not {what}"
        yield f"without {what}"
    yield f"not {what}"
