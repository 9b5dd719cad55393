"""How many HTTP requests a network address may send: what comes faster is answered 429 before any work is done for it.

Socket.IO has rates of its own (server/sockets/limits.py). Health checks are not counted, and tiles in memory are
answered before this.
"""

from __future__ import annotations

import math
from typing import Any

from aiohttp import web

from server.http.errors import Handler, HttpFault, fault_response
from server.maps.rates import AddressBuckets
from server.sockets.limits import shared_address

BURST_S = 10.0
"""Seconds' worth of requests that may come at once: opening a map of many layers asks for hundreds of tiles."""
SEARCHES_WINDOW_S = 60.0
NOT_COUNTED = ("/socket.io/", "/healthz", "/readyz")


def limit_requests(rate: float) -> Any:
    """Middleware for so many requests per second of an address; 0 is no limit."""
    addresses = AddressBuckets(rate, rate * BURST_S)

    @web.middleware
    async def limit(request: web.Request, handler: Handler) -> web.StreamResponse:
        if not request.path.startswith(NOT_COUNTED):
            wait = addresses.take(shared_address(request))
            if wait > 0:
                fault = too_many("requests", wait)
                response = fault_response(fault.code, fault.message)
                response.headers["Retry-After"] = str(math.ceil(wait))
                return response
        return await handler(request)

    return limit


class SearchLimits:
    """How many searches an address may have ranked by the embedding model; 0 a minute is no limit."""

    def __init__(self, per_minute: float) -> None:
        self._addresses = AddressBuckets(per_minute / SEARCHES_WINDOW_S, per_minute)

    def check(self, request: web.Request) -> None:
        """Count a search. Raises HttpFault `rate_limited`."""
        wait = self._addresses.take(shared_address(request))
        if wait > 0:
            raise too_many("searches", wait)


def too_many(what: str, wait: float) -> HttpFault:
    """The fault of an address that asks too fast."""
    seconds = math.ceil(wait)
    return HttpFault(
        "rate_limited", f"Too many {what} from this network address. Try again in {seconds} seconds.", seconds
    )
