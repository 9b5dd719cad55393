"""Text of answers that are being written now, so that somebody who joins meanwhile sees them from the beginning.

Kept for maps that are followed on this server, from the very deltas that browsers get. Lengths and offsets count
UTF-16 code units, as browsers do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_DRAFT_LENGTH = 200_000
"""A longer text is not kept: it comes whole with its event."""
ENDS = frozenset({"ai_response", "tool_called", "turn_finished"})
"""Events with which a text has been recorded, or is over."""


@dataclass
class Draft:
    text: str = ""
    length: int = 0


class Drafts:
    def __init__(self) -> None:
        self._drafts: dict[str, dict[str, Draft]] = {}

    def hear(self, delta: Mapping[str, Any]) -> None:
        """A delta as it went out. What comes after a gap is not kept."""
        turns = self._drafts.setdefault(delta["map_id"], {})
        draft = Draft() if delta["offset"] == 0 else turns.get(delta["turn_id"])
        if draft is None or draft.length != delta["offset"] or draft.length > MAX_DRAFT_LENGTH:
            turns.pop(delta["turn_id"], None)
            return
        turns[delta["turn_id"]] = Draft(
            draft.text + delta["text"], draft.length + utf16_length(delta["text"])
        )

    def end(self, map_id: str, turn_id: str | None) -> None:
        """The text was recorded."""
        self._drafts.get(map_id, {}).pop(turn_id or "", None)

    def forget(self, map_id: str) -> None:
        """Nobody follows the map here any more."""
        self._drafts.pop(map_id, None)

    def now(self, map_id: str) -> list[dict[str, str]]:
        """Each turn that writes, and its text so far."""
        drafts = self._drafts.get(map_id, {})
        return [{"turn_id": turn_id, "text": draft.text} for turn_id, draft in drafts.items()]


def utf16_length(text: str) -> int:
    return len(text) + sum(character > "\uffff" for character in text)
