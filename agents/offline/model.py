"""`OfflineModel`: a `Model` that understands a documented command language. No network, no key, no learning.

It parses the last user message (parser.py), matches words with the live registry and the map in `request.context`,
and emits tool calls; in the next step it reads their results from the history and continues, or answers (turn.py).
docs/offline-language.md describes the language for users.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

from agents.core.errors import ToolUnavailable
from agents.core.messages import AssistantMessage, Usage
from agents.core.model import Completed, ModelError, ModelEvent, ModelRequest, TextDelta
from agents.offline.meaning.scene import MapAgent
from agents.offline.turn import Turn


class OfflineModel:
    """A model without a network that reads the command language of docs/offline-language.md."""

    name = "offline"
    context_tokens = 1_000_000

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Streams the reply in small pieces, then its tool calls. Raises ModelError if the data is unavailable."""
        reply = await _reply(request)
        for piece in _pieces(reply.text):
            yield TextDelta(piece)
            await asyncio.sleep(0)
        for call in reply.calls:
            yield call
        yield Completed(
            Usage(cost=0.0),
            "tool_calls" if reply.calls else "stop",
            model=self.name,
            memory=reply.memory,
            text=reply.text,
        )


async def _reply(request: ModelRequest) -> AssistantMessage:
    agent = request.context
    if not isinstance(agent, MapAgent):
        return AssistantMessage(
            "The offline model only works with a map. Configure a language model for other agents."
        )
    try:
        return await Turn(request, agent).reply()
    except ToolUnavailable as unavailable:  # look-ups while reading the message
        raise ModelError("unavailable", unavailable.message) from unavailable


def _pieces(text: str) -> list[str]:
    """The text in small pieces, cut after spaces."""
    return re.findall(r"(?s).{1,24}\Z|.{1,23} |.{1,24}", text)
