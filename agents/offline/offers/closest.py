"""Builds plain requests from the parts that a declined request names, to click on."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from itertools import zip_longest

from agents.domain import Table
from agents.offline.language.lexicon import STATISTICS, SUPERLATIVES
from agents.offline.language.reading import Unreadable, read
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import word_set
from agents.offline.meaning.scene import Scene
from agents.offline.offers.parts_named import HOW_MANY, Parts, parts_named
from agents.offline.offers.readable import is_planned, is_readable
from agents.offline.offers.suggestions import spoken_table

MAX_CLOSEST = 3
MAX_TRIED = 12
SECONDS = 1.0
"""Time limit for finding the requests; those found until then are offered."""
_AGGREGATES = ("mean", "median", "sum", "minimum", "maximum")
_QUOTED = word_set("and as by for from in is no not of on or per than the to with without")
"""Words that would be read as words of the language inside of a value."""


async def closest(text: str, scene: Scene, default: Table | None) -> list[str]:
    """Requests that can be carried out, made from the parts that a declined request names; the closest first."""
    try:
        parts = await read(parts_named, text, scene.vocabulary, default)
    except Unreadable:
        return []
    found: list[str] = []
    until = time.monotonic() + SECONDS
    about = (_requests(each, scene.vocabulary) for each in parts)
    requests = (each for together in zip_longest(*about) for each in together if each is not None)
    for tried, request in enumerate(dict.fromkeys(requests)):
        if tried == MAX_TRIED or len(found) == MAX_CLOSEST or time.monotonic() > until:
            break
        is_read = await read(is_readable, request, scene.vocabulary, default)
        if is_read and request != text and await is_planned(request, scene, default):
            found.append(request)
    return found


def _requests(parts: Parts, vocabulary: Vocabulary) -> Iterator[str]:
    """Requests with all of the parts, then with fewer."""
    noun = _noun(parts.table, vocabulary)
    values = [f"{begin} {' or '.join(map(_written, those))}" for begin, those in parts.values.items()]
    for others, conditions in _fewer(parts.others, values):
        rows = " ".join((noun, *others))
        where = f" where {' and '.join(conditions)}" if conditions else ""
        yield from _about(parts, f"{rows}{where}", is_all=not (others or conditions))


def _about(parts: Parts, rows: str, *, is_all: bool) -> Iterator[str]:
    """Requests about these rows: with the figure that is asked for, then plain ones."""
    column = parts.columns[0] if parts.columns else ""
    figure = "total" if parts.counts_column else parts.figure
    by = f" by {parts.group}" if parts.group else ""
    if column and STATISTICS.get(figure) in _AGGREGATES:
        yield f"{figure} {column} of {rows}{by}"
    elif column and figure in SUPERLATIVES:
        yield f"top 10 {rows} by {column}"
    if parts.group:
        yield f"bar chart of {rows}{by}" if parts.is_charted else f"number of {rows}{by}"
    elif figure == HOW_MANY and not is_all:
        yield f"how many {rows}"
    if not is_all:
        yield f"show {rows}"


def _fewer(others: Sequence[str], values: Sequence[str]) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
    """All conditions, then all but one, then one kind only."""
    yield others, values
    for at in range(len(others)):
        yield [*others[:at], *others[at + 1 :]], values
    for at in range(len(values)):
        yield others, [*values[:at], *values[at + 1 :]]
    yield (), values
    yield others, ()


def _noun(table: Table, vocabulary: Vocabulary) -> str:
    """How a request names the rows of a table; a result by its layer."""
    layer = next((each for each in vocabulary.layers if each.table == table.id), None)
    return f'"{layer.name}"' if table.is_result and layer is not None else spoken_table(table)


def _written(value: str) -> str:
    """A value as a request has it: quoted unless it is plain words."""
    words = value.split()
    is_plain = all(word.isalnum() for word in words) and _QUOTED.isdisjoint(value.casefold().split())
    return value if is_plain else f'"{value}"'
