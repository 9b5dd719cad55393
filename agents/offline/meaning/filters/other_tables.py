"""Filters by values that a table lacks: through another table with shared codes, or by location."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from agents.core.errors import ToolFailed, ToolUnavailable
from agents.domain import Column, Cql2, Place, Table
from agents.offline.answers import refusals
from agents.offline.language.conditions.explained_numbers import codes_with
from agents.offline.language.conditions.flags import flag_values, is_flag
from agents.offline.language.names.comments import comment_head
from agents.offline.language.names.keys import links, shared_key
from agents.offline.language.vocabulary import RESULTS
from agents.offline.language.words import fold, name_words, word_set
from agents.offline.meaning.alike_places import full_name, is_one_of_joint
from agents.offline.meaning.cql2 import equals, property_of
from agents.offline.meaning.filters.boxes import is_within
from agents.offline.meaning.filters.related import SMALL_TABLE, covers, link_between
from agents.offline.meaning.places import (
    MAX_CANDIDATES,
    is_called,
    place_meant,
    places_named_with_noun,
    row_of,
)
from agents.offline.meaning.row_names import PEOPLE, name_column, text_columns
from agents.offline.meaning.scene import Refuse, Scene, unless_failed
from agents.offline.meaning.spellings import spellings
from agents.offline.meaning.stored_values import plain, stored_values, wanted_values
from agents.text_search import TextSearch

log = logging.getLogger("agents.offline")
_MOST_LOOKUPS = 12
_MOST_ROWS = 500
_CODES = word_set("iso code fips abbreviation abbrev a2 a3 nuts")
_MOST_AREAS = 100
"""Maximum number of areas that share a value."""
MAX_AREA_CHARACTERS = 20_000
"""Maximum size of an area as GeoJSON within a filter."""
GROUPS = word_set("""
    continent region subregion country state province nation zone territory area admin name
""")
"""Words in names of columns whose values many rows share."""


async def through_another(scene: Scene, table: Table, forms: Sequence[str]) -> Cql2 | None:
    """A filter on the table's codes or names, from rows of another table that have the value."""
    if (referring := await _of_referred_rows(scene, table, forms)) is not None:
        return referring
    known = scene.vocabulary.few_tables or await scene.agent.registry.search(
        f"countries regions {forms[0]}", 50
    )
    others = [
        other
        for other in known
        if other.id != table.id and 0 < other.row_estimate <= SMALL_TABLE and _links(table, other)
    ]
    for other in others[:4]:
        stored = await stored_values(scene, other, _grouping(other), forms)
        if not stored and (codes := codes_with(other.columns, forms[0].removeprefix("the "))) is not None:
            stored = {codes[0]: codes[1]}  # `on the outer shelf`, of “O = outer shelf”
        for column, values in stored.items():
            found = await joined(scene, table, other, equals(column, values))
            if found is not None:
                return found
    return await _of_row_with_noun(scene, table, forms[0]) or await _of_numbered_row(scene, table, forms[0])


async def _of_referred_rows(scene: Scene, table: Table, forms: Sequence[str]) -> Cql2 | None:
    """`GMovil stops`, `cleanups in South East`: the rows that refer by a key to rows with that name, group or
    company, of the only table where some have it."""
    known, wanted, found = scene.vocabulary.few_tables, [each.removeprefix("the ") for each in forms], []
    for other in known:
        if other.is_result or not any(each.refers for each in links(table, other, known)):
            continue
        named = name_column(other)
        columns = [c for c in text_columns(other) if c is named or (GROUPS | PEOPLE) & {*name_words(c.name)}]
        stored = await stored_values(scene, other, columns[:_MOST_LOOKUPS], wanted)
        stored = stored or await _with_column_name(scene, other, wanted[0])
        if stored and other.geometry_family != "polygon" and await _are_areas(scene, table, wanted):
            continue  # `outages in Karen` is the zone, and not the feeder
        link = await link_between(scene, table, other) if len(stored) == 1 else None
        if link is not None and link.refers:
            rows = await scene.data.query(other.id, [link.other], equals(*stored.popitem()), limit=_MOST_ROWS)
            keys = sorted({row[link.other] for row in rows["rows"]} - {None})
            found += [equals(link.own, keys)] if keys and not rows.get("truncated") else []
    return found[0] if len(found) == 1 and await scene.data.count(table.id, found[0]) else None


async def _with_column_name(scene: Scene, table: Table, text: str) -> dict[str, list[Any]]:
    """The value of a text before the name of its column: `Kamloops` of `Kamloops fire centre`, of zones."""
    words = text.split()
    for at in range(len(words) - 1, 0, -1):
        columns = [each for each in text_columns(table) if _is_called(each, words[at:])]
        if stored := await stored_values(scene, table, columns, [" ".join(words[:at])]) if columns else {}:
            return stored
    return {}


async def _of_row_with_noun(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """`feeders from the Patraix substation`: the rows with the code of that substation, in the only column that both
    tables have and that numbers the substations."""
    *before, noun = text.removeprefix("the ").split()
    match = scene.vocabulary.match_table(name_words(noun)) if before else None
    other = match.found[0] if match is not None and len(match.found) == 1 and not match.guessed else table
    named = name_column(other)
    if other.id == table.id or named is None or not 0 < other.row_estimate <= SMALL_TABLE:
        return None
    names = (await stored_values(scene, other, [named], [" ".join(before)])).get(named.name)
    if not names:
        return None
    row, found = equals(named.name, names), []
    for name in [
        each.name for each in text_columns(table) if other.column(each.name) and each.name != named.name
    ]:
        rows = (await scene.data.query(other.id, [name], row, limit=2)).get("rows", ())
        code = equals(name, [each[name] for each in rows])
        is_key = len(rows) == 1 and await scene.data.count(other.id, code) == 1
        if (
            is_key
            and await covers(scene, table, name, other, name)
            and await scene.data.count(table.id, code)
        ):
            found.append(code)
    return found[0] if len(found) == 1 else None


async def _of_numbered_row(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """`incidents of line 50`: the rows with this value in the number or code that they share with the lines."""
    noun, _, number = text.removeprefix("the ").partition(" ")
    match = scene.vocabulary.match_table(name_words(noun)) if number else None
    keys = shared_key(table, match.found) if match is not None and not match.guessed else []
    columns = [each for each in text_columns(table) if each.name in keys]
    stored = await stored_values(scene, table, columns, [number]) if columns else {}
    return equals(*next(iter(stored.items()))) if stored else None


async def inside_of(scene: Scene, table: Table, text: str) -> Cql2 | None:
    """The rows within the area of this name in another table; of several tables, the one whose area has the others
    in it. Raises Ask if several areas have it."""
    text = text.removeprefix("the ")
    found = await scene.data.find_place(text, limit=MAX_CANDIDATES)
    named = [each for each in found.places if is_called(each, text, scene.vocabulary)]
    named = named or await places_named_with_noun(scene, text, None)
    known = [each for each in named if _is_area(scene, table, each)]
    areas = [each for each in found.places if _is_area(scene, table, each)]
    joint = [each for each in areas if is_one_of_joint(each, text, scene)]
    longer = joint[0] if len(joint) == 1 else _beginning_with(areas, text)
    if found.not_searched or table.geometry_column is None:
        return None
    own_spelling = next((each.name for each in known if fold(each.name) == fold(text)), text)
    group = await _inside_group(scene, table, own_spelling)
    if not named and longer is not None and group is None:
        known, text = [longer], longer.name
    if not known or (group is not None and group.of_name and len({*map(full_name, known)}) == 1):
        return group.inside if group is not None else None
    if group is not None and all(each.table == group.table for each in known):
        own = {full_name(each): each for each in known if fold(each.name) == fold(text)}
        if not own or scene.choose([*own, group.called], _which_of([*own, group.called]), text) not in own:
            return group.inside
        known = [*own.values()]
    area = _widest(scene, known)
    other = scene.table(area.table)
    if other.id == table.id or other.geometry_column is None:
        return None
    place = await place_meant(scene, text, other.id)
    called = full_name(place) if len(known) > 1 or "," in text else area.name
    answer = await scene.data.query(
        other.id, [other.geometry_column], await row_of(scene, place, text), limit=1, lonlat=True
    )
    rows = answer.get("rows", ())
    if len(rows) != 1 or len(json.dumps(rows[0], default=str)) > MAX_AREA_CHARACTERS:
        return None
    shape = {**rows[0][other.geometry_column], "name": called}
    inside = _inside(table, shape)
    if not scene.counts and not await scene.data.count(table.id, inside):
        raise Refuse(refusals.NOTHING_INSIDE(table=table.title, area=called, areas=other.title))
    return inside


async def _are_areas(scene: Scene, table: Table, forms: Sequence[str]) -> bool:
    """Whether an area has this name."""
    found = await unless_failed(scene.data.find_place(forms[0], limit=MAX_CANDIDATES)) if forms else None
    places = found.places if found is not None else ()
    return any(
        is_called(each, forms[0], scene.vocabulary) and _is_area(scene, table, each) for each in places
    )


def _is_area(scene: Scene, table: Table, place: Place) -> bool:
    other = scene.vocabulary.table(place.table)
    is_own = other is not None and RESULTS not in (other.schema_name, table.schema_name)
    return is_own and other is not None and other.geometry_family == "polygon"


def _beginning_with(places: Sequence[Place], text: str) -> Place | None:
    """The only place whose name has a further noun: `Tory`, of `Tory Island`."""
    longer = [each for each in places if fold(each.name).startswith(f"{fold(text)} ")]
    return longer[0] if len(longer) == 1 and text[:1].isupper() and len(text) >= MIN_NAME else None


MIN_NAME = 4
"""Minimum length of the beginning of a name that stands for it."""


@dataclass(frozen=True, slots=True)
class _Group:
    """The rows inside areas that share a value."""

    inside: Cql2
    table: str
    called: str
    of_name: bool
    """What they share is their name."""


async def _inside_group(scene: Scene, table: Table, text: str) -> _Group | None:
    """The rows within the areas that share a common value: `in Zuid`, `in the district of Zuid`, of neighbourhoods by
    their district; `in the low emission zone`, of those that a yes/no column is about."""
    others = {other.id: other for other in scene.vocabulary.few_tables if _may_group(table, other)}
    if table.geometry_column is None or not others:
        return None
    texts = {id: [each for each in text_columns(other) if each.samples] for id, other in others.items()}
    words = text.split()
    ways = [(words, words[:0]), (words[1 + (words[1:2] == ["of"]) :], words[:1])]
    ways += [(words[:at], words[at:]) for at in range(1, len(words))]
    forms = spellings([" ".join(rest) for rest, _noun in ways if rest])
    names = {id: [column.name for column in columns] for id, columns in texts.items() if columns}
    rows = await unless_failed(scene.data.find_texts(TextSearch(names, forms, {}, ()))) or {}
    found = [
        (others[id], column, value)
        for rest, noun in ways
        for id, columns in texts.items()
        for column, values in wanted_values(rows.get(id, ()), columns, {plain(" ".join(rest))}).items()
        if _is_called(others[id].column(column), noun)
        for value in values
    ]
    found = [each for each in found if (own := name_column(each[0])) is None or each[1] != own.name] or found
    flags = [] if found else [flag for other in others.values() for flag in _flags_about(other, text)]
    if len(found) + len(flags) != 1:
        return None
    ((other, column, shared),) = found or flags
    shape = str(other.geometry_column)
    areas = await scene.data.query(
        other.id, [shape], equals(column, [shared]), limit=_MOST_AREAS, lonlat=True
    )
    shapes = [row[shape] for row in areas.get("rows", ())]
    too_many = areas.get("truncated") or len(json.dumps(shapes, default=str)) > MAX_AREA_CHARACTERS
    if len(shapes) < 2 - bool(flags) or too_many:
        return None
    named = name_column(other)
    of_name = not flags and named is not None and column == named.name
    many = f"{len(shapes)} {other.name.replace('_', ' ')}"
    name = text if flags else f"{shared} ({many if of_name else column})"
    if table.geometry_family == "point":
        inside = _inside(table, {"type": "GeometryCollection", "geometries": shapes, "name": name})
    else:  # whether shapes only touch a collection is not known
        inside = {"op": "or", "args": [_inside(table, {**shape, "name": name}) for shape in shapes]}
    if not await scene.data.count(table.id, inside):
        return None
    noun = " ".join(comment_head(own.comment if (own := other.column(column)) else "")) or column
    return _Group(inside, other.id, name if flags else f"{shared} ({noun})", of_name)


def _inside(table: Table, shape: dict[str, Any]) -> Cql2:
    """The rows in a shape; a neighbour that only shares its border is not."""
    args = [property_of(str(table.geometry_column)), shape]
    inside: Cql2 = {"op": "s_intersects", "args": args}
    if table.geometry_family == "point":
        return inside
    return {"op": "and", "args": [inside, {"op": "not", "args": [{"op": "s_touches", "args": args}]}]}


def _flags_about(table: Table, text: str) -> list[tuple[Table, str, Any]]:
    """The yes/no columns that are called so, or whose comments end with these words, with the value for yes."""
    words = name_words(text)
    said = {each.name: name_words(each.comment or "") for each in table.columns if is_flag(each)}
    about = [
        n for n, own in said.items() if words == name_words(n) or own[-len(words) :] == words != own[-1:]
    ]
    columns = [each for each in table.columns if each.name in about]
    return [(table, each.name, value) for each in columns for value in flag_values(each, True)[:1]]


def _may_group(table: Table, other: Table) -> bool:
    """Whether `other` has areas that rows of `table` may lie in. Areas linked with the table by codes were looked for
    before."""
    is_areas = other.geometry_family == "polygon" and RESULTS not in (other.schema_name, table.schema_name)
    is_small = 0 < other.row_estimate <= SMALL_TABLE
    return is_areas and is_small and other.id != table.id and not _links(table, other)


def _is_called(column: Column | None, nouns: Sequence[str]) -> bool:
    own = (*name_words(column.name), *comment_head(column.comment)) if column is not None else ()
    return {*name_words(" ".join(nouns))} <= {*own}


def _widest(scene: Scene, areas: Sequence[Place]) -> Place:
    """The area whose extent has the others of this name in it: the ward Armley, not its conservation area. Raises Ask
    if areas of several tables lie apart."""
    for area in areas:
        if all(each.table == area.table or is_within(each.bounds, area.bounds) for each in areas):
            return area
    options = {full_name(each): each for each in areas}
    return options[scene.choose(list(options), _which_of(list(options)), areas[0].name)]


def _which_of(names: Sequence[str]) -> str:
    name = names[0].partition(" (")[0].partition(",")[0]
    return refusals.WHICH_PLACE(name=name, places="; ".join(names[:-1]), last=names[-1])


def _grouping(other: Table) -> list[Column]:
    """Columns with a row's name or group (its continent), but not its attributes (its capital)."""
    own = name_column(other)
    return [c for c in text_columns(other) if c is own or GROUPS & set(name_words(c.name))][:_MOST_LOOKUPS]


async def joined(scene: Scene, table: Table, other: Table, condition: Cql2) -> Cql2 | None:
    """The rows of `table` related to these rows of `other` by a shared column; None if there are none."""
    names = sorted({theirs for _, theirs in _links(table, other)})
    try:
        answer = await scene.data.query(other.id, names, condition, limit=_MOST_ROWS)
        rows = answer.get("rows", ())
        if answer.get("truncated"):
            return None
        for ours, theirs in _links(table, other):
            values = sorted({row[theirs] for row in rows if row.get(theirs)})
            if values and await covers(scene, table, ours, other, theirs):
                candidate = equals(ours, values)
                if await scene.data.count(table.id, candidate):
                    return candidate
    except ToolUnavailable:
        raise
    except ToolFailed as failure:
        log.info("joining %s with %s failed: %s", table.id, other.id, failure)
    return None


def _links(table: Table, other: Table) -> list[tuple[str, str]]:
    """Pairs of columns that may hold the same codes, or names under one name: our `country_code` and `iso_a2` of
    countries."""
    about = set(name_words(other.name))
    ours = [(column.name, set(name_words(column.name))) for column in text_columns(table)]
    coded = [
        (name, theirs.name)
        for theirs in text_columns(other)
        if (their_words := set(name_words(theirs.name))) & _CODES
        for name, words in ours
        if (words & about and words & _CODES) or (words & their_words) - {"name", "code", "id"}
    ]
    named = name_column(other)
    if named is not None and len(name_words(named.name)) > 1 and any(name == named.name for name, _ in ours):
        coded.append((named.name, named.name))
    return coded
