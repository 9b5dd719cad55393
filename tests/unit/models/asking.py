"""Short words for tests: ask a model, and gather what it says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from agents.core.messages import Message, ToolCall, UserMessage
from agents.core.model import Completed, Model, ModelRequest, TextDelta, ToolSpec

ADD = ToolSpec(
    "add_map_layer",
    "Put a table on the map.",
    {
        "type": "object",
        "properties": {"table": {"type": "string"}, "color": {"type": "string"}},
        "required": ["table"],
        "additionalProperties": False,
    },
)
ZOOM = ToolSpec("zoom_to", "Move the view.", {"type": "object", "properties": {"place": {"type": "string"}}})


@dataclass
class Heard:
    deltas: list[str] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    completed: Completed | None = None

    @property
    def text(self) -> str:
        return "".join(self.deltas)

    @property
    def end(self) -> Completed:
        assert self.completed is not None
        return self.completed


def asking(*messages: Message | str, tools: Sequence[ToolSpec] = (ADD, ZOOM), **more: Any) -> ModelRequest:
    history = [UserMessage(message) if isinstance(message, str) else message for message in messages]
    return ModelRequest(
        history or [UserMessage("show airports")], more.pop("system", ("You draw maps.",)), tools, **more
    )


async def hear(model: Model, request: ModelRequest | None = None) -> Heard:
    reply = Heard()
    async for event in model.stream(request or asking()):
        assert reply.completed is None, "nothing may follow Completed"
        match event:
            case TextDelta(text=text):
                reply.deltas.append(text)
            case ToolCall():
                reply.calls.append(event)
            case Completed():
                reply.completed = event
    return reply
