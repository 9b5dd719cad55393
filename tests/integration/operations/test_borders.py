"""Borders of areas are those of shapely, without the edges of the map."""

import pytest
from shapely import box

from tests.integration.operations.conftest import Bench


@pytest.mark.reference(
    "boundary",
    request=("borders of the countries as lines", {"source": "data.countries"}),
    benchmark={"source": "data.parcels"},
)
async def test_borders_are_the_rings_of_areas(bench: Bench) -> None:
    countries = (await bench.run("sample", source="data.countries", n=1000)).rows.set_index("name")
    borders = (await bench.run("boundary", source="data.countries")).rows.set_index("name")
    assert len(borders) == len(countries)
    for name in ("Poland", "South Africa", "Indonesia"):
        assert borders.geom[name].symmetric_difference(countries.geom[name].boundary).length == 0, name
    edge = box(-180, -90, 180, 90).boundary
    for name in ("Russia", "Fiji", "Antarctica"):
        assert countries.geom[name].boundary.intersection(edge).length > 0, name
        assert borders.geom[name].intersection(edge).length == 0, name
