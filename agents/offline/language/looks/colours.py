"""Rules for colours and colour ramps: `red`, `light orange`, `#ff8800`, `viridis`."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Table
from agents.geo.styling.colours import shaded
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import COLOURS, PLAIN_COLOURS, RAMPS, SHADES
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, name_words

_COLOUR_BEGINNINGS = frozenset(name[:end] for name in COLOURS for end in range(1, len(name) + 1))


def take_colour(cursor: Cursor) -> str | None:
    """A CSS colour: `red`, `dark green`, `#ff8800`. Shades without a CSS name, such as `light orange`, are mixed."""
    token = cursor.token()
    if token is not None and token.text == "#":
        return _hex_colour(cursor)
    for length in (3, 2, 1) if cursor.word().replace("-", "") in _COLOUR_BEGINNINGS else ():
        words = [cursor.word(offset) for offset in range(length)]
        joined = "".join(words).replace("-", "")
        if all(words) and joined in COLOURS:
            cursor.at += length
            return joined
    if cursor.word() in SHADES and cursor.word(1) in COLOURS:
        cursor.at += 2
        return shaded(cursor.word(-1), darker=SHADES[cursor.word(-2)])
    return None


def _hex_colour(cursor: Cursor) -> str | None:
    digits, length = "", 1
    while (
        (token := cursor.token(length)) is not None
        and token.glued
        and token.text.isalnum()
        and len(digits) < 8
    ):
        digits += token.text
        length += 1
    if len(digits) in (3, 6) and all(digit in "0123456789abcdefABCDEF" for digit in digits):
        cursor.at += length
        return f"#{digits.lower()}"
    return None


def is_value(colour: str, vocabulary: Vocabulary, tables: Sequence[Table]) -> bool:
    """Whether a colour's name is a value of these tables: `crashes in snow` (column `weather`), `fields with
    wheat` (“Winter wheat”)."""
    if fold(colour) in PLAIN_COLOURS:
        return False
    words = name_words(colour)
    common = (each for table in tables for column in table.columns for each in column.samples)
    called = any(table in tables for table, _, _ in vocabulary.values_called(words))
    return called or any(name_words(each)[-len(words) :] == words for each in common)


def take_ramp(cursor: Cursor) -> str | None:
    """Read the name of a colour ramp. Returns None without moving the cursor if none follows."""
    name = RAMPS.get(cursor.word().replace("-", ""))
    if name is not None:
        cursor.at += 1
    return name
