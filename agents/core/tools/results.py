"""What a tool returns, and how it becomes the text that the model reads.

A string was written by the tool and is sent unchanged. Any other value is encoded as JSON between `<data>` marks: it
comes from outside, and the system message instructs the model to treat it as data, never as instructions."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

MAX_CHARACTERS = 60_000
"""Longer contents are cut, for one result must not push everything else out of the model's context."""

OPENING_MARK, CLOSING_MARK = "<data>", "</data>"
"""Text between these marks came from outside and is data, never instructions."""


@dataclass(frozen=True, slots=True)
class Result:
    """A tool's answer in its parts; a plain return value is a `Result` with nothing but a value.

    `value` is encoded for the model unless `content` is given. `data` is what programs get (by default the value).
    `summary` is one short line for the user ("Added 28,000 airports"). With `answer` the turn ends with that text as
    soon as all calls of the reply have their results, and the model is not called again."""

    value: Any = None
    content: str | None = None
    data: Any = None
    summary: str = ""
    warnings: tuple[str, ...] = ()
    answer: str | None = None


def content_of(value: Any) -> str:
    """The text that the model reads for a value or `Result`."""
    if isinstance(value, str):
        return cut(value)
    if value is None:
        return "Done."
    # `<` is escaped, so that nothing inside can close the mark.
    text = encode(value).replace("<", "\\u003c")
    return f"{OPENING_MARK}\n{cut(text)}\n{CLOSING_MARK}"


def cut(text: str, most: int = MAX_CHARACTERS) -> str:
    """The text cut to at most this many characters, with a line that counts the missing ones."""
    if len(text) <= most:
        return text
    return f"{text[:most]}\n[cut here: {len(text) - most} more characters; ask for less]"


def shorten(content: str, most: int) -> str:
    """A result's content cut to about this many characters; `<data>` marks that were open are closed."""
    if len(content) <= most:
        return content
    kept = content[: max(most - len(CLOSING_MARK), 0)]
    missing = len(content) - len(kept)
    return close_marks(f"{kept}\n[cut here: {missing} more characters]")


def close_marks(content: str) -> str:
    """The content with its `<data>` mark closed, where a cut left it open."""
    is_open = content.rfind(OPENING_MARK) > content.rfind(CLOSING_MARK)
    return f"{content}\n{CLOSING_MARK}" if is_open else content


def encode(value: Any) -> str:
    """Compact JSON of any value. Values without a JSON form become text; NaN and infinity become null."""
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
    except (ValueError, TypeError):
        return json.dumps(_clean(value), ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> Any:
    dump = getattr(value, "model_dump", None)
    if dump is not None and not isinstance(value, type):
        return dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: getattr(value, item.name) for item in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset):
        return sorted(value, key=str)
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    if hasattr(value, "to_dict"):  # A table of pandas as its rows, a series by its index.
        return value.to_dict(orient="records") if hasattr(value, "columns") else value.to_dict()
    if hasattr(value, "tolist"):  # A number or an array of NumPy.
        return value.tolist()
    if hasattr(value, "__iter__"):
        return list(value)
    return str(value)


def _clean(value: Any, depth: int = 0) -> Any:
    """The slow path, for values with NaN, unusual keys or cycles."""
    if depth > 50:
        return "..."
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, str | int | bool):
        return value
    if isinstance(value, Mapping):
        return {str(key): _clean(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_clean(item, depth + 1) for item in value]
    return _clean(_plain(value), depth + 1)
