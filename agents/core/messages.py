"""The neutral conversation: what agents keep, and what every model adapter translates from and to.

Messages are frozen and a history is only ever appended to, so a snapshot of it is a length. Nothing in
here belongs to one provider, except `AssistantMessage.opaque`, which an adapter fills and only it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, final


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's request to run a tool; `arguments` is the JSON text exactly as the model wrote it.

    `approved_with` is set while the call waits for the user's approval: what was filled in for the model when the
    user was asked. The call then runs with these values and no others; `approved_without` names arguments that
    were dropped as invalid and stay so, though they may be valid by then. `texts` are values of `arguments` with
    their wording (`agents.worded`), from models that know it."""

    id: str
    name: str
    arguments: str
    approved_with: Mapping[str, Any] | None = field(default=None, repr=False)
    approved_without: tuple[str, ...] = field(default=(), repr=False)
    texts: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class ToolResult:
    """The outcome of one call; every call gets exactly one.

    `content` is what the model reads. `data` is the tool's own value, for programs (never sent to a model). `error`
    names the fault's kind when `ok` is false: `unknown_tool`, `malformed_json`, `invalid_arguments`, `retry` (the
    tool asks for a better call), `failed`, `timeout`, `cancelled`, `denied`. `filled` holds arguments that a resolver
    supplied. `summary` is a short line for the user; `ms` is the run time in milliseconds. `receipts` are what the
    tool's collaborators noted while it ran (agents.core.observe.receipts). `answer` is set by a tool that ends the
    turn with this text."""

    call_id: str
    name: str
    content: str
    ok: bool = True
    error: str | None = None
    data: Any = None
    filled: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    ms: float = 0.0
    summary: str = ""
    receipts: tuple[Mapping[str, Any], ...] = ()
    answer: str | None = field(default=None, repr=False)


@final
@dataclass(frozen=True, slots=True)
class UserMessage:
    """A message of the user."""

    text: str


@final
@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One reply of a model: text, calls, or both.

    `opaque` holds provider parts that must be sent back unread (reasoning items), keyed by calling type.
    `memory` is what a model keeps with its reply to find again in later turns, as small JSON keyed by the model's name.
    Hosts store it with the turn; no provider is sent it."""

    text: str = ""
    calls: tuple[ToolCall, ...] = ()
    opaque: Mapping[str, Any] = field(default_factory=dict)
    memory: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The results of the calls of the assistant message before it, in the order of the calls."""

    results: tuple[ToolResult, ...]


Message = UserMessage | AssistantMessage | ToolMessage


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one or more model calls, and their price in US dollars.

    `cost` is None as soon as a part of the tokens has no known price: a partial sum would look like the total."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            total_cost(self.cost, self.total_tokens, other),
        )

    @property
    def total_tokens(self) -> int:
        """Input and output tokens together."""
        return self.input_tokens + self.output_tokens


NO_USAGE = Usage()


def total_cost(cost: float | None, tokens: int, more: Usage) -> float | None:
    """The price of `tokens`, which was `cost`, together with that of further tokens; None if a part has no price.

    The loop adds after every model call, so this makes no lists."""
    if more.cost is None:
        return None if cost is None or more.total_tokens else cost
    if cost is None:
        return None if tokens else more.cost
    return cost + more.cost
