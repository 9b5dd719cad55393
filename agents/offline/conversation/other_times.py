"""The previous request with another month or year: `and in 2024?`, `for all years`."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from agents.core.messages import Message, UserMessage
from agents.offline.conversation.pieces import AND, GROUP, message, one_of, with_limit
from agents.offline.language.lexicon import MONTHS

_YEAR = re.compile(
    r"(?:\b(?P<when>in|for|since|before|after|during) )?\b(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_OTHER_YEAR = re.compile(rf"{AND}{_YEAR.pattern}(?: instead)?\W*", re.IGNORECASE)
_NAMED_YEAR = re.compile(r"\b(?P<named>this|last) year\b", re.IGNORECASE)
_YEAR_BESIDE = re.compile(
    rf"{AND}(?:in |for |during )?the (?:(?P<before>previous year|year before)|(?:following|next) year|year after)"
    r"(?: that)?\W*",
    re.IGNORECASE,
)
_MONTH = re.compile(
    r"(?:\b(?P<when>in|on|from|since|before|after|until|by) (?:the )?)?(?P<day>\b\d{1,2}(?:st|nd|rd|th)? (?:of )?)?"
    rf"\b(?P<month>{one_of([*MONTHS])})\b(?P<date> \d{{1,2}}(?:st|nd|rd|th)?\b,?)?(?: (?P<of>(?:19|20)\d\d)\b)?",
    re.IGNORECASE,
)
_AND_ALSO = r"(?!and (?:since|before|after|until|by|from)\b)"  # another condition
_OTHER_MONTH = re.compile(rf"{_AND_ALSO}{AND}{_MONTH.pattern}(?: instead)?\W*", re.IGNORECASE)


def with_time(before: str, asked_now: str) -> str | None:
    """`and april?` after `inspections in March 2023`, `before 20 june` after `before 15 june 2024`, `and in 2024?`: the
    request with another month or day, of the same year if none is given, or with another year."""
    month, months = _OTHER_MONTH.fullmatch(asked_now), [*_MONTH.finditer(before)]
    if month is not None and len(months) == 1:
        (own,) = months
        kept = {"when": own["when"], "of": own["of"]}
        parts = (part or kept.get(name) or "" for name, part in month.groupdict().items())
        return f"{before[: own.start()]}{' '.join(' '.join(parts).split())}{before[own.end() :]}"
    return _with_year(before, asked_now) or _of_all_years(before, asked_now)


def _with_year(before: str, asked_now: str) -> str | None:
    """`and in 2024?`, `and the year before?`, if the request has a single year."""
    year, beside = _OTHER_YEAR.fullmatch(asked_now), _YEAR_BESIDE.fullmatch(asked_now)
    years, named = [*_YEAR.finditer(before)], [*_NAMED_YEAR.finditer(before)]
    if (year is None and beside is None) or len(years) + len(named) != 1:
        return None
    (own,) = (*years, *named)
    this_year = datetime.date.today().year
    of_own = int(own["year"]) if years else this_year - (own["named"].lower() == "last")
    other = year["year"] if year is not None else of_own - 1 if beside and beside["before"] else of_own + 1
    when = (year["when"] if year is not None else None) or (own["when"] if years else "in")
    return f"{before[: own.start()]}{f'{when} ' if when else ''}{other}{before[own.end() :]}"


@message(
    r"(?:and |now )?(?:for|over|across|in) (?:all|each of|every one of)(?: the| of the)? years(?: instead)?"
)
def _of_all_years(before: str, _: re.Match[str]) -> str | None:
    """`for all years` after a question about a single one: about each year."""
    years = [*_YEAR.finditer(before)]
    if len(years) != 1 or re.search(GROUP, before, re.IGNORECASE):
        return None
    (own,) = years
    return f"{before[: own.start()].rstrip()}{before[own.end() :].rstrip(' ?')} per year"


def other_time_drawn(messages: Sequence[Message], asked_now: str) -> str | None:
    """`and april?`, also twice, after rows of a month or year were drawn; `and over 40 %?`."""
    asked = [each.text for each in messages if isinstance(each, UserMessage)]
    while len(asked) > 1 and (again := with_time(asked[-2], asked[-1])) is not None:
        asked[-2:] = [again]
    return with_time(asked[-1], asked_now) or with_limit(asked[-1], asked_now) if asked else None
