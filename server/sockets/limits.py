"""How fast one connection, and all connections of a network address together, may ask: a token bucket per kind of
request. A refusal says when to come again.

Limits of turns belong to network addresses (server/maps/turns/admission.py)."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable, Mapping

from cachetools import LRUCache

from server import fault_texts
from server.maps.faults import RequestFault
from server.maps.rates import MAX_ADDRESSES, AddressBuckets, Bucket

RATES: Mapping[str, tuple[float, float]] = {
    "chat": (1.0, 20.0),
    "join": (2.0, 30.0),
    "receipt": (50.0, 500.0),
    "view": (20.0, 200.0),
    "find_place": (2.0, 20.0),
    "export": (0.5, 10.0),
    "gesture": (20.0, 100.0),
    "copy": (0.2, 5.0),
    "other": (15.0, 150.0),
}
"""Requests per second in the long run, and how many at once."""


ADDRESS_FACTOR = 20.0
"""The rate of a network address, in connections' rates: the users of an office or a school share one address."""


class RateLimits:
    """`factor` scales all rates; 0 switches them off. `whose` names the limited party in the refusal."""

    def __init__(self, factor: float = 1.0, whose: str = "connection") -> None:
        self._factor = factor
        self._whose = whose
        self._buckets: dict[str, Bucket] = {}

    def check(self, event: str) -> None:
        """Count a request. Raises RequestFault `rate_limited`, with the seconds to wait."""
        wait = self._bucket(event if event in RATES else "other").take() if self._factor > 0 else 0.0
        if wait > 0:
            seconds = math.ceil(wait * 10) / 10
            raise RequestFault(
                "rate_limited", fault_texts.REQUESTS_LIMITED(whose=self._whose, seconds=seconds), seconds
            )

    def _bucket(self, kind: str) -> Bucket:
        """Created on first use: most connections only join and watch."""
        if kind not in self._buckets:
            rate, burst = RATES[kind]
            self._buckets[kind] = Bucket(rate * self._factor, burst * self._factor)
        return self._buckets[kind]


class AddressLimits:
    """The rates of network addresses, over all their connections."""

    def __init__(self, factor: float = 1.0) -> None:
        self._factor = factor * ADDRESS_FACTOR
        self._known: LRUCache[str, RateLimits] = LRUCache(MAX_ADDRESSES)

    def of(self, address: str) -> RateLimits:
        """The limits that all connections of an address share."""
        limits = self._known.get(address)
        if limits is None:
            limits = self._known[address] = RateLimits(self._factor, "network address")
        return limits


MAX_SOCKETS = 1000
"""Open at the same time from one network address, which a large office may share. Each takes a descriptor of the
process, and up to 8 MB where its client does not read."""
OPENED_SOCKETS = (20.0, 1000.0)
"""Sockets that one network address may open: per second, and at once, as after a restart of the server."""


class Openings:
    """How many sockets a network address may have, and how fast it may open them. `factor` scales both; 0 means no
    limit."""

    def __init__(self, factor: float = 0.0) -> None:
        rate, burst = OPENED_SOCKETS
        self._most = MAX_SOCKETS * factor
        self._addresses = AddressBuckets(rate * factor, burst * factor)

    def wait(self, address: str, others: Iterable[str]) -> float:
        """0 when the address may open a socket now, else after how many seconds to try again. `others` are the
        addresses of all sockets that are open; they are only counted where they may be too many."""
        if not self._most or not address:
            return 0
        if sum(other == address for other in others) >= self._most:
            return FULL_RETRY_AFTER_S
        return self._addresses.take(address)


FULL_RETRY_AFTER_S = 30.0
LARGE_MESSAGE_BYTES = 16 * 1024
"""Size from which on a message counts as large; most requests are smaller, except for drawn areas and long
filters."""
LARGE_MESSAGES_RATE = (256 * 1024, 2 * 1024 * 1024)
"""Bytes of large messages from one network address: per second, and in a burst. Reading one takes up to a millisecond
for each 4 kB, during which no other request is served."""


class LargeMessages:
    """How fast large messages of a network address are read: those that come faster wait in their connection."""

    def __init__(self, factor: float = 1.0) -> None:
        rate, burst = LARGE_MESSAGES_RATE
        self._addresses = AddressBuckets(rate * factor, burst)

    async def wait(self, address: str, size: int) -> bool:
        """Return when a message of so many bytes may be read; whether it had to wait."""
        if size <= LARGE_MESSAGE_BYTES:
            return False
        has_waited = False
        while seconds := self._addresses.take(
            address, size
        ):  # others may have taken the tokens in the meantime
            has_waited = True
            await asyncio.sleep(seconds)
        return has_waited
