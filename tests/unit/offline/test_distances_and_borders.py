"""Distances said in other words, rows by their distance, borders, and values as areas."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.offline.chatting import where
from tests.unit.offline.test_pairs_and_distances import asking


def _is(name: str) -> dict[str, Any]:
    return where("id", "=", {"Berlin": 2950159, "Germany": 1}[name])


@pytest.mark.parametrize(
    "asked",
    [
        "gc distance Berlin to Ulm in km",
        "great circle distance from Berlin to Ulm",
        "distance in miles between Berlin and Ulm",
        "how many km from Berlin to Ulm",
        "how many miles is it between Berlin and Ulm",
        "give me the km between Berlin and Ulm",
        "Berlin to Ulm distance in km",
        "how far is Berlin from Ulm as the crow flies",
        "how far is it from the city centre of Berlin to Ulm",
        "distances between Berlin and Ulm",
    ],
)
async def test_the_distance_between_two_places(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    assert [name for name, _ in desk.analysis.steps] == ["filter", "filter", "distance_matrix"]


@pytest.mark.parametrize(
    "asked",
    [
        "distances between Berlin, Hamburg and Ulm",
        "pairwise distances of Berlin, Hamburg and Ulm",
        "give me the distance matrix of Berlin, Hamburg and Ulm",
    ],
)
async def test_the_distances_of_a_list_are_those_of_each_pair(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    (_, found), (pairs, of), (last, once) = desk.analysis.steps
    assert len(found["filter"]["args"]) == 3
    assert (pairs, of["source"], of["other"], last) == ("distance_matrix", "step_1", "step_1", "filter")
    assert once["filter"] == {"op": "<", "args": [{"property": "origin"}, {"property": "destination"}]}


@pytest.mark.parametrize(
    "asked",
    [
        "airports within 600 km of Berlin with their distance",
        "airports within 600 km of Berlin, nearest first",
        "airports up to 600 km away from Berlin with distance, closest on top",
        "airports within 600 km of Berlin sorted by distance",
    ],
)
async def test_rows_near_a_place_with_their_distance(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    _, (near, within), (nearest, _), (order, by) = desk.analysis.steps
    assert (near, within["distance"], nearest, order) == ("select_by_location", "600 km", "nearest", "sort")
    assert (by["by"], by["ascending"]) == ("distance_m", True)


@pytest.mark.parametrize(
    "asked",
    [
        "is any airport closer to Berlin than to Ulm?",
        "which airports are closer to Berlin than to Ulm?",
        "airports that are nearer to Berlin than to Ulm",
    ],
)
async def test_rows_closer_to_one_place_than_to_another(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    names = [name for name, _ in desk.analysis.steps]
    assert names == ["filter", "nearest", "filter", "nearest", "filter"]
    _, (_, first), *_, (_, kept) = desk.analysis.steps
    other, one = ({"property": "distance_m"}, {"property": "distance_m_2"})
    assert (first["target"], kept["filter"]) == ("step_1", {"op": "<", "args": [one, other]})


@pytest.mark.parametrize(
    ("asked", "operations"),
    [
        ("how long is the border between Germany and France", ["intersection", "measure", "summarise"]),
        ("length of the border between Germany and France", ["intersection", "measure", "summarise"]),
        ("draw the border between Germany and France", ["intersection"]),
    ],
)
async def test_a_border_between_two_areas(asked: str, operations: list[str]) -> None:
    chat, desk = asking()
    await chat(asked)
    (_, kept), (border, of), _, *rest = desk.analysis.steps
    assert (kept["filter"], border, of["source"]) == (_is("Germany"), "boundary", "step_1")
    assert [name for name, _ in rest] == operations


@pytest.mark.parametrize("border", ["the German border", "the border of Germany", "the border with Germany"])
async def test_rows_near_a_border(border: str) -> None:
    chat, desk = asking()
    await chat(f"cities within 300 km of {border}")
    (_, kept), (line, _), (near, by) = desk.analysis.steps
    assert (kept["filter"], line) == (_is("Germany"), "boundary")
    assert (near, by["other"]) == ("select_by_location", "step_2")


@pytest.mark.parametrize(
    ("asked", "operations"),
    [
        ("dissolve South America into a single polygon", ["dissolve"]),
        ("merge Europe into one shape", ["dissolve"]),
        ("convex hull of Europe", ["dissolve", "hull"]),
        ("bounding box of Europe", ["dissolve", "envelope"]),
        ("cities within 50 km of South America", ["dissolve", "select_by_location"]),
    ],
)
async def test_areas_of_a_value_are_one_shape(asked: str, operations: list[str]) -> None:
    chat, desk = asking()
    await chat(asked)
    (_, kept), *rest = desk.analysis.steps
    continent = "South America" if "South" in asked else "Europe"
    assert kept == {"source": "data.countries", "filter": where("continent", "=", continent)}
    assert [name for name, _ in rest] == operations
