"""Connections that ask PostgreSQL only once in a process what its own types are."""

from __future__ import annotations

from collections.abc import Collection
from types import SimpleNamespace
from typing import Any

import asyncpg

FIRST_OWN_OID = 16_384
"""Types with smaller numbers come with PostgreSQL, and are the same in every database."""

_known: dict[frozenset[int], Any] = {}


class Connection(asyncpg.Connection):  # type: ignore[misc] # asyncpg has no types
    """asyncpg looks up arrays once on every connection, such as `text[]`: that takes longer than most questions."""

    async def _introspect_types(self, typeoids: Collection[int], timeout: float) -> tuple[Any, Any]:
        wanted = frozenset(typeoids)
        if max(wanted) >= FIRST_OWN_OID:
            found: tuple[Any, Any] = await super()._introspect_types(typeoids, timeout)
            return found
        if wanted not in _known:
            _known[wanted], statement = await super()._introspect_types(typeoids, timeout)
            return _known[wanted], statement
        # The name says that no statement without a name has taken the place of the one that is being prepared.
        return _known[wanted], SimpleNamespace(name="known")
