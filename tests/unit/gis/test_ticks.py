"""Edges of bins: those of whole months and years, wherever the first and the last time lie in them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from server.gis.charts.ticks import month_edges


@pytest.mark.parametrize(
    ("first", "last", "months", "starts"),
    [
        ("2024-07-01", "2024-08-31", 1, ["2024-07-01", "2024-08-01", "2024-09-01"]),
        ("2021-06-15", "2022-03-01", 12, ["2021-01-01", "2022-01-01", "2023-01-01"]),
        ("2024-07-01", "2024-07-01", 1, ["2024-07-01", "2024-08-01"]),
        ("1969-12-31", "1970-01-01", 12, ["1969-01-01", "1970-01-01", "1971-01-01"]),
    ],
)
def test_every_bin_is_a_whole_period(first: str, last: str, months: int, starts: list[str]) -> None:
    low, high = (datetime.fromisoformat(each).replace(tzinfo=UTC).timestamp() for each in (first, last))
    edges = [f"{datetime.fromtimestamp(edge, UTC):%Y-%m-%d}" for edge in month_edges(low, high, months)]
    assert edges == starts
