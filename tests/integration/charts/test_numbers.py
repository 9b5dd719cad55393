"""What charts draw, against pandas and numpy over the same rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from server.gis.charts import ComputedChart
from server.gis.charts.boxes import MAX_OUTLIERS_SHOWN
from server.gis.charts.links import Part
from server.gis.charts.scatter import MAX_POINTS
from tests.integration.charts.conftest import Desk

AIRPORTS = "SELECT id, elevation_m, country_code FROM data.airports"
COUNTRIES = "SELECT * FROM data.countries"
HOW = {"sum": "sum", "mean": "mean", "median": "median", "minimum": "min", "maximum": "max"}


def by_key(made: ComputedChart, series: int = 0) -> dict[str | None, float | None]:
    assert made.data.x is not None
    return dict(zip(made.data.x.keys, made.data.values[series], strict=False))


@pytest.mark.parametrize("how", HOW)
async def test_bars_are_the_aggregates_of_their_groups(desk: Desk, how: str) -> None:
    made = await desk.draw("bar", "data.countries", x="continent", y="population", aggregate=how)
    frame = (await desk.frame(COUNTRIES)).astype({"population": float})
    expected = frame.dropna(subset=["population"]).groupby("continent")["population"].agg(HOW[how])
    assert by_key(made) == pytest.approx(expected.to_dict())
    values = [value for value in made.data.values[0] if value is not None]
    assert values == sorted(values, reverse=True)
    assert made.chart.shown == frame["population"].count()
    assert made.chart.rows == len(frame)


async def test_the_groups_that_have_no_bar_are_one_bar_together(desk: Desk) -> None:
    made = await desk.draw("bar", "data.airports", x="country_code", bins=5)
    counts = (await desk.frame(AIRPORTS))["country_code"].value_counts()
    axis = made.data.x
    assert axis is not None
    assert list(axis.keys) == list(counts.index[:5])
    assert made.data.values[0] == (*map(float, counts.iloc[:5]), float(counts.iloc[5:].sum()))
    assert axis.others == len(counts) - 5
    mean = await desk.draw(
        "bar", "data.airports", x="country_code", y="elevation_m", aggregate="mean", bins=5
    )
    frame = await desk.frame(AIRPORTS)
    rest = frame[~frame["country_code"].isin(mean.data.x.keys if mean.data.x else ())]
    assert mean.data.values[0][-1] == pytest.approx(rest["elevation_m"].astype(float).mean()), (
        "not a mean of means"
    )


async def test_a_histogram_counts_as_numpy_does(desk: Desk) -> None:
    made = await desk.draw("histogram", "data.airports", x="elevation_m")
    values = (await desk.frame(AIRPORTS))["elevation_m"].dropna().astype(float)
    axis = made.data.x
    assert axis is not None
    expected, _ = np.histogram(values, bins=list(axis.edges))
    assert list(made.data.counts[0]) == list(expected)
    assert sum(made.data.counts[0]) == len(values)
    widths = np.diff(axis.edges)
    assert widths == pytest.approx(widths[0])
    assert 5 <= len(widths) <= 120


async def test_a_layers_filter_holds_in_its_chart(desk: Desk) -> None:
    made = await desk.draw("histogram", "data.airports", x="elevation_m", filter="elevation_m > 2000")
    frame = (await desk.frame(AIRPORTS)).astype({"elevation_m": float})
    assert made.chart.rows == made.chart.shown == int((frame["elevation_m"] > 2000).sum())
    narrower = await desk.draw("bar", "data.airports", filter="elevation_m > 2000", x="country_code", bins=60)
    high = frame[frame["elevation_m"] > 2000]["country_code"].value_counts()
    assert by_key(narrower) == {key: float(count) for key, count in high.items()}


async def test_series_part_the_bars_and_lose_nothing(desk: Desk) -> None:
    made = await desk.draw("histogram", "data.airports", x="elevation_m", color="country_code")
    frame = (await desk.frame(AIRPORTS)).dropna(subset=["elevation_m"]).astype({"elevation_m": float})
    series, axis = made.data.series, made.data.x
    assert series is not None and axis is not None  # noqa: PT018
    assert len(made.data.counts) == len(series.keys) + 1
    for index, key in enumerate(series.keys):
        expected, _ = np.histogram(frame[frame["country_code"] == key]["elevation_m"], bins=list(axis.edges))
        assert list(made.data.counts[index]) == list(expected)
    assert sum(map(sum, made.data.counts)) == len(frame)


async def test_a_line_is_the_mean_of_each_bin(desk: Desk) -> None:
    made = await desk.draw("line", "data.airports", x="elevation_m", y="id")
    frame = (await desk.frame(AIRPORTS)).dropna(subset=["elevation_m"]).astype({"elevation_m": float})
    axis = made.data.x
    assert axis is not None
    bins = pd.cut(frame["elevation_m"], list(axis.edges), right=False, labels=False)
    expected = frame.groupby(bins)["id"].mean().to_dict()
    drawn = {place: value for place, value in enumerate(made.data.values[0]) if value is not None}
    assert drawn == pytest.approx(expected)


async def test_boxes_are_tukeys(desk: Desk) -> None:
    made = await desk.draw("box", "data.airports", y="elevation_m", x="country_code", bins=4)
    frame = (await desk.frame(AIRPORTS)).dropna(subset=["elevation_m"]).astype({"elevation_m": float})
    assert made.data.x is not None
    keys = made.data.x.keys
    for index, box in enumerate(made.data.boxes):
        own = frame["country_code"] == keys[index] if index < len(keys) else ~frame["country_code"].isin(keys)
        values = frame[own]["elevation_m"]
        first, median, third = np.percentile(values, [25, 50, 75])
        inside = values[values.between(first - 1.5 * (third - first), third + 1.5 * (third - first))]
        assert box is not None
        assert (box.first, box.median, box.third) == pytest.approx((first, median, third))
        assert (box.low, box.high) == pytest.approx((inside.min(), inside.max()))
        assert (box.count, box.outliers) == (len(values), len(values) - len(inside))
        assert len(box.farthest) == len(box.ids) == min(box.outliers, MAX_OUTLIERS_SHOWN)
        assert frame.set_index("id").loc[list(box.ids)]["elevation_m"].tolist() == pytest.approx(
            list(box.farthest)
        )


async def test_one_box_needs_no_groups(desk: Desk) -> None:
    made = await desk.draw("box", "data.airports", x="elevation_m")
    assert made.chart.y == "elevation_m", "whichever of both it was called"
    assert made.data.x is None
    assert len(made.data.boxes) == 1


async def test_many_points_are_an_even_sample_that_says_so(desk: Desk) -> None:
    made = await desk.draw("scatter", "data.airports", x="id", y="elevation_m")
    again = await desk.draw("scatter", "data.airports", x="id", y="elevation_m")
    assert made.data == again.data
    points = made.data.points
    assert points is not None
    frame = (await desk.frame(AIRPORTS)).dropna(subset=["elevation_m"]).astype({"elevation_m": float})
    assert len(points.x) == MAX_POINTS == made.chart.shown
    assert made.chart.note.startswith(f"5,000 of {len(frame):,} rows, evenly chosen")
    known = frame.set_index("id")["elevation_m"]
    assert list(points.y) == pytest.approx(known.loc[list(points.ids)].tolist(), rel=1e-6)
    assert np.mean(points.y) == pytest.approx(frame["elevation_m"].mean(), rel=0.1)
    assert np.mean(points.x) == pytest.approx(frame["id"].mean(), rel=0.05), "from all parts of the table"


async def test_few_points_are_all_there(desk: Desk) -> None:
    made = await desk.draw("scatter", "data.countries", x="area_km2", y="population", color="continent")
    frame = (await desk.frame(COUNTRIES)).dropna(subset=["area_km2", "population"])
    points = made.data.points
    assert points is not None
    assert sorted(points.y) == pytest.approx(sorted(frame["population"].astype(float)), rel=1e-6)
    assert len(points.series) == len(points.x)


async def test_parts_of_a_chart_and_features_of_the_map_find_each_other(desk: Desk) -> None:
    made = await desk.draw("bar", "data.airports", x="country_code", color="country_code", bins=3)
    frame = await desk.frame(AIRPORTS)
    first = made.data.x.keys[0] if made.data.x else None
    found = await desk.charts.features(made.chart, made.data, [Part(0)])
    own = frame[frame["country_code"] == first]["id"]
    assert found.total == len(own)
    assert list(found.ids) == sorted(own)[:5000]
    german = frame[frame["country_code"] == "DE"]["id"].head(3).tolist()
    parts = await desk.charts.parts(made.chart, made.data, german)
    assert [(place, count) for place, _, count in parts] == [(3, 3)], "among the others"
    both = await desk.charts.features(made.chart, made.data, [Part(3, 0), Part(0, 0)])
    assert both.total == found.total, "a series alone is only what is in it"


async def test_every_row_of_a_histogram_is_found_from_both_sides(desk: Desk) -> None:
    made = await desk.draw("histogram", "data.airports", x="elevation_m", filter="country_code = 'CH'")
    frame = await desk.frame(AIRPORTS)
    swiss = frame[frame["country_code"] == "CH"].dropna(subset=["elevation_m"])
    seen: list[int] = []
    for place, count in enumerate(made.data.counts[0]):
        found = await desk.charts.features(made.chart, made.data, [Part(place)])
        assert found.total == count
        if found.ids:
            assert await desk.charts.parts(made.chart, made.data, found.ids) == [(place, 0, count)]
        seen += found.ids
    assert sorted(seen) == sorted(swiss["id"])


async def test_a_window_on_points_holds_all_of_the_table_not_only_the_sample(desk: Desk) -> None:
    made = await desk.draw("scatter", "data.airports", x="id", y="elevation_m")
    frame = (await desk.frame(AIRPORTS)).dropna(subset=["elevation_m"]).astype({"elevation_m": float})
    found = await desk.charts.features(made.chart, made.data, [], (100, 900, 1000, 3000))
    inside = frame[frame["id"].between(100, 900) & frame["elevation_m"].between(1000, 3000)]
    assert list(found.ids) == sorted(inside["id"])
    one = int(inside["id"].iloc[0])
    [(x, y, series)] = await desk.charts.parts(made.chart, made.data, [one])
    assert (x, y, series) == (one, pytest.approx(inside["elevation_m"].iloc[0]), 0)
