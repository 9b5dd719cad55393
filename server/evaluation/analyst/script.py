"""A model that replies as the case says: it shows that the case can be solved, without a network."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator
from typing import Any

from agents.core.messages import AssistantMessage, ToolCall, ToolMessage, Usage
from agents.core.model import Completed, ModelEvent, ModelRequest, TextDelta
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
        self._sent: list[str] = []
        self._calls = 0

    def begin(self, map_id: str, case: AnalystCase) -> None:
        """Play this case on that map from now on."""
        self._left[map_id] = list(case.script)
        self._sent = []

    def _used(self, request: ModelRequest, written: str) -> Usage:
        """Bytes / 4. What a prompt cache can serve is the longest beginning that an earlier request of the case had."""
        text = serialised(request)
        known = max((common_beginning(text, before) for before in self._sent), default=0)
        self._sent.append(text)
        sizes = [len(each.encode()) // 4 for each in (text, written, text[:known])]
        return Usage(sizes[0], sizes[1], cached_tokens=sizes[2])

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Play the next reply; after the last one, say that all is done."""
        left = self._left.get(request.context.map.map_id, [])
        reply = left.pop(0) if left else "Done."
        latest, before = _results(request)
        written = json.dumps(reply).replace("{result}", latest).replace("{before}", before)
        usage = self._used(request, written)
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


def serialised(request: ModelRequest) -> str:
    """The request in the order in which a provider reads it: tools, system, messages."""
    tools = [
        {
            "type": "function",
            "function": {"name": s.name, "description": s.description, "parameters": s.parameters},
        }
        for s in request.tools
    ]
    parts = [json.dumps(tools, ensure_ascii=False, separators=(",", ":")), *request.system]
    for message in request.messages:
        if isinstance(message, ToolMessage):
            parts += [result.content for result in message.results]
        else:
            parts.append(message.text)
            if isinstance(message, AssistantMessage):
                parts += [f"{call.name}{call.arguments}" for call in message.calls]
    return "\n".join(parts)


def common_beginning(one: str, other: str) -> int:
    """Number of characters with which both texts begin."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if one[:middle] == other[:middle] else (low, middle - 1)
    return low


def _results(request: ModelRequest) -> tuple[str, str]:
    """The tables of the last output of an analysis and of the one before it."""
    texts = [
        result.content
        for message in request.messages
        if isinstance(message, ToolMessage)
        for result in message.results
    ]
    found = list(dict.fromkeys(match for text in texts for match in _RESULT.findall(text)))
    return (found[-1] if found else "{result}"), (found[-2] if len(found) > 1 else "{before}")
