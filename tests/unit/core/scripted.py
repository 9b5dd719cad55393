"""A model in this process that says what a test wants it to say: `Model` is the real interface, so this is one."""

from __future__ import annotations

import inspect
import json
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from agents.core import (
    Agent,
    AgentEvent,
    AssistantMessage,
    Completed,
    Message,
    ModelEvent,
    ModelRequest,
    TextDelta,
    ToolCall,
    ToolMessage,
    ToolResult,
    Usage,
)

Step = ModelEvent | str | BaseException | Callable[[], Any]
Reply = str | Iterable[Step] | Callable[[ModelRequest], Iterable[Step]]


class Scripted:
    """Gives one reply a call, in order; keeps every request. The last reply is repeated for ever.

    A reply is a text, or steps: texts, calls, `Completed`, an exception to raise, a function to run (and await);
    or a function of the request that makes such steps.
    """

    def __init__(self, *replies: Reply, name: str = "scripted", context_tokens: int = 100_000) -> None:
        self.name = name
        self.context_tokens = context_tokens
        self.replies = list(replies)
        self.requests: list[ModelRequest] = []
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        steps: Iterable[Step] = (
            reply(request) if callable(reply) else [reply] if isinstance(reply, str) else reply
        )
        try:
            completed = False
            for step in steps:
                if isinstance(step, BaseException):
                    raise step
                if isinstance(step, str):
                    yield TextDelta(step)
                elif isinstance(step, TextDelta | ToolCall | Completed):
                    completed = completed or isinstance(step, Completed)
                    yield step
                else:
                    done = step()
                    if inspect.isawaitable(done):
                        await done
            if not completed:
                yield Completed(Usage(10, 5))
        finally:
            self.closed += 1


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
