"""Lengths are told in a unit that people read, and read back as what they were."""

from __future__ import annotations

import pytest

from server.gis.operations.units import metres, told


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
def test_a_length_is_told_as_it_would_be_written(length: float, text: str) -> None:
    assert told(length) == text
    assert metres(text) == pytest.approx(length)
