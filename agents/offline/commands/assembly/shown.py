"""A map of one table, from pieces in any order: `Canadian airports with an IATA code: map them as triangles`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from agents.domain import Table
from agents.offline.commands.assembly.asked import Asked
from agents.offline.commands.assembly.fitting import columns_of
from agents.offline.commands.assembly.piece import Piece
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.looks.rules import Looks, settled
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import OneOf

_LED = re.compile(r"(?:in|as|with|using|without|labell?ed|colou?red)\b", re.IGNORECASE)
_OF_THEM = re.compile(r"\w+ (?:it|them|these|those|each)\b", re.IGNORECASE)
_KINDS = ("rows", "condition", "and", "draw", "look", "them")


def look_pieces(cursor: Cursor, vocabulary: Vocabulary, table: Table) -> Iterator[Piece]:
    """Styles that begin here: one property, or several in sequence."""
    place = cursor.at
    rules = Looks(cursor, vocabulary, (table,))
    labels = cursor.take(p.LABEL_THEM) is not None
    look = rules.labelled(i.Look()) if labels else i.Look()
    if labels and not look.label and not look.label_text and cursor.word() in ("it", "this", "that"):
        return  # what was mentioned before
    if not labels:
        cursor.take(p.COLOUR_THEM)
    while True:
        if not look.empty:
            text = cursor.since(place) + (cursor.word() if cursor.word() in (",", ":") else "")
            yield Piece("look", place, cursor.at, look, 1.2, text)
            cursor.take(", and", ",", "and")
        more = rules.add(look)
        if more is None:
            return
        look = more


def shown(asked: Asked, vocabulary: Vocabulary) -> i.Show | None:
    """A layer of the rows with these styles; None if they contradict each other."""
    are_named = asked.has("rows") or _by_value(asked, vocabulary)
    if not asked.only(*_KINDS) or asked.rows_are_spoken_of or not are_named:
        return None
    if not _is_style(asked):
        return None
    look = _together([each.value for each in asked.all("look")])
    if look is None or (look.empty and asked.where is None) or _is_for_one_value(asked, look):
        return None
    words = " ".join(each.text for each in asked.pieces if each.kind == "condition")
    return i.Show(asked.mention, look, asked.where, condition_text=f"{asked.noun} {words}" if words else "")


def _is_for_one_value(asked: Asked, look: i.Look) -> bool:
    """Whether a second style is that of one of the values that have a colour each: `coloured by type, branch thick`."""
    by = set(look.by.columns) if look.by is not None else set()
    return len(asked.all("look")) > 1 and any(
        by.intersection(columns_of(each.value)) for each in asked.all("condition")
    )


def coloured(asked: Asked) -> i.Restyle | None:
    """`map the population density of African countries`: the areas, coloured by their only number."""
    columns = asked.all("column")
    is_plain = asked.only("rows", "condition", "and", "draw", "column") and not asked.rows_are_spoken_of
    if not is_plain or asked.table.geometry_family != "polygon" or not asked.has("rows", "condition"):
        return None
    own = [asked.table.column(name) for each in columns for name in each.value.columns]
    if len(columns) != 1 or len(own) != 1 or own[0] is None or not is_number(own[0]):
        return None
    return i.Restyle(asked.mention, i.Look(by=columns[0].value), asked.where)


def _by_value(asked: Asked, vocabulary: Vocabulary) -> bool:
    """Whether a known value names the rows and a style shows that they are to be drawn: `red foxes only, in
    orange`."""
    values = [each.value for each in asked.all("condition") if isinstance(each.value, OneOf)]
    return asked.has("look") and any(
        (table, column) == (asked.table, name)
        for each in values
        for name in (each.column.columns if each.column is not None else ())
        for table, column, _ in vocabulary.values_called(name_words(each.text))
    )


def _is_style(asked: Asked) -> bool:
    """Whether a comma, colon or verb separates each style from rows after it: `olive trees` is a kind of tree."""
    rows, before = asked.one("rows"), None
    for each in asked.pieces:
        is_before = each.kind == "look" and rows is not None and each.begin < rows.begin
        is_led = before is not None and before.kind == "draw" and _LED.match(each.text)
        if is_before and not (each.text.endswith((",", ":")) or is_led or _OF_THEM.match(each.text)):
            return False
        before = each
    return True


def _together(looks: Sequence[i.Look]) -> i.Look | None:
    """All styles as one; None if two set the same property."""
    changed = [
        (each.name, value)
        for look in looks
        for each in fields(look)
        if (value := getattr(look, each.name)) != each.default
    ]
    changes = dict(changed)
    return settled(replace(i.Look(), **changes)) if len(changes) == len(changed) else None
