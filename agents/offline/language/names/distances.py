"""Columns of distances to something: `distance to school` of “Distance home - school along the road, metres”."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.words import Words, name_words
from agents.offline.meaning.units import column_unit

_TO = frozenset(("to", "from"))


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
