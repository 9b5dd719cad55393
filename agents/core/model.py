"""The one interface between the loop and a language model.

A model is a name, a context size and `stream`. An adapter (agents/models) turns a `ModelRequest` into its provider's
request and the provider's reply into `ModelEvent`s: any number of `TextDelta`, `ToolCall` and (from a chain of models)
`ModelFailed`, then exactly one `Completed`. It raises `ModelError` and nothing else; closing the iterator ends the
request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

from agents.core.messages import Message, ToolCall, Usage

ToolChoice = Literal["auto", "required", "none"]
"""Whether a reply may call tools, has to, or must not."""


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as one model call sees it: `parameters` is a JSON schema with its enums already evaluated.

    The dict is shared and must not be changed. `strict` asks for the provider's strict mode where it has one;
    `phrases` are templates of user requests that call the tool, for models that read templates."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    strict: bool = False
    phrases: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """All that one model call needs.

    The first `stable_parts` of the `system` parts stay the same from call to call, so that a prompt cache can serve
    them; what depends on the moment follows.
    `context` is the agent's own state object; only models that run in this process (offline) read it.
    `reply_characters` bounds text and arguments while they are written; see `reply_too_long`."""

    messages: Sequence[Message]
    system: Sequence[str] = ()
    tools: Sequence[ToolSpec] = ()
    max_output_tokens: int | None = None
    tool_choice: ToolChoice = "auto"
    context: Any = None
    stable_parts: int = 1
    reply_characters: int | None = None


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class ModelFailed:
    """One of several models failed; another one may answer. For telemetry."""

    model: str
    error: ModelError
    seconds: float


@dataclass(frozen=True, slots=True)
class Completed:
    """The end of a reply. `model` is the model that answered (a fallback may have). `memory` is stored with the
    message. `text` is the whole text with its wording (`agents.worded`), from models that know it."""

    usage: Usage = field(default_factory=Usage)
    finish: Literal["stop", "tool_calls", "length", "refusal"] = "stop"
    opaque: Mapping[str, Any] = field(default_factory=dict)
    model: str = ""
    memory: Mapping[str, Any] = field(default_factory=dict)
    text: str | None = None


ModelEvent = TextDelta | ToolCall | ModelFailed | Completed


@runtime_checkable
class Model(Protocol):
    """A language model, ready to be called. Safe for concurrent `stream`s.

    A model that limits its replies even when a request has no `max_output_tokens` gives that limit in an attribute of
    that name; see `reply_limit`."""

    @property
    def name(self) -> str:
        """The model's name as configured: `openai:gpt-5.1`."""

    @property
    def context_tokens(self) -> int:
        """Size of the context in tokens."""

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        """Send a request; yields text, calls and at the end `Completed`. Raises ModelError."""


def reply_limit(model: Model) -> int | None:
    """Tokens that a reply of this model may have at most where the request names no limit; None if it sets none."""
    limit: int | None = getattr(model, "max_output_tokens", None)
    return limit


def warm(model: Model) -> None:
    """Import the SDK that a model needs, if it needs one."""
    warming: Callable[[], None] | None = getattr(model, "warm", None)
    if warming is not None:
        warming()


async def close(model: Model) -> None:
    """Close the connections that a model keeps open."""
    closing: Callable[[], Awaitable[None]] | None = getattr(model, "aclose", None)
    if closing is not None:
        await closing()


class ModelError(Exception):
    """A model call failed. `str(error)` is one sentence for the user that says what to do, free of secrets.

    `code`: `refused_key`, `unknown_model`, `rate_limited`, `unavailable`, `timeout`, `bad_request`,
    `bad_reply`, `context_exceeded`, `not_configured`. `retry_after` is in seconds."""

    def __init__(
        self, code: str, message: str, *, retryable: bool = False, retry_after: float | None = None
    ) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable
        self.retry_after = retry_after


def reply_too_long(limit: int | None) -> ModelError:
    """The error for a reply with more than `limit` characters of text and arguments."""
    return ModelError("bad_reply", f"The model's reply is longer than {limit:,} characters.")
