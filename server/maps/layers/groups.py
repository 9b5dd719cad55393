"""Groups of layers: the layers of a group have the same group name and are adjacent in the drawing order.

Creating, renaming, showing and dissolving a group are one undo step each, for any number of layers."""

from __future__ import annotations

from agents.domain import Layer
from server.maps.layers.arranging import with_groups_together
from server.maps.layers.verbs import BY_HAND, Author, Done, change_of, layer_of
from server.maps.log.event_log import EventLog
from server.maps.log.events import Change, layer_updated, layers_reordered
from server.maps.log.replay import arranged
from server.maps.log.restoring import as_one_step
from server.protocol import LayerGroup


async def change_group(log: EventLog, wanted: LayerGroup, by: Author = BY_HAND) -> Done:
    """Put layers into a group or take them out of theirs, show or hide them, and order all layers, as far as it is
    asked for. Raises RequestFault for a layer that is not there."""
    update: dict[str, object] = {"group": wanted.group} if "group" in wanted.model_fields_set else {}
    if wanted.visible is not None:
        update["visible"] = wanted.visible
    async with log.writing(wanted.map_id, by.turn_id, by.server_id) as writer:
        state = await writer.state()
        for layer_id in (*wanted.layers, *wanted.order):
            layer_of(state, layer_id)
        changed = [
            layer.model_copy(update=update) if layer.id in wanted.layers else layer for layer in state.layers
        ]
        for change in as_one_step(_changes(state.layers, changed, wanted.order), writer.seq + 1):
            await writer.record(change)
        return await change_of(writer)


def _changes(before: tuple[Layer, ...], after: list[Layer], order: list[str]) -> list[Change]:
    changes = [layer_updated(new) for old, new in zip(before, after, strict=True) if old != new]
    arrangement = [layer.id for layer in with_groups_together(arranged(after, order) if order else after)]
    if arrangement != [layer.id for layer in before]:
        changes.append(layers_reordered(arrangement))
    return changes
