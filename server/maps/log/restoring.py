"""The way from the layers and charts of a map to those of another moment of it, as changes. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from agents.charts import Chart
from agents.domain import Layer
from server.maps.log.events import (
    Change,
    chart_added,
    chart_removed,
    chart_updated,
    layer_added,
    layer_removed,
    layer_updated,
    layers_reordered,
)
from server.maps.log.replay import MapState

STAMPED = {"version", "order"}
"""What the log gives a layer whenever it is written."""


def way_to(wanted: MapState, now: MapState) -> list[Change]:
    """Changes that make `wanted` of `now`; none where they look the same already."""
    return [*_layers(wanted.layers, now.layers), *_charts(wanted.charts, now.charts)]


def _layers(wanted: Sequence[Layer], now: Sequence[Layer]) -> list[Change]:
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


def _charts(wanted: Sequence[Chart], now: Sequence[Chart]) -> list[Change]:
    """What a version of a chart draws never changes and is kept, so that any of them can come back."""
    then = {chart.id for chart in wanted}
    versions = {chart.id: chart.version for chart in now}
    return [
        *(chart_removed(chart.id) for chart in now if chart.id not in then),
        *(chart_added(chart) for chart in wanted if chart.id not in versions),
        *(chart_updated(chart) for chart in wanted if versions.get(chart.id, chart.version) != chart.version),
    ]


def as_one(changes: Sequence[Change], seq: int) -> list[Change]:
    """The changes as one step, of which the first will have this seq."""
    return [Change(change.name, {**change.payload, "step": seq}) for change in changes]
