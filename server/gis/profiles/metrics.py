"""The part of `/metrics` about table profiles."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from server.gis.profiles.worker import ProfileWorker


class ProfileMetrics(Collector):
    """Measures of the worker that profiles tables, for Prometheus."""

    def __init__(self, worker: ProfileWorker) -> None:
        self._worker = worker

    def collect(self) -> Iterator[Metric]:
        worker = self._worker
        yield CounterMetricFamily(
            "geoagent_profiles_measured", "Tables measured by this server.", value=worker.measured
        )
        yield CounterMetricFamily(
            "geoagent_profiles_failed", "Tables that could not be measured.", value=worker.failed
        )
        yield CounterMetricFamily(
            "geoagent_overviews_built", "Tables whose overviews this server built.", value=worker.built
        )
        yield CounterMetricFamily(
            "geoagent_profile_seconds",
            "Seconds spent on measuring tables and on building their overviews.",
            value=worker.busy_s,
        )
        yield GaugeMetricFamily(
            "geoagent_profiled_tables",
            "Tables on followed maps, which are kept measured.",
            value=worker.waiting,
        )
