"""Nouns for the rows of a table, from its name, its comment and its columns, and what it costs to take them for these
rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from agents.domain import Column, Table
from agents.offline.language.lexicon import ABBREVIATIONS, spelt_out
from agents.offline.language.names.comments import (
    DULL,
    acronym,
    comment_head,
    phrases_for_rows,
    row_in_words,
    second_noun,
)
from agents.offline.language.names.costs import EVENTS, nouns_of_columns, nouns_of_names, word_cost
from agents.offline.language.names.species import has_species
from agents.offline.language.words import are_forms, name_words, naming_places, singular, word_set

Words = tuple[str, ...]
_LISTS = word_set("inventory register list")
SPELT_OUT, IN_NAME, IN_COMMENT, CALLED_SO = 0.25, 0.25, 0.5, 2.0
"""Costs: an abbreviation in the table's name, a further word in its name or comment, a noun of the comment."""

_KINDS = word_set("""
    type kind class classification category species genus use usage nature crop cover amenity shop highway subtype sort
    purpose mode breed model product cause role brand chain common vernacular botanical scientific status stage priority
    severity
""")
"""Words in names of columns that classify rows."""


def nouns_of_rows(table: Table) -> dict[str, float]:
    """Nouns for the rows of a table, with their costs."""
    words = name_words(table.name)
    own = {words[at] for at in naming_places(table.name)}
    found: dict[str, float] = dict.fromkeys(nouns_of_names(table), CALLED_SO)
    phrases = phrases_for_rows(table.comment) if table.comment else ()
    columns = {name_words(column.name) for column in table.columns}
    for at, phrase in enumerate(phrases):
        last = name_words(phrase)[-1]  # “Sports field bookings” with a column `sport` are bookings
        nouns = [word for word in _nouns_in(phrase) if word == last or (word,) not in columns]
        if last in _LISTS:  # trees, not streets: “Street tree inventory”
            nouns = [word for word in nouns if word in own] or nouns
        found = dict.fromkeys(nouns, CALLED_SO + at / 4) | found
    other = second_noun(table.comment)
    if other and not any(other in name_words(each) for c in table.columns for each in (c.name, *c.samples)):
        found.setdefault(other, CALLED_SO + 1)  # else a column distinguishes these rows
    each = row_in_words(table.comment)
    if each and not any(each in name_words(column.name) for column in table.columns):
        found.setdefault(each, CALLED_SO + 1)
    if words[-2:] == ("work", "order") and not any(
        "job" in name_words(column.name) for column in table.columns
    ):
        found["job"] = SPELT_OUT
    for word in own & ABBREVIATIONS.keys():
        found |= {noun: SPELT_OUT for noun in ABBREVIATIONS[word] if (noun,) not in columns}
    if letters := acronym(table.comment):
        found |= dict.fromkeys({f"{letters}s", singular(f"{letters}s")}, SPELT_OUT)  # `DAs`, `DMAs`
    found |= dict.fromkeys(own | nouns_of_columns(table), 0.0)
    if words[-1] != "species" and has_species(table):
        found.pop("species", None)  # rows of `species_obs` are of a species, which several share
    return found


@lru_cache(maxsize=65536)
def _nouns_in(phrase: str) -> frozenset[str]:
    words = name_words(phrase)
    named = {words[at] for at in naming_places(phrase)} | {*(words[-2:-1] if words[-1] in EVENTS else ())}
    return frozenset(word for word in named if len(word) > 2) - DULL


def cost_of_rows(table: Table, part: Words) -> float | None:
    """The cost of matching words with the rows of a table; None if they do not match. The last word is a noun for rows;
    the others are in the table's name, possibly abbreviated, or in its comment."""
    own, (*before, noun) = name_words(table.name), part
    if any(own[max(at + 1 - len(part), 0) : at + 1] == part for at in naming_places(table.name)):
        return 0.0
    if len(before) > 1 and "".join(word[0] for word in before) in own:
        return nouns_of_rows(table)[noun] + SPELT_OUT  # `air quality monitors`, of `aq_monitors`
    phrases = phrases_for_rows(table.comment)
    modifying = tuple(word for word in own if word != noun)
    others = [_cost_of_modifier(table, word, modifying, phrases) for word in before]
    return None if None in others else nouns_of_rows(table)[noun] + sum(each or 0.0 for each in others)


def _cost_of_modifier(table: Table, word: str, own: Words, phrases: Sequence[str]) -> float | None:
    """The cost of a word before the noun that the table's name or comment has; None for a value of some rows."""
    if word in own:
        return IN_NAME
    if any(name_words(value) == (word,) for column in table.columns for value in column.samples):
        return None
    related = [cost for each in own if (cost := word_cost(each, word, several=True)) is not None]
    in_comment = any(are_forms(word, each) for phrase in phrases for each in name_words(phrase))
    return min([*related, *([IN_COMMENT] if in_comment else [])], default=None)


def columns_alike(table: Table, name: str) -> list[Column]:
    """The other columns for the same thing, which differ by a number: `party_2` for `party_1`."""
    column, stem = table.column(name), _without_number(name)
    return [
        each
        for each in table.columns
        if column is not None
        and each.name != name
        and each.kind == column.kind == "text"
        and stem not in (name, each.name)
        and _without_number(each.name) == stem
    ]


def _without_number(name: str) -> str:
    return re.sub(r"_?\d$", "", name)


def names_rows(table: Table, name: str, value: str = "") -> bool:
    """Whether a value can name its rows: `oaks` of `species`, but not `rivers` of `habitat` or `trucks` of routes; or
    the table has its words (`bridleways` of “Footpaths and bridleways”)."""
    column = table.column(name)
    column_words = spelt_out(name).union(name_words(column.comment or "") if column is not None else ())
    own = spelt_out(table.name).union(name_words(table.comment or ""))
    if not _CARRIERS.isdisjoint(column_words - own):
        return False
    return bool(_KINDS & column_words) or (value != "" and set(name_words(value)) <= own)


_CARRIERS = word_set("vehicle veh driver equipment device")
"""Things beside the rows: the type of a route's vehicle is not a type of route."""


def year_of_rows(table: Table, years: Sequence[Column], dates: Sequence[Column]) -> Column | None:
    """The only one of the years that is just the year of a row, if no date is that of the row: `yr` beside
    `first_egg`; or the year of its noun, beside several dates: `fire_yr` of fires."""
    own = [each for each in years if name_words(each.name) in _ONLY_YEARS and not each.comment]
    if any(_DATES & spelt_out(each.name) for each in dates):
        nouns = nouns_of_rows(table) if len(dates) > 1 else {}
        named = {(noun, *year) for noun in nouns for year in _ONLY_YEARS}
        own = [each for each in years if name_words(each.name) in named]
    return own[0] if len(own) == 1 else None


_ONLY_YEARS, _DATES = (("yr",), ("year",), ("season",)), word_set("date day time timestamp")


_PIECES = word_set("segment section reach stretch")
"""Nouns for parts of things: a road is all of its segments."""


def are_pieces_of(table: Table, things: Words) -> bool:
    """Whether the rows of a table are parts of the things, by its name or comment: `road_segments` of `road`, and
    `roads` whose comment is “Road segments”."""
    if things[-1] in _PIECES:
        return False
    own, described = name_words(table.name), comment_head(table.comment)
    return (own[-1] in _PIECES | {"seg"} and things[-1] not in own[-1:]) or not _PIECES.isdisjoint(
        described[-1:]
    )


def names_each_row(table: Table, noun: str) -> bool:
    """Whether a noun names every single row: `fire` of fires, but not `road` of road segments."""
    words = name_words(noun)
    return len(words) == 1 and words[0] in nouns_of_rows(table) and not are_pieces_of(table, words)
