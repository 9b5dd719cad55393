"""One connected client: who it is to the others, the maps it joined and by which keys, and the order of its
requests."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from agents.worded import Template
from server.maps.access import Access
from server.maps.faults import RequestFault
from server.protocol import Someone
from server.sockets.limits import RateLimits

WAITING = Template("socket_waiting", "{n} requests of this connection are waiting already.")

MAX_MAPS = 50


class Connection:
    """`person` is the id that others on the map see; it has no meaning elsewhere. `address` is the network address of
    the client, for limits that all its connections share."""

    def __init__(self, sid: str, person: str, limits: RateLimits, address: str | None = None) -> None:
        self.sid = sid
        self.address = address
        self.person = person
        self.name = ""
        self.limits = limits
        self.maps: dict[str, Access] = {}
        """The joined maps, by the key with which each was joined."""
        self.is_open = True
        self._order = asyncio.Lock()
        self._waiting = 0
        self._reading: set[asyncio.Task[Any]] = set()

    def end(self) -> None:
        """The client has disconnected: stop pending reads for it."""
        self.is_open = False
        for task in self._reading:
            task.cancel()

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Let the end of the connection cancel this task while it is in the block."""
        task = asyncio.current_task()
        assert task is not None  # noqa: S101 - requests are handled in tasks
        self._reading.add(task)
        try:
            yield
        finally:
            self._reading.discard(task)

    @asynccontextmanager
    async def in_order(self, limit: int) -> AsyncIterator[None]:
        """Run a request after all earlier ones, of which at most `limit` may wait."""
        if self._waiting >= limit:
            raise RequestFault("rate_limited", WAITING(n=limit), 1.0)
        self._waiting += 1
        try:
            async with self._order:
                yield
        finally:
            self._waiting -= 1

    def is_on(self, map_id: str) -> bool:
        """Whether the connection has joined the map, by its id or a view key."""
        return any(access.map_id == map_id for access in self.maps.values())

    def someone(self, access: Access) -> Someone:
        """This connection as the others on the map see it."""
        return Someone(id=self.person, name=self.name, viewer=not access.may_change)
