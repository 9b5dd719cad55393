"""Columns of the people of some age: `65 or older` of `pop_65up`, `under 18s` of `pop_u18`."""

from __future__ import annotations

import re

from agents.domain import Table
from agents.offline.language.names.costs import NUMBERS

MOST_YEARS = 120
"""The greatest number that is taken for an age."""
_OLDER, _YOUNGER = "up|plus|over|older|ge|gt|o", "under|younger|below|lt|le|u"
"""Words in names of such columns, as parts of patterns."""
_SAID = re.compile(
    r"(?:aged? |people |persons |residents )*(?:(?:(?P<younger>under|younger than|below)|over|older than|above) )?"
    r"(?P<age>\d\d?)(?: ?s)?(?: (?:years|year olds))?"
    r"(?P<after> (?:and|or) (?:under|younger|over|older|more)| plus|\+)?",
    re.IGNORECASE,
)


def of_age(table: Table, age: str, *, younger: bool) -> tuple[str, ...]:
    """The columns with the people younger or older than an age."""
    words = _YOUNGER if younger else _OLDER
    own = re.compile(rf"(?:^|_)(?:{words})_?{age}$|(?<!\d){age}_?(?:{words})\b", re.IGNORECASE)
    return tuple(each.name for each in table.columns if each.kind in NUMBERS and own.search(each.name))


def of_age_in_words(table: Table, text: str) -> tuple[str, ...]:
    """The same for an age in words: `under 18s`; none for other words."""
    said = _SAID.fullmatch(text)
    if said is None or not (said["younger"] or said["after"] or not said[0][0].isdigit()):
        return ()
    younger = bool(said["younger"]) or (said["after"] or "").endswith(("under", "younger"))
    return of_age(table, said["age"], younger=younger)
