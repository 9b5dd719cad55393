"""A piece of a request: some words of it with one meaning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens from `begin` to `end` with one meaning; `text` are its words."""

    kind: str
    begin: int
    end: int
    value: Any = None
    cost: float = 0.5
    text: str = ""
    where: Any = None
    """A further condition on its rows."""
