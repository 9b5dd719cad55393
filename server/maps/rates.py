"""Token buckets, and how fast network addresses may add to the logs of maps."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from cachetools import LRUCache

from agents.worded import Template
from server.maps.faults import RequestFault

RATE_SPACE = Template(
    "map_rate_space",
    "Changes from this network address take too much space. Try again in "
    "{seconds|one=# second|other=# seconds}.",
)

MAX_ADDRESSES = 10_000
"""Addresses whose rates are kept; the one that asked least recently is forgotten."""
WRITTEN_BYTES = (100 * 1024, 20 * 1024 * 1024)
"""Bytes per second of an address in the long run, and at once: dragging a slider takes about 50 kB per second. The log
keeps everything, so this bounds how fast one address can fill the disk."""


class Bucket:
    """A token bucket: `rate` requests a second, and `burst` at once."""

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._burst = burst
        self._clock = clock
        self._left = burst
        self._at = clock()

    def take(self, amount: float = 1) -> float:
        """0 when so much may pass now, else the seconds until it may."""
        amount = min(amount, self._burst)
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._at) * self._rate)
        self._at = now
        if self._left < amount:
            return (amount - self._left) / self._rate
        self._left -= amount
        return 0


class AddressBuckets:
    """A token bucket for each network address; a rate of 0 means no limit."""

    def __init__(self, rate: float, burst: float) -> None:
        self._rate = rate
        self._burst = burst
        self._buckets: LRUCache[str, Bucket] = LRUCache(MAX_ADDRESSES)

    def take(self, address: str, amount: float = 1) -> float:
        """0 when an address may have so much now, else the seconds until it may."""
        if self._rate <= 0 or not address:
            return 0
        bucket = self._buckets.get(address)
        if bucket is None:
            bucket = self._buckets[address] = Bucket(self._rate, self._burst)
        return bucket.take(amount)


class WrittenBytes:
    """How fast network addresses add to the log by hand; `factor` scales the rate, and 0 means no limit."""

    def __init__(self, factor: float = 0.0) -> None:
        rate, burst = WRITTEN_BYTES
        self._addresses = AddressBuckets(rate * factor, burst)

    def take(self, address: str, size: int) -> None:
        """Count what an address wants to write. Raises RequestFault `rate_limited`."""
        wait = self._addresses.take(address, size)
        if wait > 0:
            seconds = math.ceil(wait)
            raise RequestFault("rate_limited", RATE_SPACE(seconds=seconds), seconds)
