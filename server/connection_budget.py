"""How many database connections a server opens, and how they are divided among the lanes of `server.database.lanes`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

LISTENERS = 4
"""Connections outside of all lanes: LISTEN for tables, LISTEN for maps, the lock that marks this server as alive, and
one that ends statements of disconnected clients."""
BACKGROUND = 2
"""Connections of the profiler of tables: one measures, one holds the lock."""
LAKE_OVERVIEWS = 1
"""The connection that holds the lock while Spark computes the overviews of a lake table, if there is a Spark."""
SQL_SESSIONS = 2
"""Separate sessions for SQL that a model wrote, if that is enabled."""


@dataclass(frozen=True)
class ConnectionBudget:
    """How many connections each lane may open at once."""

    events: int
    """The event log: joins, chat, changes of maps."""
    interactive: int
    """Queries about data, by users and by the agent."""
    tiles: int
    analyses: int
    """Steps of analyses, and one connection to follow their progress."""
    exports: int
    uploads: int

    @classmethod
    def divide(cls, total: int, sql: bool = False, spark: bool = False) -> ConnectionBudget:
        """Divide `total` in fixed proportions; what rounding leaves goes to the lanes in order."""
        total -= LISTENERS + BACKGROUND + SQL_SESSIONS * sql + LAKE_OVERVIEWS * spark
        weights = sum(_WEIGHTS.values())
        places = {name: max(_LEAST[name], total * weight // weights) for name, weight in _WEIGHTS.items()}
        names = iter([*places] * total)
        while sum(places.values()) < total:
            places[next(names)] += 1
        while sum(places.values()) > total:
            places[max(places, key=lambda name: places[name] - _LEAST[name])] -= 1
        return cls(**places)

    @property
    def lanes(self) -> Mapping[str, int]:
        """Connections by name of lane."""
        return {each.name: getattr(self, each.name) for each in fields(self)}


_WEIGHTS = {"events": 6, "interactive": 6, "tiles": 6, "analyses": 5, "exports": 3, "uploads": 3}
_LEAST = {"events": 2, "interactive": 2, "tiles": 2, "analyses": 2, "exports": 1, "uploads": 1}
MIN_CONNECTIONS = sum(_LEAST.values()) + LISTENERS + BACKGROUND + SQL_SESSIONS + LAKE_OVERVIEWS
