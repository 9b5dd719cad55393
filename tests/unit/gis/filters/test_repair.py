"""Areas in filters that cross themselves are repaired; those that would hold up the server are refused at once."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from contextlib import suppress

import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st

from server.gis.errors import InvalidFilter
from server.gis.filters.repair import MAX_CROSSINGS, crosses_itself_often, repaired
from server.gis.filters.spatial import MAX_ADDED_POINTS, MAX_COORDINATES, geometry_literal, in_system

MAX_SECONDS = 0.5
"""Of processor time, where the loop serves everybody; refusals take some milliseconds on a machine that does nothing
else."""


def star(corners: int) -> list[tuple[float, float]]:
    """Each edge crosses nearly all others."""
    step = corners // 2
    turns = [2 * math.pi * (number * step % corners) / corners for number in range(corners)]
    return [(50 * math.cos(turn), 40 * math.sin(turn)) for turn in turns]


def back_and_forth(corners: int) -> list[tuple[float, float]]:
    """All edges lie on each other."""
    dice = random.Random(7)
    return [*((dice.uniform(-50, 50), 0.0) for _ in range(corners)), (10.0, 10.0)]


def flower(petals: int) -> list[tuple[float, float]]:
    """All petals meet in one corner, and lie on each other."""
    points = []
    for number in range(petals):
        turn = 14 * math.pi * number / petals
        points += [(0.0, 0.0), *((50 * math.cos(turn + by), 40 * math.sin(turn + by)) for by in (0, 0.9))]
    return points


def scribble(corners: int) -> list[tuple[float, float]]:
    dice = random.Random(3)
    return [(dice.uniform(-170, 170), dice.uniform(-80, 80)) for _ in range(corners)]


@pytest.mark.parametrize("corners", [301, MAX_COORDINATES - 2])
@pytest.mark.parametrize("shape", [star, back_and_forth, flower, scribble])
def test_tangles_are_refused_or_repaired_at_once(
    shape: Callable[[int], list[tuple[float, float]]], corners: int
) -> None:
    points = shape(corners)[: MAX_COORDINATES - 1]
    node = {"type": "Polygon", "coordinates": [[*points, points[0]]]}
    taken = []
    for _ in range(3):  # a collection of garbage may come into one of them
        began = time.process_time()
        with suppress(InvalidFilter):
            assert geometry_literal(node).value.is_valid
        taken.append(time.process_time() - began)
    assert min(taken) < MAX_SECONDS, taken


def test_a_star_that_took_minutes_is_refused_with_what_to_do() -> None:
    with pytest.raises(InvalidFilter, match=f"more than {MAX_CROSSINGS:,} times. Draw it without crossings"):
        repaired(shapely.Polygon(star(301)))


def test_a_drawn_area_whose_loops_overlap_keeps_both_loops() -> None:
    bow = shapely.Polygon([(0, 0), (10, 10), (10, 0), (0, 10)])
    assert repaired(bow).equals(shapely.union_all([shapely.Polygon([(0, 0), (5, 5), (0, 10)]),
                                                   shapely.Polygon([(10, 10), (10, 0), (5, 5)])]))  # fmt: skip
    lasso = shapely.Polygon([(0, 0), (10, 0), (10, 10), (4, 10), (4, -4), (0, -4)])
    assert repaired(lasso).contains(shapely.Point(7, 5))


def test_many_areas_that_share_their_edges_are_united() -> None:
    cells = [shapely.box(x, y, x + 1, y + 1) for x in range(30) for y in range(30)]
    assert repaired(shapely.MultiPolygon(cells)).equals(shapely.box(0, 0, 30, 30))


@given(st.integers(3, 12).flatmap(lambda size: st.lists(
    st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=size, max_size=size
)))  # fmt: skip
@settings(max_examples=100, deadline=None)
def test_small_areas_are_never_called_a_tangle(points: list[tuple[int, int]]) -> None:
    assert not crosses_itself_often(shapely.Polygon(points))


def test_long_outlines_become_no_millions_of_points_in_another_projection() -> None:
    points = [(-170.0 + (number % 2) * 340, -60 + number * 0.01) for number in range(9_000)]
    node = {"type": "Polygon", "coordinates": [[*points, (-175.0, 30.0), (-175.0, -60.0), points[0]]]}
    literal = geometry_literal(node)
    parameter = next(iter(in_system(literal, 3857).compile().params.values()))
    sent = shapely.get_num_coordinates(shapely.from_wkb(parameter))
    assert sent < 3 * MAX_ADDED_POINTS + 2 * MAX_COORDINATES
