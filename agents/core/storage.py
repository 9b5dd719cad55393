"""A history as JSON and back, for hosts that keep it between processes. Tools' own `data` is not kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from agents.core.messages import AssistantMessage, Message, ToolMessage, UserMessage

_ROLES: dict[type[Message], str] = {UserMessage: "user", AssistantMessage: "assistant", ToolMessage: "tool"}
_NOT_KEPT = {"results": {"__all__": {"data", "answer"}}}


def dump_history(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """The messages as plain JSON values, one each."""
    return [
        {"role": role, **_adapters()[role].dump_python(message, mode="json", exclude=_NOT_KEPT, fallback=str)}
        for message in messages
        for role in [_ROLES[type(message)]]
    ]


def load_history(stored: Iterable[Mapping[str, Any]]) -> list[Message]:
    """Restores the messages of `dump_history`. Raises ValueError for invalid messages."""
    return [_load(item) for item in stored]


def _load(item: Mapping[str, Any]) -> Message:
    adapter = _adapters().get(str(item.get("role")))
    if adapter is None:
        raise ValueError(f"a stored message has the unknown role {item.get('role')!r}")
    message: Message = adapter.validate_python({key: value for key, value in item.items() if key != "role"})
    return message


@cache
def _adapters() -> dict[str, Any]:
    """One pydantic adapter per role; pydantic is imported when a history is first stored."""
    from pydantic import TypeAdapter

    return {role: TypeAdapter(kind) for kind, role in _ROLES.items()}
