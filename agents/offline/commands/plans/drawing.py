"""Plans of the commands that show, filter and style: from an intent to the tool calls of its next step."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from agents.domain import Cql2, Layer, Table
from agents.geo.styling.colours import same_colour
from agents.geo.wording.phrases import feature_count, listed
from agents.offline.answers import refusals
from agents.offline.commands.looks import style_arguments
from agents.offline.commands.plans.value_colours import with_stored_values
from agents.offline.conversation.memory import Rows
from agents.offline.language.conditions.contradictions import without_contradicted
from agents.offline.language.words import are_names, is_plural, name_words
from agents.offline.meaning import intents as i
from agents.offline.meaning.alike_places import full_name
from agents.offline.meaning.columns import top_column
from agents.offline.meaning.conditions import (
    UNNAMED_ROWS,
    ColumnMention,
    Condition,
    Mention,
    Negation,
    OneOf,
    Top,
    parts_of,
)
from agents.offline.meaning.cql2 import columns_in, combined, conjunction, conjuncts, disjunction, equals
from agents.offline.meaning.filters.resolver import to_cql2
from agents.offline.meaning.filters.widened import of_compared_column, widened
from agents.offline.meaning.places import places_of_name, row_of, rows_sharing_name
from agents.offline.meaning.ranking import first_rows, without_covered_year
from agents.offline.meaning.row_names import name_column
from agents.offline.meaning.scene import Calls, Refuse, Say, Scene, unless_refused
from agents.offline.meaning.stored_values import or_unknown
from agents.result_rows import rows_of

ROLES = ("kind", "x", "y", "color", "aggregate", "bins", "period")
"""The properties of a chart besides its rows."""
_MOST_TOP = 100


async def show(scene: Scene, intent: i.Show) -> Calls:
    """Add a layer, or change an existing layer of the table. Raises Ask, Refuse or Say."""
    if intent.zoom and scene.done and scene.done[-1].call.name == "add_map_layer":
        added = scene.done[-1].result.data
        return [("zoom_to", {"layer": added["layer_id"]})] if added["count"] else []
    if intent.where is None and intent.top is None and is_proper(intent.subject):
        shared = await rows_sharing_name(scene, intent.subject.text)
        named = replace(intent, subject=shared.subject, where=shared.where) if shared else None
        return await (_show_place(scene, intent) if named is None else show(scene, named))
    is_bare = intent.where is None and intent.top is None and not intent.subject.known
    if is_bare and scene.vocabulary.values_called(name_words(intent.subject.text)):
        place = await unless_refused(_show_place(scene, intent))  # `show me paris`
        if place is not None:
            return place
    table = scene.table_of(intent.subject)
    if table.geometry_column is None:
        raise Refuse(
            refusals.NOT_DRAWABLE(table=table.title),
            refusals.ASK_FOR_ROWS(list=f"list {table.title}"),
        )
    top = intent.top if intent.top is not None and intent.top.limit else None
    asked = without_covered_year(scene, table, intent.where, top) if top is not None else intent.where
    where = await to_cql2(scene, table, asked) if asked is not None else None
    if top is not None:
        found = await top_rows(scene, table, where, top)
        if isinstance(found, list):
            return found
        where = found
    drawn = [each for each in scene.layers if each.table == table.id and each.filter == where]
    if intent.zoom and drawn:
        return [("zoom_to", {"layer": drawn[-1].id})]
    intent = replace(intent, look=await with_stored_values(scene, table, intent.look, where))
    shown = _shown_already(scene, intent, table)
    if shown is not None and where is None:
        return _show_again(scene, shown, table, intent)
    arguments: dict[str, Any] = {"table": table.id, **style_arguments(scene, table, intent.look, None)}
    if where is not None:
        arguments["filters"] = where
        if intent.condition_text and any(layer.table == table.id for layer in scene.layers):
            arguments["name"] = _title(intent.condition_text)
    if intent.top is not None and intent.top.limit:
        few = f"{intent.top.limit} " if intent.top.limit > 1 else ""
        title = table.title.replace("_", " ")
        is_first = intent.top.word in ("top", "bottom")
        words = f"{intent.top.word} {few}" if is_first else f"{few}{intent.top.word} "
        arguments["name"] = _title(f"{words}{title}")
        if intent.top.word in ("most", "least", "fewest") and intent.top.column is not None:
            arguments["name"] = _title(f"{few}{title} with the {intent.top.word} {intent.top.column.text}")
    return [("add_map_layer", arguments)]


def is_proper(subject: Mention) -> bool:
    """Whether a mention is unknown and written as a name: `Switzerland`."""
    return not subject.known and are_names(subject.text)


async def _show_place(scene: Scene, intent: i.Show) -> Calls:
    """Show the rows with these place names; of several tables with one name, the best known."""
    places = await places_of_name(scene, intent.subject.text)
    table = scene.table(places[0].table)
    column, names = name_column(table), list(dict.fromkeys(place.name for place in places))
    where = equals(column.name, names) if column is not None else None
    if where is None or await scene.data.count(table.id, where) != len(places):
        names = [full_name(place) for place in places]
        where = disjunction([await row_of(scene, place, place.name) for place in places])
    look = style_arguments(scene, table, await with_stored_values(scene, table, intent.look), None)
    return [("add_map_layer", {"table": table.id, "name": listed(names), **look, "filters": where})]


def _shown_already(scene: Scene, intent: i.Show, table: Table) -> Layer | None:
    """The existing layer that `show airports` means: by name, else any layer of the table."""
    candidates = [layer for layer in scene.layers if layer.table == table.id]
    candidates.sort(key=lambda layer: layer.filter is None)
    named = [layer for layer in candidates if layer.id in intent.subject.layers]
    for layer_id in scene.recent:
        for layer in named:
            if layer.id == layer_id:
                return layer
    return named[-1] if named else (candidates[-1] if candidates else None)


def _show_again(scene: Scene, layer: Layer, table: Table, intent: i.Show) -> Calls:
    arguments: dict[str, Any] = {"layer_id": layer.id}
    if not layer.visible:
        arguments["visible"] = True
    if intent.all and layer.filter is not None:
        arguments.update(clear_filters=True, **_plain_name(layer, table))
    style = style_arguments(scene, table, intent.look, layer)
    if not (
        set(style) == {"color"}
        and layer.style.kind == "single"
        and same_colour(style["color"], layer.style.color)
    ):
        arguments.update(style)
    if len(arguments) == 1:
        only = refusals.WITH_FILTER() if layer.filter is not None else ""
        raise Say(refusals.ON_THE_MAP(layer=layer.name, only=only, count=feature_count(layer)))
    return [("update_map_layer", arguments)]


async def top_rows(scene: Scene, table: Table, where: Cql2 | None, top: Top) -> Calls | Cql2:
    """The filter for the first rows of a ranking; first the calls that query their keys."""
    if len(table.key) != 1:
        raise Refuse(
            refusals.NO_KEY(table=table.title),
            refusals.ASK_LIST(n=str(top.limit), table=table.title),
        )
    if top.limit > _MOST_TOP:
        raise Refuse(refusals.MOST_RANKED(n=_MOST_TOP), refusals.FILTER_INSTEAD())
    key = table.key[0]
    if not scene.done:
        first = await first_rows(scene, table, where, top, top.limit)
        named = name_column(table)
        columns = list(dict.fromkeys([key, *([named.name] if named else []), first.column]))
        return [("query_features", {**first.query, "columns": columns}), *first.tie]
    rows = (scene.done[0].result.data or {}).get("rows", [])
    if not rows:
        raise Refuse(refusals.NOT_RANKED(table=table.title))
    return equals(key, [row[key] for row in rows])


async def show_rows(
    scene: Scene, rows: Rows, look: i.Look, where: Condition | None = None, top: Top | None = None
) -> Calls:
    """Add a layer of the rows of the previous question."""
    table = scene.table(rows.table)
    if table.geometry_column is None:
        raise Refuse(refusals.NOT_DRAWABLE(table=table.title))
    filters = rows.filter
    if where is not None:
        wanted = await to_cql2(scene, table, where)
        filters = combined("and", without_contradicted(filters, wanted), wanted)
    if top is not None and top.limit:
        found = await top_rows(scene, table, filters, top)
        if isinstance(found, list):
            return found
        filters = found
    kept = {"filters": filters} if filters is not None else {}
    look = await with_stored_values(scene, table, look, filters)
    return [("add_map_layer", {"table": table.id, **style_arguments(scene, table, look, None), **kept})]


def _noun_in(where: Condition | None) -> str:
    """A plural taken for a kind of rows, which names rows if there is no layer: `which schools are in Europe`."""
    kinds = (each.text for each in parts_of(where) if isinstance(each, OneOf) and each.how == "kind")
    return next((word for text in kinds for word in text.split()[:1] if is_plural(word)), "")


async def refine(scene: Scene, intent: i.Refine) -> Calls:
    """Replace, narrow or widen a layer's filter; a chart without a layer is drawn again."""
    charted, subject = scene.charted, intent.subject
    if subject is None and scene.layers:
        intent = replace(intent, where=of_compared_column(intent.where, scene.recent_layer().filter))
    of_chart = charted is not None and (subject is None or subject.tables == (charted.table,))
    if charted is not None and of_chart and intent.mode == "and" and intent.where and not intent.top:
        return await _charted_again(scene, charted, intent.where)
    rows = scene.undrawn(intent.subject) or await _asked_before(scene, intent)
    if rows is not None and intent.mode == "and":
        return await show_rows(scene, rows, i.Look(), intent.where, intent.top)
    if not scene.layers and intent.subject is None and (noun := _noun_in(intent.where)):
        raise scene.unknown(Mention(noun))
    layer, table = await _refined(scene, intent)
    if layer is None:
        subject = intent.subject or Mention(table.name, (table.id,))
        return await show(scene, i.Show(subject, where=intent.where, top=intent.top))
    if (left_out := await _left_out_whole(scene, intent, layer, table)) is not None:
        return left_out
    wanted = await to_cql2(scene, table, intent.where) if intent.where is not None else None
    if wanted is not None and intent.verb:
        wanted = await or_unknown(scene, table, wanted)
    named = {} if intent.mode == "and" else _plain_name(layer, table)
    if intent.top is not None and intent.top.limit:
        whole = layer.filter if intent.mode == "and" else None
        kept = combined("and", whole, wanted) if wanted is not None else whole
        found = await top_rows(scene, table, kept, intent.top)
        down_to = {"layer_id": layer.id, "filters": found, **named}
        return found if isinstance(found, list) else [("update_map_layer", down_to)]
    if wanted is None:
        raise Say(refusals.STAYS(layer=layer.name))
    if intent.mode == "or" and layer.filter is None:
        raise Say(refusals.ALL_SHOWN(layer=layer.name, count=feature_count(layer)))
    before = without_contradicted(layer.filter, wanted) if intent.mode == "and" else layer.filter
    if intent.mode in ("replace", "instead"):
        before = _of_other_columns(layer.filter, wanted, table) if intent.mode == "instead" else None
    filters = widened(before, wanted) if intent.mode == "or" else combined("and", before, wanted)
    return [("update_map_layer", {"layer_id": layer.id, "filters": filters, **named})]


def _of_other_columns(before: Cql2 | None, wanted: Cql2, table: Table) -> Cql2 | None:
    """The conditions that stay when others take a place: `what about Italy` keeps `over 500k`, unless the rows were
    given by their keys."""
    parts = conjuncts(before)
    if any(set(columns_in(each)) & set(table.key) for each in parts):
        return None
    kept = [each for each in parts if not set(columns_in(each)) & set(columns_in(wanted))]
    return conjunction(kept)


async def _asked_before(scene: Scene, intent: i.Refine) -> Rows | None:
    """The rows of the previous question if no layer fits: `only the unplanned ones` after `how many outages were
    there?`."""
    rows = scene.undrawn(UNNAMED_ROWS) if intent.subject is None else None
    if rows is None or rows.filter is None or rows.single or scene.vocabulary.table(rows.table) is None:
        return None
    return None if scene.layers and await _fits(scene, intent, scene.recent_layer()) else rows


async def _left_out_whole(scene: Scene, intent: i.Refine, layer: Layer, table: Table) -> Calls | None:
    """Hide or remove a layer that shows only the excluded rows (`hide the closed trails`); None if it shows others."""
    if intent.verb in ("", "exclude") or not isinstance(intent.where, Negation):
        return None
    rows = conjuncts(await to_cql2(scene, table, intent.where.inner))
    named = intent.subject is not None and not intent.subject.pronoun
    among = [each for each in scene.layers if each.table == table.id] if named else [layer]
    whole = [each for each in among if all(part in conjuncts(each.filter) for part in rows)]
    if not whole or (layer not in whole and len(whole) > 1):
        return None
    layer = layer if layer in whole else whole[0]
    if intent.verb == "remove":
        return [("remove_map_layer", {"layer_id": layer.id})]
    if not layer.visible:
        raise Say(refusals.HIDDEN_ALREADY(n=1, names=layer.name))
    return [("update_map_layer", {"layer_id": layer.id, "visible": False})]


async def _charted_again(scene: Scene, rows: Rows, where: Condition) -> Calls:
    """Call `make_chart` for the latest chart with a further condition."""
    chart, table = scene.agent.map.charts()[-1], scene.table(rows.table)
    filters = combined("and", rows.filter, await to_cql2(scene, table, where))
    roles = {each: getattr(chart, each) for each in ROLES if getattr(chart, each) is not None}
    return [("make_chart", {**roles, "data": table.id, "filters": filters})]


async def _refined(scene: Scene, intent: i.Refine) -> tuple[Layer | None, Table]:
    """The layer to filter: the named one, else the last one, or another if only that one fits."""
    subject = intent.subject
    if subject is not None and not subject.pronoun:
        if not subject.layers and subject.tables:
            named = scene.table_of(subject)
            made = scene.recent_layer() if scene.recent and intent.mode == "and" else None
            if (
                made is not None
                and _has_rows_of(scene.table(made.table), named)
                and await _fits(scene, intent, made)
            ):
                return made, scene.table(made.table)
            return None, named
        layer = scene.layer_of(subject)
        return layer, scene.table(layer.table)
    first = scene.recent_layer()
    for each in (first, *(each for each in reversed(scene.layers) if each.id != first.id)):
        if await _fits(scene, intent, each):
            return each, scene.table(each.table)
    return first, scene.table(first.table)


def _has_rows_of(made: Table, named: Table) -> bool:
    """Whether an analysis selected rows of the named table: `just the tent sites` after campsites near a trail."""
    return made.is_result and bool(named.key) and all(made.column(name) is not None for name in named.key)


async def _fits(scene: Scene, intent: i.Refine, layer: Layer) -> bool:
    table = scene.table(layer.table)
    try:
        if intent.where is not None:
            await to_cql2(scene, table, intent.where)
        if intent.top is not None:
            top_column(scene, table, intent.top)
    except Refuse:
        return False
    return True


async def clear_filter(scene: Scene, intent: i.ClearFilter) -> Calls:
    """Remove the filter of a layer."""
    layer = scene.layer_of(intent.subject)
    if layer.filter is None:
        raise Say(refusals.NO_FILTER(layer=layer.name, count=feature_count(layer)))
    return [
        (
            "update_map_layer",
            {"layer_id": layer.id, "clear_filters": True, **_plain_name(layer, scene.table(layer.table))},
        )
    ]


def _title(words: str) -> str:
    """A layer's name from words of the request: `Airports in Germany`."""
    text = " ".join(words.replace('"', "").split())
    short = text if len(text) <= 60 else f"{text[:59]}…"
    return short[:1].upper() + short[1:]


def _plain_name(layer: Layer, table: Table) -> dict[str, Any]:
    """The table's name, if the current name describes a filter that is being removed."""
    plain = table.name.replace("_", " ")
    tells = (
        plain.lower() in layer.name.lower()
        and layer.name.lower() != plain.lower()
        and layer.filter is not None
    )
    return {"name": plain[:1].upper() + plain[1:]} if tells else {}


async def restyle(scene: Scene, intent: i.Restyle) -> Calls:
    """Change a layer's style; a table that is not on the map is added in that style."""
    subject = intent.subject
    rows = scene.undrawn(subject) or scene.narrowed(subject)
    if rows is not None:
        return await show_rows(scene, rows, intent.look, intent.where)
    if intent.where is not None and subject is not None:
        drawn = await _drawn_already(scene, subject, intent.where)
        if drawn is None:
            return await show(scene, i.Show(subject, intent.look, intent.where))
        subject = Mention(drawn.name, layers=(drawn.id,))
    if subject is not None and subject.everything:
        return [
            (
                "update_map_layer",
                {"layer_id": each.id, **style_arguments(scene, scene.table(each.table), intent.look, each)},
            )
            for each in scene.all_layers()
        ]
    if subject is not None and not subject.pronoun and not subject.layers and subject.tables:
        return await show(scene, i.Show(subject, intent.look))
    layer = _layer_with(scene, scene.layer_of(subject), intent.look.by)
    table = scene.table(layer.table)
    look = await with_stored_values(scene, table, intent.look, layer.filter)
    arguments = style_arguments(scene, table, look, layer)
    if not arguments:
        raise Say(refusals.LOOKS_SO(layer=layer.name))
    return [("update_map_layer", {"layer_id": layer.id, **arguments})]


async def _drawn_already(scene: Scene, subject: Mention, where: Condition) -> Layer | None:
    """The layer that shows exactly these rows: `label the capitals` after `show the capitals`."""
    table = scene.table_of(subject)
    wanted = await to_cql2(scene, table, where)
    return next((each for each in scene.layers if (each.table, each.filter) == (table.id, wanted)), None)


def _layer_with(scene: Scene, layer: Layer, by: ColumnMention | None) -> Layer:
    """The layer with the column; after figures of groups, which lack it, the only other layer that has it."""
    table = scene.table(layer.table)

    def has_it(each: Layer) -> bool:
        return by is not None and bool(scene.vocabulary.columns_called((scene.table(each.table),), by.text))

    if by is None or not table.is_result or rows_of(table) or has_it(layer):
        return layer
    having = list(filter(has_it, scene.layers))
    return having[0] if len(having) == 1 else layer


PLANS = {"Show": show, "Refine": refine, "ClearFilter": clear_filter, "Restyle": restyle}
