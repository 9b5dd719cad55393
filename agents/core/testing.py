"""A model that plays a script: for tests of agents and tools, and for examples that need no network.

model = ScriptedModel([("count", {"shelf": "B"})], "There are 45 books on shelf B.")
assert await Clerk(model).chat("How many books are on B?") == "There are 45 books on shelf B."
assert model.requests[0].messages == [UserMessage("How many books are on B?")]"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from typing import Any

from agents.core.awaitables import awaited
from agents.core.messages import ToolCall, Usage
from agents.core.model import Completed, ModelEvent, ModelFailed, ModelRequest, TextDelta

Part = str | tuple[str, Mapping[str, Any]] | ModelEvent | BaseException | asyncio.Event | Callable[[], Any]
Reply = str | Iterable[Part] | Callable[[ModelRequest], Iterable[Part]]

USAGE = Usage(input_tokens=10, output_tokens=5)
"""The usage reported for each reply, unless its script ends with a `Completed`."""


class ScriptedModel:
    """A `Model` that gives one scripted reply per call and keeps every request in `requests`.

    A reply is a text, or a list of parts: a text, a call as `(tool, arguments)` or `ToolCall`, a `Completed`, an
    exception to raise, an `asyncio.Event` to wait for, or a function to call (and await). It may also be a function
    of the request that returns such a list. After the last reply the model says `afterwards`; None repeats the last
    reply for ever."""

    def __init__(
        self,
        *replies: Reply,
        name: str = "scripted",
        context_tokens: int = 100_000,
        afterwards: Reply | None = "ok",
    ) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.max_output_tokens: int | None = None
        self.replies: list[Reply] = list(replies)
        self.requests: list[ModelRequest] = []
        self.closed = 0
        """Streams that have ended, however they ended."""
        self._afterwards = afterwards
        self._calls = 0

    def then(self, *replies: Reply) -> None:
        """Add replies to the end of the script."""
        self.replies += replies

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next reply."""
        self.requests.append(request)
        called = completed = False
        try:
            for part in self._parts(request):
                if isinstance(part, BaseException):
                    raise part
                if isinstance(part, asyncio.Event):
                    await part.wait()
                elif isinstance(part, str | tuple | TextDelta | ToolCall | ModelFailed | Completed):
                    event = self._event(part)
                    called = called or isinstance(event, ToolCall)
                    completed = completed or isinstance(event, Completed)
                    yield event
                else:
                    await awaited(part())
            if not completed:
                yield Completed(USAGE, "tool_calls" if called else "stop", model=self.name)
        finally:
            self.closed += 1

    def _parts(self, request: ModelRequest) -> Iterable[Part]:
        reply = self._next()
        if callable(reply):
            return reply(request)
        return [reply] if isinstance(reply, str) else reply

    def _next(self) -> Reply:
        if self._afterwards is None and len(self.replies) == 1:
            return self.replies[0]
        if self.replies:
            return self.replies.pop(0)
        if self._afterwards is None:
            raise ValueError("a script that repeats its last reply needs a reply")
        return self._afterwards

    def _event(self, part: str | tuple[str, Mapping[str, Any]] | ModelEvent) -> ModelEvent:
        if isinstance(part, str):
            return TextDelta(part)
        if isinstance(part, tuple):
            self._calls += 1
            return ToolCall(f"call_{self._calls}", part[0], json.dumps(part[1]))
        return part
