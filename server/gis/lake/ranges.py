"""Least and greatest values of columns, and boxes, from the statistics of row groups."""

from __future__ import annotations

import datetime
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow.parquet as pq

Box = tuple[float, float, float, float]
"""West, south, east, north."""
Value = float | str
Range = tuple[Value, Value]


@dataclass(frozen=True)
class Ranges:
    """By the path of a column (`bbox.xmin`): numbers as they are, dates and times as PostgreSQL writes them."""

    values: dict[str, Range] = field(default_factory=dict)

    @classmethod
    def of_groups(cls, metadata: pq.FileMetaData) -> Ranges:
        """Columns without statistics in a group with rows are left out."""
        found: dict[str, Range] = {}
        unknown: set[str] = set()
        for number in range(metadata.num_row_groups):
            group = metadata.row_group(number)
            for place in range(group.num_columns):
                chunk = group.column(place)
                path = chunk.path_in_schema
                if path in unknown or group.num_rows == 0:
                    continue
                statistics = chunk.statistics
                if statistics is not None and statistics.null_count == group.num_rows:
                    continue
                bounds = _bounds(statistics)
                if bounds is None:
                    unknown.add(path)
                    found.pop(path, None)
                    continue
                found[path] = bounds if path not in found else _wider(found[path], bounds)
        return cls(found)

    @classmethod
    def of_all(cls, parts: Sequence[Ranges]) -> Ranges:
        """The ranges of columns that every part has."""
        if not parts:
            return cls()
        shared = set.intersection(*(set(part.values) for part in parts))
        made: dict[str, Range] = {}
        for name in shared:
            for part in parts:
                made[name] = _wider(made.get(name, part.values[name]), part.values[name])
        return cls(made)


def meeting(boxes: np.ndarray, box: Box) -> np.ndarray:
    """Numbers of the boxes that may meet `box`: rows of west, south, east, north, or of x and y of a point; one
    with west > east crosses the antimeridian; one of NaN is unknown, and may be anywhere."""
    if not len(boxes):
        return np.array([], dtype=np.int64)
    west, south, east, north = boxes[:, 0], boxes[:, 1], boxes[:, -2], boxes[:, -1]
    beside = (west <= east) & (box[0] <= box[2]) & ((west > box[2]) | (east < box[0]))
    return np.flatnonzero(~(beside | (south > box[3]) | (north < box[1])))


def united(boxes: Sequence[Box | None]) -> Box | None:
    """The box around boxes; None if one is unknown. A box with west > east crosses the antimeridian: the box around it
    and others then goes around the world."""
    known = [box for box in boxes if box is not None]
    if not known or len(known) < len(boxes):
        return None
    if any(west > east for west, _, east, _ in known):
        west, east = (known[0][0], known[0][2]) if len(known) == 1 else (-180.0, 180.0)
    else:
        west, east = min(box[0] for box in known), max(box[2] for box in known)
    return west, min(box[1] for box in known), east, max(box[3] for box in known)


def _bounds(statistics: pq.Statistics | None) -> Range | None:
    if statistics is None or not statistics.has_min_max:
        return None
    low, high = _value(statistics.min), _value(statistics.max)
    return None if low is None or high is None else (low, high)


def _value(value: Any) -> Value | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return value if math.isfinite(value) else None
    if isinstance(value, datetime.datetime):
        # As PostgreSQL writes it; times with a zone are in UTC.
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.date):
        return value.isoformat()
    return None


def _wider(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])
