"""How many HTTP requests a network address may send: what comes faster is answered 429 before any work is done for it.
It may also have only so many connections open, each of which takes a file descriptor.

Health checks have a separate rate, so that a load balancer is answered whatever else its address sends.
Polled sockets count here, and have further limits (server/sockets/limits.py)."""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from typing import Any

from aiohttp import web

from server import fault_texts
from server.http.errors import Handler, fault_response
from server.http.middleware.proxies import shared_address
from server.http.middleware.unread_answers import BoundedConnection
from server.maps.faults import RequestFault
from server.maps.rates import AddressBuckets

BURST_S = 10.0
"""Seconds' worth of requests that may come at once: opening a map of many layers asks for hundreds of tiles."""
SEARCHES_WINDOW_S = 60.0
HEALTH_CHECKS = ("/healthz", "/readyz")
HEALTH_RATE = (10.0, 100.0)
"""Checks of one address a second, and at once: many times what load balancers and orchestrators ask."""
REFUSAL_DELAY_S = 1.0
"""Delay of a refusal, so that a client that asks again at once costs next to nothing."""
MAX_CONNECTIONS = 2_500
"""Limit for one network address, besides its WebSockets: as many as requests that may come at once by default."""
MAX_DELAYED = 100
"""Refusals of an address that are held back at the same time; further ones end their connection."""


class RequestRates:
    """How fast network addresses may send requests: `rate` a second; and how many connections each may have. 0 means no
    limit."""

    def __init__(self, rate: float, connections: float = 0) -> None:
        self._all = AddressBuckets(rate, rate * BURST_S)
        self._checks = AddressBuckets(*HEALTH_RATE if rate else (0.0, 0.0))
        self._delayed: Counter[str] = Counter()
        self._most_connections = connections
        self._connections: Counter[str] = Counter()

    def wait(self, address: str, path: str = "") -> float:
        """Count a request; 0 when it may pass, else after how many seconds to try again."""
        return (self._checks if path in HEALTH_CHECKS else self._all).take(address)

    def connects(self, address: str) -> bool:
        """Count a new connection of the address; False when it has enough."""
        if self._most_connections and self._connections[address] >= self._most_connections:
            return False
        self._connections[address] += 1
        return True

    def disconnects(self, address: str) -> None:
        """A counted connection has ended, or has become a WebSocket, which has other limits."""
        self._connections[address] -= 1
        if not self._connections[address]:
            del self._connections[address]

    async def hold_back(self, address: str) -> bool:
        """Wait before a refusal is sent; returns whether its connection may stay open."""
        if self._delayed[address] >= MAX_DELAYED:
            return False
        self._delayed[address] += 1
        try:
            await asyncio.sleep(REFUSAL_DELAY_S)
        finally:
            self._delayed[address] -= 1
            if not self._delayed[address]:
                del self._delayed[address]
        return True


def limit_requests(rates: RequestRates) -> Any:
    """Middleware that refuses what an address asks too fast."""

    @web.middleware
    async def limit(request: web.Request, handler: Handler) -> web.StreamResponse:
        address = shared_address(request)
        if isinstance(request.protocol, BoundedConnection):
            request.protocol.client = address
        wait = rates.wait(address, request.path)
        if wait <= 0:
            return await handler(request)
        fault = too_many("requests", wait)
        response = fault_response(fault.code, fault.message)
        response.headers["Retry-After"] = str(math.ceil(wait))
        if not await rates.hold_back(address):
            response.force_close()
        return response

    return limit


class SearchLimits:
    """How many searches an address may have ranked by the embedding model; 0 a minute means no limit."""

    def __init__(self, per_minute: float) -> None:
        self._addresses = AddressBuckets(per_minute / SEARCHES_WINDOW_S, per_minute)

    def check(self, request: web.Request) -> None:
        """Count a search. Raises RequestFault `rate_limited`."""
        wait = self._addresses.take(shared_address(request))
        if wait > 0:
            raise too_many("searches", wait)


def too_many(what: str, wait: float) -> RequestFault:
    """The fault of an address that asks too fast."""
    seconds = math.ceil(wait)
    return RequestFault("rate_limited", fault_texts.RATE_LIMITED(what=what, seconds=seconds), seconds)
