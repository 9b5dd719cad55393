"""What the model is reminded of: a map's chat, read from its log, as neutral messages within a token budget.

Only finished turns count, newest first. The last few keep their tool calls, each with exactly one result;
older ones keep what was said. Nothing is kept in memory, so any server and any model can go on with a map.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage
from agents.core.tokens import estimate_tokens
from server.maps.log.events import Event

EVENTS_READ = 800
DETAILED_TURNS = 6
BUDGET = 12_000


def conversation(events: Iterable[Event], budget: int = BUDGET) -> list[Message]:
    """The messages of the finished turns among these events, which are in order."""
    kept: list[list[Message]] = []
    left = budget
    for age, turn in enumerate(reversed(finished_turns(events))):
        choices = [detailed(turn), spoken(turn)] if age < DETAILED_TURNS else [spoken(turn)]
        fitting = next((messages for messages in choices if tokens(messages) <= left), None)
        if fitting is None:
            break
        left -= tokens(fitting)
        kept.append(fitting)
    return [message for messages in reversed(kept) for message in messages]


def finished_turns(events: Iterable[Event]) -> list[list[Event]]:
    """Events by turn, in the order in which turns ended; those cut off at the beginning are left out."""
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


def spoken(turn: Sequence[Event]) -> list[Message]:
    """Only what was said."""
    messages: list[Message] = []
    for event in turn:
        if event.name == "user_message":
            messages.append(UserMessage(event.payload["text"]))
        elif event.name == "ai_response" and event.payload.get("final", True):
            messages.append(answer(event.payload))
    return messages


def detailed(turn: Sequence[Event]) -> list[Message]:
    """With the tool calls and their results."""
    messages: list[Message] = []
    step = Step()
    for event in turn:
        payload = event.payload
        if event.name == "user_message":
            messages.append(UserMessage(payload["text"]))
        elif event.name == "ai_response":
            messages += step.messages()
            step = Step()
            if payload.get("final", True):
                messages.append(answer(payload))
            else:
                step.text = payload["message"]
        elif event.name == "tool_called":
            if step.is_complete:
                messages += step.messages()
                step = Step()
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
                content=payload.get("result") or payload["summary"],
                ok=payload["ok"],
                error=None if payload["ok"] else "failed",
                receipts=tuple(payload.get("receipts", ())),
            )
    return messages + step.messages()


def answer(payload: Mapping[str, Any]) -> AssistantMessage:
    """The end of a turn, with what the model that wrote it keeps for later turns."""
    return AssistantMessage(payload["message"], memory=payload.get("memory") or {})


class Step:
    """One reply of the model: text, calls, and the results that came for them."""

    def __init__(self) -> None:
        self.text = ""
        self.calls: list[ToolCall] = []
        self.results: dict[str, ToolResult] = {}

    @property
    def is_complete(self) -> bool:
        return bool(self.calls) and all(call.id in self.results for call in self.calls)

    def messages(self) -> list[Message]:
        """As the history has them; a call without a result was cancelled."""
        messages: list[Message] = []
        if self.text or self.calls:
            messages.append(AssistantMessage(self.text, tuple(self.calls)))
        if self.calls:
            messages.append(
                ToolMessage(tuple(self.results.get(call.id) or lost(call) for call in self.calls))
            )
        return messages


def lost(call: ToolCall) -> ToolResult:
    return ToolResult(call.id, call.name, "The call was cancelled.", ok=False, error="cancelled")


def tokens(messages: Sequence[Message]) -> int:
    """About how many tokens these take."""
    return sum(map(estimate_tokens, messages))
