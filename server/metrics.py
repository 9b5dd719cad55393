"""Gauges of a server for `/metrics`, each read when Prometheus asks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from prometheus_client import CollectorRegistry, PlatformCollector, ProcessCollector
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

Gauge = tuple[str, Callable[[], float]]
"""Its help text, and the function that reads it."""


class Gauges(Collector):
    """Numbers that are read when Prometheus asks."""

    def __init__(self, gauges: Mapping[str, Gauge]) -> None:
        self._gauges = gauges

    def collect(self) -> Iterator[Metric]:
        for name, (meaning, read) in self._gauges.items():
            yield GaugeMetricFamily(f"geoagent_{name}", meaning, value=read())

    def describe(self) -> Iterable[Metric]:
        return [GaugeMetricFamily(f"geoagent_{name}", meaning) for name, (meaning, _) in self._gauges.items()]


def registry_of(gauges: Mapping[str, Gauge]) -> CollectorRegistry:
    """A registry of this server alone, so that several can live in one process."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    registry.register(Gauges(gauges))
    return registry
