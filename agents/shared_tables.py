"""Keeps what is worked out from the tables that every map may read, of which there may be thousands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from agents.domain import Table

T = TypeVar("T")


class KeptForShared(Generic[T]):
    """Calls `make` once for each sequence that `TableRegistry.shared` returns, and not for each turn."""

    def __init__(self, make: Callable[[Sequence[Table]], T]) -> None:
        self._make = make
        self._kept: tuple[Sequence[Table], T] | None = None

    def __call__(self, shared: Sequence[Table]) -> T:
        kept = self._kept
        if kept is None or kept[0] is not shared:
            self._kept = kept = (shared, self._make(shared))
        return kept[1]
