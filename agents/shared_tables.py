"""Caches what is computed from the tables that every map may read, of which there may be thousands, and merges in
the tables of one map."""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from agents.domain import Table

T = TypeVar("T")


class KeptForShared(Generic[T]):
    """Calls `make` once for each sequence, such as `TableRegistry.shared` returns, and not for each turn."""

    def __init__(self, make: Callable[[Sequence[Table]], T]) -> None:
        self._make = make
        self._kept: tuple[Sequence[Table], T] | None = None

    def __call__(self, shared: Sequence[Table]) -> T:
        kept = self._kept
        if kept is None or kept[0] is not shared:
            self._kept = kept = (shared, self._make(shared))
        return kept[1]


def merged(tables: tuple[Table, ...], more: Sequence[Table]) -> tuple[Table, ...]:
    """Both lists merged, sorted by id. Bisects for each new table: fast for 10,000 tables and a few more."""
    if not more:
        return tables
    found = list(tables)
    for table in more:
        insort(found, table, key=lambda each: each.id)
    return tuple(found)
