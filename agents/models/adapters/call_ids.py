"""Call ids and arguments, as different providers want them: a conversation may have been begun by another model."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from agents.core.messages import AssistantMessage, Message, ToolCall

_ACCEPTED = re.compile(r"[A-Za-z0-9_-]{1,64}")


class OutgoingIds:
    """Ids that the provider accepts, the same one for the same call; `length` is the exact length that it demands."""

    def __init__(self, length: int | None = None) -> None:
        self._length = length

    def of(self, call_id: str) -> str:
        """The id as the server accepts it: always the same for the same id."""
        if self._length is not None:
            fits = len(call_id) == self._length and call_id.isalnum() and call_id.isascii()
            return call_id if fits else _digest(call_id)[: self._length]
        return call_id if _ACCEPTED.fullmatch(call_id) else f"call_{_digest(call_id)[:24]}"


class IncomingIds:
    """Ids for the calls of one reply: the model's own, unless it gave none or one that is taken already."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self._taken = {
            call.id for message in messages if isinstance(message, AssistantMessage) for call in message.calls
        }

    def of(self, given: str | None) -> str:
        """The id of a new call: the one that the server gave, unless it is missing or was used before."""
        chosen = given if given and given not in self._taken else f"call_{uuid4().hex[:24]}"
        self._taken.add(chosen)
        return chosen


def arguments_object(call: ToolCall) -> dict[str, Any]:
    """The arguments as an object, for providers that take nothing else back; what never was JSON is kept as text."""
    try:
        value = json.loads(call.arguments or "{}")
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"malformed": call.arguments}


def arguments_text(call: ToolCall) -> str:
    """The arguments as valid JSON text, for servers that parse those of old calls and fail on invalid JSON."""
    try:
        if isinstance(json.loads(call.arguments), dict):
            return call.arguments
    except ValueError:
        pass
    return json.dumps(arguments_object(call))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
