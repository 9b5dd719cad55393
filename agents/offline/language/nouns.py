"""Rules for tables, layers, columns, pronouns, and numbers with units. Each reads the longest piece it knows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agents.domain import Table
from agents.geo.styling.colours import same_colour
from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.language.lexicon import ARTICLES, NO_MISTAKES, NUMBER_WORDS
from agents.offline.language.looks.colours import take_colour
from agents.offline.language.names.comments import is_paper_of
from agents.offline.language.names.costs import UNIT_WORDS
from agents.offline.language.names.periods import share_of_age
from agents.offline.language.tokens import Token, words_of
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import is_storage_noun, name_words, singular, word_set
from agents.offline.meaning.conditions import ColumnMention, Mention, Quantity
from agents.offline.meaning.units import are_shares, density_of, part_of_unit, unit_named
from agents.reference_systems import NAMED_SYSTEMS, UTM_ZONES, utm_system
from agents.units import MAGNITUDES, UNITS, Unit

MIN_SYSTEM = 1024
"""Lowest EPSG code."""
_YEARS = range(1900, 2036)  # not codes, unless EPSG is named
MAX_ARTICLES = 4  # in a row
MAX_VALUE_WORDS = 4
MAX_COLUMN_WORDS = 5
_OF_THEM = ("one of them", "of them", "of these", "of those", "one", "ones")
_BEFORE_TIMES = word_set("in before after since until between during by per each on from and or ? . ,") | {""}


def skip_articles(cursor: Cursor) -> None:
    """Skip articles and `all of`."""
    for _ in range(MAX_ARTICLES):
        if cursor.take(p.PARTS_OF) is None and cursor.take_any(ARTICLES) is None:
            break


def take_mention(cursor: Cursor, vocabulary: Vocabulary) -> Mention | None:
    """A table or layer by name, a pronoun, or everything; skips articles before and `layer` after it."""
    start = cursor.at
    if cursor.take(p.ROWS_OF):
        named = _named_thing(cursor, vocabulary, sure=True)
        if named is not None:
            return named
        cursor.at = start
    if cursor.take(p.EVERYTHING):
        return Mention(cursor.since(start), everything=True)
    if (at_end := _layer_at_end(cursor, vocabulary)) is not None:
        return at_end
    begin = cursor.at
    if cursor.take(p.PRONOUN_PHRASES):
        end, cursor.at = cursor.at, begin
        skip_articles(cursor)
        named = _named_thing(cursor, vocabulary, sure=True)
        if named is not None and (cursor.at > end or not vocabulary.layers):  # the layer `both ends`
            return named
        cursor.at = end
        return Mention(cursor.since(start), pronoun=True)
    if cursor.word() in ("it", "them", "they", "this", "that", "these", "those") and not vocabulary.is_named(
        cursor.keys(ahead=1)[0]
    ):
        cursor.at += 1
        return Mention(cursor.since(start), pronoun=True)
    of_them = cursor.word(-1) in ("which", "what") and cursor.take(*_OF_THEM)
    spoken_of = of_them or cursor.take("these", "those")
    if spoken_of or cursor.word() in ("my", "our", "your", "all", "some"):
        named = _named_thing(cursor, vocabulary, sure=True)
        if named is not None and spoken_of:
            return replace(named, text=cursor.since(start).removeprefix("of "), pronoun=True)
        if named is not None:
            return named
        if of_them:
            return Mention(cursor.since(start), pronoun=True)
        cursor.at = start
    skip_articles(cursor)
    begin = cursor.at
    if cursor.take("layer", "table") and (named := _named_thing(cursor, vocabulary)) is not None:
        return named
    cursor.at = begin
    named = _named_thing(cursor, vocabulary)
    if named is not None:
        while cursor.take(p.KINDS_OF_THING):
            pass
        tables = vocabulary.tables(named.tables)
        noun = cursor.word()
        kept = noun and tables and all(_goes_with_rows(noun, each) for each in tables)
        if kept and not any(singular(noun) in name_words(c.name) for t in tables for c in t.columns):
            cursor.at += 1
            return replace(named, text=cursor.since(begin))
        return named
    if cursor.at > start and cursor.take("one", "ones"):
        return Mention(cursor.since(start), pronoun=True)
    drawn = _layers_drawn_as(cursor, vocabulary)
    if cursor.at > start and drawn:
        return Mention(cursor.since(start), layers=drawn)
    cursor.at = start
    return None


def _goes_with_rows(noun: str, table: Table) -> bool:
    return is_storage_noun(table.name, noun, table.geometry_family) or is_paper_of(noun, table.comment)


def of_column(mention: Mention, vocabulary: Vocabulary, before: Sequence[Token]) -> Mention:
    """The mention with another table: `heritage trees`, if only that table has a column `heritage`."""
    words = name_words(words_of(before))
    own = vocabulary.tables(mention.tables)
    if len(own) != 1 or mention.layers or not words or vocabulary.columns_called(own, " ".join(words)):
        return mention
    known = any(each.id == own[0].id for each, _, _ in vocabulary.values_called(words))
    others = [
        each.id
        for each in vocabulary.index.others_called(name_words(mention.text)[-1], own[0])
        if vocabulary.columns_called((each,), " ".join(words))
    ]
    return mention if known or len(others) != 1 else replace(mention, tables=(own[0].id, others[0]))


def _layer_at_end(cursor: Cursor, vocabulary: Vocabulary) -> Mention | None:
    """`the top layer`: the first or last in drawing order, whichever was mentioned last."""
    start = cursor.at
    place = -1 if cursor.take(p.TOP_LAYER) else 0 if cursor.take(p.BOTTOM_LAYER) else None
    if place is None:
        return None
    text, layers = cursor.since(start), vocabulary.layers
    return Mention(text, layers=(layers[place].id,)) if layers else Mention(text, pronoun=True)


def _layers_drawn_as(cursor: Cursor, vocabulary: Vocabulary) -> tuple[str, ...]:
    """`the hexbins`: the layers of this style."""
    kind = cursor.take(*_DRAWN_KINDS)
    if kind is None:
        return ()
    return tuple(layer.id for layer in vocabulary.layers if layer.style.kind == _DRAWN_KINDS[kind])


_DRAWN_KINDS = {
    "heat map": "heatmap", "heatmap": "heatmap", "hexbins": "hexbin", "hexagons": "hexbin", "hexes": "hexbin",
    "grid cells": "grid", "grid": "grid", "squares": "grid", "clusters": "cluster",
}  # fmt: skip


def _named_thing(cursor: Cursor, vocabulary: Vocabulary, *, sure: bool = False) -> Mention | None:
    """A table or layer by name; with `sure`, typing mistakes are not corrected."""
    coloured = _coloured_layer(cursor, vocabulary)
    if coloured is not None:
        return coloured
    words, used = cursor.keys()
    if not words:
        return None
    tables, layers = vocabulary.match_table(words), vocabulary.match_layer(words)
    guessed = False
    if tables is None and layers is None and not sure:
        is_other = {cursor.word(), words[0]} & NO_MISTAKES or vocabulary.names_rows_by_value(words[:1])
        tables = vocabulary.index.guess(words[0]) if cursor.word() and not is_other else None
        guessed = tables is not None
    length = max(tables.length if tables else 0, layers.length if layers else 0)
    if not length or not used[length - 1]:
        return None
    start = cursor.at
    cursor.at += used[length - 1]
    return Mention(
        cursor.since(start),
        tables=tuple([table.id for table in tables.found]) if tables and tables.length == length else (),
        layers=tuple(layer.id for layer in layers.found) if layers and layers.length == length else (),
        guessed=guessed,
    )


def _coloured_layer(cursor: Cursor, vocabulary: Vocabulary) -> Mention | None:
    """`the red layer`, `the blue ones`, `the red airports`."""
    start = cursor.at
    color = take_colour(cursor)
    if color is not None:
        wearing = tuple(
            layer
            for layer in vocabulary.layers
            if layer.style.kind == "single" and same_colour(layer.style.color, color)
        )
        words, used = cursor.keys()
        named = vocabulary.match_layer(words) if words else None
        if cursor.take("layer", "one", "ones") and wearing:
            return Mention(cursor.since(start), layers=tuple(layer.id for layer in wearing))
        both = tuple(layer.id for layer in named.found if layer in wearing) if named else ()
        if named and both and used[named.length - 1]:
            cursor.at += used[named.length - 1]
            return Mention(cursor.since(start), layers=both)
    cursor.at = start
    return None


def take_column(cursor: Cursor, vocabulary: Vocabulary, tables: tuple[Table, ...]) -> ColumnMention | None:
    """A column of any of the tables, by name or meaning; skips `the`, `their`, `its`."""
    start = cursor.at
    if cursor.word() in ("that", "this"):
        return _column_mentioned_before(cursor, vocabulary, tables)
    while cursor.word() in ("the", "a", "an", "their", "its", "each", "column", "field", "attribute"):
        cursor.at += 1
    counted = cursor.take("number of", "numbers of", "count of", "%")
    words, used = share_of_age(*cursor.keys()) if counted == "%" else cursor.keys()
    match = vocabulary.match_column(tables, words) if words else None
    fits = are_shares if counted == "%" else are_counts
    if match is None or not used[match.length - 1] or (counted and not fits(tables, match.found)):
        cursor.at = start
        return None
    begin = cursor.at
    cursor.at += used[match.length - 1]
    mention = ColumnMention(cursor.since(begin), match.found)
    cursor.take("column", "field", "values", "value")
    skip_hint(cursor, tables, match.found)
    return mention


def _column_mentioned_before(
    cursor: Cursor, vocabulary: Vocabulary, tables: tuple[Table, ...]
) -> ColumnMention | None:
    """`by that rate` after `with an unemployment rate above 7 %`: the last column mentioned with this noun."""
    start, noun = cursor.at, cursor.word(1)
    for end in range(start - 1, 0, -1) if noun else ():
        if cursor.tokens[end - 1].lower != noun:
            continue
        for first in range(max(end - MAX_COLUMN_WORDS, 0), end):
            cursor.at = first
            column = take_column(cursor, vocabulary, tables)
            if column is not None and cursor.at >= end:
                cursor.at = start + 2
                return column
    cursor.at = start
    return None


def skip_hint(cursor: Cursor, tables: Sequence[Table], names: Sequence[str]) -> None:
    """Skip `(aadt)`, another name of the column, `(urban, town, rural)`, all its values, or `for` of `applied for`."""
    if cursor.word() == "for" and cursor.word(-1).endswith("ed") and cursor.word(1) in _BEFORE_TIMES:
        cursor.at += 1
    start, listed = cursor.at, set[tuple[str, ...]]()
    if not cursor.take("("):
        return
    if cursor.word(1) == ")" and cursor.keys(most=1)[0] in map(name_words, names):
        cursor.at += 2
        return
    column = next((each for table in tables if (each := table.column(names[0])) is not None), None)
    known = {name_words(sample) for sample in column.samples} if column is not None else set()
    while not cursor.take(")"):
        value = next((each for each in cursor.runs(most=MAX_VALUE_WORDS) if each[0] in known), None)
        if value is None:
            break
        words, cursor.at = value
        listed.add(words)
        cursor.take(", and", ", or", ",", "and", "or", "/")
    if cursor.word(-1) != ")" or listed != known:
        cursor.at = start


_NAMING = word_set("id code cd key zip")
"""Last words of numeric identifiers."""


def are_counts(tables: tuple[Table, ...], names: tuple[str, ...]) -> bool:
    """Whether columns hold counts: integers without a unit (`pupils`) that are not identifiers."""
    columns = [column for table in tables for name in names if (column := table.column(name)) is not None]
    return all(c.kind == "integer" and name_words(c.name)[-1] not in UNIT_WORDS | _NAMING for c in columns)


def take_count(cursor: Cursor) -> int | None:
    """A whole number, in digits or as a word."""
    token = cursor.token()
    if token is None:
        return None
    if token.kind == "number" and token.value.is_integer() and 0 <= token.value < 1e9:
        cursor.at += 1
        return int(token.value)
    number = NUMBER_WORDS.get(cursor.word())
    cursor.at += number is not None
    return None if number is None else int(number)


def take_system(cursor: Cursor) -> int | None:
    """The EPSG code of a reference system: `EPSG:2154`, `web mercator`, `UTM zone 32N`, `2154`."""
    start = cursor.at
    if (name := cursor.take(*NAMED_SYSTEMS)) is not None:
        return NAMED_SYSTEMS[name]
    if cursor.take("utm zone", "utm"):
        zone = take_count(cursor)
        side = cursor.take("north", "south", "n", "s")
        if zone is not None and zone in UTM_ZONES and side is not None:
            return utm_system(zone, south=side[0] == "s")
    elif cursor.take("epsg"):
        cursor.take(":")
        code = take_count(cursor)
        if code is not None:
            return code
    elif (code := take_count(cursor)) is not None and code >= MIN_SYSTEM and code not in _YEARS:
        return code
    cursor.at = start
    return None


def take_quantity(cursor: Cursor) -> Quantity | None:
    """`2000 m`, `6,500 ft`, `1.5 million people`, `$100k`, `5%`, `ten`, `a million`."""
    start = cursor.at
    currency = cursor.word() if cursor.word() in ("$", "€", "£") else ""
    if currency:
        cursor.at += 1
    number = cursor.take_number()
    if number is not None:
        value = number.value / cursor.take_denominator()
    else:
        if cursor.word() in ("a", "one", "half") and MAGNITUDES.get(cursor.word(1)):
            value = 0.5 if cursor.word() == "half" else 1.0
            cursor.at += 1
        elif (part := part_of_unit([cursor.word(ahead) for ahead in range(5)])) is not None:
            cursor.at += part[0]
            value = part[1]
        elif cursor.sees("half of") or cursor.sees("half the"):
            cursor.at += 1
            return Quantity(50.0, UNITS["%"], "half")
        elif cursor.word() in NUMBER_WORDS:
            value = NUMBER_WORDS[cursor.word()]
            cursor.at += 1
        else:
            cursor.at = start
            return None
    while (factor := MAGNITUDES.get(cursor.word())) is not None:
        value *= factor
        cursor.at += 1
    unit = UNITS[currency] if currency else take_unit(cursor)
    if unit is None and cursor.word() in ("per", "/"):  # `60 per km²`
        density = _per_area(cursor, UNITS["people"])
        unit = density if density != UNITS["people"] else None
    return Quantity(_rounded(value), unit, cursor.since(start))


def take_share(cursor: Cursor) -> float | None:
    """A fraction up to 1: `50 %`, `0.5`, `half`."""
    start = cursor.at
    if cursor.take("half", "semi"):
        return 0.5
    token = cursor.take_number()
    percent = token is not None and cursor.take("%", "percent", "per cent") is not None
    share = -1.0 if token is None else token.value / 100 if percent or token.value > 1 else token.value
    if 0 <= share <= 1:
        return share
    cursor.at = start
    return None


def take_amount(cursor: Cursor) -> float:
    """`100,000`, `million`; 1 if no number follows."""
    number = cursor.take_number()
    amount = number.value if number is not None else 1.0
    while (factor := MAGNITUDES.get(cursor.word())) is not None:
        amount *= factor
        cursor.at += 1
    return amount


def take_people(cursor: Cursor) -> float | None:
    """A number of people: `million people`, `1,000 residents`, `capita`."""
    start = cursor.at
    if cursor.take("capita", "head"):
        return 1.0
    amount = take_amount(cursor)
    unit = take_unit(cursor)
    if unit is None or unit.symbol != UNITS["people"].symbol or amount <= 0:
        cursor.at = start
        return None
    return amount


def take_unit(cursor: Cursor) -> Unit | None:
    """`km`, `square miles`, `people per square kilometre`."""
    found = unit_named(cursor.word(), cursor.word(1))
    following = cursor.token(1)
    named = cursor.word(1) in ARTICLES or (following is not None and following.text[:1].isupper())
    if found is None or (cursor.word() == "in" and named):  # `above 4 in the north`
        return None
    cursor.at += found[1]
    return _per_area(cursor, found[0]) if found[0].dimension == "people" else found[0]


def _per_area(cursor: Cursor, people: Unit) -> Unit:
    """`200 people per square kilometre`."""
    start = cursor.at
    if cursor.take("per", "/", "a", "for each"):
        area = unit_named(cursor.word(), cursor.word(1))
        density = density_of(area[0]) if area else None
        if area and density:
            cursor.at += area[1]
            return density
    cursor.at = start
    return people


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")
