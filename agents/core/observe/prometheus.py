"""Telemetry for a Prometheus registry: `geoagent_tool_*`, `geoagent_model_*`, `geoagent_turns_total`.

Nothing is counted twice: a collector reads the in-process counters whenever Prometheus asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from agents.core.observe.telemetry import BUCKETS, Series, Telemetry
from agents.core.observe.telemetry import telemetry as shared

if TYPE_CHECKING:
    from prometheus_client.registry import CollectorRegistry


def register_prometheus(registry: CollectorRegistry, telemetry: Telemetry = shared) -> None:
    """Export `telemetry` through a `prometheus_client` registry."""
    registry.register(_Collector(telemetry))


class _Collector:
    """A collector for prometheus_client, which only requires these methods."""

    def __init__(self, telemetry: Telemetry) -> None:
        self.telemetry = telemetry

    def describe(self) -> Iterable[Any]:
        return []

    def collect(self) -> Iterator[Any]:
        from prometheus_client.core import CounterMetricFamily

        yield from _families("tool", self.telemetry.tools)
        models = self.telemetry.models
        yield from _families("model", models)
        tokens = CounterMetricFamily(
            "geoagent_model_tokens", "Tokens by model and kind", labels=["model", "kind"]
        )
        cost = CounterMetricFamily("geoagent_model_cost_dollars", "Price of model calls", labels=["model"])
        for name, series in list(models.items()):
            for kind in ("input", "output", "cached", "reasoning"):
                tokens.add_metric([name, kind], getattr(series, f"{kind}_tokens"))
            if series.cost is not None:
                cost.add_metric([name], series.cost)
        yield tokens
        yield cost
        turns = CounterMetricFamily("geoagent_turns", "Finished turns by status", labels=["status"])
        for status, count in list(self.telemetry.turns.items()):
            turns.add_metric([status], count)
        yield turns


def _families(kind: str, series_by_name: Mapping[str, Series]) -> Iterator[Any]:
    from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily

    errors = CounterMetricFamily(
        f"geoagent_{kind}_errors", f"Failed {kind} calls by kind of error", labels=[kind, "error"]
    )
    seconds = HistogramMetricFamily(f"geoagent_{kind}_seconds", f"Time of {kind} calls", labels=[kind])
    for name, series in list(series_by_name.items()):
        counts = list(accumulate(series.buckets))
        bounds = [*(repr(bound) for bound in BUCKETS), "+Inf"]
        seconds.add_metric([name], list(zip(bounds, counts, strict=True)), series.seconds)
        for error, count in list(series.errors.items()):
            errors.add_metric([name, error], count)
    yield seconds
    yield errors
