"""Thoughts of reasoning models in the text of their replies, where their server does not take them out."""

from __future__ import annotations

_OPENING, _CLOSING = "<think>", "</think>"


class ThoughtFilter:
    """Leaves out `<think>...</think>` at the beginning of a reply that comes in pieces."""

    def __init__(self) -> None:
        self._held = ""
        self._is_inside = False
        self._is_over = False
        self._has_thoughts = False

    def without(self, piece: str) -> str:
        """What may be shown after this piece; what may become a mark is kept back."""
        if self._is_over:
            return piece
        self._held += piece
        if not self._is_inside:
            begun = self._held.lstrip()
            if _OPENING.startswith(begun):
                return ""
            if not begun.startswith(_OPENING):
                return self.rest()
            self._is_inside = self._has_thoughts = True
        _, closing, answer = self._held.partition(_CLOSING)
        if not closing:
            self._held = self._held[-len(_CLOSING) :]
            return ""
        self._held, self._is_inside = "", False
        return self.without(answer)

    def rest(self) -> str:
        """What was kept back and is no thought; nothing is held back any more."""
        held, self._held, self._is_over = ("" if self._is_inside else self._held), "", True
        return held.lstrip() if self._has_thoughts else held
