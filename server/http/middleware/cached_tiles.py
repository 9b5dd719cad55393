"""Answers tiles that are in memory as soon as a request has been parsed: no task, routes, middleware or signals.

Only addresses with the map's own id are answered, since anyone with that id may see the map. Addresses with a view key,
requests from pages of other origins, those that end their connection, and those of clients that still have an answer to
take, go the usual path."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from http import HTTPStatus
from typing import Any

from aiohttp import HttpVersion11, web
from aiohttp.helpers import rfc822_formatted_time
from aiohttp.http import SERVER_SOFTWARE, RawRequestMessage
from aiohttp.streams import EMPTY_PAYLOAD
from multidict import CIMultiDict

from server.gis.tiles.grid import Tile
from server.gis.tiles.service import DrawnTile, TileService
from server.http.middleware.proxies import Network, address_behind, counted_address, is_trusted
from server.http.middleware.request_rates import RequestRates
from server.http.middleware.security import HEADERS
from server.http.middleware.unread_answers import BoundedConnection, UnreadAnswers
from server.http.tiles import tile_answer
from server.origins import Origins

ADDRESS = re.compile(
    r"/tiles/([\w-]+)/([\w-]+)/(\d{1,9})/(\d{1,2})/(\d{1,7})/(\d{1,7})\.mvt(?:\?data=([\w.-]*)(?:&time=(\w*))?)?",
    re.ASCII,
)
NO_HEADERS: CIMultiDict[str] = CIMultiDict()
BODILESS = frozenset({204, 304})


def with_cached_tiles(
    server: web.Server,
    tiles: TileService,
    origins: Origins,
    rates: RequestRates | None = None,
    trusted: Sequence[Network] = (),
) -> Callable[[], web.RequestHandler]:
    """Makes the protocol of a new connection to a server. `trusted` are the networks of proxies."""
    parts = (tiles, origins, rates or RequestRates(0), trusted)
    return partial(Connection, server, UnreadAnswers(), *parts, loop=server._loop, **server._kwargs)


class Connection(BoundedConnection):
    """A connection that answers tiles that are in memory by itself while no other request is under way."""

    __slots__ = ("_origins", "_peer", "_rates", "_tiles", "_trusted")

    def __init__(
        self,
        server: web.Server,
        unread: UnreadAnswers,
        tiles: TileService,
        origins: Origins,
        rates: RequestRates,
        trusted: Sequence[Network],
        **settings: Any,
    ) -> None:
        super().__init__(server, unread, **settings)
        self._tiles = tiles
        self._origins = origins
        self._rates = rates
        self._trusted = trusted
        self._peer = ""
        """The address that this connection counts for."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        remote = _remote(transport)
        if not remote or is_trusted(remote, self._trusted):
            return
        peer = counted_address(address_behind(remote, NO_HEADERS, ()))
        if self._rates.connects(peer):
            self._peer = peer
        else:
            self.abort()

    def connection_lost(self, exc: BaseException | None) -> None:
        if self._peer:
            self._rates.disconnects(self._peer)
            self._peer = ""
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        waiter = self._waiter
        if waiter is None or waiter.done() or self._upgraded or self._payload_parser is not None:
            super().data_received(data)
            return
        # Parsed without waking the task that handles requests.
        self._waiter = None
        super().data_received(data)
        self._waiter = waiter
        if len(self._messages) == 1 and self._is_answered(*self._messages[0]):
            self._messages.clear()
            if self._parser is not None:
                self._parser.message_consumed()
            self._next_keepalive_close_time = self._loop.time() + self._keepalive_timeout
        elif self._messages and not waiter.done():
            waiter.set_result(None)

    def _is_answered(self, message: Any, payload: Any) -> bool:
        if (
            not isinstance(message, RawRequestMessage)
            or message.method != "GET"
            or message.version != HttpVersion11
            or message.should_close
            or message.upgrade
            or payload is not EMPTY_PAYLOAD
            or "Origin" in message.headers
            or self.transport is None
            or self.transport.get_write_buffer_size()
        ):
            return False
        found = _in_memory(self._tiles, message.path)
        if found is None or not self._origins.knows_host(message.headers.get("Host")):
            return False
        self.client = counted_address(address_behind(_remote(self.transport), message.headers, self._trusted))
        if self._rates.wait(self.client) > 0:
            return False
        self.transport.write(_written(*tile_answer(message.headers, found)))
        return True

    def _process_keepalive(self) -> None:
        """Closing would wait for a client that does not take the rest of an answer."""
        transport = self.transport
        super()._process_keepalive()
        if transport is not None and self._force_close and transport.get_write_buffer_size():
            transport.abort()


def _remote(transport: asyncio.BaseTransport) -> str:
    """The IP address of the connection; empty if unknown."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else ""


def _in_memory(tiles: TileService, path: str) -> DrawnTile | None:
    address = ADDRESS.fullmatch(path)
    if address is None:
        return None
    map_id, layer_id, version, z, x, y, tag, time_column = address.groups("")
    tile = Tile(int(z), int(x), int(y))
    return tiles.in_memory(map_id, layer_id, int(version), tile, time_column, tag)


def _written(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
    head = _head(status, tuple(headers.items()), len(body))
    return b"".join((head, f"Date: {rfc822_formatted_time()}\r\n\r\n".encode(), body))


@lru_cache(10_000)
def _head(status: int, headers: tuple[tuple[str, str], ...], length: int) -> bytes:
    """Status and headers, except the date."""
    lines = [
        f"HTTP/1.1 {status} {HTTPStatus(status).phrase}",
        *(f"{name}: {value}" for name, value in headers),
    ]
    if status not in BODILESS:
        lines.append(f"Content-Length: {length}")
    lines += [*(f"{name}: {value}" for name, value in HEADERS.items()), f"Server: {SERVER_SOFTWARE}", ""]
    return "\r\n".join(lines).encode()
