"""WebSockets without compression: a compressor and its opposite take 300 KB for each socket, and each would compress
the same events for itself."""

from __future__ import annotations

from typing import Any

from aiohttp.web import WebSocketResponse
from engineio.async_drivers.aiohttp import WebSocket


class UncompressedWebSocket(WebSocket):  # type: ignore[misc]  # python-engineio has no types
    """What Engine.IO talks to a browser through."""

    async def __call__(self, environ: dict[str, Any]) -> WebSocketResponse:
        self._sock = WebSocketResponse(max_msg_size=self.server.max_http_buffer_size, compress=False)
        await self._sock.prepare(environ["aiohttp.request"])
        self.environ = environ
        await self.handler(self)
        return self._sock
