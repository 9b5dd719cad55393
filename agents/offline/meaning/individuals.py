"""Rows that stand for several things: a bird sighting for its individuals, an area for its people."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from agents.domain import Table
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.names.columns import measure_columns
from agents.offline.language.words import name_words
from agents.offline.meaning.conditions import Mention

_SEEN = frozenset(("sighting", "observation"))
"""Heads of table names whose other words name the things: birds, in `bird_sightings`."""
_NUMBERS = frozenset((word,) for word in ("individual", "count", "cnt", "number", "quantity", "qty"))


def numbers_in_rows(table: Table) -> tuple[str, ...]:
    """The columns with the number of things that a row stands for: `individuals` of bird sightings."""
    integers = [each.name for each in table.columns if each.kind == "integer"]
    return tuple(name for name in integers if name_words(name) in _NUMBERS)


def numbers_of_things(tables: Sequence[Table], mention: Mention) -> tuple[str, ...]:
    """These columns, for rows named by a value (lapwings) or by what was seen (birds); none for `sightings`."""
    if len(tables) != 1:
        return ()
    noun, head = name_words(mention.text)[-1:], name_words(tables[0].name)[-1:]
    is_seen = not _SEEN.isdisjoint(spelt_out(head[0])) and noun != head and not _SEEN & {*noun}
    return numbers_in_rows(tables[0]) if mention.of_value or is_seen else ()


def have_areas_of_people(tables: Sequence[Table]) -> bool:
    """Whether a table of areas holds their people. Then people of a place are not added up over its points."""
    return any(table.geometry_family == "polygon" and measure_columns(table, "people") for table in tables)


def with_all_people(tables: Sequence[Table], columns: Collection[str]) -> list[Table]:
    """The tables of areas, if a column holds the people of all these tables: not all people live in cities."""
    holding = all(not set(columns).isdisjoint(measure_columns(each, "people")) for each in tables)
    areas = [each for each in tables if each.geometry_family == "polygon"]
    return areas if holding and areas else list(tables)
