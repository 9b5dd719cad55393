"""The way from the layers of a map to other layers of it, as changes. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.domain import Layer
from server.maps.events import Change, layer_added, layer_removed, layer_updated, layers_reordered

STAMPED = {"version", "order"}
"""What the log gives a layer whenever it is written."""


def way_to(wanted: Sequence[Layer], now: Sequence[Layer]) -> list[Change]:
    """Changes that make `wanted` of `now`, both bottom first; none where they look the same already."""
    ids = [layer.id for layer in wanted]
    before = {layer.id: layer for layer in now}
    changes = [layer_removed(layer.id) for layer in now if layer.id not in ids]
    arrangement = [layer.id for layer in now if layer.id in ids]
    for place, layer in enumerate(wanted):
        known = before.get(layer.id)
        if known is None:
            changes.append(layer_added(layer.model_copy(update={"order": place})))
            arrangement.insert(place, layer.id)
        elif known.model_dump(exclude=STAMPED) != layer.model_dump(exclude=STAMPED):
            changes.append(layer_updated(layer.model_copy(update={"order": known.order})))
    if arrangement != ids:
        changes.append(layers_reordered(ids))
    return changes


def as_one(changes: Sequence[Change], seq: int) -> list[Change]:
    """The changes as one step, of which the first will have this seq."""
    return [Change(change.name, {**change.payload, "step": seq}) for change in changes]
