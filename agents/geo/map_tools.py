"""Tools that change the map or everyone's view."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from agents.core import Param, Result, ToolFailed, tool
from agents.domain import Bounds, FoundPlaces, Layer, LayerChange, LayerDraft, Place
from agents.geo import choices
from agents.geo.place_names import CONTINENTS, continent_called
from agents.geo.styling.styles import (
    STYLE_BRIEFLY,
    STYLE_SCHEMA,
    STYLE_SHOWN,
    changed_style,
    check_hidden,
    new_style,
)
from agents.geo.tools import FILTERS_SCHEMA, GeoTools, layer_facts, read_filter, unsearched
from agents.geo.wording.phrases import (
    MAX_LISTED,
    count_of,
    feature_count,
    filter_words,
    listed,
    style_words,
)
from agents.geo.wording.positions import bounds_words
from agents.worded import Template, joined

LAYER_EXISTS = Template(
    "tool_layer_exists",
    "There is a layer {layer} already: use update_map_layer, or another id such as {free}.",
)
NOT_DRAWABLE = Template(
    "tool_not_drawable", "{table} has no geometry column, so it cannot be drawn. query_features can read it."
)
NOTHING_TO_CHANGE = Template(
    "tool_nothing_to_change",
    "Nothing to change was given: name at least one of color, style, filters, visible, ...",
)
ONE_TARGET = Template("tool_one_target", "Give exactly one of layer, place and bounds.")
NO_FEATURES = Template(
    "tool_no_features", "The layer {layer} has no features to zoom to: its filter lets {count} pass."
)
NOT_SEARCHED = Template("tool_not_searched", " Not searched, because it would take too long: {names}.")
NO_PLACE = Template("tool_no_place", "No place called {text} is in the user's tables.{late}")
BOUNDS = Template(
    "tool_bounds",
    "bounds are [west, south, east, north] in degrees: -180..180 and -90..90, south below north.",
)
ADDED = Template("tool_added", "Added {look}: {count}")
CHANGED = Template("tool_changed", "Changed {what}")
REMOVED = Template("tool_removed", "Removed {what}")
ZOOMED = Template("tool_zoomed", "Zoomed to {place}")
NOTHING_TO_UNDO = Template("tool_nothing_to_undo", "Nothing to undo")
NOTHING_TO_REDO = Template("tool_nothing_to_redo", "Nothing to redo")
UNDONE = Template("tool_undone", "Undone: {what}")
REDONE = Template("tool_redone", "Redone: {what}")
ALL_FEATURES = Template("tool_all_features", "all features")
NEW_STYLE = Template("tool_new_style", "new style")
RENAMED = Template("tool_renamed", "renamed")
SHOWN = Template("tool_shown", "shown")
HIDDEN = Template("tool_hidden", "hidden")
OPAQUE = Template("tool_opaque", "{percent}% opaque")
ONLY = Template("tool_only", "only {condition}")
MOVED = {
    place: Template(f"tool_moved_{place}", f"moved {place}") for place in ("top", "bottom", "up", "down")
}
MOVED_TO = Template("tool_moved_to", "moved to {place}")
IN_GROUP = Template("tool_in_group", "in the group {group}")
IN_NO_GROUP = Template("tool_in_no_group", "in no group")

TableId = Annotated[str, Param(enum=choices.table_ids, narrow=choices.narrow_tables)]
LayerId = Annotated[str, Param(enum=choices.layer_ids, resolve=choices.only_layer)]
Color = Annotated[str, Param(description="CSS colour for all features.")]
Opacity = Annotated[float, Param(minimum=0, maximum=1)]

MAX_GROUP_NAME = 200
NEW_FILTERS = {
    **FILTERS_SCHEMA,
    "shown": {**FILTERS_SCHEMA["shown"], "description": "Replaces the layer's whole filter."},
}


class MapTools(GeoTools):
    """Tools for layers and view; a mixin of GeoAgent."""

    @tool(
        params={"style": {**STYLE_SCHEMA, "shown": STYLE_SHOWN}, "filters": FILTERS_SCHEMA}, sequential=True
    )
    async def add_map_layer(
        self,
        table: TableId,
        layer_id: Annotated[
            str, Param(resolve=choices.free_layer_id, schema={"pattern": "^[A-Za-z0-9_-]{1,64}$"})
        ],
        color: Annotated[Color | None, Param(resolve=choices.free_colour)] = None,
        style: dict[str, Any] | None = None,
        filters: dict[str, Any] | str | None = None,
        name: str | None = None,
        opacity: Opacity = 1.0,
    ) -> Result:
        """Put a table on the map as a new layer. Tells how many features passed the filter and whether they were drawn.

        Args:
            layer_id: A new id; made when left out.
            name: What people call the layer.
        """
        if any(layer.id == layer_id for layer in self.map.layers()):
            free = choices.next_layer_id(table, [layer.id for layer in self.map.layers()])
            raise ToolFailed(LAYER_EXISTS(layer=repr(layer_id), free=repr(free)))
        found = self.registry.get(table)
        if found.geometry_column is None:
            raise ToolFailed(NOT_DRAWABLE(table=table))
        draft = LayerDraft(
            table=found.id,
            id=layer_id,
            name=name,
            filter=read_filter(filters),
            style=new_style(found, color, style),
            opacity=opacity,
        )
        layer, drawn = await self.map.add_layer(draft)
        return Result(
            layer_facts(layer, drawn), summary=ADDED(look=_described(layer), count=feature_count(layer))
        )

    @tool(params={"style": {**STYLE_SCHEMA, "shown": STYLE_BRIEFLY}, "filters": NEW_FILTERS}, sequential=True)
    async def update_map_layer(
        self,
        layer_id: LayerId,
        color: Color | None = None,
        style: dict[str, Any] | None = None,
        filters: dict[str, Any] | str | None = None,
        clear_filters: bool = False,
        name: str | None = None,
        visible: bool | None = None,
        opacity: Opacity | None = None,
        order: Literal["top", "bottom", "up", "down"] | int | None = None,
        group: str | None = None,
    ) -> Result:
        """Change a layer; what is left out stays as it is.

        Args:
            filters: Replaces the layer's whole filter.
            clear_filters: Show all features again.
            order: Where it is drawn; a number counts from 0 at the bottom.
            group: Its group of layers; "" for none.
        """
        before = self.layer(layer_id)
        change: dict[str, Any] = {}
        if clear_filters:
            change["filter"] = None
        elif (wanted := read_filter(filters)) is not None:
            change["filter"] = wanted
        if color or style:
            table = self.catalogue().by_id.get(before.table)
            check_hidden(before.legend, before.style, style or {})
            change["style"] = changed_style(table, before.style, color, style)
        for field, value in (("name", name), ("visible", visible), ("opacity", opacity)):
            if value is not None:
                change[field] = value
        if not change and order is None and group is None:
            raise ToolFailed(NOTHING_TO_CHANGE())
        moved = {"order": order, "group": group}
        layer, drawn = before, ""
        if change:
            layer, drawn = await self.map.update_layer(layer_id, LayerChange(**change))
        if order is not None:
            await self.map.reorder(_reordered([item.id for item in self.map.layers()], layer_id, order))
            layer = self.layer(layer_id)
        if group is not None:
            await self.map.group_layer(layer_id, group.strip()[:MAX_GROUP_NAME] or None)
            layer = self.layer(layer_id)
        facts = {
            **layer_facts(layer, drawn),
            "count_before": before.count,
            **({"count_before_estimated": True} if before.estimated else {}),
            "changed": sorted({*change, *(name for name, value in moved.items() if value is not None)}),
            **({"group": layer.group} if group is not None else {}),
        }
        return Result(facts, summary=CHANGED(what=_change_words(layer, change, order, group)))

    @tool(sequential=True)
    async def remove_map_layer(self, layer_id: LayerId) -> Result:
        """Take a layer off the map. The data stays."""
        layer = self.layer(layer_id)
        await self.map.remove_layer(layer_id)
        left = [item.name for item in self.map.layers()]
        return Result(
            {"removed": layer_id, "name": layer.name, "left": left}, summary=REMOVED(what=layer.name)
        )

    @tool(sequential=True)
    async def reset_map(self) -> Result:
        """Remove all layers. Only when the user asks for it."""
        count = await self.map.reset()
        return Result({"removed": count}, summary=REMOVED(what=count_of(count, "layer")))

    @tool(sequential=True)
    async def zoom_to(
        self,
        layer: Annotated[str | None, Param(enum=choices.layer_ids, shown=choices.NAME)] = None,
        place: str | None = None,
        bounds: Bounds | None = None,
    ) -> Result:
        """Move everyone's view, when the user asks for it. Give exactly one argument.

        Args:
            place: The name of a place in the user's tables.
            bounds: West, south, east, north in degrees; west > east crosses the antimeridian.
        """
        if sum(item is not None for item in (layer, place, bounds)) != 1:
            raise ToolFailed(ONE_TARGET())
        facts: dict[str, Any] = {}
        if layer is not None:
            target = self.layer(layer)
            if target.bounds is None:
                raise ToolFailed(NO_FEATURES(layer=repr(layer), count=target.count))
            box, words, facts = target.bounds, target.name, {"layer": layer}
        elif place is not None and (continent := continent_called(place)) is not None:
            box, words = CONTINENTS[continent], continent
            facts = {"place": {"name": continent, "kind": "continent"}}
        elif place is not None:
            found = await self.find_places(place)
            first, *others = found.places
            box, words = first.bounds, first.name
            facts = {
                "place": _place_facts(first),
                "others": [_place_facts(item) for item in others if item.whole or not first.whole][:3],
                **unsearched(found),
            }
        else:
            box = _valid_bounds(bounds)
            words = bounds_words(box)
        await self.map.zoom_to(_with_margin(box))
        return Result({**facts, "bounds": list(box)}, summary=ZOOMED(place=words))

    @tool(sequential=True)
    async def undo(self) -> Result:
        """Undo the newest change of the map."""
        what = await self.map.undo()
        if what is None:
            return Result({"undone": None, "note": "there is nothing to undo"}, summary=NOTHING_TO_UNDO())
        return Result(
            {"undone": what, "layers": [item.name for item in self.map.layers()]}, summary=UNDONE(what=what)
        )

    @tool(sequential=True)
    async def redo(self) -> Result:
        """Redo what was undone last."""
        what = await self.map.redo()
        if what is None:
            return Result({"redone": None, "note": "there is nothing to redo"}, summary=NOTHING_TO_REDO())
        return Result(
            {"redone": what, "layers": [item.name for item in self.map.layers()]}, summary=REDONE(what=what)
        )

    async def find_places(self, text: str) -> FoundPlaces:
        """Find places by name, at least one. Raises ToolFailed if no place has this name."""
        found = await self.data.find_place(text, limit=5)
        if not found.places:
            late = NOT_SEARCHED(names=listed(found.not_searched, most=MAX_LISTED))
            raise ToolFailed(NO_PLACE(text=repr(text), late=late if found.not_searched else ""))
        return found


def _described(layer: Layer) -> str:
    look = joined(" ", filter(None, (layer.name, style_words(layer.style))))
    return joined("", (look, " (", _only(layer), ")")) if layer.filter is not None else look


def _only(layer: Layer) -> str:
    return ONLY(condition=filter_words(layer.filter))


def _change_words(layer: Layer, change: dict[str, Any], order: str | int | None, group: str | None) -> str:
    parts: list[str] = []
    if "filter" in change:
        shown = _only(layer) if layer.filter is not None else ALL_FEATURES()
        parts.append(joined("", (shown, " (", feature_count(layer), ")")))
    if "style" in change:
        parts.append(style_words(layer.style) or NEW_STYLE())
    if "name" in change:
        parts.append(RENAMED())
    if "visible" in change:
        parts.append(SHOWN() if layer.visible else HIDDEN())
    if "opacity" in change:
        parts.append(OPAQUE(percent=round(layer.opacity * 100)))
    if order is not None:
        parts.append(MOVED[order]() if isinstance(order, str) else MOVED_TO(place=order))
    if group is not None:
        parts.append(IN_GROUP(group=layer.group) if layer.group else IN_NO_GROUP())
    return joined("", (layer.name, ": ", listed(parts)))


def _reordered(ids: list[str], layer_id: str, order: str | int) -> list[str]:
    """All ids, bottom first, with the layer at its new position."""
    place = ids.index(layer_id)
    rest = [item for item in ids if item != layer_id]
    places = {"top": len(rest), "bottom": 0, "up": place + 1, "down": place - 1}
    wanted = places[order] if isinstance(order, str) else order
    wanted = min(max(wanted, 0), len(rest))
    return [*rest[:wanted], layer_id, *rest[wanted:]]


def _place_facts(place: Place) -> dict[str, Any]:
    facts = {"name": place.name, "kind": place.kind, "detail": place.detail, "table": place.table}
    return facts if place.population is None else {**facts, "population": place.population}


def _valid_bounds(bounds: Bounds | None) -> Bounds:
    west, south, east, north = bounds or (0, 0, 0, 0)
    if not (-180 <= west <= 180 and -180 <= east <= 180 and -90 <= south <= north <= 90):
        raise ToolFailed(BOUNDS())
    return (west, south, east, north)


def _with_margin(box: Bounds) -> Bounds:
    """A point as a box of some kilometres around it."""
    west, south, east, north = box
    if west == east and south == north:
        return (max(west - 0.1, -180), max(south - 0.1, -90), min(east + 0.1, 180), min(north + 0.1, 90))
    return box
