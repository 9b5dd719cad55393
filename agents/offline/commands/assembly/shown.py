"""A map of one table from its pieces in any order: `Canadian airports with an IATA code: map them as triangles`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace

from agents.domain import Table
from agents.offline.commands.assembly.asked import Asked
from agents.offline.commands.assembly.piece import Piece
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.looks.rules import Looks, settled
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning import intents as i

_KINDS = ("rows", "condition", "and", "draw", "look", "them")


def look_pieces(cursor: Cursor, vocabulary: Vocabulary, table: Table) -> Iterator[Piece]:
    """How the rows are to be drawn: one look, or several that follow each other."""
    place = cursor.at
    rules = Looks(cursor, vocabulary, (table,))
    labels = cursor.take(p.LABEL_THEM) is not None
    look = rules.labelled(i.Look()) if labels else i.Look()
    if labels and not look.label and not look.label_text and cursor.word() in ("it", "this", "that"):
        return  # what was spoken of before
    if not labels:
        cursor.take(p.COLOUR_THEM)
    while True:
        if not look.empty:
            yield Piece("look", place, cursor.at, look, 1.2, cursor.since(place))
            cursor.take(", and", ",", "and")
        more = rules.add(look)
        if more is None:
            return
        look = more


def shown(asked: Asked) -> i.Show | None:
    """A layer of the rows, as the looks say; None where they contradict each other."""
    if not asked.only(*_KINDS) or not asked.has("rows") or asked.rows_are_spoken_of:
        return None
    look = _together([each.value for each in asked.all("look")])
    if look is None or (look.empty and asked.where is None):
        return None
    words = " ".join(each.text for each in asked.pieces if each.kind == "condition")
    return i.Show(asked.mention, look, asked.where, condition_text=f"{asked.noun} {words}" if words else "")


def _together(looks: Sequence[i.Look]) -> i.Look | None:
    """All looks as one, where no two of them say the same thing."""
    said = [
        (each.name, value)
        for look in looks
        for each in fields(look)
        if (value := getattr(look, each.name)) != each.default
    ]
    changes = dict(said)
    return settled(replace(i.Look(), **changes)) if len(changes) == len(said) else None
