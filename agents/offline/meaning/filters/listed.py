"""Columns whose texts are lists: `8/9/18`, the lines of a bus stop."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from agents.domain import Column, Cql2, Table
from agents.offline.language.words import fold
from agents.offline.meaning.cql2 import contains, equals
from agents.offline.meaning.scene import Scene
from agents.offline.meaning.spellings import split_values

SEPARATORS = ("/", ";", "|", ",")
_ITEM, _CODE = re.compile(r"\w[\w.-]{0,11}"), re.compile(r"(?=.*\d)\w{1,4}")
"""Items, and those that need not recur in the known texts; `N/A` is not a list."""


def separator_of(column: Column) -> str | None:
    """What separates the items of a column's texts; None unless all known texts are codes or lists of codes, or lists
    of short words that recur."""
    for separator in SEPARATORS:
        texts = [_items(text, separator) for text in column.samples]
        lists = [items for items in texts if len(items) > 1]
        recurring = Counter(item for items in lists for item in {*items})
        are_codes = all(_CODE.fullmatch(item) for items in texts for item in items)
        if lists and all(map(_are_items, lists)) and (are_codes or max(recurring.values()) > 1):
            return separator
    return None


async def with_item(scene: Scene, table: Table, column: Column, text: str) -> Cql2 | None:
    """The rows whose list has one of the items in `text`; None if the column holds no lists, or no row has them."""
    separator, items = separator_of(column), split_values(text)
    if separator is None or not _are_items(items):
        return None
    parts = [part for item in items for part in _holds(column, separator, item)]
    found: Cql2 = {"op": "or", "args": parts}
    return found if await scene.data.count(table.id, found) else None


def joint_values(table: Table, name: str, values: Sequence[str]) -> list[str]:
    """The values that join one of these with others: `bus+tram`, of tram stops."""
    column, wanted = table.column(name), {fold(str(each)) for each in values}
    samples = column.samples if column is not None and column.kind == "text" else ()
    return [each for each in samples if "+" in each and wanted.intersection(_items(fold(each), "+"))]


def _holds(column: Column, separator: str, item: str) -> list[Cql2]:
    """Tests for the item as the whole text, and as its first, last or another item."""
    spaced = f"{separator} " if any(f"{separator} " in text for text in column.samples) else separator
    ends = (("", f"{separator}%"), (f"%{spaced}", ""), (f"%{spaced}", f"{separator}%"))
    return [equals(column.name, [item]), *(contains(column.name, item, *each) for each in ends)]


def _items(text: str, separator: str) -> list[str]:
    return [item.strip() for item in text.split(separator)]


def _are_items(items: list[str]) -> bool:
    return bool(items) and all(_ITEM.fullmatch(item) for item in items)
