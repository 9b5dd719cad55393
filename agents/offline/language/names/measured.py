"""Columns by their own units (`mg/l` of `no3_mg_l`, `degrees` of `slope_deg`) and by what a distance is measured to
(`distance to school` of “Distance home - school along the road, metres”)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.domain import Column, Table
from agents.offline.language.lexicon import ABOVE, spelt_out
from agents.offline.language.names.comments import HEAD_ENDS
from agents.offline.language.names.costs import short_unit
from agents.offline.language.words import Words, name_words, word_set
from agents.offline.meaning.units import column_unit

_TO = frozenset(("to", "from"))
_DEGREES = word_set("deg degree temp temperature angle")
_SCALES = word_set("c celsius f fahrenheit")
"""What may follow `degrees`."""


def distances_to(tables: Sequence[Table], words: Words) -> list[str]:
    """The only column of a distance whose name or comment has the thing that it is measured to."""
    if len(words) < 3 or words[0] != "distance" or words[1] not in _TO:
        return []
    found: list[str] = []
    for column in (each for table in tables for each in table.columns if each.kind in ("integer", "number")):
        known = spelt_out(column.name) | {*name_words(column.comment or "")}
        unit = column_unit(column)
        is_length = unit is not None and unit.dimension == "length"
        found += [column.name] if is_length and {"distance", *words[2:]} - _TO <= known else []
    return found if len(found) == 1 else []


def ends_with_unit(column: Column, words: tuple[str, ...], *, of: bool) -> bool:
    """Whether the name ends with a unit, or a clause of the comment is one (“flow, litres per minute”); `of`: before
    the substance. So does the comment with where it is measured from: `1.5 m over floor`."""
    column_words = name_words(column.name)
    unit = column_words[1:]
    in_unit = re.search(r"\bin ([^,;:.()]+)$", column.comment or "")
    head, *clauses = map(name_words, re.split(r"[,;()]", column.comment or ""))
    if words[0] == "degree":  # of an angle or a temperature
        own = (*unit, *(name_words(in_unit[1]) if in_unit is not None else ()))
        is_known = bool(_DEGREES & {*column_words, *own})
        return (words == ("degree",) and is_known) or (
            words[-1] in _SCALES and words[-1][:1] in {each[:1] for each in own[-1:]}
        )
    return (
        unit[-len(words) :] in (words, ("".join(words),))
        or short_unit(words) in map(short_unit, clauses)
        or (of and unit[-len(words) - 1 : -1] == words)
        or (in_unit is not None and name_words(in_unit[1]) == words)
        or (words[0] in HEAD_ENDS & ABOVE.keys() and len(words) > 1 and head[-len(words) :] == words)
    )
