"""Records replies of a real model in a file and replays them, without a key and without a network.

An exchange is found by the user's messages and by the calls, with their arguments, so far. A recording remains valid
when system messages, tools or results change. Secrets, and the opaque parts that only their provider can read, are
removed before anything is written."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from agents.core.messages import AssistantMessage, Message, ToolCall, Usage, UserMessage
from agents.core.model import (
    Completed,
    Model,
    ModelError,
    ModelEvent,
    ModelFailed,
    ModelRequest,
    TextDelta,
    close,
    reply_limit,
    warm,
)
from agents.models.errors import redact

_VERSION = 1
_SECRET_NAMES = ("KEY", "TOKEN", "SECRET", "PASSWORD")


class Cassette:
    """A model that replays `file`. With a `live` model, requests that are not in the file are sent to it, and its
    replies are added to the file.

    The values of variables in `settings` (by default the environment) whose names say that they are secret stay out
    of the file."""

    def __init__(
        self, file: Path, live: Model | None = None, *, settings: Mapping[str, str] | None = None
    ) -> None:
        self._file = file
        self._live = live
        self._secrets = secrets_in(os.environ if settings is None else settings)
        self._heads: dict[str, int] = {}
        self._tape = _read(file) if live is None or file.exists() else _empty(live)

    @property
    def name(self) -> str:
        return str(self._tape["model"])

    @property
    def context_tokens(self) -> int:
        return int(self._tape["context_tokens"])

    @property
    def max_output_tokens(self) -> int | None:
        return None if self._live is None else reply_limit(self._live)

    def warm(self) -> None:
        if self._live is not None:
            warm(self._live)

    async def aclose(self) -> None:
        if self._live is not None:
            await close(self._live)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        key = _key(request.messages, self._secrets)
        recorded = self._next(key)
        if recorded is None and self._live is not None:
            async with aclosing(self._record(key, request, self._live)) as live:
                async for event in live:
                    yield event
            return
        if recorded is None:
            last = next((m.text for m in reversed(request.messages) if isinstance(m, UserMessage)), "")
            raise ModelError(
                "bad_request", f"The recording {self._file.name} has no answer to '{last:.80}' at this point."
            )
        for event in recorded:
            yield event

    def _next(self, key: str) -> list[ModelEvent] | None:
        """A repeated request gets the replies that were recorded for it in their order, and after the last one the
        first again."""
        fitting = [exchange for exchange in self._tape["exchanges"] if exchange["key"] == key]
        if not fitting:
            return None
        head = self._heads.get(key, 0)
        self._heads[key] = head + 1
        return [_event(event) for event in fitting[head % len(fitting)]["events"]]

    async def _record(self, key: str, request: ModelRequest, live: Model) -> AsyncGenerator[ModelEvent, None]:
        received: list[ModelEvent] = []
        events: Any = live.stream(request)
        async with aclosing(events):
            async for event in events:
                if not isinstance(event, ModelFailed):
                    received.append(event)
                yield event
        asked = [message.text for message in request.messages if isinstance(message, UserMessage)][-1:]
        exchange = {"key": key, "asked": asked, "events": [_plain(event) for event in received]}
        self._tape["exchanges"].append(_without(exchange, self._secrets))
        _write(self._file, self._tape)


def secrets_in(settings: Mapping[str, str]) -> list[str]:
    """Values of variables that are called KEY, TOKEN, SECRET or PASSWORD, and passwords inside addresses, for
    `redact`, which decides what is long enough to be a secret."""
    found = [value for name, value in settings.items() if any(word in name.upper() for word in _SECRET_NAMES)]
    for value in settings.values():
        if "://" in value and "@" in value:
            try:
                found.extend(filter(None, [urlsplit(value).password]))
            except ValueError:
                continue
    return found


def _key(messages: Sequence[Message], secrets: Sequence[str]) -> str:
    asked: list[Any] = []
    for message in messages:
        match message:
            case UserMessage(text=text):
                asked.append(redact(text, *secrets))
            case AssistantMessage(calls=calls):
                asked.append([[call.name, redact(call.arguments, *secrets)] for call in calls])
    return hashlib.sha256(json.dumps(asked, ensure_ascii=False).encode()).hexdigest()[:24]


def _plain(event: ModelEvent) -> dict[str, Any]:
    match event:
        case TextDelta(text=text):
            return {"text": text}
        case ToolCall():
            return {"call": {"id": event.id, "name": event.name, "arguments": event.arguments}}
        case Completed():
            usage = asdict(event.usage)
            return {"completed": {"usage": usage, "finish": event.finish, "model": event.model}}
        case _:
            raise TypeError(f"{type(event).__name__} is not recorded")


def _event(plain: dict[str, Any]) -> ModelEvent:
    if "text" in plain:
        return TextDelta(plain["text"])
    if "call" in plain:
        return ToolCall(**plain["call"])
    completed = plain["completed"]
    return Completed(Usage(**completed["usage"]), completed["finish"], model=completed["model"])


def _without(value: Any, secrets: Sequence[str]) -> Any:
    if isinstance(value, str):
        return redact(value, *secrets)
    if isinstance(value, dict):
        return {name: one if name == "key" else _without(one, secrets) for name, one in value.items()}
    return [_without(one, secrets) for one in value] if isinstance(value, list) else value


def _empty(live: Model) -> dict[str, Any]:
    return {"version": _VERSION, "model": live.name, "context_tokens": live.context_tokens, "exchanges": []}


def _read(file: Path) -> dict[str, Any]:
    try:
        tape = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ModelError("not_configured", f"The recording {file} cannot be read: {error}.") from None
    if not isinstance(tape, dict) or tape.get("version") != _VERSION or "exchanges" not in tape:
        raise ModelError("not_configured", f"{file} is not a recording of a model.")
    return tape


def _write(file: Path, tape: dict[str, Any]) -> None:
    """Write the file atomically."""
    new = file.with_suffix(file.suffix + ".new")
    new.write_text(json.dumps(tape, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    new.replace(file)
