"""Rows by a part of a value: the surname of `K. Fraser`, `RSPB` for “RSPB Scotland”, `York Road` for “A64 York
Road”."""

from __future__ import annotations

import re
from collections.abc import Sequence

from agents.domain import Column, Cql2, Place, Table
from agents.geo.styling.colours import CSS_NAMES
from agents.offline.language.lexicon import spelt_out
from agents.offline.language.names.columns import contains as contains_words
from agents.offline.language.names.keys import is_key_name
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, name_words, singular, word_set
from agents.offline.meaning.alike_places import PLACES, width_of_place
from agents.offline.meaning.conditions import Condition, Matches, OneOf, parts_of
from agents.offline.meaning.cql2 import contains, equals, negated
from agents.offline.meaning.places import place_meant, row_of
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.scene import Scene, unless_failed, unless_refused

MIN_LETTERS = 4
"""Minimum length of the longest word of a part, unless it is an abbreviation in capitals."""
MIN_CAPITALS = 3
MAX_VALUE_WORDS = 5
"""Maximum number of words of a value; longer ones are notes."""
MAX_TABLE_ROWS = 1_000_000
"""Maximum number of rows of a table that is looked through; every text column of it is read as a whole."""
MAX_ROWS = 200
"""Maximum number of rows whose values are compared."""
_COMMON = word_set("""
    road street lane avenue drive park place square court hill bridge river green town city village district area zone
    north south east west northern southern eastern western upper lower inner outer new old high main big small large
    little great house home school station centre center hall church site building shop market hospital public private
    other general local national open closed free good poor bad none unknown first second third left right full empty
    coast island lake sea ocean mountain mount valley beach bay shore border desert forest peninsula cape port republic
    kingdom state union territory
""")
"""Words that many names have: `new schools` are not those of the New Hall Trust."""
_DENIALS = word_set("no not non never without nor neither less lacking missing")


async def named_in_part(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> Cql2 | None:
    """The rows with the only value that begins or ends with these words, if one column alone has such a value."""
    text = text.removeprefix("the ")
    words = name_words(text)
    if not is_distinctive(table, text):
        return None
    found: list[Cql2] = []
    for column in columns:
        if column.kind == "text" and column.samples and not is_key_name(column.name):
            if not (values := await values_with(scene, table, column, text)):
                continue
            same = equals(column.name, [values[0]])
            others = await values_with(scene, table, column, text, negated(same))
            if found or len({*values}) > 1 or others or not _is_at_an_end(name_words(values[0]), words):
                return None
            found.append(same)
    named = name_column(table)
    if found and named is not None and named not in columns:
        # `international airports` are not those of International Falls
        elsewhere: Cql2 = {"op": "and", "args": [contains(named.name, text), negated(found[0])]}
        found = [] if await scene.data.count(table.id, elsewhere) else found
    return found[0] if found else None


def is_distinctive(table: Table, text: str) -> bool:
    """Whether a table is looked through for words: not for short ones, nor for those that many names have."""
    words = name_words(text)
    is_long = max(map(len, words), default=0) >= MIN_LETTERS or (text.isupper() and len(text) >= MIN_CAPITALS)
    is_own = is_long and not set(words) <= _COMMON and text.lower() not in CSS_NAMES
    return is_own and table.row_estimate <= MAX_TABLE_ROWS


async def on_street(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> Cql2 | None:
    """The rows at any number of a street: `12 Victoria Road` of `on Victoria Road`, not `3 Old Victoria Road`."""
    addresses = [each for each in columns if each.kind == "text" and "address" in spelt_out(each.name)]
    at_number = re.compile(rf"(?:flat [\w/]+,? )?\d[\w/-]*,? {re.escape(fold(text))}\b")
    for column in addresses if len(name_words(text)) > 1 and table.row_estimate <= MAX_TABLE_ROWS else ():
        values = await values_with(scene, table, column, text)
        there = [each for each in values if at_number.match(fold(each))]
        if (
            there
            and all(fold(each).endswith(f" {fold(text)}") for each in values)
            and len(there) == len(values)
        ):
            return contains(column.name, text, "% ", "")
        if there and len(values) < MAX_ROWS:
            return equals(column.name, list(dict.fromkeys(there)))
    return None


def parts_taken(where: Condition) -> list[str]:
    """`house (prop_type)`: nouns that stand for the values that end with them, such as `Terraced house`."""
    ends = [each for each in parts_of(where) if isinstance(each, Matches) and each.how == "ends"]
    named = [(each.text.strip('" '), each.column.columns) for each in ends if each.column is not None]
    return [f"{noun} ({columns[0]})" for noun, columns in named if columns]


async def value_in_part(scene: Scene, table: Table, column: Column, text: str) -> list[str]:
    """The only value of a column that begins or ends with these words, or has their singulars (`tokens not loading`, of
    “Token not loading”), as a list; empty without one."""
    if alike := [each for each in column.samples if name_words(each) == name_words(text)]:
        return alike
    found = await named_in_part(scene, table, [column], text)
    return [found["args"][1]] if found is not None else []


async def values_with(
    scene: Scene, table: Table, column: Column, text: str, among: Cql2 | None = None
) -> list[str]:
    """Values of some rows that have the text as whole words."""
    held = contains(column.name, text)
    query = {"op": "and", "args": [held, among]} if among is not None else held
    answer = await unless_failed(scene.data.query(table.id, [column.name], query, limit=MAX_ROWS)) or {}
    values = (str(row[column.name]) for row in answer.get("rows", ()))
    return [each for each in values if contains_words(name_words(each), name_words(text))]


def _is_at_an_end(own: tuple[str, ...], words: tuple[str, ...]) -> bool:
    """Whether a value begins or ends with the words, apart from words of many names: `york` of “A64 York Road”."""
    last = next((at for at in range(len(own), 0, -1) if own[at - 1] not in _COMMON), 0)
    ends = (own[: len(words)], own[-len(words) :], own[max(last - len(words), 0) : last])
    is_denied = not _DENIALS.isdisjoint({*own} - {*words})  # `smoke detectors` of “no smoke detectors”
    return words in ends and len(own) <= MAX_VALUE_WORDS and not is_denied


def beginning_with(table: Table, text: str) -> Cql2 | None:
    """The filter for a value's first words, such as `in the dark` for “Dark - lit”, if only one column fits."""
    begins = re.compile(rf"{re.escape(text.removeprefix('the '))} ?[-–:,;/(]", re.IGNORECASE)
    found = {
        (column.name, match[0])
        for column in text_columns(table)
        for value in column.samples
        if (match := begins.match(value))
    }
    return contains(*next(iter(found)), before="") if len(found) == 1 else None


async def row_named(
    scene: Scene, table: Table, where: Condition | None, text: str
) -> tuple[Place, Cql2] | None:
    """The row with a name that was read as a kind: `Riverside Park` of parks, `Ulm station`. Raises Ask if
    several rows have it."""
    if not isinstance(where, OneOf) or where.how != "kind":
        return None
    before, _, noun = text.removeprefix("the ").rpartition(" ")
    is_one = before == where.text and before[:1].isupper() and singular(fold(noun)) == fold(noun)
    if not is_one and not text.istitle():
        return None
    place = await unless_refused(place_meant(scene, text if text.istitle() else before, table.id))
    if place is None and is_one and _lies_there(scene.vocabulary, table, before):
        place = await unless_refused(place_meant(scene, text, table.id))
    return (place, await row_of(scene, place, place.name)) if place is not None else None


def _lies_there(vocabulary: Vocabulary, table: Table, name: str) -> bool:
    """Whether a name is no value but that of a place where rows are: `Denver airport`."""
    columns = [
        table.column(column) for of, column, _ in vocabulary.values_called(name_words(name)) if of == table
    ]
    return all(each is not None and width_of_place(each) < len(PLACES) for each in columns)
