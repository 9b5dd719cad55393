"""How fast one connection may ask: a token bucket per kind of request."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

from server.maps.faults import MapFault

RATES: Mapping[str, tuple[float, float]] = {
    "chat": (1.0, 20.0),
    "join": (2.0, 30.0),
    "receipt": (50.0, 500.0),
    "view": (20.0, 200.0),
    "find_place": (2.0, 20.0),
    "other": (15.0, 150.0),
}
"""Requests per second in the long run, and how many at once."""


class Bucket:
    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left = burst
        self._at = clock()

    def take(self) -> bool:
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimits:
    """`factor` scales all rates; 0 switches them off."""

    def __init__(self, factor: float = 1.0) -> None:
        self._buckets = (
            {kind: Bucket(rate * factor, burst * factor) for kind, (rate, burst) in RATES.items()}
            if factor > 0
            else {}
        )

    def check(self, event: str) -> None:
        bucket = self._buckets.get(event) or self._buckets.get("other")
        if bucket is not None and not bucket.take():
            raise MapFault("rate_limited", "Too many requests from this connection. Wait a moment.")
