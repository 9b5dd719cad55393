"""A model that replies as the case says: it shows that the case can be solved, without a network."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

from agents.core.messages import ToolCall, ToolMessage, Usage
from agents.core.model import Completed, ModelEvent, ModelRequest, TextDelta, ToolSpec
from agents.core.tokens import message_size, size_of, tokens_of, values_size
from server.evaluation.analyst.cases import AnalystCase, Scripted

NAME = "scripted"
_RESULT = re.compile(r'"table":\s*"(analysis\.[^"]+)"')


class CaseScript:
    """Plays the script of the case that runs on the map of a request."""

    name = NAME
    context_tokens = 200_000
    max_output_tokens: int | None = None

    def __init__(self) -> None:
        self._left: dict[str, list[Scripted]] = {}
        self._calls = 0

    def begin(self, map_id: str, case: AnalystCase) -> None:
        """Play this case on that map from now on."""
        self._left[map_id] = list(case.script)

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next reply; after the last one, say that all is done."""
        left = self._left.get(request.context.map.map_id, [])
        reply = left.pop(0) if left else "Done."
        written = json.dumps(reply).replace("{result}", _latest_result(request))
        size = sum(map(size_of, request.system)) + sum(map(message_size, request.messages))
        size += values_size([_sent_of(tool) for tool in request.tools])
        usage = Usage(tokens_of(size), tokens_of(size_of(written)))
        parts: Any = json.loads(written)
        if isinstance(parts, str):
            yield TextDelta(parts)
            yield Completed(usage, "stop", model=NAME)
            return
        for part in parts:
            for name, arguments in part.items():
                self._calls += 1
                yield ToolCall(f"call_{self._calls}", name, json.dumps(arguments))
        yield Completed(usage, "tool_calls", model=NAME)


def _sent_of(tool: ToolSpec) -> dict[str, Any]:
    """What is sent of a tool."""
    return {"name": tool.name, "description": tool.description, "parameters": dict(tool.parameters)}


def _latest_result(request: ModelRequest) -> str:
    said = [
        result.content
        for message in request.messages
        if isinstance(message, ToolMessage)
        for result in message.results
    ]
    found = [match for text in said for match in _RESULT.findall(text)]
    return str(found[-1]) if found else "{result}"
