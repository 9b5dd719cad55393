"""The chat of a map as neutral messages for the model, read from the log and limited to a token budget.

Only finished turns count, newest first. The last few keep their tool calls, each with exactly one result; older
ones keep the messages only. Nothing is cached, so any server and any model can continue a map."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.core.loop.history import cancelled
from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.core.tokens import estimate_tokens
from agents.core.tools.results import close_marks
from server.maps.log.events import Event

MAX_EVENTS_READ = 800
DETAILED_TURNS = 6
TOKEN_BUDGET = 12_000


def conversation(events: Iterable[Event], budget: int = TOKEN_BUDGET) -> list[Message]:
    """The messages of the finished turns among these events, which are in order, within `budget` tokens."""
    kept: list[list[Message]] = []
    left = budget
    for age, turn in enumerate(reversed(finished_turns(events))):
        choices = [with_tool_calls(turn), texts_only(turn)] if age < DETAILED_TURNS else [texts_only(turn)]
        fitting = next((messages for messages in choices if tokens(messages) <= left), None)
        if fitting is None:
            break
        left -= tokens(fitting)
        kept.append(fitting)
    return [message for messages in reversed(kept) for message in messages]


def finished_turns(events: Iterable[Event]) -> list[list[Event]]:
    """Events by turn, in the order in which turns ended, without turns that are cut off at the beginning."""
    turns: dict[str, list[Event]] = {}
    finished = []
    for event in events:
        if event.turn_id is None:
            continue
        if event.name == "user_message":
            turns[event.turn_id] = [event]
        elif event.turn_id in turns:
            turns[event.turn_id].append(event)
            if event.name == "turn_finished":
                finished.append(turns.pop(event.turn_id))
    return finished


def texts_only(turn: Sequence[Event]) -> list[Message]:
    """The user's message and the final answer of a turn."""
    messages: list[Message] = []
    for event in turn:
        if event.name == "user_message":
            messages.append(UserMessage(event.payload["text"]))
        elif event.name == "ai_response" and event.payload.get("final", True):
            messages.append(answer(event.payload))
    return messages


def with_tool_calls(turn: Sequence[Event]) -> list[Message]:
    """The messages of a turn with its tool calls and their results."""
    messages: list[Message] = []
    step = ModelReply()
    for event in turn:
        payload = event.payload
        if event.name == "user_message":
            messages.append(UserMessage(payload["text"]))
        elif event.name == "ai_response":
            messages += step.messages()
            step = ModelReply()
            if payload.get("final", True):
                messages.append(answer(payload))
            else:
                step.text = payload["message"]
        elif event.name == "tool_called":
            if step.is_complete:
                messages += step.messages()
                step = ModelReply()
            step.calls.append(
                ToolCall(
                    payload["call_id"],
                    payload["name"],
                    json.dumps(payload["arguments"], ensure_ascii=False, separators=(",", ":")),
                )
            )
        elif event.name == "tool_finished":
            step.results[payload["call_id"]] = ToolResult(
                call_id=payload["call_id"],
                name=payload["name"],
                # Results stored by earlier versions were cut without closing their data marks.
                content=close_marks(payload.get("result") or payload["summary"]),
                ok=payload["ok"],
                error=None if payload["ok"] else "failed",
                receipts=tuple(payload.get("receipts", ())),
            )
    return messages + step.messages()


def answer(payload: Mapping[str, Any]) -> AssistantMessage:
    """A turn's final answer, with what its model needs in later turns."""
    return AssistantMessage(payload["message"], memory=payload.get("memory") or {})


class ModelReply:
    """One reply of the model: text, calls, and their results."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[ToolCall] = []
        self.results: dict[str, ToolResult] = {}

    @property
    def is_complete(self) -> bool:
        """Whether every call has a result."""
        return bool(self.calls) and all(call.id in self.results for call in self.calls)

    def messages(self) -> list[Message]:
        """The reply as history; a call without a result counts as cancelled."""
        messages: list[Message] = []
        if self.text or self.calls:
            messages.append(AssistantMessage(self.text, tuple(self.calls)))
        if self.calls:
            messages.append(
                ToolMessage(tuple(self.results.get(call.id) or cancelled(call) for call in self.calls))
            )
        return messages


def tokens(messages: Sequence[Message]) -> int:
    """Estimated number of tokens."""
    return sum(map(estimate_tokens, messages))
