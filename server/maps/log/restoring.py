"""Computes the changes that turn one state of a map into another. Pure functions."""

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
"""Fields that the log assigns whenever it writes a layer."""


def changes_between(wanted: MapState, now: MapState) -> list[Change]:
    """The changes that turn `now` into `wanted`; none if they look the same."""
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
    """All versions of a chart are stored, so each of them can be restored."""
    then = {chart.id for chart in wanted}
    versions = {chart.id: chart.version for chart in now}
    return [
        *(chart_removed(chart.id) for chart in now if chart.id not in then),
        *(chart_added(chart) for chart in wanted if chart.id not in versions),
        *(chart_updated(chart) for chart in wanted if versions.get(chart.id, chart.version) != chart.version),
    ]


def as_one_step(changes: Sequence[Change], seq: int) -> list[Change]:
    """The changes as one undoable step, identified by the seq of its first event."""
    return [Change(change.name, {**change.payload, "step": seq}) for change in changes]
