"""The text of answers that are being streamed, for clients that join in the middle of one.

Collected from the deltas that are sent to browsers, for maps that clients of this server follow. Lengths and offsets
count UTF-16 code units, as browsers do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_DRAFT_LENGTH = 200_000
"""Length in UTF-16 code units. A longer text is not kept: it arrives complete with its event."""
TEXT_END_EVENTS = frozenset({"ai_response", "tool_called", "turn_finished"})
"""Events that end a streamed text."""


@dataclass
class Draft:
    """The text streamed so far; `length` is in UTF-16 code units."""

    text: str = ""
    length: int = 0


class Drafts:
    """The unfinished answers, by map and turn."""

    def __init__(self) -> None:
        self._drafts: dict[str, dict[str, Draft]] = {}

    def add_delta(self, delta: Mapping[str, Any]) -> None:
        """Append an `ai_delta` payload. Text after a gap is not kept."""
        turns = self._drafts.setdefault(delta["map_id"], {})
        draft = Draft() if delta["offset"] == 0 else turns.get(delta["turn_id"])
        if draft is None or draft.length != delta["offset"] or draft.length > MAX_DRAFT_LENGTH:
            turns.pop(delta["turn_id"], None)
            return
        turns[delta["turn_id"]] = Draft(
            draft.text + delta["text"], draft.length + utf16_length(delta["text"])
        )

    def end(self, map_id: str, turn_id: str | None) -> None:
        """Forget a text, because it was recorded."""
        self._drafts.get(map_id, {}).pop(turn_id or "", None)

    def forget(self, map_id: str) -> None:
        """Forget the map: no client of this server follows it any more."""
        self._drafts.pop(map_id, None)

    def now(self, map_id: str) -> list[dict[str, str]]:
        """Each turn that writes, and its text so far."""
        drafts = self._drafts.get(map_id, {})
        return [{"turn_id": turn_id, "text": draft.text} for turn_id, draft in drafts.items()]


def utf16_length(text: str) -> int:
    """Length of a text in UTF-16 code units, as JavaScript counts it."""
    return len(text) + sum(character > "\uffff" for character in text)
