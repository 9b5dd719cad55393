"""What a tool may know about the call it serves. A parameter annotated `ToolContext` receives it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from agents.core.messages import ToolCall, Usage


def _nowhere(_: Any) -> None:
    """A call outside of a turn has no one to tell."""


@dataclass(slots=True)
class ToolContext:
    """`agent` runs the call, `context` is the agent's own state object, `call` is what the model wrote.

    `emit(event)` puts an event into the turn's stream; `add_usage` counts the tokens that the tool itself
    spent (a tool that asks a model), so that the turn's limits hold for them too. `with own_time():` the turn's
    clock stands still: for a sequential tool that has a limit of its own.
    """

    agent: Any
    call: ToolCall
    context: Any = None
    emit: Callable[[Any], None] = field(default=_nowhere, repr=False)
    add_usage: Callable[[Usage], None] = field(default=_nowhere, repr=False)
    own_time: Callable[[], AbstractContextManager[None]] = field(default=nullcontext, repr=False)
