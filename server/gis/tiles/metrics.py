"""Metrics of the tiles of one server. Register a `TileMetrics` with that server's registry."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.core import Metric
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.registry import Collector

BUCKETS = (0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class TileMetrics(Collector):
    """Measures of the tile service, for Prometheus."""

    def __init__(self) -> None:
        self.requests = Counter(
            "geoagent_tile_requests",
            "Tiles asked for: hit (in memory), miss (from PostGIS), joined (another's miss), error.",
            ["result"],
            registry=None,
        )
        self.seconds = Histogram(
            "geoagent_tile_seconds", "Time that PostGIS took for a tile.", buckets=BUCKETS, registry=None
        )
        self.bytes = Counter(
            "geoagent_tile_bytes", "Bytes of compressed tiles that were sent.", registry=None
        )
        self.cached_bytes = Gauge(
            "geoagent_tile_cache_bytes", "Bytes of tiles in the memory cache.", registry=None
        )
        self.abandoned = Counter(
            "geoagent_tiles_abandoned", "Tiles cancelled because no client waited any more.", registry=None
        )

    def collect(self) -> Iterator[Metric]:
        yield from (metric for each in self._all() for metric in each.collect())

    def describe(self) -> Iterable[Metric]:
        return [metric for each in self._all() for metric in each.describe()]

    def _all(self) -> tuple[MetricWrapperBase, ...]:
        return (self.requests, self.seconds, self.bytes, self.cached_bytes, self.abandoned)
