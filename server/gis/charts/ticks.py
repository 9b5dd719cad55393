"""Readable edges of bins: steps of 1, 2 or 5, or of whole minutes, days, months or years. Pure functions."""

from __future__ import annotations

import math
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise

from agents.charts import MAX_BINS

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECONDS = [1, 5, 15, 30, 60, 300, 900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 604_800]
_MONTHS = [1, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000]


def number_edges(low: float, high: float, wanted: int, whole: bool) -> tuple[float, ...]:
    """The edges of about `wanted` equal bins from `low` to `high`. With `whole`, for integers: bins are at
    least 1 wide, and the greatest value lies below the last edge."""
    if low == high:
        half = 0.5 if whole else max(abs(low) * 0.05, 0.5)
        return (low, low + 1) if whole else (low - half, low + half)
    # Divided first: the distance of two doubles may be more than a double holds.
    step = _step(high / wanted - low / wanted + (1 / wanted if whole else 0))
    step = max(step, 1.0) if whole else step
    if step == 0 or not math.isfinite(low / step):
        return (low, high)
    first = math.floor(low / step)
    last = math.floor(high / step) + 1 if whole else max(math.ceil(high / step), first + 1)
    # Integer multiples of the step, so that edges are round numbers.
    edges = tuple(_clean(index, step) for index in range(first, last + 1))
    if len(edges) > 2 * MAX_BINS or any(a >= b for a, b in pairwise(edges)):
        # The numbers are so close together, for their size, that doubles cannot represent distinct round edges.
        return (low, high)
    return edges


def month_edges(low: float, high: float, months: int) -> tuple[float, ...]:
    """The edges of bins of so many months each, for seconds since 1970 in UTC."""
    return tuple(_month_edges(low, high, months))


def time_edges(low: float, high: float, wanted: int) -> tuple[float, ...]:
    """Like `number_edges`, for seconds since 1970 in UTC, on calendar steps."""
    span = max(high - low, 1.0) / max(wanted, 1)
    if span <= _SECONDS[-1]:
        step = next(each for each in _SECONDS if each >= span)
        # Weeks begin on Mondays; 1970 began on a Thursday.
        shift = 4 * 86_400 if step == 604_800 else 0
        first = math.floor((low - shift) / step)
        last = math.floor((high - shift) / step) + 1
        return tuple(float(index * step + shift) for index in range(first, last + 1))
    months = next((each for each in _MONTHS if each * 2_629_746 >= span), _MONTHS[-1])
    return month_edges(low, high, months)


def _month_edges(low: float, high: float, months: int) -> Iterator[float]:
    start = EPOCH + timedelta(seconds=low)
    index = (start.year * 12 + start.month - 1) // months
    while True:
        year, month = divmod(index * months, 12)
        if year < 1:
            edge = (datetime.min.replace(tzinfo=UTC) - EPOCH).total_seconds()
        elif year > 9999:
            yield high + 1
            return
        else:
            edge = (datetime(year, month + 1, 1, tzinfo=UTC) - EPOCH).total_seconds()
        yield edge
        if edge > high:
            return
        index += 1


def _step(rough: float) -> float:
    """The smallest of 1, 2, 5 times a power of ten that is at least `rough`."""
    if not rough > 0:
        return 0.0
    power = 10.0 ** min(math.floor(math.log10(rough)), 307)
    return next((factor * power for factor in (1, 2, 5) if factor * power >= rough * (1 - 1e-9)), 10 * power)


def _clean(index: int, step: float) -> float:
    digits = max(0, 1 - math.floor(math.log10(step)))
    return round(index * step, min(digits, 300))
