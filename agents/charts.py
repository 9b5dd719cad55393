"""Chart models, shared by the agents and the server: a requested chart, a chart on a map, and the data that it draws.

A chart has *places* along its first axis (a category, or a bin of numbers or of time), and in each place one value
for each *series*. Points of a scatter plot are listed one by one. Times are seconds since 1970, UTC."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from agents.domain import Cql2, Value
from agents.worded import Part

ChartKind = Literal["bar", "line", "scatter", "histogram", "box"]
Aggregate = Literal["count", "sum", "mean", "median", "minimum", "maximum"]
Period = Literal["year", "month"]
MAX_BINS = 60
"""Largest number of bins of a chart."""
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]


class ChartDraft(Value):
    """A requested chart, either of a layer (of what it shows) or of a whole table."""

    kind: ChartKind
    layer_id: str | None = None
    table: str | None = None
    filter: Cql2 | str | None = None
    """Only these rows; for a layer, in addition to its own filter."""
    x: Name | None = None
    """bar, box: the groups; line, scatter: a number or a time; histogram: the number or time."""
    y: Name | None = None
    """bar, line: what is aggregated, counted without it; scatter, box: a number."""
    color: Name | None = None
    """A column whose values become separate series."""
    aggregate: Aggregate | None = None
    """bar, line: how `y` is summed up; without it the mean."""
    bins: Annotated[int, Field(ge=2, le=MAX_BINS)] | None = None
    """The maximum number of bars, bins or boxes."""
    period: Period | None = None
    """histogram, line: in place of `bins`, one for each of these from the first time to the last."""
    title: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] | None = None


class Chart(Value):
    """A chart on a map, as of the moment when its data was read. `data` is the URL of its `ChartData`."""

    id: str
    version: int = 1
    kind: ChartKind
    title: str
    titled: bool = True
    """Whether the title was chosen by a user or model. Otherwise it only names what is drawn, and clients may
    translate it."""
    table: str
    layer_id: str | None = None
    layer_filter: Cql2 | None = None
    """The filter that the layer had."""
    filter: Cql2 | None = None
    """A further filter, of the chart alone."""
    x: str | None = None
    y: str | None = None
    color: str | None = None
    aggregate: Aggregate | None = None
    bins: int | None = None
    period: Period | None = None
    rows: int = 0
    """Rows that pass the filters, counted in PostGIS."""
    usable: int = 0
    """How many of these have every value that the chart needs."""
    shown: int = 0
    """How many of these the chart is made of: fewer where points are a sample."""
    note: str = ""
    """What is not shown, as a text: `5,000 of 28,298 rows, evenly chosen`."""
    wording: tuple[Part, ...] = ()
    """How `note` was made, as in `ai_response`."""
    data: str = ""


def draft_of(chart: Chart) -> ChartDraft:
    """The draft that creates the same chart."""
    fields = ("kind", "layer_id", "filter", "x", "y", "color", "aggregate", "bins", "period")
    title = chart.title if chart.titled else None
    return ChartDraft.model_validate({**{name: getattr(chart, name) for name in fields}, "title": title})


class Axis(Value):
    """An axis. `keys` are a category's values as text (null for rows without one); `others` further values share
    one place after them. `edges` are those of bins: a bin includes its lower edge, the last one also its upper
    edge."""

    kind: Literal["category", "number", "time"]
    column: str
    keys: tuple[str | None, ...] = ()
    others: int = 0
    edges: tuple[float, ...] = ()

    @property
    def places(self) -> int:
        """Number of positions along the axis: bins, or categories with one for `others`."""
        return max(len(self.edges) - 1, 0) if self.edges else len(self.keys) + (self.others > 0)


class Box(Value):
    """Five numbers of a group: the quartiles, and the farthest values within 1.5 times their distance. Values beyond
    are counted, and the farthest of them listed, with the ids of their features where they have one."""

    low: float
    first: float
    median: float
    third: float
    high: float
    count: int
    outliers: int = 0
    farthest: tuple[float, ...] = ()
    ids: tuple[int | str, ...] = ()


class Points(Value):
    """Points of a scatter plot, by column. `ids` are the ids of their features, where they have one."""

    x: tuple[float, ...]
    y: tuple[float, ...]
    series: tuple[int, ...] = ()
    """Places on the axis of series."""
    ids: tuple[int | str, ...] = ()


class ChartData(Value):
    """What a chart draws. `values` and `counts` have a row for each series, and in it an entry for each place."""

    x: Axis | None = None
    series: Axis | None = None
    time: bool = False
    """The x of the points is a time."""
    values: tuple[tuple[float | None, ...], ...] = ()
    counts: tuple[tuple[int, ...], ...] = ()
    boxes: tuple[Box | None, ...] = ()
    points: Points | None = None
