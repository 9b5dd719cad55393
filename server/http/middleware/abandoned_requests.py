"""Stops the work for requests whose client has gone, and with it their statements in PostgreSQL.

aiohttp does not tell a handler that its client left, so the connection is looked at from time to time. Only
reading is stopped: what changes something is finished, because a client that lost its connection does not know
whether it was done.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from aiohttp import web

from server.http.errors import Handler

T = TypeVar("T")

LOOK_INTERVAL_S = 0.25
CLIENT_CLOSED_REQUEST = 499
"""Nobody sees it; proxies' logs use the same number."""


class ClientGone(Exception):
    """Whoever asked does not wait for the answer any more."""


@web.middleware
async def stop_abandoned_reading(request: web.Request, handler: Handler) -> web.StreamResponse:
    if request.method != "GET" or not request.path.startswith("/api/"):
        return await handler(request)
    try:
        return await while_wanted(request, handler(request))
    except ClientGone:
        return web.Response(status=CLIENT_CLOSED_REQUEST)


async def while_wanted(request: web.Request, work: Awaitable[T]) -> T:
    """The work's result. Raises ClientGone, and cancels the work, when whoever asked has gone."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=LOOK_INTERVAL_S))[0]:
            if request.transport is None or request.transport.is_closing():
                raise ClientGone
        return task.result()
    finally:
        task.cancel()
