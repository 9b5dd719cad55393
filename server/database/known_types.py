"""Connections that ask PostgreSQL only once in a process what its own types are."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import asyncpg
from cachetools import LRUCache

FIRST_OWN_OID = 10_000
"""Types with smaller numbers are the same in every database of every version of PostgreSQL. Those from here on are
numbered when PostgreSQL is built, when initdb runs, or when they are created."""

_known: LRUCache[frozenset[int], Any] = LRUCache(256)


class KnownTypesConnection(asyncpg.Connection):  # type: ignore[misc] # asyncpg has no types
    """asyncpg looks up arrays once on every connection, such as `text[]`: that takes longer than most questions."""

    async def _introspect_types(self, typeoids: Collection[int], timeout: float) -> tuple[Any, Any]:
        wanted = frozenset(typeoids)
        if max(wanted) >= FIRST_OWN_OID:
            found: tuple[Any, Any] = await super()._introspect_types(typeoids, timeout)
            return found
        if wanted not in _known:
            types, statement = await super()._introspect_types(typeoids, timeout)
            _known[wanted] = types
            return types, statement
        # The name tells asyncpg that no unnamed statement has replaced the one that is being prepared.
        return _known[wanted], SimpleNamespace(name="known")


class PlanningConnection(KnownTypesConnection):
    """Plans statements as PostgreSQL sees fit, unless `plan_once` says otherwise."""

    _plans_once: bool | None = False
    """None while it changes."""

    async def plan_once(self, wanted: bool) -> None:
        """Whether a statement is planned once for all arguments, which saves more than half a millisecond at each
        execution, or for the arguments at hand where PostgreSQL expects a better plan from them."""
        if self._plans_once is not wanted:
            self._plans_once = None
            await self.execute(f"SET plan_cache_mode = {'force_generic_plan' if wanted else 'auto'}")
            self._plans_once = wanted
