"""A model whose replies a test writes: tool calls and text, one list per model call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from agents.core.messages import ToolCall, Usage
from agents.core.model import Completed, ModelEvent, ModelRequest, TextDelta

Reply = Iterable["str | tuple[str, Mapping[str, Any]] | Exception | asyncio.Event"]
"""Texts, calls as `(tool, arguments)`, an error to raise, or an event to wait for."""


class ScriptedModel:
    """Each call takes the next reply; when there are none left, it says `ok`."""

    name = "scripted"
    context_tokens = 100_000

    def __init__(self, *replies: Reply) -> None:
        self._replies = [list(reply) for reply in replies]
        self._calls = 0
        self.requests: list[ModelRequest] = []

    def then(self, *replies: Reply) -> None:
        self._replies += [list(reply) for reply in replies]

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        calls = False
        for part in self._replies.pop(0) if self._replies else ["ok"]:
            if isinstance(part, Exception):
                raise part
            if isinstance(part, asyncio.Event):
                await part.wait()
            elif isinstance(part, str):
                yield TextDelta(part)
            else:
                calls = True
                self._calls += 1
                yield ToolCall(f"call_{self._calls}", part[0], json.dumps(part[1]))
        yield Completed(Usage(10, 5), "tool_calls" if calls else "stop", model=self.name)
