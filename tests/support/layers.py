"""Layers and changes to them, made up: for tests of what does not look into them."""

from __future__ import annotations

from typing import Any

from agents.domain import Layer, Legend, LegendEntry, Style


def layer(layer_id: str, **fields: Any) -> Layer:
    color = fields.pop("color", "#0072b2")
    given: dict[str, Any] = {
        "id": layer_id,
        "table": f"data.{layer_id}",
        "name": layer_id,
        "geometry_type": "point",
        "style": Style(color=color),
        "count": 3,
        "legend": Legend(title=layer_id, entries=(LegendEntry(label=layer_id, color=color),)),
        **fields,
    }
    return Layer(**given)
