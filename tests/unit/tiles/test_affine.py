"""Linear mappings of tiles are as exact as they promise, or there is none."""

import math

import pytest

from server.gis.tiles.grid import EXTENT, HALF_WORLD, Tile, latitude, longitude, mercator_of
from server.gis.tiles.mapping import affine


def corner(tile: Tile, right: float, down: float) -> tuple[float, float]:
    x, y = (tile.x + right) * tile.width - HALF_WORLD, HALF_WORLD - (tile.y + down) * tile.width
    return longitude(x), latitude(y)


@pytest.mark.parametrize("tile", [Tile(12, 2151, 1419), Tile(14, 0, 100), Tile(22, 2**22 - 1, 2**21)])
def test_places_in_a_tile_are_mapped_within_the_limit(tile: Tile) -> None:
    degrees, metres = affine.of_degrees(tile), affine.of_mercator(tile)
    assert degrees is not None
    for right in (0, 0.25, 0.5, 1):
        for down in (0, 0.3, 0.5, 1):
            place = (right * EXTENT, down * EXTENT)
            assert math.dist(degrees.maps(corner(tile, right, down)), place) <= affine.MAX_ERROR
            assert metres.maps(mercator_of(corner(tile, right, down))) == pytest.approx(place, abs=0.05)


@pytest.mark.parametrize("tile", [Tile(0, 0, 0), Tile(1, 1, 0), Tile(5, 16, 10)])
def test_large_tiles_have_none(tile: Tile) -> None:
    assert affine.of_degrees(tile) is None


def test_a_turned_and_stretched_grid_is_fitted_and_a_bent_one_is_not() -> None:
    places = [(x * 2048.0, y * 2048.0) for x in range(3) for y in range(3)]
    turned = [(5e6 + 3 * x - y, 4e6 + x + 2 * y) for x, y in places]
    found = affine.fitted(turned, places)
    assert found is not None
    assert all(math.dist(found.maps(p), place) < 1e-3 for p, place in zip(turned, places, strict=True))
    bent = [(x + y * y / 4e5, y) for x, y in places]
    assert affine.fitted(bent, places) is None
    assert affine.fitted([(1.0, 1.0)] * 9, places) is None
