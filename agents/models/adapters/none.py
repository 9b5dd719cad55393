"""Chat without tools: the model is shown none, and old calls only as words."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from agents.core.messages import AssistantMessage, ToolCall
from agents.core.model import ModelEvent, ModelRequest
from agents.models.adapters.base import Adapter
from agents.models.adapters.wrapper import Wrapper
from agents.models.parsing.prose import call_object, without_calls


class NoTools(Wrapper[Adapter]):
    """A model that only talks."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        plain = replace(
            request, messages=without_calls(request.messages, _written), tools=(), tool_choice="auto"
        )
        async with aclosing(self._inner.stream(plain)) as events:
            async for event in events:
                if not isinstance(event, ToolCall):
                    yield event


def _written(message: AssistantMessage) -> str:
    calls = [f"(used a tool: {call_object(call, 'name')})" for call in message.calls]
    return "\n".join([*([message.text] if message.text else []), *calls])
