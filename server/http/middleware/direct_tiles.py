"""Answers tiles without routes, middleware and signals: those in memory as soon as a request has been parsed, others as
soon as they are drawn.

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

from server.database.lanes import work_for
from server.gis.tiles.grid import InvalidTile, Tile
from server.gis.tiles.service import TileService
from server.http.errors import failure
from server.http.middleware.proxies import Network, address_behind, counted_address, is_trusted
from server.http.middleware.request_rates import RequestRates
from server.http.middleware.security import HEADERS
from server.http.middleware.unread_answers import BoundedConnection, UnreadAnswers
from server.http.tiles import tile_answer
from server.maps.access import VIEW
from server.origins import Origins

TileArguments = tuple[str, str, int, Tile, str, str]
"""The arguments of `TileService.tile`."""
ADDRESS = re.compile(
    r"/tiles/([\w-]{1,64})/([\w-]{1,64})/(\d{1,9})/(\d{1,2})/(\d{1,7})/(\d{1,7})\.mvt(?:\?data=([\w.-]*)(?:&time=(\w*))?)?",
    re.ASCII,
)
NO_HEADERS: CIMultiDict[str] = CIMultiDict()
BODILESS = frozenset({204, 304})


def with_direct_tiles(
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
    """A connection that answers tile requests directly while no other request is in progress."""

    __slots__ = ("_drawing", "_origins", "_peer", "_rates", "_tiles", "_trusted")

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
        self._drawing: asyncio.Task[None] | None = None
        """Answers the first of the messages, the others wait."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Refuse a client that connects too often; a trusted proxy connects for many."""
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
        if self._drawing is not None:
            self._drawing.cancel()
        super().connection_lost(exc)

    async def shutdown(self, timeout: float | None = 15.0) -> None:
        """Finish the tile being drawn, for at most `timeout` seconds, and close."""
        if self._drawing is not None:
            await asyncio.wait([self._drawing], timeout=timeout)
        await super().shutdown(timeout)

    def data_received(self, data: bytes) -> None:
        """Answer a lone tile request here; leave anything else to aiohttp."""
        waiter = self._waiter
        if waiter is None or waiter.done() or self._upgraded or self._payload_parser is not None:
            super().data_received(data)
            return
        # Parsed without waking the task that handles requests.
        self._waiter = None
        super().data_received(data)
        self._waiter = waiter
        if self._drawing is None:
            self._process_message()

    def _process_message(self) -> None:
        """Answer a single message; leave any others to the task that handles requests."""
        message, payload = self._messages[0] if len(self._messages) == 1 else (None, None)
        if (
            not isinstance(message, RawRequestMessage)
            or (arguments := self._tile_request(message, payload)) is None
        ):
            self._pass_to_application()
            return
        found = self._tiles.in_memory(*arguments)
        if found is None:
            self._drawing = self._loop.create_task(self._draw(arguments, message))
        else:
            self._answer(_encode_response(*tile_answer(message.headers, found)))

    def _pass_to_application(self) -> None:
        if self._messages and self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _answer(self, answer: bytes) -> None:
        if self.transport is None:
            return
        self.transport.write(answer)
        self._messages.popleft()
        if self._parser is not None:
            self._parser.message_consumed()
        self._next_keepalive_close_time = self._loop.time() + self._keepalive_timeout

    async def _draw(self, arguments: TileArguments, message: RawRequestMessage) -> None:
        """Draw a tile that is not in memory and answer with it, or with the error."""
        work_for(arguments[0], self.client)
        try:
            self._answer(_encode_response(*tile_answer(message.headers, await self._tiles.tile(*arguments))))
        except asyncio.CancelledError:
            self.force_close()
            raise
        except Exception as error:
            fault = failure(error, message.path)
            body = fault.body if isinstance(fault.body, bytes) else b""
            self._answer(_encode_response(fault.status, fault.headers, body))
        finally:
            self._drawing = None
        self._pass_to_application()

    def _tile_request(self, message: RawRequestMessage, payload: Any) -> TileArguments | None:
        """The tile that is asked for; None where the request goes the usual path."""
        if (
            message.method != "GET"
            or message.version != HttpVersion11
            or message.should_close
            or message.upgrade
            or payload is not EMPTY_PAYLOAD
            or "Origin" in message.headers
            or self.transport is None
            or self.transport.get_write_buffer_size()
        ):
            return None
        arguments = _address(message.path)
        if arguments is None or not self._origins.knows_host(message.headers.get("Host")):
            return None
        self.client = counted_address(address_behind(_remote(self.transport), message.headers, self._trusted))
        return arguments if self._rates.wait(self.client) <= 0 else None

    def _process_keepalive(self) -> None:
        """Closing would wait for a client that does not take the rest of an answer. A connection whose tile is being
        drawn is not idle."""
        if self._drawing is not None:
            self._next_keepalive_close_time = self._loop.time() + self._keepalive_timeout
        transport = self.transport
        super()._process_keepalive()
        if transport is not None and self._force_close and transport.get_write_buffer_size():
            transport.abort()


def _remote(transport: asyncio.BaseTransport) -> str:
    """The IP address of the connection; empty if unknown."""
    peer = transport.get_extra_info("peername")
    return str(peer[0]) if isinstance(peer, tuple) else ""


def _address(path: str) -> TileArguments | None:
    """The tile at an address; None if the grid has no such tile or the address has a view key."""
    address = ADDRESS.fullmatch(path)
    if address is None or address[1].startswith(VIEW):
        return None
    map_id, layer_id, version, z, x, y, tag, time_column = address.groups("")
    try:
        return map_id, layer_id, int(version), Tile.at(int(z), int(x), int(y)), time_column, tag
    except InvalidTile:
        return None


def _encode_response(status: int, headers: Mapping[str, str], body: bytes) -> bytes:
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
