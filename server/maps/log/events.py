"""Events as the log stores them: a `Change` is to be recorded, an `Event` was recorded.

Payloads are plain JSON here; `Event.typed()` gives the protocol's model. All values of models, tools and tables
pass through `clean_json` on their way into the log."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from agents.charts import Chart
from agents.domain import Layer
from agents.worded import stored_wording
from server.protocol import EVENTS, ChangeEvent, CommentEvent, DocumentEvent, LayerEvent, MapEvent

LAYER_EVENTS = frozenset(name for name, kind in EVENTS.items() if issubclass(kind, LayerEvent))
CHANGE_EVENTS = frozenset(name for name, kind in EVENTS.items() if issubclass(kind, ChangeEvent))
DOCUMENT_EVENTS = frozenset(name for name, kind in EVENTS.items() if issubclass(kind, DocumentEvent))
COMMENT_EVENTS = frozenset(name for name, kind in EVENTS.items() if issubclass(kind, CommentEvent))
CHAT_EVENTS = frozenset(EVENTS) - LAYER_EVENTS - DOCUMENT_EVENTS - COMMENT_EVENTS


@dataclass(frozen=True, slots=True)
class Change:
    """An event that the log has not numbered yet."""

    name: str
    payload: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """A numbered fact about a map."""

    map_id: str
    seq: int
    name: str
    turn_id: str | None
    at: datetime
    payload: Mapping[str, Any]
    known_as: MapEvent | None = field(default=None, repr=False, compare=False)
    """The value of `typed`, if it is known already."""

    def wire(self) -> dict[str, Any]:
        """The payload as sockets and snapshots carry it."""
        at = self.at.astimezone(UTC).isoformat().replace("+00:00", "Z")
        return {"map_id": self.map_id, "seq": self.seq, "turn_id": self.turn_id, "at": at, **self.payload}

    def typed(self) -> MapEvent:
        """The event as its model of the protocol."""
        return self.known_as or EVENTS[self.name].model_validate(self.wire(), extra="ignore")


def layer_added(layer: Layer) -> Change:
    """The change that adds a layer, or replaces one with the same id."""
    return Change("layer_added", {"layer": layer.model_dump(mode="json")})


def layer_updated(layer: Layer, author: str | None = None) -> Change:
    """The change that replaces a layer; `author` is the name of the person, if known."""
    return Change("layer_updated", {"layer": layer.model_dump(mode="json"), "author": author})


def layer_data_changed(layer: Layer) -> Change:
    """The layer after its table changed; no user changed the layer itself."""
    return Change("layer_updated", {"layer": layer.model_dump(mode="json"), "cause": "data"})


def layer_removed(layer_id: str) -> Change:
    """The change that removes a layer."""
    return Change("layer_removed", {"layer_id": layer_id})


def layers_reordered(order: Sequence[str]) -> Change:
    """The change that orders the layers, bottom first."""
    return Change("layers_reordered", {"order": list(order)})


def map_reset() -> Change:
    """The change that removes all layers."""
    return Change("map_reset", {})


def chart_added(chart: Chart) -> Change:
    """The change that adds a chart."""
    return Change("chart_added", {"chart": chart.model_dump(mode="json")})


def chart_updated(chart: Chart) -> Change:
    """The change that replaces a chart by a newer version."""
    return Change("chart_updated", {"chart": chart.model_dump(mode="json")})


def chart_removed(chart_id: str) -> Change:
    """The change that removes a chart."""
    return Change("chart_removed", {"chart_id": chart_id})


def ai_response(message: str, *, final: bool = True, extra: Mapping[str, Any] | None = None) -> Change:
    """The `ai_response` event. `extra` holds the annotations of the message and the model's memory of it."""
    response = {"type": "ai_response", "message": str(message), "final": final, **stored_wording(message)}
    return Change("ai_response", {**(extra or {}), **response})


def clean_json(value: Any, depth: int = 0) -> Any:
    """The value as JSON that PostgreSQL can store: no NUL, no lone surrogate, no NaN, at most 64 levels."""
    if depth > 64:
        return None
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, bool) or value is None or isinstance(value, int):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {clean_text(str(key)): clean_json(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [clean_json(item, depth + 1) for item in value]
    return clean_text(str(value))


def clean_text(text: str) -> str:
    """The text without NUL and lone surrogates, which UTF-8 and PostgreSQL cannot store."""
    if text.isascii() and "\x00" not in text:
        return text
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")
