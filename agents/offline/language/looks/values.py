"""Rules for colours of single values: `fatal in red, serious in orange`, `red for fatal and orange for serious`."""

from __future__ import annotations

from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import name_words, singular, word_set

MAX_VALUE_WORDS = 3
_ENDS_OF_VALUES = word_set("and or in as is are with by for then the ones on at of to label show where")

_PARTS = word_set(
    "fill filling outline border stroke edge line point dot circle marker symbol label text halo background"
)
"""Parts of a symbol that a colour may refer to instead of values: `orange fill, black outline`."""


def take_value_colours(cursor: Cursor, vocabulary: Vocabulary) -> tuple[tuple[str, str], ...]:
    """Values as written and their colours; empty unless there are at least two, or a common value after `, red for` or
    in `, fatal ones in red`."""
    start = cursor.at
    if opener := cursor.take(",", "with", "using"):
        pair = _colour_of_value(cursor)
        if pair is None and opener == ",":
            pair = _value_in_colour(cursor, vocabulary, False)
            is_said = {"in", "ones"} & {*cursor.words[start : cursor.at]}  # not `, Mill Lane - red`
            pair = pair if is_said else None
        end = cursor.at
        is_only = not (cursor.take(", and", ",", ";", "and") and take_colour(cursor))
        if pair is not None and is_only and vocabulary.values_called(name_words(pair[0])):
            cursor.at = end
            return (pair,)
    cursor.at = start
    opened = cursor.take("(") is not None
    announced = opened or cursor.take(":", "-", "–") is not None
    if not announced:
        cursor.take(",", "with", "using", "in", "and")
    begin = cursor.at
    pairs = _colours_first(cursor)
    after = cursor.at if pairs else start
    cursor.at = after if pairs else begin
    while (pair := _colour_of_value(cursor) or _value_in_colour(cursor, vocabulary, announced)) is not None:
        pairs.append(pair)
        after = cursor.at
        cursor.take(", and", ",", ";", "and")
    cursor.at = after
    if len(pairs) > 1 and (not opened or cursor.take(")")):
        return tuple(pairs)
    cursor.at = start
    return ()


def take_further_values(cursor: Cursor, vocabulary: Vocabulary, noun: str) -> tuple[tuple[str, str], ...]:
    """Values and their colours after a first one: `and granted ones in green`, `, pending permits in grey`."""
    found: list[tuple[str, str]] = []
    while True:
        start = cursor.at
        pair = (
            _value_in_colour(cursor, vocabulary, False)
            if cursor.take(", and", ",", "and", "but", "while")
            else None
        )
        value = pair[0].removesuffix(noun).strip() if pair is not None else ""
        if pair is None or not value:
            cursor.at = start
            return tuple(found)
        found.append((value, pair[1]))


def take_others(cursor: Cursor) -> str | None:
    """The colour of all other rows: `, the others grey`, `and all other cities in light grey`."""
    start = cursor.at
    if cursor.take(", and", ",", "and", "but") and cursor.take(p.THE_OTHERS):
        cursor.take("in", "as", "are", "is", "-")
        if (color := take_colour(cursor)) is not None:
            return color
    cursor.at = start
    return None


def _colours_first(cursor: Cursor) -> list[tuple[str, str]]:
    """`green easy, orange moderate`, `red for high, orange low`: each colour before its value, separated by signs or
    `and`."""
    pairs: list[tuple[str, str]] = []
    all_for = True
    while (color := take_colour(cursor)) is not None:
        all_for = cursor.take("for") is not None and all_for
        cursor.take("the")
        text = _value(cursor)
        token = cursor.token()
        ends = token is None or token.kind == "sign" or cursor.word() == "and"
        if not (text and ends) or singular(text.split()[-1].lower()) in _PARTS:
            return []
        pairs.append((text, color))
        end = cursor.at
        if not cursor.take(", and", ",", ";", "and"):
            break
        if token is None or take_colour(cursor) is None:
            cursor.at = end
            break
        cursor.at = end
        cursor.take(", and", ",", ";", "and")
    return pairs if len(pairs) > 1 and not all_for else []


def _colour_of_value(cursor: Cursor) -> tuple[str, str] | None:
    """`red for fatal`."""
    start = cursor.at
    color = take_colour(cursor)
    if color is not None and cursor.take("for", "=", ":"):
        cursor.take("the")
        text = _value(cursor)
        if text:
            return text, color
    cursor.at = start
    return None


def _value_in_colour(cursor: Cursor, vocabulary: Vocabulary, announced: bool) -> tuple[str, str] | None:
    """`fatal in red`, `the fatal ones red`; not `cities in red` (rows of a table), unless values were
    announced (`told`)."""
    start = cursor.at
    cursor.take("the")
    named = vocabulary.is_named(cursor.keys()[0]) and not announced
    begin = cursor.at
    coloured = take_colour(cursor) is not None
    value = cursor.since(begin)
    after = cursor.at
    if coloured and take_colour(cursor) is not None:  # `Green green`: the first is a value
        cursor.at, text = after, value
    else:
        cursor.at = start if coloured else begin
        text = "" if named or coloured else _value(cursor)
    cursor.take("ones", "features")
    cursor.take("in", "as", "=", ":", "is", "are", "-", "–")
    words = name_words(text)
    is_part = words[-1:] and words[-1] in _PARTS and not vocabulary.values_called(words)
    color = take_colour(cursor) if text and not is_part else None
    if color is not None:
        return text, color
    cursor.at = start
    return None


def _value(cursor: Cursor) -> str:
    """Words up to a colour, or to a word that ends a value."""
    begin = cursor.at
    while (token := cursor.token()) is not None and cursor.at - begin < MAX_VALUE_WORDS:
        here = cursor.at
        if token.kind == "sign" or cursor.word() in _ENDS_OF_VALUES:
            break
        if here > begin and take_colour(cursor) is not None:
            cursor.at = here
            break
        cursor.at = here + 1
    return cursor.since(begin)
