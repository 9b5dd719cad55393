"""Operations in words, alone and in chains: which steps they become, and what is refused."""

# ruff: noqa: E501  one request a line

from __future__ import annotations

from typing import Any

import pytest

from server.gis.operations import OPERATIONS
from tests.support.references import references
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

Steps = list[tuple[str, dict[str, Any]]]
AIRPORTS, CITIES, COUNTRIES, ROADS = "data.airports", "data.cities", "data.countries", "data.main_roads"
COUNT = {"function": "count"}


def total(column: str) -> dict[str, str]:
    return {"function": "sum", "column": column}


def one(operation: str, source: str = COUNTRIES, **arguments: Any) -> Steps:
    return [(operation, {"source": source, **arguments})]


REQUESTS: list[tuple[str, Steps]] = [
    *((each.request[0], [(each.operation, each.request[1])]) for each in references() if each.request),
    ("dissolve countries by continent", one("dissolve", by=["continent"])),
    ("merge the countries by continent", one("dissolve", by=["continent"])),
    (
        "dissolve countries by continent with total population and mean area",
        one("dissolve", by=["continent"], aggregates=[COUNT, total("population"), {"function": "mean", "column": "area_km2"}]),
    ),
    ("collect the airports by country", one("collect", AIRPORTS, by=["country"])),
    ("summarise countries by continent", one("summarise", by=["continent"])),
    (
        "calculate density = population / area_km2 for countries",
        one("calculate", name="density", expression="population / area_km2"),
    ),
    ("calculate half = round(area_km2 / 2, 1) for countries", one("calculate", name="half", expression="round(area_km2 / 2, 1)")),
    ('calculate "people each" as population / area_km2 for countries', one("calculate", name="people each", expression="population / area_km2")),
    ("measure the area and perimeter of countries", one("measure", measures=["area", "perimeter"])),
    ("cluster the airports within 50 km with at least 3", one("cluster", AIRPORTS, distance="50 km", minimum=3)),
    ("cluster cities into 4 groups", one("cluster", CITIES, method="kmeans", k=4)),
    ("hot spots of population in countries", one("hot_spots", column="population", k=8)),
    ("hot spots of population in countries within 500 km", one("hot_spots", column="population", distance="500 km")),
    ("hot spots of countries by population", one("hot_spots", column="population", k=8)),
    ("spatial autocorrelation of population in countries", one("autocorrelation", column="population", k=8)),
    (
        "local moran's i of population in countries with 5 neighbours",
        one("local_autocorrelation", column="population", k=5),
    ),
    ("count the airports in 200 km hexagons", one("grid", AIRPORTS, size="200 km", shape="hexagon")),
    ("a square grid of 100 km over the cities", one("grid", CITIES, size="100 km", shape="square")),
    ("heat surface of the cities with a radius of 200 km in 50 km cells", one("heat", CITIES, bandwidth="200 km", size="50 km")),
    (
        "distance bands of 10, 50 and 100 km around the airports",
        one("distance_bands", AIRPORTS, distances=["10 km", "50 km", "100 km"]),
    ),
    (
        "add the distance of airports from longitude 16.4 latitude 48.2",
        one("distance_from_point", AIRPORTS, longitude=16.4, latitude=48.2),
    ),
    ("points every 10 km along the main roads", one("points_along_lines", ROADS, every="10 km")),
    ("centroids of the countries", one("centroid")),
    (
        "main roads that cross the countries",
        one("select_by_location", "data.main_roads", other=COUNTRIES, predicate="shares_interior"),
    ),
    ("points inside the countries", one("centroid", inside=True)),
    ("the convex hull of airports by country", one("hull", AIRPORTS, by="country")),
    ("bounding boxes of countries", one("envelope")),
    ("voronoi polygons around the cities", one("voronoi", CITIES)),
    ("delaunay triangles of the cities", one("delaunay", CITIES)),
    ("smooth the countries", one("smooth")),
    ("repair the countries", one("make_valid")),
    ("split the countries into parts", one("explode")),
    ("simplify the countries by 5 km", one("simplify", tolerance="5 km")),
    ("densify the main roads to 10 km", one("densify", ROADS, longest="10 km")),
    ("reproject the cities to EPSG:3857", one("reproject", CITIES, srid=3857)),
    ("reproject the cities to EPSG:3035 without those outside", one("reproject", CITIES, srid=3035, outside="drop")),
    ("reproject the cities to EPSG:3035 without shapes outside", one("reproject", CITIES, srid=3035, outside="null")),
    ("remove the overlaps from countries", one("clean_coverage")),
    (
        "make the column name of cities a number with a decimal comma",
        one("columns", CITIES, changes=[{"function": "cast", "column": "name", "to": "number", "format": ","}]),
    ),
    (
        "convert name of cities to a date",
        one("columns", CITIES, changes=[{"function": "cast", "column": "name", "to": "date"}]),
    ),
    ("sample 5 of the cities", one("sample", CITIES, n=5)),
    ("make points from elevation and iata of airports", one("points_from_columns", AIRPORTS, x="elevation_m", y="iata")),
    (
        "arcs from elevation and iata to iata and elevation of airports",
        one("lines_from_columns", AIRPORTS, from_x="elevation_m", from_y="iata", to_x="iata", to_y="elevation_m"),
    ),
    (
        "arcs from fleet and name to name and fleet of airlines",
        one("lines_from_columns", "data.airlines", from_x="fleet", from_y="name", to_x="name", to_y="fleet"),
    ),
    ("connect the cities into lines by country in the order of population", one("lines_from_points", CITIES, order="population", by="country")),
    ("clip the main roads to the countries", one("clip", ROADS, mask=COUNTRIES)),
    ("intersect countries with main roads", one("intersection", other=ROADS)),
    ("subtract the main roads from the countries", one("difference", other=ROADS)),
    ("symmetric difference of countries and main roads", one("symmetric_difference", other=ROADS)),
    ("the union of countries and main roads", one("union", other=ROADS)),
    ("the identity of main roads and countries", one("identity", ROADS, other=COUNTRIES)),
    ("merge cities and airports", [("merge", {"sources": [CITIES, AIRPORTS]})]),
    ("append the airports to the cities", [("merge", {"sources": [CITIES, AIRPORTS]})]),
    (
        "total population of cities inside each country",
        one("spatial_join", other=CITIES, predicate="shares_interior", aggregates=[COUNT, total("population")]),
    ),
    ("share out the population of countries over the main roads", one("weighted_overlap", ROADS, other=COUNTRIES, column="population")),
    ("join airlines to countries by name = name", one("join_by_attribute", other="data.airlines", key="name", other_key="name")),
    ("calculate double = fleet * 2 for airlines", one("calculate", "data.airlines", name="double", expression="fleet * 2")),
    ("join countries to cities by country = name", one("join_by_attribute", CITIES, other=COUNTRIES, key="country", other_key="name")),
    ("distances between the cities and the airports", one("distance_matrix", CITIES, other=AIRPORTS, name="name", other_name="name")),
    ("what changed between cities and airports by name", one("changes", CITIES, other=AIRPORTS, key=["name"])),
    (
        "dissolve countries by continent and show the three largest",
        [
            ("dissolve", {"source": COUNTRIES, "by": ["continent"]}),
            ("measure", {"source": "step_1", "measures": ["area"]}),
            ("top", {"source": "step_2", "by": "area_m2", "n": 3, "ties": True}),
        ],
    ),
    (
        # The area of what there is now, not of what was measured before.
        "measure the area of countries, then simplify them by 5 km, then show the three largest",
        [
            ("measure", {"source": COUNTRIES, "measures": ["area"]}),
            ("simplify", {"source": "step_1", "tolerance": "5 km"}),
            ("measure", {"source": "step_2", "measures": ["area"]}),
            ("top", {"source": "step_3", "by": "area_m2_2", "n": 3, "ties": True}),
        ],
    ),
    (
        "measure the length of main roads, then simplify them by 5 km and tell me the total length in km",
        [
            ("measure", {"source": ROADS, "measures": ["length"]}),
            ("simplify", {"source": "step_1", "tolerance": "5 km"}),
            ("measure", {"source": "step_2", "measures": ["length"]}),
            ("calculate", {"source": "step_3", "name": "length_km", "expression": "length_m_2 / 1000"}),
            ("summarise", {"source": "step_4", "aggregates": [COUNT, {"function": "sum", "column": "length_km"}]}),
        ],
    ),
    ("simplify the countries by 1234567 m", one("simplify", tolerance="1234567 m")),
    (
        "buffer the main roads by 5 km, then count the cities in each, then keep the top 2 by count",
        [
            ("buffer", {"source": ROADS, "distance": "5 km"}),
            ("spatial_join", {"source": "step_1", "other": CITIES, "predicate": "shares_interior"}),
            ("top", {"source": "step_2", "by": "count", "n": 2, "ties": True}),
        ],
    ),
    (
        "measure the countries and keep those with an area over 3 m2",
        [("measure", {"source": COUNTRIES}), ("filter", {"source": "step_1", "filter": where("area_m2", ">", 3)})],
    ),
    (
        "count the airports in 200 km hexagons, then hot spots of count",
        [
            ("grid", {"source": AIRPORTS, "size": "200 km", "shape": "hexagon"}),
            ("hot_spots", {"source": "step_1", "column": "count", "k": 8}),
        ],
    ),
    (
        "measure the cities, then the 2 closest to any airport",
        [
            ("measure", {"source": CITIES}),
            ("nearest", {"source": "step_1", "target": AIRPORTS, "k": 1}),
            ("top", {"source": "step_2", "by": "distance_m", "n": 2, "smallest": True}),
        ],
    ),
    (
        "measure the cities, then the nearest airport to each",
        [("measure", {"source": CITIES}), ("nearest", {"source": "step_1", "target": AIRPORTS, "k": 1})],
    ),
    (
        "measure the countries and show those with an area over 3 m2",
        [("measure", {"source": COUNTRIES}), ("filter", {"source": "step_1", "filter": where("area_m2", ">", 3)})],
    ),
    (
        "measure the cities, then keep those within 50 km of an airport",
        [
            ("measure", {"source": CITIES}),
            ("select_by_location", {"source": "step_1", "other": AIRPORTS, "predicate": "within_distance", "distance": "50 km"}),
        ],
    ),
    (
        "rename the column elevation to height of airports",
        one("columns", AIRPORTS, changes=[{"function": "rename", "column": "elevation_m", "name": "height"}]),
    ),
    (
        "rename the column elevation of airports to height",
        one("columns", AIRPORTS, changes=[{"function": "rename", "column": "elevation_m", "name": "height"}]),
    ),
    (
        "make the column elevation of airports an integer",
        one("columns", AIRPORTS, changes=[{"function": "cast", "column": "elevation_m", "to": "integer"}]),
    ),
    (
        "convert the column name in cities to text",
        one("columns", CITIES, changes=[{"function": "cast", "column": "name", "to": "text"}]),
    ),
    (
        "drop the columns population and continent of countries",
        one("columns", changes=[{"function": "drop", "columns": ["population", "continent"]}]),
    ),
    (
        "keep only the columns name and population of cities",
        one("columns", CITIES, changes=[{"function": "keep", "columns": ["name", "population"]}]),
    ),
    (
        "add the coordinates as columns in EPSG:3857 to cities",
        one("columns", CITIES, changes=[{"function": "geometry", "fact": fact, "srid": 3857} for fact in "xy"]),
    ),
    (
        "split the column name of cities at the comma",
        one("columns", CITIES, changes=[{"function": "split", "column": "name", "separator": ","}]),
    ),
    ("trim the column name of cities", one("columns", CITIES, changes=[{"function": "trim", "column": "name"}])),
    (
        "add the coordinates to airports",
        one("columns", AIRPORTS, changes=[{"function": "geometry", "fact": "lon"}, {"function": "geometry", "fact": "lat"}]),
    ),
    (
        "add x and y of airports as columns",
        one("columns", AIRPORTS, changes=[{"function": "geometry", "fact": "x"}, {"function": "geometry", "fact": "y"}]),
    ),
    (
        "add the validity of airports as columns",
        one("columns", AIRPORTS, changes=[{"function": "geometry", "fact": "is_valid"}, {"function": "geometry", "fact": "invalid_reason"}]),
    ),
    ("add wkt to airports", one("columns", AIRPORTS, changes=[{"function": "geometry", "fact": "wkt"}])),
    ("number the rows of airports", one("columns", AIRPORTS, changes=[{"function": "number_rows", "name": "number"}])),
    ("number the rows of airports as nr", one("columns", AIRPORTS, changes=[{"function": "number_rows", "name": "nr"}])),
    ("drop the duplicates of airports", one("deduplicate", AIRPORTS)),
    ("remove duplicates of airports within 1 m", one("deduplicate", AIRPORTS, tolerance="1 m")),
    ("deduplicate the airports by country", one("deduplicate", AIRPORTS, by=["country"])),
    ("close the gaps below 2 ha in countries", one("clean_coverage", below="2 ha")),
    ("snap countries to a grid of 1 m", one("tidy", grid="1 m")),
    ("fill the holes below 20 ha in countries", one("tidy", holes="20 ha")),
    ("remove holes of the countries below 20 ha", one("tidy", holes="20 ha")),
    ("split the countries at the antimeridian", one("tidy", antimeridian=True)),
    ("remove repeated points of the main roads", one("tidy", ROADS, repeated=True)),
    ("drop the z values of airports", one("tidy", AIRPORTS, flat=True)),
    (
        "buffer the main roads by 5 km and find the cities inside them",
        [
            ("buffer", {"source": ROADS, "distance": "5 km"}),
            ("select_by_location", {"source": CITIES, "other": "step_1", "predicate": "shares_interior"}),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "steps"), REQUESTS, ids=[goal for goal, _steps in REQUESTS])
async def test_words_become_operations(goal: str, steps: Steps) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    answer = await chat(goal)
    assert chat.calls == [("run_analysis", {"goal": goal})], answer
    assert desk.analysis.steps == steps, answer
    assert desk.analysis.finished is not None


def test_every_operation_has_words() -> None:
    requested = {operation for _goal, steps in REQUESTS for operation, _arguments in steps}
    requested_elsewhere = {
        "nearest",
        "sort",
        "select_by_attribute",
    }  # in test_analysis.py, test_rows_by_key.py, and below
    assert set(OPERATIONS) - requested - requested_elsewhere == set(), (
        "give request= to the mark `reference` of the operation's test (docs/extending.md#add-an-operation)"
    )


async def test_them_is_the_layer_that_was_spoken_of_last_with_its_filter() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat("show airports above 2000 m; show countries; colour the airports red")
    await chat("buffer them by 10 km")
    assert chat.calls == [("run_analysis", {"goal": "buffer the layer `airports` by 10 km"})]
    assert desk.analysis.steps == [
        ("filter", {"source": AIRPORTS, "filter": where("elevation_m", ">", 2000)}),
        ("buffer", {"source": "step_1", "distance": "10 km"}),
    ]


async def test_a_result_is_sorted_and_few_rows_are_shown() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("dissolve countries by continent, then sort them by population")
    assert [name for name, _arguments in desk.analysis.steps] == ["dissolve", "sort"]
    answer = await Chat(world, analyst=desk)("dissolve countries by continent and show the three largest")
    rows = [line for line in answer.splitlines() if line.startswith("| ")]
    assert len(rows) == 2 + 3, answer
    assert desk.analysis.titles[-1] == "Dissolve countries by continent, the three largest"


@pytest.mark.parametrize(
    ("goal", "example"),
    [
        ("cluster airports by some way", "cluster airports within 5 km"),
        ("dissolve countries sideways into blue cheese", "dissolve countries by continent"),
        ("buffer the airports by some way", "buffer the airports by 5 km"),
    ],
)
async def test_an_operation_that_cannot_be_read_says_how_it_is_said(goal: str, example: str) -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(goal)
    assert answer.startswith("I cannot do that: ")
    assert example in answer
    assert desk.analysis.steps == []


async def test_a_ranking_by_a_column_is_no_analysis() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    await chat("top 5 cities by population")
    assert [name for name, _ in chat.calls] == ["query_features"]


async def test_a_question_about_what_no_column_tells_is_not_taken_for_a_filter() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    answer = await chat("Which airport has the longest runway?")
    assert "runway" in answer
    assert "layers yet" not in answer
    assert chat.calls == [] or chat.calls[0][0] == "cannot_do"


async def test_arcs_are_called_after_their_table_and_ends() -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)("arcs from elevation and iata to iata and elevation of airports")
    assert desk.analysis.titles == ["Arcs of airports from elevation to iata"]


async def test_changes_of_the_layer_spoken_of_are_titled_by_all_that_was_asked() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat("show cities")
    answer = await chat(
        "rename the column population to people, then add the coordinates as columns in EPSG:3857"
    )
    assert answer.startswith(
        "Rename the column population to people, then add the coordinates as columns in EPSG:3857: 17."
    )
    assert desk.analysis.titles == [
        "Rename the column population to people",
        "Add the coordinates as columns in EPSG:3857",
    ]


async def test_a_column_that_the_result_lacks_is_named() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("dissolve countries by continent, then show the top 5 by charm")
    assert "no column “charm”" in answer
    assert desk.analysis.failed is not None
