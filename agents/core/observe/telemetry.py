"""Counts and times of tools and models, kept in this process and readable at any moment.

Recording is a dictionary lookup and a few additions. `prometheus.py` and `tracing.py` export the same values."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Any

from agents.core.messages import Usage, total_cost

BUCKETS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
"""Upper bounds of the latency histogram, in seconds."""


class Series:
    """The counters of one tool or model: calls, errors by kind, a latency histogram."""

    __slots__ = ("buckets", "calls", "errors", "seconds")

    def __init__(self) -> None:
        self.calls = 0
        self.seconds = 0.0
        self.errors: dict[str, int] = {}
        self.buckets = [0] * (len(BUCKETS) + 1)

    def add(self, seconds: float, error: str | None) -> None:
        """Count one call of this duration; `error` is the kind of its error, None if it succeeded."""
        self.calls += 1
        self.seconds += seconds
        self.buckets[bisect_left(BUCKETS, seconds)] += 1
        if error is not None:
            self.errors[error] = self.errors.get(error, 0) + 1

    def read(self) -> dict[str, Any]:
        """The counters as plain values."""
        return {
            "calls": self.calls,
            "errors": dict(self.errors),
            "seconds": self.seconds,
            "mean_ms": self.seconds / self.calls * 1000 if self.calls else 0.0,
        }


class ModelSeries(Series):
    """A model's series also has its tokens and their price in US dollars.

    `cost` is None unless the price of all tokens is known."""

    __slots__ = ("cached_tokens", "cost", "input_tokens", "output_tokens", "reasoning_tokens")

    def __init__(self) -> None:
        super().__init__()
        self.input_tokens = self.output_tokens = self.cached_tokens = self.reasoning_tokens = 0
        self.cost: float | None = None

    def spend(self, usage: Usage) -> None:
        """Add the usage of one call."""
        self.cost = total_cost(self.cost, self.input_tokens + self.output_tokens, usage)
        self.input_tokens += usage.input_tokens
        self.output_tokens += usage.output_tokens
        self.cached_tokens += usage.cached_tokens
        self.reasoning_tokens += usage.reasoning_tokens

    def read(self) -> dict[str, Any]:
        """The counters as plain values, with tokens and cost."""
        return {
            **super().read(),
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cached_tokens": self.cached_tokens,
            "reasoning_tokens": self.reasoning_tokens,
            "cost": self.cost,
        }


@dataclass(slots=True)
class Telemetry:
    """One set of counters; agents share `telemetry` unless they are given their own."""

    tools: dict[str, Series] = field(default_factory=dict)
    models: dict[str, ModelSeries] = field(default_factory=dict)
    turns: dict[str, int] = field(default_factory=dict)
    """Finished turns by status."""
    tracing: Any = None
    """A `tracing.Tracing`, once OpenTelemetry is switched on."""

    def tool(self, name: str, seconds: float, error: str | None) -> None:
        """Count one call of a tool."""
        series = self.tools.get(name)
        if series is None:
            series = self.tools[name] = Series()
        series.add(seconds, error)

    def model(self, name: str, seconds: float, usage: Usage | None, error: str | None) -> None:
        """Count one call of a model; `usage` is None if it failed before any usage was known."""
        series = self.models.get(name)
        if series is None:
            series = self.models[name] = ModelSeries()
        series.add(seconds, error)
        if usage is not None:
            series.spend(usage)

    def turn(self, status: str) -> None:
        """Count one finished turn."""
        self.turns[status] = self.turns.get(status, 0) + 1

    def read(self) -> dict[str, Any]:
        """All counters as plain values."""
        return {
            "tools": {name: series.read() for name, series in self.tools.items()},
            "models": {name: series.read() for name, series in self.models.items()},
            "turns": dict(self.turns),
        }


telemetry = Telemetry()
"""The default counters of this process."""
