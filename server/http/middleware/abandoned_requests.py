"""Stops requests whose client has disconnected, and with them their statements in PostgreSQL.

aiohttp does not report a disconnected client to handlers, so the connection is polled. Only reads are stopped:
a write is finished, because a client that lost its connection does not know whether it took effect."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

from aiohttp import web

from server.http.errors import Handler

T = TypeVar("T")

POLL_INTERVAL_S = 0.05
"""Interval of checking whether the client is connected; until then its statement takes processor time from others."""
CLIENT_CLOSED_REQUEST = 499
"""Status for the log only; nginx uses the same number."""


class ClientGone(Exception):
    """The client disconnected before the answer was ready."""


@web.middleware
async def stop_abandoned_reading(request: web.Request, handler: Handler) -> web.StreamResponse:
    """Middleware: cancels the handler of a `GET /api/...` when its client disconnects. Other handlers cancel work of
    theirs; it ends their requests, too."""
    is_read = request.method == "GET" and request.path.startswith("/api/")
    answering = handler(request)
    try:
        return await (cancel_if_client_leaves(request, answering) if is_read else answering)
    except ClientGone:
        return web.Response(status=CLIENT_CLOSED_REQUEST)


async def cancel_if_client_leaves(request: web.Request, work: Awaitable[T]) -> T:
    """The work's result. Cancels the work and raises ClientGone if the client disconnects first."""
    watch = ClientWatch(request)
    try:
        return await work
    except asyncio.CancelledError:
        if watch.is_gone and watch.task.uncancel() == 0:
            raise ClientGone from None
        raise
    finally:
        watch.end()


class ClientWatch:
    """Cancels the current task when the client disconnects. After `end` nothing here refers to itself: the answer,
    which the task holds, would stay in memory until the next garbage collection."""

    def __init__(self, request: web.Request) -> None:
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine makes this
        self.task = task
        self.is_gone = False
        self._request = request
        self._check_later()

    def end(self) -> None:
        """Stop watching; the task is not cancelled any more."""
        self._timer.cancel()

    def _check_later(self) -> None:
        self._timer = asyncio.get_running_loop().call_later(POLL_INTERVAL_S, self._check)

    def _check(self) -> None:
        if self._request.transport is None or self._request.transport.is_closing():
            self.is_gone = True
            self.task.cancel()
        else:
            self._check_later()
