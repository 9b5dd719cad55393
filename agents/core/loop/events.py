"""The events of a turn. `Agent.events()` yields them; all other interfaces are built on them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agents.core.messages import ToolCall, ToolResult, Usage

Status = Literal["done", "limit", "failed", "cancelled", "waiting"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text, as the model streams it."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantText:
    """The complete text of one reply: before tool calls, or, if `final`, the answer."""

    text: str
    final: bool = False


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call has started. `arguments` are checked and completed; if they are invalid, as the model wrote them."""

    call: ToolCall
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolDone:
    """A call has a result. `summary` is one short line for the user."""

    result: ToolResult
    summary: str


@dataclass(frozen=True, slots=True)
class ApprovalNeeded:
    """The turn waits for the user's approval of this call."""

    call: ToolCall
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Forwarded:
    """An event of another agent that works for this one, or progress that a tool reports."""

    source: str
    event: Any


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of the turn, always the last event.

    `status`: `done`; `limit` (`reason` names it: steps, seconds, tokens, cost, identical_failures); `failed`
    (`reason` is a model error's code, `unavailable` after a `ToolUnavailable`, or `internal`); `cancelled`;
    `waiting` for an approval, to be resumed. `extra` holds what annotation hooks add to the answer, `memory` what
    the model keeps with it for later turns."""

    text: str
    status: Status = "done"
    usage: Usage = field(default_factory=Usage)
    steps: int = 0
    reason: str | None = None
    ms: float = 0.0
    model: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)


AgentEvent = Delta | AssistantText | ToolStarted | ToolDone | ApprovalNeeded | Forwarded | Finished
