"""Where a new layer is put among others, bottom first."""

from __future__ import annotations

import pytest

from agents.domain import GeometryFamily, Layer, Style
from server.maps.layers.arranging import COVERING_ROWS, place_of
from tests.support.layers import layer


def _drawn(family: GeometryFamily, count: int = 10) -> Layer:
    return layer(f"{family}_{count}").model_copy(update={"geometry_type": family, "count": count})


@pytest.mark.parametrize(
    ("families", "new", "place"),
    [
        (["polygon", "line", "point"], "polygon", 1),
        (["polygon", "line", "point"], "line", 2),
        (["polygon", "line", "point"], "point", 3),
    ],
)
def test_areas_go_below_lines_and_lines_below_points(
    families: list[GeometryFamily], new: GeometryFamily, place: int
) -> None:
    assert place_of(new, Style(), [_drawn(family) for family in families]) == place


def test_areas_go_above_points_so_many_that_they_would_hide_them() -> None:
    many, few = _drawn("point", COVERING_ROWS), _drawn("point")
    assert place_of("polygon", Style(), [many]) == 1
    assert place_of("polygon", Style(), [many, few]) == 1
    assert place_of("polygon", Style(), [few, many]) == 2
    assert place_of("point", Style(), [_drawn("polygon")]) == 1
