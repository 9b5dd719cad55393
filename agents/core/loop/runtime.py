"""The agent as the parts of a turn see it, and the state that they share while the turn runs.

`turn`, `reply`, `calls` and `registry` depend on these types only; `agent` depends on all of them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from agents.core.limits import Limits
from agents.core.loop.approval import Approvals
from agents.core.loop.clock import Clock
from agents.core.loop.events import AgentEvent
from agents.core.loop.history import Conversation
from agents.core.loop.hooks import Hooks
from agents.core.messages import NO_USAGE, Message, Usage
from agents.core.model import Model, ToolChoice
from agents.core.observe.telemetry import Telemetry
from agents.core.tools.context import ToolContext
from agents.core.tools.snapshot import NO_TOOLS, Snapshot, Snapshotter
from agents.core.tools.toolbox import ToolBox


class RunningTurn(Protocol):
    """A turn as its agent sees it: the conversation that it works on, and a way to stop it."""

    conversation: Conversation

    def interrupt(self, reason: str) -> None:
        """End the turn as soon as possible."""


class Runtime(Protocol):
    """The members of an agent that a turn uses; `agents.core.Agent` has them all."""

    name: str
    description: str
    model: Model
    limits: Limits
    max_output_tokens: int | None
    tool_choice: ToolChoice
    context: Any
    approvals: Approvals | None
    telemetry: Telemetry
    hooks: Hooks
    toolbox: ToolBox
    snapshots: Snapshotter

    def begin(self, turn: RunningTurn) -> None:
        """Register a turn. Raises RuntimeError where another one works on the same conversation."""

    def end(self, turn: RunningTurn) -> None:
        """Forget a turn that has ended."""

    def events(
        self,
        text: str = "",
        *,
        resume: bool | Mapping[str, bool] = False,
        history: list[Message] | None = None,
        caller: ToolContext | None = None,
    ) -> AsyncGenerator[AgentEvent, None]:
        """Run one turn and yield its events."""

    def _system_messages(self) -> Any: ...

    def _finalize_response(self, text: str) -> Any: ...


@dataclass(slots=True)
class TurnState:
    """The state of one turn, shared by the turn and the calls of its replies."""

    agent: Runtime
    text: str
    clock: Clock
    answers: Mapping[str, bool] = field(default_factory=dict)
    """The user's answers to approvals, by call id."""
    snapshot: Snapshot = NO_TOOLS
    usage: Usage = NO_USAGE
    failures: dict[tuple[str, str], int] = field(default_factory=dict)
    """How often each byte-identical call has failed, by tool and arguments."""
    tries: dict[str, int] = field(default_factory=dict)
    """Faulty calls by tool, for `Options.retries`."""
    span: Any = None
    """The turn's OpenTelemetry span, if tracing is on."""
    limits: Limits = field(default_factory=Limits)
    caller: ToolContext | None = None
    """The call of another agent on whose behalf the turn runs."""

    def add_usage(self, usage: Usage) -> None:
        """Add usage to this turn and to the turn that called it."""
        self.usage = self.usage + usage
        if self.caller is not None:
            self.caller.add_usage(usage)

    def left(self) -> Limits:
        """What the turn may still spend in tokens and cost."""
        return self.limits.left(self.usage)
