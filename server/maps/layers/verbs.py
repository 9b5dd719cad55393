"""Changes to the layers of a map, used by socket handlers and by the agent's tools.

Slow work (counting, statistics) happens before the map is locked. If the layer changed in the meantime, the
change is computed again from its new state, so that no change is lost or half applied."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from agents.core.errors import ToolFailed
from agents.core.free_names import free_name
from agents.domain import Bounds, Cql2, Layer, LayerChange, LayerDraft, Legend, Style, StyleSpec, Table
from agents.geo.styling.colours import next_colour
from agents.geo.styling.ramps import DEFAULT_SEQUENTIAL, next_ramp
from agents.ports import Filter
from server import fault_texts
from server.gis.styles.tile_contents import tile_contents
from server.maps.faults import RequestFault, unknown_layer
from server.maps.layers.arranging import place_of, with_groups_together
from server.maps.layers.fault_texts import (
    LAYER_EXISTS,
    LAYER_ID,
    NO_EVENT,
    NOT_RESTORABLE,
    NOT_RESTORED_TOO,
    ORDER,
)
from server.maps.log.event_log import EventLog
from server.maps.log.events import (
    layer_added,
    layer_data_changed,
    layer_removed,
    layer_updated,
    layers_reordered,
    map_reset,
)
from server.maps.log.missing_tables import changes_without_table, layer_names
from server.maps.log.replay import MapState, arranged
from server.maps.log.restoring import as_one_step, changes_between
from server.maps.log.sizes import check_filters
from server.maps.log.undo import mark_undo
from server.maps.log.writer import MapWriter

MAX_LAYERS = 200
RAMPED = ("graduated", "hexbin", "grid", "heatmap")
"""Kinds of styles whose colours are a sequential ramp."""
MAX_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Drawing:
    """How PostGIS draws a table under a filter and a style. `bounds` are in EPSG:4326, None without features."""

    table: Table
    filter: Cql2 | None
    style: Style
    legend: Legend
    count: int
    bounds: Bounds | None
    estimated: bool = False
    data: str = ""

    def fields(self) -> dict[str, Any]:
        """The fields of a layer that is drawn like this."""
        names = ("filter", "style", "legend", "count", "bounds", "estimated", "data")
        return {name: getattr(self, name) for name in names}


class LayerSource(Protocol):
    """Draws tables. Raises ToolFailed with a `code` for an unknown table, a wrong filter or style."""

    async def draw(
        self,
        map_id: str,
        table: str,
        filter: Filter,
        style: StyleSpec,
        like: Layer | None = None,
        exact: bool = False,
    ) -> Drawing:
        """Draw a table. `like` is the current layer: if its filter and data are unchanged, its count and bounds
        are reused. With `exact`, nothing is estimated."""


@dataclass(frozen=True, slots=True)
class Author:
    """The author of a change: a turn, or a user."""

    turn_id: str | None = None
    server_id: str | None = None
    name: str | None = None
    """The user's name on the map, if set."""


BY_HAND = Author()


@dataclass(frozen=True, slots=True)
class Done:
    """A committed change: the map after it, the changed layer, and a description for users."""

    seq: int
    state: MapState
    layer: Layer | None = None
    what: str = ""


class LayerService:
    """Adds, changes, removes, orders and restores layers. Every change is one or more events of the map's log."""

    def __init__(self, log: EventLog, source: LayerSource) -> None:
        self._log = log
        self._source = source

    async def add(self, map_id: str, draft: LayerDraft, by: Author = BY_HAND) -> Done:
        """Draw a new layer on top of the others. Raises RequestFault, and ToolFailed where the table, filter or style
        is refused."""
        if draft.id is not None and not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", draft.id):
            raise RequestFault("invalid_payload", LAYER_ID())
        check_name(draft.name)
        state = await self._log.reader.state(map_id)
        style = with_ramp(with_color(draft.style, state), state)
        drawing = await self._source.draw(map_id, draft.table, draft.filter, style)
        table = drawing.table
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            state = await writer.state()
            layer = Layer(
                id=new_id(draft.id, table.name, state),
                table=table.id,
                name=draft.name or table.name.replace("_", " "),
                geometry_type=table.geometry_family,
                visible=draft.visible,
                opacity=draft.opacity,
                order=place_of(table.geometry_family, drawing.style, state.layers),
                **drawing.fields(),
            )
            await writer.record(layer_added(layer))
            check_filters(await writer.state())
            return await change_of(writer, layer.id)

    async def update(
        self,
        map_id: str,
        layer_id: str,
        change: LayerChange,
        by: Author = BY_HAND,
        *,
        seen_version: int | None = None,
    ) -> Done:
        """Change a layer. `seen_version` is the version that the user saw: if its filter has changed since, a new
        one is a conflict."""
        check_name(change.name)
        for _attempt in range(MAX_ATTEMPTS):
            known = drawn = None
            if changes_drawing(change):
                before = await self._log.reader.state(map_id)
                known = layer_of(before, layer_id)
                if seen_version is not None and "filter" in change.model_fields_set:
                    await self._check_seen(map_id, known, seen_version)
                style = None if change.style is None else with_ramp(change.style, before, known)
                drawn = await self._redrawn(map_id, known, change, style)
            async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
                current = layer_of(await writer.state(), layer_id)
                if known is not None and is_drawn_otherwise(current, known):
                    continue
                updated = (drawn or current).model_copy(
                    update={**not_drawn(current), **simple_fields(change)}
                )
                if updated != current:
                    await writer.record(layer_updated(updated, by.name))
                if updated.filter != current.filter:
                    check_filters(await writer.state())
                return await change_of(writer, layer_id)
        raise RequestFault("conflict", fault_texts.LAYER_BUSY(layer=repr(layer_id)))

    async def follow_data(self, map_id: str, layer_id: str, exact: bool = False) -> bool:
        """Draw the layer from the rows as they are now, because its table changed or, with `exact`, because it was
        estimated. Whether anything changed; a layer that was changed or removed meanwhile is left alone.

        Where it cannot be drawn any more, its tiles get a new address nevertheless, and ToolFailed is raised."""
        known = (await self._log.reader.state(map_id)).layer(layer_id)
        if known is None:
            return False
        fault = None
        try:
            drawn = await self._redrawn(map_id, known, LayerChange(), exact=exact)
        except ToolFailed as error:
            drawn, fault = known, error
        changed = await self._record_data(map_id, known, drawn)
        if fault is not None:
            raise fault
        return changed

    async def _record_data(self, map_id: str, known: Layer, drawn: Layer) -> bool:
        async with self._log.writing(map_id) as writer:
            current = (await writer.state()).layer(known.id)
            if current is None or is_drawn_otherwise(current, known):
                return False
            updated = drawn.model_copy(update=not_drawn(current))
            if updated == current and not writer.has_other_data(current):
                return False
            await writer.record(layer_data_changed(updated))
            return True

    async def remove(self, map_id: str, layer_id: str, by: Author = BY_HAND) -> Done:
        """Remove a layer. Raises RequestFault `unknown_layer`."""
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            layer = layer_of(await writer.state(), layer_id)
            await writer.record(layer_removed(layer_id))
            return Done(writer.seq, await writer.state(), layer)

    async def reorder(self, map_id: str, order: Sequence[str], by: Author = BY_HAND) -> Done:
        """Put layers in this order, bottom first. Layers that are not listed keep their order below these."""
        if not order or len(set(order)) < len(order):
            raise RequestFault("invalid_payload", ORDER())
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            state = await writer.state()
            for layer_id in order:
                layer_of(state, layer_id)
            arrangement = [layer.id for layer in with_groups_together(arranged(state.layers, order))]
            if tuple(arrangement) != state.order:
                await writer.record(layers_reordered(arrangement))
            return await change_of(writer)

    async def reset(self, map_id: str, by: Author = BY_HAND) -> tuple[int, Done]:
        """Remove all layers; returns how many there were, and the change."""
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            count = len((await writer.state()).layers)
            if count:
                await writer.record(map_reset())
            return count, await change_of(writer)

    async def restore(self, map_id: str, seq: int) -> Done:
        """Restore the layers and charts as of the event `seq`, in one undoable step. Raises RequestFault if the
        table of a layer was dropped."""
        newest = await self._log.reader.seq(map_id)
        if seq > newest:
            raise RequestFault("invalid_payload", NO_EVENT(seq=str(seq), newest=str(newest)))
        then = await self._log.reader.state_at(map_id, seq)
        async with self._log.writing(map_id) as writer:
            changes = changes_between(then, await writer.state())
            if gone := await changes_without_table(writer, changes):
                raise RequestFault("conflict", NOT_RESTORABLE(names=layer_names(gone)))
            for change in as_one_step(changes, writer.seq + 1):
                await writer.record(change)
            return await change_of(writer)

    async def undo(self, map_id: str, by: Author = BY_HAND) -> Done | None:
        """Undo the newest change; None if there is none. A layer whose table was dropped is not restored, as
        `what` explains."""
        return await self._step(map_id, by, redo=False)

    async def redo(self, map_id: str, by: Author = BY_HAND) -> Done | None:
        """Redo the change that was undone last; None if there is none."""
        return await self._step(map_id, by, redo=True)

    async def _step(self, map_id: str, by: Author, *, redo: bool) -> Done | None:
        async with self._log.writing(map_id, by.turn_id, by.server_id) as writer:
            history = await writer.history()
            step = history.redo() if redo else history.undo()
            if step is None:
                return None
            unit, changes = step
            what, gone = unit.describe(), await changes_without_table(writer, changes)
            if gone:
                what += NOT_RESTORED_TOO(names=layer_names(gone))
                changes = [change for change in changes if change not in gone]
                # Older steps must stay reachable, so an undo without effect is recorded too.
                empty = layers_reordered((await writer.state()).order)
                changes = changes or [mark_undo(empty, gone[0].payload["undo_of"], redo=redo)]
            for change in changes:
                await writer.record(change)
            return Done(writer.seq, await writer.state(), what=what)

    async def _check_seen(self, map_id: str, layer: Layer, seen_version: int) -> None:
        """Raise RequestFault `conflict` if the filter differs from that of the version the person saw."""
        if layer.version == seen_version:
            return
        seen = await self._log.reader.layer(map_id, layer.id, seen_version)
        if seen is not None and seen.filter != layer.filter:
            raise RequestFault("conflict", fault_texts.FILTER_CHANGED(layer=repr(layer.name)))

    async def _redrawn(
        self,
        map_id: str,
        layer: Layer,
        change: LayerChange,
        style: StyleSpec | None = None,
        exact: bool = False,
    ) -> Layer:
        """The layer computed with its new filter or style, or from its changed table."""
        fields = change.model_fields_set
        asked = change.filter if "filter" in fields else layer.filter
        style = style or spec_of(layer.style)
        if style.color is None and style.kind == layer.style.kind:
            style = style.model_copy(update={"color": layer.style.color})
        drawing = await self._source.draw(map_id, layer.table, asked, style, layer, exact)
        same_data = drawing.filter == layer.filter and tile_contents(drawing.style) <= tile_contents(
            layer.style
        )
        return layer.model_copy(update={**drawing.fields(), "tiles": layer.tiles if same_data else ""})


async def change_of(writer: MapWriter, layer_id: str | None = None) -> Done:
    """The result of a change, read inside its transaction."""
    state = await writer.state()
    return Done(writer.seq, state, state.layer(layer_id) if layer_id else None)


def spec_of(style: Style) -> StyleSpec:
    """The request that a drawn style was made from."""
    return StyleSpec.model_validate(style.model_dump(exclude={"layers"}))


def check_name(name: str | None) -> None:
    """Raise RequestFault if a layer's name is blank; None is valid."""
    if name is not None and not name.strip():
        raise RequestFault("invalid_payload", fault_texts.BLANK_NAME())


def layer_of(state: MapState, layer_id: str) -> Layer:
    """The layer with this id. Raises RequestFault `unknown_layer`."""
    layer = state.layer(layer_id)
    if layer is None:
        raise unknown_layer(layer_id, state.order)
    return layer


def changes_drawing(change: LayerChange) -> bool:
    """Whether the change touches the filter or the style, so that count, bounds and legend must be computed again."""
    fields = change.model_fields_set
    return "filter" in fields or ("style" in fields and change.style is not None)


def simple_fields(change: LayerChange) -> dict[str, Any]:
    """The fields of a change that are stored without computing anything."""
    fields = {name: getattr(change, name) for name in ("name", "visible", "opacity")}
    return {name: value for name, value in fields.items() if value is not None}


def not_drawn(layer: Layer) -> dict[str, Any]:
    """The fields that may change while a layer is computed again."""
    return {name: getattr(layer, name) for name in ("name", "visible", "opacity", "order", "version")}


def is_drawn_otherwise(current: Layer, known: Layer) -> bool:
    """Whether what was computed from the known layer no longer fits the current one."""
    return known.model_copy(update=not_drawn(current)) != current


def new_id(asked: str | None, table_name: str, state: MapState) -> str:
    """The requested id, or a free readable one: `airports`, `airports_2`. Raises RequestFault `conflict` or
    `too_large`."""
    if len(state.layers) >= MAX_LAYERS:
        raise RequestFault("too_large", fault_texts.MAX_LAYERS(n=MAX_LAYERS))
    taken = set(state.order)
    if asked is not None:
        if asked in taken:
            raise RequestFault("conflict", LAYER_EXISTS(layer=repr(asked)))
        return asked
    stem = re.sub(r"[^a-z0-9]+", "_", table_name.lower()).strip("_")[:48] or "layer"
    return free_name(stem, taken)


def with_color(style: StyleSpec, state: MapState) -> StyleSpec:
    """The style with the least used colour, if it needs one and has none."""
    if style.color is not None or style.kind not in ("single", "proportional"):
        return style
    return style.model_copy(update={"color": next_colour(layer.style.color for layer in state.layers)})


def with_ramp(style: StyleSpec, state: MapState, layer: Layer | None = None) -> StyleSpec:
    """The style with the least used ramp, if it needs one and has none; `layer` is the one to be drawn like this. A
    layer that has the default ramp keeps it while it shows the same."""
    now = None if layer is None else layer.style
    if style.kind not in RAMPED or style.ramp is not None or style.color is not None:
        return style
    has_colours = now is not None and (
        now.color is not None or (now.ramp is None and now.column == style.column)
    )
    if now is not None and now.kind == style.kind and has_colours:
        return style
    others = (each.style for each in state.layers if layer is None or each.id != layer.id)
    ramp = next_ramp(
        each.ramp or DEFAULT_SEQUENTIAL for each in others if each.kind in RAMPED and each.color is None
    )
    return style if ramp == DEFAULT_SEQUENTIAL else style.model_copy(update={"ramp": ramp})


def require_undone(done: Done | None, *, redo: bool) -> Done:
    """The change. Raises RequestFault `nothing_to_undo` if there was none, an error for clients only."""
    if done is None:
        raise RequestFault(
            "nothing_to_undo", fault_texts.NOTHING_TO_REDO() if redo else fault_texts.NOTHING_TO_UNDO()
        )
    return done
