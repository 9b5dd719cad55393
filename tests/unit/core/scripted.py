"""A scripted model that repeats its last reply, and what tests of the loop ask of events and histories."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from agents.core import Agent, AgentEvent, AssistantMessage, Message, ToolCall, ToolMessage, ToolResult
from agents.core.testing import Reply, ScriptedModel


class Scripted(ScriptedModel):
    """A scripted model that repeats its last reply for ever."""

    def __init__(self, *replies: Reply, name: str = "scripted", context_tokens: int = 100_000) -> None:
        super().__init__(*replies, name=name, context_tokens=context_tokens, afterwards=None)


_count = 0


def call(name: str, /, _id: str | None = None, **arguments: Any) -> ToolCall:
    """A call as a model would write it."""
    global _count
    _count += 1
    return ToolCall(_id or f"call_{_count}", name, json.dumps(arguments))


async def events_of(agent: Agent, text: str = "go", **options: Any) -> list[AgentEvent]:
    return [event async for event in agent.events(text, **options)]


async def one_result(agent: Agent, wanted: ToolCall) -> ToolResult:
    """What becomes of one call in a turn of its own."""
    agent.model = Scripted([wanted], "done")
    await agent.run("go")
    return results_of(agent.history)[-1]


def results_of(history: Iterable[Message]) -> list[ToolResult]:
    return [result for message in history if isinstance(message, ToolMessage) for result in message.results]


def is_whole(history: list[Message]) -> bool:
    """Whether every call has exactly one result, in order, right after the reply that made it."""
    for index, message in enumerate(history):
        if isinstance(message, AssistantMessage) and message.calls:
            after = history[index + 1] if index + 1 < len(history) else None
            if not isinstance(after, ToolMessage):
                return False
            if [result.call_id for result in after.results] != [one.id for one in message.calls]:
                return False
        if isinstance(message, ToolMessage):
            before = history[index - 1] if index else None
            if not isinstance(before, AssistantMessage) or not before.calls:
                return False
    return True
