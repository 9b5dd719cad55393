"""Sizes of what is sent to a model, in bytes of UTF-8 and estimated tokens: the one place that estimates.

Without a tokenizer four bytes count as one token. Real ones take 3 to 5 bytes for JSON and English."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agents.core.messages import Message, ToolMessage, UserMessage

BYTES_PER_TOKEN = 4
"""Bytes of text that are estimated as a token, which published measurements use as well."""
MIN_BYTES_PER_TOKEN = 3
"""Lower bound, for JSON and tokenizers with small vocabularies; used where a request must fit a context."""
MESSAGE_BYTES = 16
"""Bytes that the frame of a message, a call or a result takes in addition to its texts."""
_SAMPLED_VALUES = 6


def size_of(text: str) -> int:
    """Bytes of a text in UTF-8."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def tokens_of(size: int) -> int:
    """Estimated tokens of so many bytes."""
    return size // BYTES_PER_TOKEN


def message_size(message: Message) -> int:
    """Approximate size of a message as it is sent, in bytes."""
    size = MESSAGE_BYTES
    if type(message) is ToolMessage:
        for result in message.results:
            size += 2 * MESSAGE_BYTES + size_of(result.content)
        return size
    if message.text:
        size += size_of(message.text)
    if type(message) is UserMessage:
        return size
    for call in message.calls:
        size += 2 * MESSAGE_BYTES + len(call.name) + size_of(call.arguments)
    if message.opaque:
        size += size_of(json.dumps(dict(message.opaque), ensure_ascii=False, default=str))
    return size


def estimate_tokens(message: Message) -> int:
    """Estimated tokens of a message, its frame included."""
    return tokens_of(message_size(message))


def schema_size(value: Any) -> int:
    """Bytes of a JSON schema, or of any value in it, as compact JSON."""
    if isinstance(value, Mapping):
        return 2 + sum(size_of(str(key)) + 4 + schema_size(item) for key, item in value.items())
    if isinstance(value, str):
        return size_of(value) + 2
    if isinstance(value, list | tuple):
        if len(value) > _SAMPLED_VALUES:
            return values_size(value)
        return 2 + sum(map(schema_size, value)) + len(value)
    return len(str(value))


def values_size(values: Sequence[Any]) -> int:
    """Bytes of a list; of a long one estimated from values spread over it."""
    if not values:
        return 2
    sample = values[:: max(len(values) // _SAMPLED_VALUES, 1)]
    try:
        total = len("".join(sample)) + 2 * len(sample)
    except TypeError:
        total = sum(map(schema_size, sample))
    return 2 + len(values) * (total // len(sample) + 1)
