"""Finds the place that a name means: a full match of the name, and by far the best known of several.

`Lake Geneva` never matches an airfield whose name only begins so. Of equally well-known places the user picks
one. `in Paris, Texas` is looked up in a table's own columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import product
from typing import Any
from weakref import WeakKeyDictionary

from agents.domain import Bounds, Column, Cql2, FoundPlaces, Place, Table
from agents.geo.place_names import other_names
from agents.geo.wording.phrases import MAX_LISTED, listed
from agents.offline.answers import refusals, requests
from agents.offline.language.names.rows import names_rows
from agents.offline.language.vocabulary import RESULTS, Vocabulary
from agents.offline.language.words import are_names, fold, name_words, place_of
from agents.offline.meaning.alike_places import (
    PLACES,
    SameNames,
    are_one_place,
    full_name,
    is_one_of_joint,
    not_there,
    width_of_place,
    without_repeated,
)
from agents.offline.meaning.columns import is_number
from agents.offline.meaning.conditions import ColumnMention, Mention, NamedRow, OneOf
from agents.offline.meaning.cql2 import disjunction, equals, property_of
from agents.offline.meaning.filters.boxes import is_in
from agents.offline.meaning.intents import Show
from agents.offline.meaning.row_names import name_column, text_columns
from agents.offline.meaning.scene import Ask, MapAgent, Refuse, Scene
from agents.offline.meaning.spellings import names_in_list, place_forms
from agents.offline.meaning.stored_values import stored_values

MAX_CANDIDATES = 40
MAX_OFFERED = 4
MAX_CODE = 3
"""Maximum length of a country or state code."""
BETTER_KNOWN = 4.0
"""A place with this many times the population of its rivals is chosen without asking."""

_MARGIN = 1e-6
"""Tolerance in degrees between a place's point and the row of that name."""
_found: WeakKeyDictionary[MapAgent, dict[str, FoundPlaces]] = WeakKeyDictionary()
_rows: WeakKeyDictionary[MapAgent, dict[tuple[str, str, float, float], Cql2]] = WeakKeyDictionary()
"""Look-ups per agent within a turn: every step of the turn reads the whole request again."""


def forget_places(agent: MapAgent) -> None:
    """Clear the cached look-ups at the start of a turn."""
    _found.pop(agent, None)
    _rows.pop(agent, None)


async def find_place(scene: Scene, text: str) -> FoundPlaces:
    """The places that a text may name, looked up once in a turn."""
    found = _found.setdefault(scene.agent, {})
    if text not in found:
        found[text] = await scene.data.find_place(text, limit=MAX_CANDIDATES)
    return found[text]


async def place_meant(
    scene: Scene, text: str, table: str | None = None, rows: Mention | None = None, *, shapes: bool = False
) -> Place:
    """The place that `text` means.

    `table`: consider only its rows. `rows`: what the place relates to; prefer places within their extent, and first
    of all one of those rows themselves (`bridges near Long Bridge`). `shapes`: prefer places that are not points.
    Raises Refuse if no place has this full name or a table did not answer in time, Ask if several are as likely."""
    name, places = text.partition(",")[0].strip(), await _places_named(scene, text, table)
    near, are_codes = _only_table(scene, rows), all(_is_code_of(each, name) for each in places)
    if near is not None and near.bounds is not None:
        places = [each for each in places if _is_in(each, near.bounds)] or places
    if shapes and not are_codes:
        places = [each for each in places if scene.table(each.table).geometry_family != "point"] or places
    places = without_repeated(places)
    itself = near.id if near is not None else ""
    own = [each for each in places if each.table == itself and fold(each.name) == fold(name)]
    if own and near is not None and name_words(near.name)[-1] in name_words(name):
        places = own
    first, *others = places
    rivals = [
        each
        for each in others
        if _is_rival(first, each)
        or (each in own and first not in own)
        or (are_codes and each.table != first.table)  # nothing is better known by its code
    ]
    if not rivals:
        return first
    options = list(dict.fromkeys(full_name(each) for each in (first, *rivals)))[:MAX_OFFERED]
    if len(options) == 1:
        name = scene.table(first.table).name.replace("_", " ")
        raise SameNames(
            (first, *rivals),
            refusals.SAME_NAMES(n=len(rivals) + 1, text=options[0]),
            refusals.SAY_TO_SEE(show=requests.SHOW_NAMED(name=name, text=first.name)),
        )
    asked = name if are_codes or any(each.name != first.name for each in rivals) else first.name
    question = refusals.WHICH_PLACE(name=asked, places="; ".join(options[:-1]), last=options[-1])
    chosen = scene.choose(options, question, text)
    return next(each for each in (first, *rivals) if full_name(each) == chosen)


async def _places_named(scene: Scene, text: str, table: str | None) -> list[Place]:
    """The places with this name, in `table` if given. Raises Refuse if there is none."""
    name, _, hint = text.partition(",")
    places: list[Place] = []
    alike: list[str] = []
    missed: set[str] = set()
    joint: list[Place] = []
    name = name.strip()
    if (of := _CENTRE_OF.match(name)) is not None:
        places = await _places_named(scene, text[of.end() :], table)
        points = [each for each in places if scene.table(each.table).geometry_family == "point"]
        if not points:
            raise not_there(scene, text, [], [])  # the centre of an area is not all of the area
        return points
    hints = place_forms(hint.strip()) if hint.strip() else [""]
    people = place_of(fold(name.removeprefix("the ")))  # the Mexican border
    for form, where in product(
        dict.fromkeys([name, *place_forms(name), *([people] if people else [])]), hints
    ):
        found = await find_place(scene, f"{form}, {where}" if where else form)
        alike = alike or [each.name for each in found.places]
        if where and not await _hint_matches(scene, form, where, found.places):
            continue
        # Results of analyses repeat their source rows, including those of this analysis.
        own = [each for each in found.places if not each.table.startswith(f"{RESULTS}.")]
        missed |= {each for each in found.not_searched if not each.startswith(f"{RESULTS}.")}
        places = [
            each for each in own if is_called(each, form, scene.vocabulary) and table in (None, each.table)
        ]
        if places:
            break
        joint += [each for each in own if table in (None, each.table) and is_one_of_joint(each, form, scene)]
    if not places:
        places = await places_named_with_noun(scene, name, table) or joint
    if missed and table not in {each.table for each in places}:
        late = listed(sorted(missed), most=MAX_LISTED)
        raise Refuse(refusals.TOO_SLOW(text=text, tables=late), refusals.ASK_LATER())
    if not places:
        others = (await find_place(scene, name)).places if hint.strip() else ()
        raise not_there(scene, text, alike, [each for each in others if each.whole])
    return places


def is_called(place: Place, text: str, vocabulary: Vocabulary) -> bool:
    """Whether `text` is the place's full name or code. A word that names rows or a value is not a code:
    `OAKS`, in an upper-case request, means trees, not an airport."""
    if not place.whole or fold(place.name) == fold(text) or any(map(str.isdigit, text)):
        return place.whole
    words = name_words(text)
    return not (
        vocabulary.match_table(words) or vocabulary.values_called(words) or vocabulary.match_group(words[-1])
    )


async def places_meant(
    scene: Scene, text: str, rows: Mention | None = None, *, shapes: bool = False
) -> list[Place]:
    """The places of one name or of a list (`Belgium, the Netherlands and Luxembourg`), all from one table.
    Raises as `place_meant` does."""
    try:
        return [await place_meant(scene, text, rows=rows, shapes=shapes)]
    except Refuse:
        names = [each.removeprefix("the ") for each in names_in_list(text)]
        if len(names) < 2 or (len(names) == 2 and "," in text):
            raise
    places = [await place_meant(scene, names[0], rows=rows, shapes=shapes)]
    for name in names[1:]:
        places.append(await place_meant(scene, name, places[0].table, rows=rows, shapes=shapes))
    return places


_CENTRE_OF = re.compile(r"(?i)(?:the )?(?:(?:city|town) )?(?:centre|center) of ")


async def places_of_name(scene: Scene, text: str) -> list[Place]:
    """As `places_meant`, and all rows of a table that share the name: every McDonald's."""
    try:
        return await places_meant(scene, text, shapes=True)
    except SameNames as same:
        if len({each.table for each in same.places}) > 1:
            raise
        return [*same.places]


async def rows_sharing_name(scene: Scene, text: str) -> Show | None:
    """`the Springfields`: all rows of the table with the best known place of this name; None if the words are a place
    themselves, as `the Philippines` are."""
    name = text.removeprefix("all ").removeprefix("the ")
    if (
        not are_names(name)
        or not name.endswith("s")
        or any(p.whole for p in (await find_place(scene, name)).places)
    ):
        return None
    found = [each for each in (await find_place(scene, name[:-1])).places if each.whole]
    table = scene.table(found[0].table) if found else None
    column = name_column(table) if table is not None else None
    if table is None or column is None or fold(found[0].name) != fold(name[:-1]):
        return None
    where = OneOf(f'"{found[0].name}"', ColumnMention(column.name, (column.name,)), "is")
    return Show(Mention(table.name, (table.id,)), where=where)


async def rows_of_places(
    scene: Scene, text: str, rows: Mention | None = None, *, shapes: bool = False
) -> tuple[list[Place], Cql2]:
    """The places of `text`, and the filter that selects their rows: of all posts of a stop."""
    try:
        places = await places_meant(scene, text, rows, shapes=shapes)
    except SameNames as same:
        table = scene.table(same.places[0].table)
        if (named := name_column(table)) is None or not are_one_place(same.places, table):
            raise
        return [same.places[0]], equals(named.name, [same.places[0].name])
    return places, disjunction([await row_of(scene, each, each.name) for each in places])


async def places_named_with_noun(scene: Scene, text: str, table: str | None) -> list[Place]:
    """The places of a name with a noun: `Lakeside fire station`, `the district Old Town`, `bus line 3`
    (called `Line 3`).

    The noun names their table, or a kind of its rows (`the Glaswaldsee nature reserve`).
    """
    words = text.removeprefix("the ").split()
    for at in range(1, len(words)):
        for noun, rest in ((words[:at], words[at:]), (words[at:], words[:at])):
            named = name_words(" ".join(noun))
            rest = rest[rest[0] == "of" :]
            called = _tables_called(scene.vocabulary, named, kinds=noun[-1:] == words[-1:])
            tables = {each.id for each in called if table in (None, each.id)}
            if not tables or not rest:
                continue
            names = [" ".join(rest), *([f"{noun[-1]} {rest[0]}"] if rest[0].isdigit() else ())]
            for name in names:
                found = await find_place(scene, name)
                whole = [each for each in found.places if is_called(each, name, scene.vocabulary)]
                places = [each for each in whole if each.table in tables]
                if places:
                    return places
                alike = [each for each in found.places if each.table in tables and _has_words(each, name)]
                there = [each for each in alike if fold(name) in fold(each.detail).split(", ")]
                begin = [each for each in there or alike if fold(each.name).startswith(fold(name))]
                if (begin or there) and not place_of(fold(name)):  # `an African country` names no country
                    return begin or there  # `Vienna airport`: Vienna International Airport, in Vienna
    return []


def _has_words(place: Place, name: str) -> bool:
    """Whether the words of a name are among those of the place's."""
    return set(name_words(name)) <= set(name_words(place.name))


def _tables_called(vocabulary: Vocabulary, words: tuple[str, ...], *, kinds: bool) -> list[Table]:
    """The tables that the words name; with `kinds`, also those with rows of a kind of that name."""
    found = vocabulary.match_table(words)
    if found is not None and found.length == len(words):
        return [*found.found]
    group = vocabulary.match_group(words[0]) if len(words) == 1 else None
    named = [*vocabulary.values_called(words), *((group,) if group is not None else ())]
    return [table for table, column, value in named if names_rows(table, column, value)] if kinds else []


async def number_of_row(scene: Scene, table: Table, column: Column, row: NamedRow) -> float:
    """The column's number in the row of this name. Raises Refuse if there is no such row, Ask if several match."""
    names = name_column(table)
    if not is_number(column) or names is None:
        raise Refuse(refusals.VALUE_NO_NUMBERS(column=column.name, table=table.title))
    if table.geometry_column is not None:
        try:
            place = await place_meant(scene, row.text, table.id)
        except Refuse as fault:
            raise Refuse(refusals.NO_ROW_CALLED(table=table.title, text=row.text)) from fault
        named = await row_of(scene, place, place.name)
    else:
        stored = await stored_values(scene, table, [names], [row.text])
        named = equals(names.name, stored.get(names.name, []))
    rows = (await scene.data.query(table.id, [column.name], named, limit=2)).get("rows", ())
    if len(rows) != 1 or rows[0][column.name] is None:
        raise Refuse(refusals.NOT_ONE_NUMBER(table=table.title, text=row.text, column=column.name))
    return float(rows[0][column.name])


async def row_of(scene: Scene, place: Place, name: str) -> Cql2:
    """The filter that selects the row of a place. Raises Refuse if its table has no single-column key."""
    known = _rows.setdefault(scene.agent, {})
    which = (place.table, place.name, place.longitude, place.latitude)
    if which not in known:
        known[which] = await _row_of(scene, place, name)
    return known[which]


async def _row_of(scene: Scene, place: Place, name: str) -> Cql2:
    table = scene.table(place.table)
    column = name_column(table)
    rows: Sequence[Any] = ()
    if column is not None and table.geometry_column is not None and len(table.key) == 1:
        lon, lat = place.longitude, place.latitude
        box = [lon - _MARGIN, lat - _MARGIN, lon + _MARGIN, lat + _MARGIN]
        here: Cql2 = {"op": "s_intersects", "args": [property_of(table.geometry_column), {"bbox": box}]}
        found: Cql2 = {"op": "and", "args": [equals(column.name, [place.name]), here]}
        rows = (await scene.data.query(table.id, [table.key[0]], found, limit=1)).get("rows", ())
    if not rows:
        raise Refuse(refusals.NO_ROW(name=name, table=table.title))
    return equals(table.key[0], [rows[0][table.key[0]]])


def _only_table(scene: Scene, rows: Mention | None) -> Table | None:
    """The table of the rows, if there is only one; its extent limits the search for a place."""
    layers = [scene.vocabulary.layer(each) for each in rows.layers] if rows is not None else []
    ids = {*(rows.tables if rows is not None else ()), *(each.table for each in layers if each is not None)}
    return scene.vocabulary.table(ids.pop()) if len(ids) == 1 else None


async def _hint_matches(scene: Scene, name: str, hint: str, found: Sequence[Place]) -> bool:
    """Whether the words after the comma match a place: by its description, or by a code that excludes others."""
    if any(re.search(rf"\b{re.escape(fold(hint.strip()))}\b", fold(each.detail)) for each in found):
        return True
    if hint.strip().isupper() and len(hint.strip()) <= MAX_CODE:
        return any([await _has_code(scene, each, hint.strip()) for each in found if each.whole])
    return len(found) < len((await find_place(scene, name)).places)


async def _has_code(scene: Scene, place: Place, code: str) -> bool:
    """Whether the row of a place contains the code, such as that of its country."""
    table = scene.table(place.table)
    row = await row_of(scene, place, place.name)
    texts = [column.name for column in text_columns(table)]
    rows = (await scene.data.query(table.id, texts, row, limit=1)).get("rows", ())
    return any(code in each.values() for each in rows)


def _is_rival(first: Place, other: Place) -> bool:
    """Whether `other` may be meant as well: it is nearly as well known, and not the capital within `first`."""
    if _is_in(other, first.bounds) and other.kind != first.kind:
        return False
    if first.population and not other.population:
        return False
    return (first.population or 0) < BETTER_KNOWN * (other.population or 0) or not first.population


def _is_code_of(place: Place, text: str) -> bool:
    return (
        text.isupper() and len(text) <= MAX_CODE and fold(place.name) != fold(text) and not other_names(text)
    )


def _is_in(place: Place, bounds: Bounds) -> bool:
    return is_in((place.longitude, place.latitude), bounds)


async def one_place(
    scene: Scene, table: Table, columns: Sequence[Column], name: str, values: list[Any]
) -> Cql2:
    """The rows with these values of a column, in one wider place only: that of the best-known place of this
    name. Raises Ask if none is best known."""
    own = equals(name, values)
    column = next(each for each in columns if each.name == name)
    for wider in columns:
        if width_of_place(wider) >= width_of_place(column) or width_of_place(column) == len(PLACES):
            continue
        top = (await scene.data.stats(table.id, wider.name, own)).get("top", ())
        where = [str(each["value"]) for each in top if each.get("value") is not None]
        if len(where) > 1:
            options = {f"{values[0]}, {each}": each for each in where[:MAX_OFFERED]}
            known = await _best_known(scene, str(values[0]), where)
            chosen = known or options[_ask_which(scene, str(values[0]), list(options))]
            return {"op": "and", "args": [own, equals(wider.name, [chosen])]}
    return own


async def _best_known(scene: Scene, name: str, where: Sequence[str]) -> str | None:
    """The wider place that contains the best-known place of this name."""
    try:
        place = await place_meant(scene, name)
    except (Ask, Refuse):
        return None
    within = [part.strip() for part in place.detail.split(",")]
    return next((each for each in where if each in within), None)


def _ask_which(scene: Scene, name: str, options: Sequence[str]) -> str:
    question = refusals.WHICH_PLACE(name=name, places="; ".join(options[:-1]), last=options[-1])
    return scene.choose(options, question, name)
