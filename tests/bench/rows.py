"""One measurement in the table of `make bench`."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple


class Row(NamedTuple):
    what: str
    value: str
    note: str = ""


def milliseconds(seconds: Sequence[float]) -> str:
    """`p50 3.1 ms, p95 8.0 ms`."""
    return f"p50 {quantile(seconds, 50):.1f} ms, p95 {quantile(seconds, 95):.1f} ms"


def quantile(seconds: Sequence[float], percent: int) -> float:
    return statistics.quantiles(seconds, n=100, method="inclusive")[percent - 1] * 1000
