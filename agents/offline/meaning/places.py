"""Which place is meant by a name: one that is called so as a whole, and by far the best known of those.

`Lake Geneva` is never an airfield of that name's beginning, and where several places of a name are about as well known
the person is asked. `in Paris, Texas` is looked up in a table's own columns.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

from agents.domain import Bounds, Column, Cql2, FoundPlaces, Place, Table
from agents.geo.phrases import MAX_LISTED, listed
from agents.geo.place_names import CONTINENTS
from agents.offline.answers import refusals, requests
from agents.offline.language.column_names import tells_kind
from agents.offline.language.vocabulary import RESULTS, Vocabulary
from agents.offline.language.words import fold, name_words, singular, word_set
from agents.offline.meaning.columns import is_number, name_column, text_columns
from agents.offline.meaning.conditions import Condition, Mention, NamedRow, OneOf
from agents.offline.meaning.scene import Ask, MapAgent, Refuse, Scene, unless_refused
from agents.offline.meaning.spellings import place_forms
from agents.offline.meaning.stored_values import equals, property_of, stored_values

MAX_CANDIDATES = 40
MAX_OFFERED = 4
MAX_CODE = 3
"""Letters of the code of a country or state."""
BETTER_KNOWN = 4.0
"""Times the people of the next place of that name that make a place the one that is meant."""

_MARGIN = 1e-6
"""Degrees around a point of a place within which a row of that name is taken for it."""

_found: WeakKeyDictionary[MapAgent, dict[str, FoundPlaces]] = WeakKeyDictionary()
_rows: WeakKeyDictionary[MapAgent, dict[tuple[str, str, float, float], Cql2]] = WeakKeyDictionary()
"""Of each agent, what was looked up in its turn: each step of the turn reads the whole request again."""


def forget_places(agent: MapAgent) -> None:
    """Look places up again: a turn begins."""
    _found.pop(agent, None)
    _rows.pop(agent, None)


async def _find_place(scene: Scene, text: str) -> FoundPlaces:
    found = _found.setdefault(scene.agent, {})
    if text not in found:
        found[text] = await scene.data.find_place(text, limit=MAX_CANDIDATES)
    return found[text]


async def place_meant(
    scene: Scene, text: str, table: str | None = None, rows: Mention | None = None, *, shapes: bool = False
) -> Place:
    """`table`: only its rows may be meant. `rows`: what the place has to do with; of several places those that lie
    where these rows do, if any do, and first of all one of them: `bridges near Long Bridge`. `shapes`: of those the
    ones that are not points, if any are.

    Raises Refuse where no place is called so as a whole or a table did not answer in time, Ask where several may be
    meant.
    """
    name, places = text.partition(",")[0].strip(), await _called_so(scene, text, table)
    near = _reach(scene, rows)
    if near is not None and near.bounds is not None:
        places = [each for each in places if _is_in(each, near.bounds)] or places
    if shapes:
        places = [each for each in places if scene.table(each.table).geometry_family != "point"] or places
    own = [
        each
        for each in places
        if near is not None and each.table == near.id and fold(each.name) == fold(name)
    ]
    if own and near is not None and name_words(near.name)[-1] in name_words(name):
        places = own
    first, *others = places
    rivals = [each for each in others if _rivals(first, each) or (each in own and first not in own)]
    if not rivals:
        return first
    options = list(dict.fromkeys(full_name(each) for each in (first, *rivals)))[:MAX_OFFERED]
    if len(options) == 1:
        name = scene.table(first.table).name.replace("_", " ")
        raise Refuse(
            refusals.SAME_NAMES(n=len(rivals) + 1, text=options[0]),
            refusals.SAY_TO_SEE(show=requests.SHOW_NAMED(name=name, text=first.name)),
        )
    question = refusals.WHICH_PLACE(name=first.name, places="; ".join(options[:-1]), last=options[-1])
    chosen = scene.choose(options, question, text)
    return next(each for each in (first, *rivals) if full_name(each) == chosen)


async def _called_so(scene: Scene, text: str, table: str | None) -> list[Place]:
    """The places of that name, only those of `table` if it is given. Raises Refuse if no place has the name."""
    name, _, hint = text.partition(",")
    places: list[Place] = []
    alike: list[str] = []
    missed: set[str] = set()
    name = name.strip()
    for form in dict.fromkeys([name, *place_forms(name)]):
        asked = f"{form},{hint}" if hint.strip() else form
        found = await _find_place(scene, asked)
        alike = alike or [each.name for each in found.places]
        if hint.strip() and not await _lies_there(scene, form, hint, found.places):
            continue
        # Results of analyses repeat the rows that they were made from, those of this very analysis among them.
        own = [each for each in found.places if not each.table.startswith(f"{RESULTS}.")]
        missed |= {each for each in found.not_searched if not each.startswith(f"{RESULTS}.")}
        places = [
            each for each in own if is_called(each, form, scene.vocabulary) and table in (None, each.table)
        ]
        if places:
            break
    if not places:
        places = await _called_with_noun(scene, name, table)
    if missed and table not in {each.table for each in places}:
        late = listed(sorted(missed), most=MAX_LISTED)
        raise Refuse(refusals.TOO_SLOW(text=text, tables=late), refusals.ASK_LATER())
    if not places:
        nearest = refusals.NEAREST(names=", ".join(dict.fromkeys(alike[:3]))) if alike else ""
        raise Refuse(refusals.NO_PLACE(text=text), nearest or refusals.THERE_ARE(names=scene.some_tables()))
    return places


def is_called(place: Place, text: str, vocabulary: Vocabulary) -> bool:
    """Whether all of the text is its name or code. A word that names rows or a value is no code: `OAKS`, in a request
    in capitals, are trees, and not an airport."""
    if not place.whole or fold(place.name) == fold(text):
        return place.whole
    words = name_words(text)
    return not (
        vocabulary.match_table(words) or vocabulary.values_called(words) or vocabulary.match_group(words[-1])
    )


async def places_meant(
    scene: Scene, text: str, rows: Mention | None = None, *, shapes: bool = False
) -> list[Place]:
    """The place of a name, or those of `Belgium, the Netherlands and Luxembourg`, which all have to be rows of one
    table. Raises as `place_meant` does."""
    try:
        return [await place_meant(scene, text, rows=rows, shapes=shapes)]
    except Refuse:
        names = [each.removeprefix("the ") for each in _BETWEEN_NAMES.split(text)]
        if len(names) < 2 or (len(names) == 2 and "," in text):
            raise
    places = [await place_meant(scene, names[0], rows=rows, shapes=shapes)]
    for name in names[1:]:
        places.append(await place_meant(scene, name, places[0].table, rows=rows, shapes=shapes))
    return places


_BETWEEN_NAMES = re.compile(r",\s*(?:and|or)\s+|\s+(?:and|or)\s+|,\s*")


async def rows_of_places(
    scene: Scene, text: str, rows: Mention | None = None, *, shapes: bool = False
) -> tuple[list[Place], Cql2]:
    """The places of `text`, and the filter that keeps their rows."""
    places = await places_meant(scene, text, rows, shapes=shapes)
    found = [await row_of(scene, each, each.name) for each in places]
    return places, found[0] if len(found) == 1 else {"op": "or", "args": found}


async def _called_with_noun(scene: Scene, text: str, table: str | None) -> list[Place]:
    """`Lakeside fire station`, `the district Old Town`, `bus line 3` (called `Line 3`): rows of the table that the noun
    names, or of one with rows of that kind (`the Glaswaldsee nature reserve`)."""
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
                found = await _find_place(scene, name)
                whole = [each for each in found.places if is_called(each, name, scene.vocabulary)]
                places = [each for each in whole if each.table in tables]
                if places:
                    return places
    return []


def _tables_called(vocabulary: Vocabulary, words: tuple[str, ...], *, kinds: bool) -> list[Table]:
    """The tables that the words name; `kinds`: or whose rows are of a kind that is called so."""
    found = vocabulary.match_table(words)
    if found is not None and found.length == len(words):
        return [*found.found]
    group = vocabulary.match_group(words[0]) if len(words) == 1 else None
    named = [*vocabulary.values_called(words), *((group,) if group is not None else ())]
    return [table for table, column, value in named if tells_kind(table, column, value)] if kinds else []


async def row_named(
    scene: Scene, table: Table, where: Condition | None, text: str
) -> tuple[Place, Cql2] | None:
    """`Riverside Park`, of parks, or `Ulm station`: the row with that name, where it was read as rows of a kind.
    Raises Ask where several are called so."""
    if not isinstance(where, OneOf) or where.how != "kind":
        return None
    before, _, noun = text.removeprefix("the ").rpartition(" ")
    is_one = before == where.text and before[:1].isupper() and singular(fold(noun)) == fold(noun)
    if not is_one and not text.istitle():
        return None
    place = await unless_refused(place_meant(scene, text if text.istitle() else before, table.id))
    return (place, await row_of(scene, place, place.name)) if place is not None else None


async def number_of_row(scene: Scene, table: Table, column: Column, row: NamedRow) -> float:
    """The column's number in the row with this name. Raises Refuse if there is no such row, and Ask if several rows
    may be meant."""
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
    """The filter that keeps the row of a place only. Raises Refuse where its table has no key of one column."""
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


def _reach(scene: Scene, rows: Mention | None) -> Table | None:
    """The one table of the rows; where it lies, a place that they have to do with is looked for first."""
    layers = [scene.vocabulary.layer(each) for each in rows.layers] if rows is not None else []
    ids = {*(rows.tables if rows is not None else ()), *(each.table for each in layers if each is not None)}
    return scene.vocabulary.table(ids.pop()) if len(ids) == 1 else None


def full_name(place: Place) -> str:
    """`Paris, France`: with where it lies, as far as that is known."""
    parts = [part.strip() for part in place.detail.split(",")]
    where = ", ".join(part for part in parts if part and part not in CONTINENTS)
    return f"{place.name}, {where}" if where else f"{place.name} ({place.kind})"


async def _lies_there(scene: Scene, name: str, hint: str, found: Sequence[Place]) -> bool:
    """Whether any of the places lies where the words after the comma say; otherwise these are ignored. By its
    description, or because the words, such as a code, left others out."""
    if any(fold(hint.strip()) in fold(each.detail) for each in found):
        return True
    if hint.strip().isupper() and len(hint.strip()) <= MAX_CODE:
        return any([await _has_code(scene, each, hint.strip()) for each in found if each.whole])
    return len(found) < len((await _find_place(scene, name)).places)


async def _has_code(scene: Scene, place: Place, code: str) -> bool:
    """Whether the row of a place has the code, such as that of its country."""
    table = scene.table(place.table)
    row = await row_of(scene, place, place.name)
    texts = [column.name for column in text_columns(table)]
    rows = (await scene.data.query(table.id, texts, row, limit=1)).get("rows", ())
    return any(code in each.values() for each in rows)


def _rivals(first: Place, other: Place) -> bool:
    """Whether the other one may be meant as well: not the capital within its country, and not much less known."""
    if _is_in(other, first.bounds) and other.kind != first.kind:
        return False
    if first.population and not other.population:
        return False
    return (first.population or 0) < BETTER_KNOWN * (other.population or 0) or not first.population


def _is_in(place: Place, bounds: Bounds) -> bool:
    return is_in((place.longitude, place.latitude), bounds)


def is_in(position: tuple[float, float], bounds: Bounds) -> bool:
    """Whether a longitude and latitude lie in a box, which may cross the antimeridian."""
    (longitude, latitude), (west, south, east, north) = position, bounds
    return south <= latitude <= north and (
        west <= longitude <= east if west <= east else not east < longitude < west
    )


PLACES = (
    word_set("country nation continent"),
    word_set("state region province territory subregion land bundesland admin canton zone"),
    word_set("county department district kreis commune municipality"),
    word_set("city town place location borough area"),
)
"""Columns that say where something is, wide ones first: `in Peru` is the country, not the town in Indiana."""


async def place_within(scene: Scene, table: Table, columns: Sequence[Column], text: str) -> Cql2 | None:
    """`Paris, Texas`: the rows of a place that lie in the wider one after the comma. None where the words are no such
    pair. Raises Refuse where no row lies in both."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or {"and", "or"} & set(text.lower().split()):
        return None
    found = [await stored_values(scene, table, columns, place_forms(part)) for part in parts]
    narrow, wide = (next((each for each in columns if each.name in stored), None) for stored in found)
    if narrow is None or wide is None or _width(wide) >= _width(narrow):
        return None
    both = _both(equals(narrow.name, found[0][narrow.name]), equals(wide.name, found[1][wide.name]))
    if not await scene.data.count(table.id, both):
        raise Refuse(refusals.NO_ROW_VALUE(table=table.title, text=text))
    return both


async def one_place(
    scene: Scene, table: Table, columns: Sequence[Column], name: str, values: list[Any]
) -> Cql2:
    """The rows with these values of a column. Where they lie in several wider places, those in that of the best known
    place of that name; raises Ask where none is known best."""
    own = equals(name, values)
    column = next(each for each in columns if each.name == name)
    for wider in columns:
        if _width(wider) >= _width(column) or _width(column) == len(PLACES):
            continue
        top = (await scene.data.stats(table.id, wider.name, own)).get("top", ())
        where = [str(each["value"]) for each in top if each.get("value") is not None]
        if len(where) > 1:
            options = {f"{values[0]}, {each}": each for each in where[:MAX_OFFERED]}
            known = await _best_known(scene, str(values[0]), where)
            chosen = known or options[_asked(scene, str(values[0]), list(options))]
            return _both(own, equals(wider.name, [chosen]))
    return own


async def _best_known(scene: Scene, name: str, where: Sequence[str]) -> str | None:
    """The wider place in which the best known place of that name lies."""
    try:
        place = await place_meant(scene, name)
    except (Ask, Refuse):
        return None
    within = [part.strip() for part in place.detail.split(",")]
    return next((each for each in where if each in within), None)


def _asked(scene: Scene, name: str, options: Sequence[str]) -> str:
    question = refusals.WHICH_PLACE(name=name, places="; ".join(options[:-1]), last=options[-1])
    return scene.choose(options, question, name)


def _both(one: Cql2, other: Cql2) -> Cql2:
    return {"op": "and", "args": [one, other]}


def is_wide(column: Column) -> bool:
    """Whether it says in which country or region a row is."""
    return _width(column) < 2


def _width(column: Column) -> int:
    """Where its kind of place is among PLACES: `land` and `land_name` are one, `land_use` is not."""
    if column.samples and all(each.islower() for each in column.samples):
        return len(PLACES)  # `conservation_state` holds no names
    words = name_words(column.name)
    noun = words[-2] if len(words) > 1 and words[-1] in ("name", "code") else words[-1]
    return next((place for place, likely in enumerate(PLACES) if noun in likely), len(PLACES))
