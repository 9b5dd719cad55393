"""A conversation with the offline model over the world in memory, and the calls that it made."""

from __future__ import annotations

import json
from typing import Any

from agents.core import AssistantMessage, Finished, ToolMessage
from agents.geo_agent import GeoAgent
from agents.offline import OfflineModel
from tests.unit.geo_agent.world import World

Calls = list[tuple[str, dict[str, Any]]]


class Chat:
    """`await chat(text)` returns the answer; `calls` are those of the last message, `failed` their faults."""

    def __init__(self, world: World | None = None, **options: Any) -> None:
        self.world = world or World()
        self.agent = GeoAgent(OfflineModel(), **self.world.ports, **options)
        self.calls: Calls = []
        self.failed: list[str] = []
        self.finished: Finished | None = None

    async def __call__(self, text: str) -> str:
        before = len(self.agent.history)
        self.finished = await self.agent.run(text)
        new = self.agent.history[before:]
        made = [call for message in new if isinstance(message, AssistantMessage) for call in message.calls]
        results = [
            result for message in new if isinstance(message, ToolMessage) for result in message.results
        ]
        self.calls = [(call.name, json.loads(call.arguments)) for call in made]
        self.failed = [result.content for result in results if not result.ok]
        assert self.finished.status == "done", self.finished
        return self.finished.text

    @property
    def layers(self) -> dict[str, Any]:
        return {layer.id: layer for layer in self.world.map.layers()}


def where(column: str, op: str, value: Any) -> dict[str, Any]:
    return {"op": op, "args": [{"property": column}, value]}


def both(*parts: dict[str, Any], op: str = "and") -> dict[str, Any]:
    return {"op": op, "args": list(parts)}


def no(part: dict[str, Any]) -> dict[str, Any]:
    return {"op": "not", "args": [part]}


def empty(column: str) -> dict[str, Any]:
    return {"op": "isNull", "args": [{"property": column}]}


def like(column: str, pattern: str) -> dict[str, Any]:
    insensitive = {"op": "casei", "args": [{"property": column}]}
    return {"op": "like", "args": [insensitive, {"op": "casei", "args": [pattern]}]}


def within(column: str, low: Any, high: Any) -> dict[str, Any]:
    return {"op": "between", "args": [{"property": column}, low, high]}


def known(column: str) -> dict[str, Any]:
    return no(empty(column))
