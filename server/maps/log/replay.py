"""The layers and charts of a map as a pure function of its events, and the inverse of each event.

`apply` is total: an event about a layer or chart that does not exist changes nothing. The log updates its
stored layers with it, and the client's reducer does the same in TypeScript; undo appends `inverse`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from agents.charts import Chart
from agents.domain import Layer
from server import protocol
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

_NAMES = {kind: name for name, kind in protocol.EVENTS.items()}
_OF_ONE_EVENT = {*protocol.ChangeEvent.model_fields, "author", "cause"}
"""Fields that say when, by whom and as part of what a change was made."""


@dataclass(frozen=True, slots=True)
class MapState:
    """The layers (bottom first) and charts (oldest first) of a map as of `seq`. A layer's `order` is its index."""

    seq: int = 0
    layers: tuple[Layer, ...] = ()
    charts: tuple[Chart, ...] = ()

    def chart(self, chart_id: str) -> Chart | None:
        """The chart with this id; None if there is none."""
        return next((chart for chart in self.charts if chart.id == chart_id), None)

    def layer(self, layer_id: str) -> Layer | None:
        """The layer with this id; None if there is none."""
        return next((layer for layer in self.layers if layer.id == layer_id), None)

    @property
    def order(self) -> tuple[str, ...]:
        """The ids of the layers, bottom first."""
        return tuple(layer.id for layer in self.layers)


def apply(state: MapState, event: protocol.MapEvent) -> MapState:
    """The state after the event."""
    layers, charts = state.layers, state.charts
    if isinstance(event, protocol.LayerAdded):
        others = [layer for layer in layers if layer.id != event.layer.id]
        place = min(event.layer.order, len(others))
        layers = placed([*others[:place], event.layer, *others[place:]])
    elif isinstance(event, protocol.LayerUpdated):
        layers = placed(event.layer if layer.id == event.layer.id else layer for layer in layers)
    elif isinstance(event, protocol.LayerRemoved):
        layers = placed(layer for layer in layers if layer.id != event.layer_id)
    elif isinstance(event, protocol.LayersReordered):
        layers = placed(arranged(layers, event.order))
    elif isinstance(event, protocol.MapReset):
        layers = ()
    elif isinstance(event, protocol.ChartAdded):
        charts = (*(chart for chart in charts if chart.id != event.chart.id), event.chart)
    elif isinstance(event, protocol.ChartUpdated):
        charts = tuple(event.chart if chart.id == event.chart.id else chart for chart in charts)
    elif isinstance(event, protocol.ChartRemoved):
        charts = tuple(chart for chart in charts if chart.id != event.chart_id)
    return MapState(event.seq, layers, charts)


def replay(events: Iterable[protocol.MapEvent], state: MapState | None = None) -> MapState:
    """The state after all these events, beginning with `state` or an empty map."""
    state = state or MapState()
    for event in events:
        state = apply(state, event)
    return state


def inverse(event: protocol.ChangeEvent, before: MapState) -> list[Change]:
    """The changes that restore `before` when they are appended right after the event."""
    if isinstance(event, protocol.LayerAdded):
        old = before.layer(event.layer.id)
        removal = layer_removed(event.layer.id)
        return [removal] if old is None else [removal, layer_added(old)]
    if isinstance(event, protocol.LayerUpdated):
        old = before.layer(event.layer.id)
        return [] if old is None else [layer_updated(old)]
    if isinstance(event, protocol.LayerRemoved):
        old = before.layer(event.layer_id)
        return [] if old is None else [layer_added(old)]
    if isinstance(event, protocol.LayersReordered):
        return [layers_reordered(before.order)]
    if isinstance(event, protocol.MapReset):
        return [layer_added(layer) for layer in before.layers]
    if isinstance(event, protocol.ChartAdded):
        return [chart_removed(event.chart.id)]
    if isinstance(event, protocol.ChartUpdated):
        chart = before.chart(event.chart.id)
        return [] if chart is None else [chart_updated(chart)]
    if isinstance(event, protocol.ChartRemoved):
        chart = before.chart(event.chart_id)
        return [] if chart is None else [chart_added(chart)]
    return []


def repetition(event: protocol.ChangeEvent) -> Change:
    """The change that repeats an event, for redo."""
    return Change(_NAMES[type(event)], event.model_dump(mode="json", exclude=_OF_ONE_EVENT))


def arranged(layers: Iterable[Layer], order: Iterable[str]) -> list[Layer]:
    """The layers in this order, bottom first; layers that it does not list keep their order below these."""
    by_id = {layer.id: layer for layer in layers}
    named = [by_id[layer_id] for layer_id in dict.fromkeys(order) if layer_id in by_id]
    names = {layer.id for layer in named}
    return [layer for layer in by_id.values() if layer.id not in names] + named


def placed(layers: Iterable[Layer]) -> tuple[Layer, ...]:
    """The layers with `order` set to their index."""
    return tuple(
        layer if layer.order == place else layer.model_copy(update={"order": place})
        for place, layer in enumerate(layers)
    )
