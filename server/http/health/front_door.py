"""Listens from the first moment of a start. Until the server is ready, `/healthz` says that the process is alive, and
everything else answers 503: so an orchestrator does not restart a server that waits for PostgreSQL or for the
migration of another server."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from aiohttp import web

from server.http.errors import fault_response
from server.http.health.process import Protocols, health_process
from server.http.health.routes import ALIVE, health_answer, readiness

BACKLOG = 1024
"""Connections that may wait to be accepted."""
RETRY_AFTER_S = 2
CLOSE_TIMEOUT_S = 1.0
"""Time for answers that are being written when the server becomes ready."""


class FrontDoor:
    """The listening sockets, and what serves their connections: first this module, after `open` the server."""

    def __init__(self) -> None:
        self._starting = web.Server(while_starting, access_log=None)
        self._protocols: Protocols = self._starting
        self._stack = AsyncExitStack()
        self.port = 0

    def __call__(self) -> asyncio.BaseProtocol:
        """The protocol of a new connection."""
        return self._protocols()

    async def listen(self, host: str, port: int) -> None:
        """Take connections on the port, or on a free one where `port` is 0. Raises OSError where it is in use."""
        listening = await asyncio.get_running_loop().create_server(
            self, host, port, reuse_address=True, backlog=BACKLOG
        )
        self._stack.callback(listening.close)
        self.port = listening.sockets[0].getsockname()[1]
        descriptors = [each.fileno() for each in listening.sockets]
        await self._stack.enter_async_context(health_process(descriptors, self))

    async def open(self, protocols: Protocols) -> None:
        """Let the server have all new connections."""
        self._protocols = protocols
        await self._starting.shutdown(CLOSE_TIMEOUT_S)

    async def close(self) -> None:
        """Take no more connections. May be called again."""
        await self._stack.aclose()


async def while_starting(request: web.BaseRequest) -> web.StreamResponse:
    """Answers for a server that is not ready. Each connection ends, so that the next one reaches the server."""
    if request.path == "/healthz":
        response = health_answer(200, ALIVE)
    elif request.path == "/readyz":
        response = health_answer(*readiness({"start": "the server is starting"}))
    else:
        response = fault_response("unavailable", "GeoAgent is starting. Try again in a moment.")
    if response.status == web.HTTPServiceUnavailable.status_code:
        response.headers["Retry-After"] = str(RETRY_AFTER_S)
    response.force_close()
    return response
