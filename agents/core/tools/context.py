"""The context of a call, as a tool sees it. A parameter annotated `ToolContext` receives it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from agents.core.limits import Limits
from agents.core.messages import ToolCall, Usage


def _nowhere(_: Any) -> None:
    """The default `emit` outside of a turn: drops the event."""


@dataclass(slots=True)
class ToolContext:
    """`agent` runs the call, `context` is the agent's own state object, `call` is what the model wrote.

    `emit(event)` puts an event into the turn's stream; `add_usage` counts the tokens that the tool itself spent (a tool
    that asks a model), so that the turn's limits hold for them too. `with own_time():` the turn's clock stops: for a
    tool that has its own time limit. `left()` is what the turn may still spend in tokens and cost."""

    agent: Any
    call: ToolCall
    context: Any = None
    emit: Callable[[Any], None] = field(default=_nowhere, repr=False)
    add_usage: Callable[[Usage], None] = field(default=_nowhere, repr=False)
    own_time: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, repr=False)
    left: Callable[[], Limits] = field(default=Limits.unbounded, repr=False)
