"""Decides which tile is drawn next.

Visitors (network addresses) are served one after another, and so are the maps of each; of one map the newest
request: it is what somebody looks at now. A visitor, a map and a table may each hold only a part of the
connections, so that none of them stops the others. Requests whose clients no longer wait leave the queue before
they start."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sized

from agents.worded import Template
from server.database.lanes import visitor
from server.gis.errors import GisError

BUSY = Template("tile_busy", "Too many tiles are being drawn. Try again in a moment.")
MAX_WAITING = 600
"""Tiles that wait at once; if there are more, the oldest request of the visitor with most of them is refused."""
RETRY_AFTER_S = 2.0


Drawn = tuple[str, str]
"""A table, and the filter of the layer that shows it, as JSON."""


class TileBusy(GisError):
    """No place became free in time. The same tile may be asked for again."""

    code = "busy"
    retry_after = RETRY_AFTER_S

    def __init__(self) -> None:
        super().__init__(BUSY())


class TileTooSlow(GisError):
    """The tile was not drawn in time; a later attempt may succeed."""

    code = "unavailable"
    retry_after = RETRY_AFTER_S


class TileRequest:
    """A request for a tile that waits, is drawn, or still occupies a connection after its time."""

    def __init__(self, map_id: str, table_id: str, zoom: int, filter_text: str = "") -> None:
        self.map_id, self.table_id, self.zoom = map_id, table_id, zoom
        self.visitor = visitor() or map_id
        self.drawn: Drawn = (table_id, filter_text)
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()


class TileQueue:
    """`size` tiles are drawn at once, at most two thirds of them of one map, half of them of one table, and all but one
    for one visitor."""

    name = "tiles"

    def __init__(self, size: int) -> None:
        self.size = size
        self.refused = 0
        self._per_map = max(1, size * 2 // 3)
        self._per_table = max(1, size // 2)
        self._per_visitor = max(1, size - 1)
        self._drawing: set[TileRequest] = set()
        self._waiting: OrderedDict[str, OrderedDict[str, list[TileRequest]]] = OrderedDict()
        """By visitor and map, each in the order in which it is served next."""

    @property
    def in_use(self) -> int:
        """Tiles that are being drawn."""
        return len(self._drawing)

    @property
    def waiting(self) -> int:
        """Requests that wait."""
        return sum(map(_count, self._waiting.values()))

    async def enter(
        self, map_id: str, table_id: str, zoom: int, wait: float, filter_text: str = ""
    ) -> TileRequest:
        """Wait for a place, which `leave` must give back. Raises TileBusy."""
        request = TileRequest(map_id, table_id, zoom, filter_text)
        if self.waiting >= MAX_WAITING:
            self._refuse_oldest()
        self._waiting.setdefault(request.visitor, OrderedDict()).setdefault(map_id, []).append(request)
        self._admit()
        if request.granted.done():
            return request
        try:
            async with asyncio.timeout(wait):
                await request.granted
        except BaseException as error:
            self._withdraw(request)
            if isinstance(error, TimeoutError):
                self.refused += 1
                raise TileBusy from None
            raise
        return request

    def leave(self, request: TileRequest) -> None:
        """Give back the place of a drawn tile."""
        self._drawing.discard(request)
        self._admit()

    def refuse(self, is_meant: Callable[[TileRequest], bool], error: Exception) -> None:
        """End the waiting of some requests with an error."""
        waiting = [each for maps in self._waiting.values() for requests in maps.values() for each in requests]
        for request in filter(is_meant, waiting):
            self._end(request, error)

    def _admit(self) -> None:
        while self.in_use < self.size:
            request = self._next()
            if request is None:
                return
            if not request.granted.done():  # else its caller has already given up
                self._drawing.add(request)
                self._waiting[request.visitor].move_to_end(request.map_id)
                self._waiting.move_to_end(request.visitor)
                request.granted.set_result(None)
            self._remove(request)

    def _next(self) -> TileRequest | None:
        """The newest request of the next map that has room, of the next visitor that has."""
        for name, maps in self._waiting.items():
            if sum(request.visitor == name for request in self._drawing) >= self._per_visitor:
                continue
            for map_id, requests in maps.items():
                if sum(request.map_id == map_id for request in self._drawing) >= self._per_map:
                    continue
                for request in reversed(requests):
                    if sum(other.table_id == request.table_id for other in self._drawing) < self._per_table:
                        return request
        return None

    def _withdraw(self, request: TileRequest) -> None:
        if request in self._drawing:
            self.leave(request)
        else:
            self._remove(request)

    def _remove(self, request: TileRequest) -> None:
        maps = self._waiting.get(request.visitor, OrderedDict())
        requests = maps.get(request.map_id, [])
        if request in requests:
            requests.remove(request)
            if not requests:
                del maps[request.map_id]
            if not maps:
                del self._waiting[request.visitor]

    def _refuse_oldest(self) -> None:
        most = max(self._waiting.values(), key=_count)
        self.refused += 1
        self._end(max(most.values(), key=len)[0], TileBusy())

    def _end(self, request: TileRequest, error: Exception) -> None:
        self._remove(request)
        if not request.granted.done():
            request.granted.set_exception(error)


def _count(maps: Mapping[str, Sized]) -> int:
    return sum(map(len, maps.values()))
