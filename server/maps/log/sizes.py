"""How much a map holds: every change stores its layer again, and every visitor reads all of them."""

from __future__ import annotations

import json
from typing import Any

from agents.worded import Template
from server.maps.faults import RequestFault
from server.maps.log.replay import MapState
from server.protocol import LayerAdded, LayerUpdated, MapEvent

FILTER_SIZE = Template(
    "map_filter_size",
    "The filter takes {n} characters, and at most {most} are kept. Simplify its area, or use a table of "
    "the area in its place.",
)
FILTERS_SIZE = Template(
    "map_filters_size", "All filters of a map together take at most {most} characters. Remove a layer first."
)

MAX_FILTER = 100_000
"""Characters of the JSON of one filter: an area of about 4,000 vertices."""
MAX_FILTERS = 1_000_000
"""Characters of all filters of a map together."""


def check_filters(state: MapState) -> None:
    """Raise RequestFault `too_large` if the filters of a map take too much."""
    sizes = [filter_size(layer.filter) for layer in state.layers]
    sizes += [filter_size(each) for chart in state.charts for each in (chart.filter, chart.layer_filter)]
    if max(sizes, default=0) > MAX_FILTER:
        raise RequestFault("too_large", FILTER_SIZE(n=max(sizes), most=MAX_FILTER))
    if sum(sizes) > MAX_FILTERS:
        raise RequestFault("too_large", FILTERS_SIZE(most=MAX_FILTERS))


def filter_size(filter: dict[str, Any] | None) -> int:
    """Characters of a filter's JSON."""
    return 0 if filter is None else len(json.dumps(filter))


def step_weight(event: MapEvent) -> int:
    """The memory of a change in the undo history, in units of some kilobytes."""
    layer = event.layer if isinstance(event, LayerAdded | LayerUpdated) else None
    return 1 + (filter_size(layer.filter) // 1000 if layer is not None else 0)
