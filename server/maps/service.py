"""Everything of server.maps for one server: the entry point for sockets, tiles and the composition root."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from cachetools import LRUCache

from agents.domain import Layer
from server.database.engines import Database
from server.gis.charts import Charts
from server.maps.access import ViewLinks
from server.maps.charts import CHART_SPACE, ChartService
from server.maps.comments import Comments
from server.maps.documents import Documents
from server.maps.layers.verbs import LayerService, LayerSource
from server.maps.live.hub import Hub
from server.maps.live.liveness import BEAT_INTERVAL_S, Liveness
from server.maps.log.event_log import EventLog
from server.maps.log.reader import MapReader
from server.maps.turns.admission import Limits
from server.maps.turns.queue import TurnStore
from server.maps.turns.runner import MAX_RUNNING_TURNS, AgentFactory, TurnRunner

MAX_CACHED_LAYERS = 2000


class MapService:
    """Start it once the database is migrated; close it before the database."""

    def __init__(
        self,
        database: Database,
        source: LayerSource,
        charts: Charts,
        agents: AgentFactory,
        *,
        log: EventLog | None = None,
        turns_at_once: int = MAX_RUNNING_TURNS,
        limits: Limits | None = None,
        model: str | None = None,
        chart_space: int = CHART_SPACE,
        beat: float = BEAT_INTERVAL_S,
    ) -> None:
        self.liveness = Liveness(database.url, self._beat, beat)
        self.log = log or EventLog(database.owner)
        self.hub = Hub(database, self.log, self.liveness)
        self.layers = LayerService(self.log, source)
        self.charts = ChartService(self.log, database.owner, charts, chart_space)
        self.turns = TurnStore(database.owner, self.log, self.liveness.id, limits, model)
        self.runner = TurnRunner(
            self.turns, self.hub, self.layers, self.charts, agents, self.liveness.id, turns_at_once
        )
        self.lookup = LayerLookup(self.log.reader)
        self.links = ViewLinks(database.owner)
        self.documents = Documents(self.log, database.owner, self.links)
        self.comments = Comments(self.log)
        self.on_links_checked: Callable[[], Awaitable[None]] | None = None
        """Called with every beat, and when a link was withdrawn here, to remove clients whose link is not valid any
        more."""
        self._closed = False

    async def start(self) -> None:
        """Start to deliver events and to answer turns."""
        await self.liveness.start()
        await self.hub.start()
        await self.runner.start(self.liveness.alive)

    async def close(self) -> None:
        """Stop turns, delivery and liveness. A second call does nothing."""
        if self._closed:
            return
        self._closed = True
        await self.runner.close()
        await self.hub.close()
        await self.liveness.close()

    async def check_links(self) -> None:
        """Disconnect users of view links that were withdrawn on another server."""
        if self.on_links_checked is not None:
            await self.on_links_checked()

    async def _beat(self, alive: frozenset[str]) -> None:
        await self.hub.beat(alive)
        await self.runner.beat(alive)
        await self.check_links()


class LayerLookup:
    """Any version of a layer that was ever announced. Versions never change, so results are cached."""

    def __init__(self, reader: MapReader) -> None:
        self._reader = reader
        self._cache: LRUCache[tuple[str, str, int], Layer] = LRUCache(MAX_CACHED_LAYERS)

    async def layer(self, map_id: str, layer_id: str, version: int) -> Layer | None:
        """The layer as it was at this version; None if it never had that version."""
        key = (map_id, layer_id, version)
        layer = self._cache.get(key)
        if layer is None:
            layer = await self._reader.layer(map_id, layer_id, version)
            if layer is not None:
                self._cache[key] = layer
        return layer

    async def current(self, map_id: str, layer_id: str) -> Layer | None:
        """The layer as it is now, None where the map has none of this id; RequestFault `unknown_map`."""
        return await self._reader.current_layer(map_id, layer_id)
