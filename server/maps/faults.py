"""Why a request about a map was refused, raised where it is found and translated once, at the edge.

Tools raise it, too, so its message is written for users and models.
"""

from __future__ import annotations

from agents.core.errors import ToolFailed


class MapFault(ToolFailed):
    """`code` is one of `server.protocol.Fault`'s; the message says what was wrong and what to do."""

    def __init__(self, code: str, message: str, retry_after: float | None = None) -> None:
        """`retry_after` is the seconds after which the same request may be granted."""
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after


class TurnLost(Exception):
    """The turn does not belong to this server any more: it was cancelled, or another server took this one for dead."""


def unknown_map(map_id: str) -> MapFault:
    """MapFault for an id or view key without a map."""
    return MapFault("unknown_map", f"There is no map {map_id!r}. Send `join` without map_id to make one.")


def unknown_layer(layer_id: str, known: tuple[str, ...]) -> MapFault:
    """MapFault for a layer id that the map does not have; the message lists up to 20 of its layers."""
    there = f"Layers on it: {', '.join(known[:20])}." if known else "It has no layers."
    return MapFault("unknown_layer", f"There is no layer {layer_id!r} on this map. {there}")
