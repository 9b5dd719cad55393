"""Stops requests whose client has disconnected, and with them their statements in PostgreSQL.

aiohttp does not report a disconnected client to handlers, so the connection is polled. Only reads are stopped:
a write is finished, because a client that lost its connection does not know whether it took effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from aiohttp import web

from server.http.errors import Handler

T = TypeVar("T")

POLL_INTERVAL_S = 0.25
CLIENT_CLOSED_REQUEST = 499
"""Status for the log only; nginx uses the same number."""


class ClientGone(Exception):
    """The client disconnected before the answer was ready."""


@web.middleware
async def stop_abandoned_reading(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Middleware for `GET /api/...`: cancels the handler when its client disconnects."""
    if request.method != "GET" or not request.path.startswith("/api/"):
        return await handler(request)
    try:
        return await cancel_if_client_leaves(request, handler(request))
    except ClientGone:
        return web.Response(status=CLIENT_CLOSED_REQUEST)


async def cancel_if_client_leaves(request: web.Request, work: Awaitable[T]) -> T:
    """The work's result. Cancels the work and raises ClientGone if the client disconnects first."""
    task = asyncio.ensure_future(work)
    try:
        while not (await asyncio.wait({task}, timeout=POLL_INTERVAL_S))[0]:
            if request.transport is None or request.transport.is_closing():
                raise ClientGone
        return task.result()
    finally:
        task.cancel()
