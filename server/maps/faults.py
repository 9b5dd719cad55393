"""Why a request about a map was refused, raised where it is found and translated once, at the edge.

Tools raise it, too, so its message is written for users and models."""

from __future__ import annotations

from agents.core.errors import ToolFailed
from agents.worded import Template

UNKNOWN = Template("map_unknown", "There is no map {map}. Send `join` without map_id to make one.")
LAYERS_ON_IT = Template("map_layers_on_it", "Layers on it: {names}.")
WITHOUT_LAYERS = Template("map_without_layers", "It has no layers.")
NO_LAYER = Template("map_no_layer", "There is no layer {layer} on this map. {there}")


class RequestFault(ToolFailed):
    """`code` is one of `server.protocol.Fault`'s; the message says what was wrong and what to do."""

    def __init__(self, code: str, message: str, retry_after: float | None = None) -> None:
        """`retry_after` is the seconds after which the same request may be granted."""
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after


class TurnLost(Exception):
    """The turn does not belong to this server any more: it was cancelled, or another server took this one for dead."""


class TurnUnreadable(Exception):
    """What is stored of the turn, named by its id, is not what this version stores of one that waits."""


def unknown_map(map_id: str) -> RequestFault:
    """RequestFault for an id or view key without a map."""
    return RequestFault("unknown_map", UNKNOWN(map=repr(map_id)))


def unknown_layer(layer_id: str, known: tuple[str, ...]) -> RequestFault:
    """RequestFault for a layer id that the map does not have; the message lists up to 20 of its layers."""
    there = LAYERS_ON_IT(names=", ".join(known[:20])) if known else WITHOUT_LAYERS()
    return RequestFault("unknown_layer", NO_LAYER(layer=repr(layer_id), there=there))
