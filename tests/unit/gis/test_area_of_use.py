"""What PROJ knows of a reference system, and what follows where it cannot transform to it."""

from __future__ import annotations

import pytest

from server.gis.expressions.area_of_use import area_of_use, joins_antimeridian, poles


@pytest.mark.parametrize("srid", [2218, 999_000], ids=["without a transformation", "unknown"])
def test_a_system_that_proj_cannot_transform_to_has_no_poles(srid: int) -> None:
    assert poles(srid) == ()
    assert not joins_antimeridian(srid)


def test_an_area_of_use_needs_no_transformation() -> None:
    area = area_of_use(2218)
    assert area is not None
    assert (area.south, area.north) == (69.0, 72.0)


def test_the_north_pole_is_the_origin_of_a_polar_system_that_joins_the_antimeridian() -> None:
    north, *_ = poles(3413)
    assert north == (pytest.approx(0, abs=1e-6), pytest.approx(0, abs=1e-6), 90.0)
    assert joins_antimeridian(3413)
    assert not joins_antimeridian(8857)
