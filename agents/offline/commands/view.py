"""Zooming: to a layer, a place or a box, or in and out."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from shapely.geometry import shape

from agents.domain import Bounds, Layer, Place
from agents.geo.place_names import continent_called, other_names
from agents.offline.answers import refusals
from agents.offline.commands.figures import table_called
from agents.offline.commands.requests import command
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.language.words import fold, is_plural, name_words
from agents.offline.meaning.conditions import Mention, OneOf, Spot, Top
from agents.offline.meaning.filters.geometries import positions
from agents.offline.meaning.filters.values import in_place
from agents.offline.meaning.intents import Command, Intent, Look, NotUnderstood, Show, Zoom
from agents.offline.meaning.places import (
    find_place,
    is_called,
    place_meant,
    places_named_with_noun,
    rows_sharing_name,
)
from agents.offline.meaning.ranking import first_rows
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Calls, Refuse, Scene, unless_refused

MAX_TABLES_TRIED = 8
"""Maximum number of tables searched for a name that is not a place."""
MAX_LEVELS = 6
MAX_NAME_WORDS = 5
"""Maximum number of words of a name that is the whole request."""
SPOT_M = 1000.0
"""Distance from coordinates to the edges of the view."""
METRES_PER_DEGREE = 111_320.0
"""Mean length of a degree of latitude."""
WORLD: Bounds = (-180.0, -60.0, 180.0, 80.0)

_TO = (
    "(zoom [to|into|on|at|onto] [the (extent|bounds) of]|go [back] to|fly to|pan to|cent(er|re) [the map] on|jump to"
    "|navigate to|(take|bring) me to|focus on|move [the map] to|show me where|zoom in (on|to|at)"
    "|fit [the (view|map|window|screen) (to|on|around)]"
    "|zoom closer (on|to)|zoom out to)"
).replace("cent(er|re)", "(center|centre)")
_STEPS = (
    "[{times:count} [times|levels|steps|level|step|x]] [a bit|a little|more|times|levels|steps|level|step|x]"
)


def _levels(bound: Mapping[str, Any]) -> float:
    return float(2 ** min(max(bound.get("times", 1), 1), MAX_LEVELS))


def _rows(bound: Mapping[str, Any], _: Vocabulary) -> Intent | None:
    """`zoom to the airports in Peru`: adds the layer unless it exists."""
    rows = bound["rows"]
    if rows.mention.pronoun or not rows.mention.tables or (rows.where is None and rows.top is None):
        return None
    is_one = isinstance(rows.where, OneOf) and rows.top is None and not is_plural(rows.mention.text)
    if is_one and not any(map(str.isdigit, rows.where.text)):
        return None  # `Heathrow airport` and `the country France` are places, `fire K70396` is not
    return Show(rows.mention, Look(), rows.where, rows.top, rows.all, rows.condition_text, zoom=True)


FIRST = Top(1, True, word="first")
"""The first of the rows that were listed."""


def _place(bound: Mapping[str, Any], vocabulary: Vocabulary) -> Intent | None:
    """`France`, or `the country France`, a row of that table."""
    place = bound["place"].strip('"')
    noun, _, name = place.removeprefix("the ").partition(" ")
    table = table_called(noun, vocabulary) if noun.islower() and name else None
    if table is not None and name.startswith(("named ", "called ")):
        return None
    return Zoom(place=place) if table is None else Zoom(place=name, table=table.id)


COMMANDS = (
    command(f"(zoom in|zoom closer|closer) {_STEPS}", lambda bound, _: Zoom(factor=_levels(bound))),
    command(f"(zoom out|zoom back|further out) {_STEPS}", lambda bound, _: Zoom(factor=1 / _levels(bound))),
    command(f"{_TO} [whole|entire] world", lambda bound, _: Zoom(bounds=WORLD), -1.0),
    command(
        f"{_TO} (everything|all layers|all the layers|all|the whole map)"
        "|fit (all|everything|[the] (view|map|window|screen)|[all] to [the] (view|map|window|screen))",
        lambda bound, _: Zoom(subject=Mention("everything", everything=True)),
        -1.0,
    ),
    command(
        "(zoom|go|fly|move [the map]|take me) [in] there|where is (it|that|this)",
        lambda bound, _: Zoom(),
        -1.0,
    ),
    command(f"{_TO} {{box:box}}", lambda bound, _: Zoom(bounds=bound["box"])),
    command(f"{_TO} {{spot:spot}}", lambda bound, _: Zoom(spot=bound["spot"])),
    command(f"{_TO} {{layer:mention}} [is|are]", lambda bound, _: Zoom(subject=bound["layer"])),
    command(
        f"{_TO} [the] {{top:top}} [one] [of (them|these|those)]",
        lambda bound, _: Zoom(subject=Mention("it", pronoun=True), top=bound["top"]),
        -1.0,
    ),
    command(f"{_TO} [the] (first|top) (one|row|of them)", lambda bound, _: Zoom(top=FIRST), -2.0),
    command(f"{_TO} {{place:value}} [is|are|lies]", _place),
    command(f"{_TO} [all] {{rows:selection}}", _rows, 2.0),
    command(
        "(where is|where's|show [me]|[show [me]] [a|the] map of) {place:value}",
        lambda bound, _: Zoom(place=bound["place"]) if continent_called(bound["place"]) else None,
        -3.0,
    ),
)


def _is_part(text: str, name: str) -> bool:
    """Whether a text has only some of the words of a name."""
    return set(name_words(text)) < set(name_words(name))


async def zoom(scene: Scene, intent: Zoom) -> Calls:
    """Call `zoom_to`. Raises Ask or Refuse."""
    if intent.factor is not None:
        return [("zoom_to", {"bounds": _scaled(scene, intent.factor)})]
    if intent.bounds is not None:
        return [("zoom_to", {"bounds": list(intent.bounds)})]
    if intent.spot is not None:
        return [("zoom_to", {"bounds": _around(scene, intent.spot)})]
    if intent.place is not None and intent.table is not None:
        meant = await place_meant(scene, intent.place, intent.table)
        first = (await scene.data.find_place(intent.place, limit=1)).places
        if first and (first[0].table, first[0].bounds) == (meant.table, meant.bounds):
            return [("zoom_to", {"place": intent.place})]
        return [("zoom_to", {"bounds": list(meant.bounds)})]
    if intent.place is not None:
        named = await places_named_with_noun(scene, intent.place, None)
        if len({each.table for each in named}) == 1:
            return await zoom(scene, Zoom(place=named[0].name, table=named[0].table))
        places = (await find_place(scene, intent.place)).places
        await _no_group(scene, intent.place, places)
        same = [each for each in places if each.whole and fold(each.name) == fold(places[0].name)]
        if len({each.table for each in same}) > 1 and not same[0].population:
            await place_meant(scene, intent.place)  # asks which, if they are apart
        if places and not places[0].whole and _is_part(intent.place, places[0].name):
            await place_meant(scene, intent.place)  # tells the nearest names: Fårö is not Fårö norra kust
        return [("zoom_to", {"place": intent.place})]
    subject = intent.subject
    is_it = scene.rows is not None and scene.rows.single and subject is not None and subject.pronoun
    if intent.top is FIRST or (is_it and intent.top is None):
        return await _first_listed(scene)
    if intent.top is not None:
        return await _first_of(scene, intent.top, scene.layer_of(subject))
    if subject is not None and subject.everything:
        boxes = [layer.bounds for layer in scene.all_layers() if layer.bounds is not None]
        if not boxes:
            raise Refuse(refusals.NO_FEATURES())
        return [("zoom_to", {"bounds": list(_union(boxes))})]
    if subject is not None and subject.tables and not subject.layers and not subject.pronoun:
        table = scene.table_of(subject)
        if table.bounds is None:
            raise Refuse(refusals.NOT_KNOWN(table=table.title), refusals.SAY_FIRST(table=table.title))
        return [("zoom_to", {"bounds": list(table.bounds)})]
    return [("zoom_to", {"layer": scene.layer_of(subject).id})]


async def _first_of(scene: Scene, top: Top, layer: Layer) -> Calls:
    """Zoom to the first of a layer's rows, by its name. Raises Ask, or Refuse if several share the first place."""
    table = scene.table(layer.table)
    query = (await first_rows(scene, table, layer.filter, top, 1)).query
    named = name_column(table)
    if named is None or query["limit"] != 1:
        raise Refuse(refusals.NO_ONE_PLACE(text=top.word, table=table.title))
    found = await scene.data.query(
        table.id, [named.name], query["filters"], query["sort"], query["descending"], limit=1
    )
    if not found["rows"]:
        raise Refuse(refusals.NO_FEATURES())
    return await zoom(scene, Zoom(place=str(found["rows"][0][named.name]), table=table.id))


async def _first_listed(scene: Scene) -> Calls:
    """Zoom to the first of the rows that were listed in an order. Raises Refuse."""
    rows, table = scene.rows, scene.vocabulary.table(scene.rows.table) if scene.rows is not None else None
    named = name_column(table) if table is not None else None
    if rows is None or table is None or named is None or not (rows.sort or rows.single):
        raise Refuse(
            refusals.NO_ONE_PLACE(text=FIRST.word, table=table.title if table is not None else "rows")
        )
    drawn = table.geometry_column or named.name
    found = await scene.data.query(
        table.id, [named.name, drawn], rows.filter, rows.sort or None, rows.descending, limit=1, lonlat=True
    )
    row = found["rows"][0]
    try:
        return await zoom(scene, Zoom(place=str(row[named.name]), table=table.id))
    except Refuse:  # nothing is found by the name, such as a number, or several rows are
        if drawn == named.name or row[drawn] is None:
            raise
        return [("zoom_to", {"bounds": list(shape(row[drawn]).bounds)})]


async def place_alone(scene: Scene, text: str, commands: list[Command]) -> list[Command]:
    """Zooming to the place, where a request that is not understood is its name: `Tokyo`, `Paris, France`; else the
    commands."""
    whole = text.strip(" ?!.").removeprefix("all ").removeprefix("the ")
    name, _, where = whole.partition(",")
    is_name = 0 < len(name.split()) <= MAX_NAME_WORDS and name[0].isalpha()
    if not is_name or [type(each.intent) for each in commands] != [NotUnderstood]:
        return commands
    found = [each for each in (await find_place(scene, whole)).places[:1] if each.whole]
    if name.isupper() and not other_names(name):
        found = [each for each in found if is_called(each, name, scene.vocabulary)]
    if not (continent_called(name) or any(fold(where.strip()) in fold(each.detail) for each in found)):
        shared = await rows_sharing_name(scene, whole)
        return commands if shared is None else [replace(commands[0], intent=shared)]
    return [replace(commands[0], intent=Zoom(place=whole))]


def _around(scene: Scene, spot: Spot) -> list[float]:
    """A box of about 2 km around coordinates, whose order is chosen so that they are within a layer or table."""
    extents = [layer.bounds for layer in scene.layers]
    extents += [table.bounds for table in scene.vocabulary.index.own]
    longitude, latitude = positions(spot, extents)[0]
    high = SPOT_M / METRES_PER_DEGREE
    wide = min(high / max(math.cos(math.radians(latitude)), 1e-3), 180.0)
    west, east = _wrapped(longitude - wide), _wrapped(longitude + wide)
    return [round(edge, 6) for edge in (west, max(latitude - high, -90.0), east, min(latitude + high, 90.0))]


async def _no_group(scene: Scene, text: str, places: Sequence[Place]) -> None:
    """Raise Refuse for a value that many rows share, such as a currency, instead of zooming to a town of a similar
    name."""
    if continent_called(text) is not None:
        return
    named = places and (places[0].whole or set(name_words(text)) & set(name_words(places[0].name)))
    if named or text.isupper():
        return
    for table in scene.vocabulary.index.own[:MAX_TABLES_TRIED]:
        if table.geometry_family != "polygon" or await unless_refused(in_place(scene, table, text)) is None:
            continue
        plain = table.name.replace("_", " ")
        raise Refuse(
            refusals.NO_ONE_PLACE(text=text, table=plain),
            refusals.SAY_SHOW(table=plain, text=text),
        )


def _scaled(scene: Scene, factor: float) -> list[float]:
    bounds = scene.focus.bounds if scene.focus is not None else None
    if bounds is None:
        raise Refuse(refusals.NO_VIEW(), refusals.SAY_WHERE())
    west, south, east, north = bounds
    width = (east - west if east >= west else east - west + 360) / factor
    height = (north - south) / factor
    middle, level = west + (east - west if east >= west else east - west + 360) / 2, (south + north) / 2
    if width >= 360:
        return [-180.0, max(level - height / 2, -85.0), 180.0, min(level + height / 2, 85.0)]
    left, right = _wrapped(middle - width / 2), _wrapped(middle + width / 2)
    return [
        round(edge, 6)
        for edge in (left, max(level - height / 2, -85.0), right, min(level + height / 2, 85.0))
    ]


def _wrapped(longitude: float) -> float:
    return longitude if -180 <= longitude <= 180 else (longitude + 180) % 360 - 180


def _union(boxes: Sequence[Bounds]) -> Bounds:
    if any(west > east for west, _, east, _ in boxes):
        return (-180.0, min(box[1] for box in boxes), 180.0, max(box[3] for box in boxes))
    return (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )


PLANS = {"Zoom": zoom}
