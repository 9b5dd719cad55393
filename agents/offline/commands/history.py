"""Undo, redo, and resetting the map."""

from __future__ import annotations

from agents.offline.answers import refusals
from agents.offline.commands.requests import command
from agents.offline.meaning.intents import Reset, Retrace
from agents.offline.meaning.scene import Calls, Say, Scene

MAX_TIMES = 20
_CHANGE = (
    "[that|it|this|the last [one|change|step]|my last change|last change|last step|the change]"
    " [{times:count}|twice=(twice)] [times|changes|steps|change|step]"
)


def _times(bound: dict[str, object]) -> int:
    times = bound.get("times")
    return min(max(times if isinstance(times, int) else 2 if "twice" in bound else 1, 1), MAX_TIMES)


COMMANDS = (
    command(
        f"(redo|do it again|do that again) {_CHANGE}", lambda bound, _: Retrace("redo", _times(dict(bound)))
    ),
    command(
        f"(undo|revert|take that back|take it back|go back|step back|roll back) {_CHANGE}",
        lambda bound, _: Retrace("undo", _times(dict(bound))),
    ),
    command(
        "(reset [the] [map]|reset (everything|it all|all)|clear [the] map|clear (everything|the layers)"
        "|clear all [[the] layers]|empty [the] map|start (over|again|afresh)"
        "|(remove|delete|drop) (everything|all [[the] layers]|all of them|them all|all layers)"
        "|clean [up] the map|wipe the map|take everything off|new map)",
        lambda bound, _: Reset(),
        -0.5,
    ),
)


async def retrace(scene: Scene, intent: Retrace) -> Calls:
    """Call `undo` or `redo` for each change."""
    return [(intent.tool, {})] * intent.times


async def reset(scene: Scene, intent: Reset) -> Calls:
    """Call `reset_map`, unless the map is empty."""
    if not scene.layers:
        raise Say(refusals.EMPTY())
    return [("reset_map", {})]


PLANS = {"Retrace": retrace, "Reset": reset}
