"""Pieces of a request, each with one meaning, and all ways to cover a request with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

MAX_WAYS = 40
"""Maximum number of ways kept per end position."""
MOST = {"condition": 5, "column": 6, "and": 6, "nothing": 40, "draw": 2, "does": 2, "figure": 5, "look": 3}
"""Maximum number of pieces per kind in one question; 1 by default."""
MAX_VALUE_WORDS = 4
"""Maximum length of a value that is looked for."""
PAYMENT = "costs"
"""The wording of a column of payments that a verb means; as a plural, it is summed."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Tokens from `begin` to `end` with one meaning; `text` is their wording."""

    kind: str
    begin: int
    end: int
    value: Any = None
    cost: float = 0.5
    text: str = ""
    where: Any = None
    """A further condition on its rows."""

    @property
    def has_suffix(self) -> bool:
        """Whether a group is named as `block wise`."""
        return self.text.endswith("wise")

    @property
    def is_of_another(self) -> bool:
        """Whether a column is one of something: `of their country`."""
        return self.end - self.begin > len(self.text.split()) + 1


Way = tuple[float, tuple[Piece, ...]]


def covers(begin: int, end: int, pieces_at: Callable[[int], Sequence[Piece]]) -> list[Way]:
    """All sequences of pieces without gaps from `begin` to `end`, with their costs, cheapest first; pieces without
    meaning are left out."""
    ways: dict[int, list[Way]] = {begin: [(0.0, ())]}
    for at in range(begin, end):
        here = sorted(ways.pop(at, ()), key=lambda way: way[0])[:MAX_WAYS]
        pieces = pieces_at(at) if here else ()
        for cost, before in here:
            counts = Counter(each.kind for each in before)
            for piece in pieces:
                if piece.end <= end and counts[piece.kind] < MOST.get(piece.kind, 1):
                    kept = before if piece.kind == "nothing" else (*before, piece)
                    ways.setdefault(piece.end, []).append((cost + piece.cost, kept))
    return sorted(ways.get(end, ()), key=lambda way: way[0])
