"""The numbers of a chart as table rows, for a model, a spreadsheet or a page. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.charts import Axis, Chart, ChartData

OTHERS = "(others)"
EMPTY = "(empty)"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_BOX = ("whisker_low", "first_quartile", "median", "third_quartile", "whisker_high", "count", "outliers")


def columns_of(chart: Chart, data: ChartData) -> list[str]:
    """Headings of the rows of `rows_of`, in their order."""
    split = [chart.color or ""] if data.series is not None else []
    if data.points is not None:
        return [chart.x or "x", chart.y or "y", *split, *(["id"] if data.points.ids else [])]
    if chart.kind == "box":
        return [*([chart.x] if chart.x else []), *_BOX]
    places = [f"{chart.x} from", f"{chart.x} to"] if data.x is not None and data.x.edges else [chart.x or "x"]
    measure = [f"{chart.aggregate} of {chart.y}"] if is_measured(chart) else []
    return [*places, *split, *measure, "count"]


def rows_of(chart: Chart, data: ChartData) -> Iterator[list[Any]]:
    """The data of a chart as rows, one a point, bar, bin or box."""
    if data.points is not None:
        yield from _points(data)
    elif chart.kind == "box":
        for place, box in enumerate(data.boxes):
            if box is not None:
                group = labels(data.x, place) if data.x is not None else []
                yield [*group, box.low, box.first, box.median, box.third, box.high, box.count, box.outliers]
    elif data.x is not None:
        for place in range(data.x.places if data.values else 0):
            for series, values in enumerate(data.values):
                split = labels(data.series, series) if data.series is not None else []
                measure = [values[place]] if is_measured(chart) else []
                yield [*labels(data.x, place), *split, *measure, data.counts[series][place]]


def labels(axis: Axis, place: int) -> list[Any]:
    """The label of a place on an axis: its value, or the edges of its bin."""
    if axis.edges:
        return [moment(edge) if axis.kind == "time" else edge for edge in axis.edges[place : place + 2]]
    if place >= len(axis.keys):
        return [OTHERS]
    key = axis.keys[place]
    return [EMPTY if key is None else key]


def is_measured(chart: Chart) -> bool:
    """Whether its values are more than counts."""
    return chart.aggregate not in (None, "count")


def moment(seconds: float) -> str:
    """Seconds since 1970 as an ISO 8601 instant in UTC."""
    return (EPOCH + timedelta(seconds=seconds)).isoformat().replace("+00:00", "Z")


def _points(data: ChartData) -> Iterator[list[Any]]:
    points = data.points
    assert points is not None  # noqa: S101 - rows_of asked
    for index, (x, y) in enumerate(zip(points.x, points.y, strict=True)):
        split = labels(data.series, points.series[index]) if data.series is not None else []
        own = [points.ids[index]] if points.ids else []
        yield [moment(x) if data.time else x, y, *split, *own]
