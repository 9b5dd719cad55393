"""Rows in an hour, a day or a year: the number of each group by the time that the whole table spans."""

from __future__ import annotations

from typing import Any

import pytest
import pytest_asyncio

from server.gis.errors import InvalidQuestion
from tests.integration.operations.conftest import Bench

PER_HOUR = [{"function": "count"}, {"function": "per_hour", "column": "at"}]


@pytest_asyncio.fixture(scope="module", loop_scope="session", autouse=True)
async def tables(bench: Bench) -> None:
    """A call a minute from minute 0 to 120, in the second of three rooms at odd ones; then two without a time."""
    await bench.make(
        "CREATE TABLE data.calls AS SELECT n AS id, n % 2 AS area, timestamptz '2024-01-01Z' + n * interval '1 minute'"
        " AS at, date '2024-01-01' + n % 4 AS day, ST_SetSRID(ST_MakePoint(n % 2, 0), 4326)::geometry(Point, 4326)"
        " AS geom FROM generate_series(0, 120) AS n",
        "INSERT INTO data.calls SELECT 200 + n, 0, NULL, NULL, geom FROM data.calls, generate_series(0, 1) AS n"
        " WHERE id = 0",
        "CREATE TABLE data.rooms AS SELECT n AS room, ST_Expand(ST_SetSRID(ST_MakePoint(n, 0), 4326), 0.1)"
        "::geometry(Polygon, 4326) AS geom FROM generate_series(0, 2) AS n",
        "CREATE TABLE data.at_once AS SELECT id, area, timestamptz '2024-01-01Z' AS at, geom FROM data.calls",
    )


async def test_rows_in_each_area_are_divided_by_the_time_of_all_rows(bench: Bench) -> None:
    made = await bench.run("spatial_join", source="data.rooms", other="data.calls", aggregates=PER_HOUR)
    rows = made.rows.set_index("room")
    assert list(rows["count"]) == [63, 60, 0]  # rows without a time are counted, and are not in the rate
    assert list(rows.per_hour) == pytest.approx([61 / 2, 60 / 2, 0.0])
    assert any("by 2 hours from 2024-01-01 00:00:00+00" in note for note in made.receipt.notes)


@pytest.mark.parametrize("operation", ["summarise", "dissolve", "collect"])
async def test_rows_of_each_value_are_divided_by_the_time_of_all_rows(bench: Bench, operation: str) -> None:
    made = await bench.run(operation, source="data.calls", by=["area"], aggregates=PER_HOUR)
    assert list(made.rows.sort_values("area").per_hour) == pytest.approx([61 / 2, 60 / 2])


async def test_rows_in_cells_are_divided_by_the_time_of_all_rows(bench: Bench) -> None:
    made = await bench.run("grid", source="data.calls", size="20 km", empty=True, aggregates=PER_HOUR)
    assert sum(made.rows.per_hour) == pytest.approx(121 / 2)
    assert min(made.rows.per_hour) == 0.0


async def test_of_dates_the_last_day_counts(bench: Bench) -> None:
    per_day = {"function": "per_day", "column": "day"}
    figures = [per_day, {**per_day, "name": "daily"}]
    made = await bench.run("summarise", source="data.calls", aggregates=figures)
    assert list(made.rows.per_day) == list(made.rows.daily) == [121 / 4]


async def test_rows_at_one_time_have_no_rate(bench: Bench) -> None:
    made = await bench.run("summarise", source="data.at_once", by=["area"], aggregates=PER_HOUR)
    assert made.rows.per_hour.isna().all()
    assert any("all rows are at one time" in note for note in made.receipt.notes)


@pytest.mark.parametrize(
    ("figure", "fault"), [({"column": "area"}, "needs a column of dates or times"), ({}, "needs a column")]
)
async def test_a_rate_needs_times(bench: Bench, figure: dict[str, Any], fault: str) -> None:
    with pytest.raises(InvalidQuestion, match=fault):
        await bench.run("summarise", source="data.calls", aggregates=[{"function": "per_hour", **figure}])
