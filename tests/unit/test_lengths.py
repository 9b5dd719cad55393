"""Lengths are written in a unit that people read, and read back as what they were."""

from __future__ import annotations

import pytest

from server.gis.operations.support.earth.units import length_text, metres


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (0.001, "0.001 m"),
        (250, "250 m"),
        (999.5, "999.5 m"),
        (1000, "1 km"),
        (1500, "1.5 km"),
        (2e6, "2,000 km"),
    ],
)
def test_a_length_is_formatted_as_usual(length: float, text: str) -> None:
    assert length_text(length) == text
    assert metres(text) == pytest.approx(length)


@pytest.mark.parametrize(
    "text", ["1,5 km", "12,34 km", "1,000,00 m", "km", "", "1e999 m", "nan", "5 km2", "3 °"]
)
def test_what_may_mean_something_else_is_no_length(text: str) -> None:
    with pytest.raises(ValueError, match=r"quantity|unit|infinite"):
        metres(text)


@pytest.mark.parametrize(
    ("text", "length"), [("1,500 m", 1500), ("1 000 000 m", 1e6), ("1,234.5 m", 1234.5), (".5 km", 500)]
)
def test_thousands_may_be_parted(text: str, length: float) -> None:
    assert metres(text) == length
