"""How often layers are drawn again while the rows of their tables change."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

MAX_INTERVAL_S = 30.0
QUICK_UPDATES = 10
"""Edits in a row that are shown at once, before updates become rarer."""
QUIET_S = 10.0
"""After its interval and this time without a change, a layer is drawn at once again."""

Key = tuple[str, str]
"""A map and a layer of it."""


@dataclass
class _Pace:
    last: float
    interval: float
    updates: int = 1


class Paces:
    """The time between two updates of a layer: `interval` for the first QUICK_UPDATES in a row, then twice as long each
    time, up to MAX_INTERVAL_S, as long as the changes go on."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._of: dict[Key, _Pace] = {}

    def keep(self, keys: Collection[Key]) -> None:
        """Forget all other layers."""
        self._of = {key: pace for key, pace in self._of.items() if key in keys}

    def is_time(self, key: Key, now: float) -> bool:
        """Whether a change of the layer is to be shown now; then it counts as shown."""
        pace = self._of.get(key)
        if pace is None or now - pace.last > pace.interval + QUIET_S:
            self._of[key] = _Pace(now, self._interval)
            return True
        if now - pace.last < pace.interval:
            return False
        factor = 1 if pace.updates < QUICK_UPDATES else 2
        self._of[key] = _Pace(now, min(MAX_INTERVAL_S, pace.interval * factor), pace.updates + 1)
        return True
