"""What happens in a turn, as values: the stream of `Agent.events()`, from which all else is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from agents.core.messages import ToolCall, ToolResult, Usage

Status = Literal["done", "limit", "failed", "cancelled", "waiting"]


@dataclass(frozen=True, slots=True)
class Delta:
    """A piece of text as the model writes it."""

    text: str


@dataclass(frozen=True, slots=True)
class AssistantSaid:
    """The whole text of one reply: before tool calls, or (`final`) as the answer."""

    text: str
    final: bool = False


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A call was taken up. `arguments` are checked, with what was filled in; as written if they are faulty."""

    call: ToolCall
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolDone:
    """A call has its result; `summary` is a short line for people."""

    result: ToolResult
    summary: str


@dataclass(frozen=True, slots=True)
class ApprovalNeeded:
    """The turn waits for the user's approval of this call."""

    call: ToolCall
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Forwarded:
    """An event of another agent that works on behalf of this one, or of a tool that tells of its progress."""

    source: str
    event: Any


@dataclass(frozen=True, slots=True)
class Finished:
    """The end of the turn, always the last event.

    `status`: `done`; `limit` (`reason` names it: steps, seconds, tokens, cost, identical_failures); `failed`
    (`reason` is a model error's code, or `internal`); `cancelled`; `waiting` for an approval, to be resumed.
    `extra` is what annotation hooks say of the answer, `memory` what the model keeps with it for later turns.
    """

    text: str
    status: Status = "done"
    usage: Usage = field(default_factory=Usage)
    steps: int = 0
    reason: str | None = None
    ms: float = 0.0
    model: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)


AgentEvent = Delta | AssistantSaid | ToolStarted | ToolDone | ApprovalNeeded | Forwarded | Finished
