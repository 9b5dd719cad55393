"""The arithmetic of the tile grid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.gis.tiles.grid import HALF_WORLD, InvalidTile, Tile

zooms = st.integers(0, 22)


def test_the_tile_of_zoom_0_is_the_world_and_no_more() -> None:
    assert Tile.at(0, 0, 0).degrees() == pytest.approx((-180, -85.0511287798066, 180, 85.0511287798066))


@given(zooms, st.integers(0, 2**22), st.integers(0, 2**22))
def test_boxes_are_inside_the_world_and_hold_their_children(z: int, x: int, y: int) -> None:
    tile = Tile.at(z, x % 2**z, y % 2**z)
    west, south, east, north = tile.mercator()
    assert -HALF_WORLD <= west < east <= HALF_WORLD
    assert -HALF_WORLD <= south < north <= HALF_WORLD
    for child in tile.children():
        box = child.mercator()
        assert west <= box[0] + 1e-6
        assert box[2] <= east + 1e-6


@pytest.mark.parametrize(
    ("z", "x", "y"), [(-1, 0, 0), (23, 0, 0), (0, 0, 1), (4, 16, 0), (4, 0, 16), (4, -1, 0)]
)
def test_tiles_outside_of_the_grid_are_refused_with_its_limits(z: int, x: int, y: int) -> None:
    with pytest.raises(InvalidTile, match="0 to"):
        Tile.at(z, x, y)


def test_a_metre_is_longer_in_mercator_away_from_the_equator() -> None:
    assert Tile.at(0, 0, 0).stretch() == 1
    assert Tile.at(6, 33, 18).stretch() == pytest.approx(2, rel=0.05)
