"""Connections of tiles, which choose how PostgreSQL plans a prepared statement."""

from __future__ import annotations

from server.database.known_types import KnownTypesConnection


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
