"""Class breaks of a numeric column from an even sample of it. Break `b` begins a class: `b <= value < next break`.

Duplicate breaks are merged, so there may be fewer classes than were asked for, down to one (no breaks
at all). Pure functions; `statistics` reads the sample."""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

import jenkspy

from agents.domain import ClassMethod
from server.gis.styles.numbers import rounded_down


def class_breaks(sample: Sequence[float], classes: int, method: ClassMethod, integers: bool) -> list[float]:
    """At most `classes - 1` rising breaks, each above the least and not above the greatest value of the sample.

    The sample is sorted and holds the least and the greatest value."""
    distinct = sorted(set(sample))
    if len(distinct) < 2:
        return []
    if len(distinct) <= classes:
        return _readable(distinct[1:], distinct, integers)
    if method == "equal":
        low, high = distinct[0], distinct[-1]
        if math.isinf((high - low) * classes):
            breaks = [low * (1 - step / classes) + high * (step / classes) for step in range(1, classes)]
        else:
            breaks = [low + (high - low) * step / classes for step in range(1, classes)]
        return _readable(breaks, distinct, integers)
    if method == "jenks":
        breaks = [_next_above(distinct, edge) for edge in _natural(sample, classes)]
    else:
        breaks = _quantiles(sample, distinct, classes)
    return _readable([_without_digits(each, distinct) for each in breaks], distinct, integers)


def _natural(sample: Sequence[float], classes: int) -> list[float]:
    """The greatest value of each class but the last. They are found among values up to 1, for their squares are added
    up, which a double can hold of no value beyond 1e154."""
    exponent = max(math.frexp(sample[0])[1], math.frexp(sample[-1])[1])
    scaled = [math.ldexp(value, -exponent) for value in sample]
    edges = jenkspy.jenks_breaks(scaled, n_classes=classes)
    return [sample[bisect.bisect_left(scaled, edge)] for edge in edges[1:-1]]


def _without_digits(value: float, distinct: Sequence[float]) -> float:
    """A shorter number that parts the values at the same place: above the value before this one."""
    before = distinct[bisect.bisect_left(distinct, value) - 1]
    return rounded_down(value, by_less_than=value - before)


def _quantiles(sample: Sequence[float], distinct: Sequence[float], classes: int) -> list[float]:
    """Values that part the sample evenly. Where many rows share a value, that value gets its own class."""
    breaks: list[float] = []
    for step in range(1, classes):
        value = sample[min(round(step * len(sample) / classes), len(sample) - 1)]
        if value == (breaks[-1] if breaks else distinct[0]):
            value = _next_above(distinct, value)
        if value > (breaks[-1] if breaks else distinct[0]):
            breaks.append(value)
    return breaks


def _next_above(distinct: Sequence[float], value: float) -> float:
    return distinct[min(bisect.bisect_right(distinct, value), len(distinct) - 1)]


def _readable(breaks: Sequence[float], distinct: Sequence[float], integers: bool) -> list[float]:
    """Breaks cut to the digits that matter, rising, none of them at or below the least value."""
    bounds = [distinct[0], *sorted(set(breaks)), distinct[-1]]
    result: list[float] = []
    for before, value, after in zip(bounds, bounds[1:-1], bounds[2:], strict=False):
        room = min(gap for gap in (value - before, after - value) if gap > 0) if after > before else 0.0
        cut = rounded_down(value, by_less_than=room / 100)
        if integers:
            cut = float(round(value) if room < 10 else int(cut))
        if cut > (result[-1] if result else distinct[0]):
            result.append(cut)
    return result
