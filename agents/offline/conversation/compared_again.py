"""Follow-ups about a few rows that were compared or listed: `add spain`, `bar chart`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agents.offline.conversation.other_rows import are_rows
from agents.offline.conversation.pieces import message
from agents.offline.conversation.spoken import Again, Spoken

_COMPARED = re.compile(
    r"(?P<begin>compare\b.*?)(?P<joint>,? (?:and|vs\.?|versus|with|to) )(?P<last>(?!.* (?:and|vs|versus|with) )[^?,]+?)"
    r"(?P<rest> (?:by|in terms of|regarding) [^?,]+)?\W*",
    re.IGNORECASE,
)
"""`compare the population of france, germany and italy`."""


@message(
    r"(?:(?:and|now|ok|okay|please|also|can you),? )*(?:add|include|with|plus)(?: also)? (?P<what>[^\W\d][^?,]*?)"
    r"(?: (?:too|as well|to (?:it|that|this|them|those|these|the (?:list|comparison|table))))?"
)
def also_compared(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`add spain` after a comparison: of one more."""
    before = _COMPARED.fullmatch(spoken.memory.question_text)
    if before is not None and not are_rows(asked["what"].removeprefix("the "), spoken.vocabulary):
        last, more = before["last"], asked["what"].removeprefix("the ")
        yield spoken.repeated(
            f"{before['begin']}, {last}{before['joint'].lstrip(',')}{more}{before['rest'] or ''}"
        )


@message(
    r"(?:and |now )?(?:vs\.?|versus|compared (?:to|with)|against) (?:that |those )?(?:in )?(?P<other>[^?,]+?)"
)
def beside_another(spoken: Spoken, asked: re.Match[str]) -> Iterator[Again]:
    """`vs 2024?` after `burnt area in 2022`, `vs Peru` after a question about Germany: both side by side."""
    memory, other = spoken.memory, asked["other"]
    years = [*_YEAR.finditer(memory.question_text)]
    if _YEAR.fullmatch(other) and len(years) == 1:
        end = years[0].end()
        yield spoken.repeated(f"{memory.question_text[:end]} vs {other}{memory.question_text[end:]}")
    elif memory.asked_of and not _YEAR.search(other):
        yield spoken.repeated(memory.asked_of.replace("{}", f"{memory.asked_about} vs {other}"))


_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
