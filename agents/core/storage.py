"""A history as JSON and back, for hosts that keep it between processes. Tools' own `data` is not kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolCall, ToolMessage, ToolResult, UserMessage


def dump_history(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Plain JSON values, one a message."""
    return [_dump(message) for message in messages]


def load_history(stored: Iterable[Mapping[str, Any]]) -> list[Message]:
    """The messages of `dump_history`. Raises ValueError for a kind of message that is not known."""
    return [_load(item) for item in stored]


def _dump(message: Message) -> dict[str, Any]:
    if isinstance(message, UserMessage):
        return {"role": "user", "text": message.text}
    if isinstance(message, AssistantMessage):
        calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.calls]
        return {"role": "assistant", "text": message.text, "calls": calls, "opaque": dict(message.opaque)}
    return {"role": "tool", "results": [_dump_result(result) for result in message.results]}


def _dump_result(result: ToolResult) -> dict[str, Any]:
    return {
        "call_id": result.call_id,
        "name": result.name,
        "content": result.content,
        "ok": result.ok,
        "error": result.error,
        "filled": dict(result.filled),
        "warnings": list(result.warnings),
        "ms": result.ms,
        "summary": result.summary,
        "receipts": [dict(receipt) for receipt in result.receipts],
    }


def _load(item: Mapping[str, Any]) -> Message:
    role = item.get("role")
    if role == "user":
        return UserMessage(item["text"])
    if role == "assistant":
        calls = tuple(ToolCall(**call) for call in item.get("calls", ()))
        return AssistantMessage(item.get("text", ""), calls, item.get("opaque", {}))
    if role == "tool":
        return ToolMessage(
            tuple(
                ToolResult(
                    **{**result, **{name: tuple(result.get(name, ())) for name in ("warnings", "receipts")}}
                )
                for result in item["results"]
            )
        )
    raise ValueError(f"a stored message has the unknown role {role!r}")
