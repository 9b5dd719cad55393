"""Columns that a list shows, numbers of different values, rates of each area, exact numbers of rows in areas,
and groups after a text."""

from __future__ import annotations

import pytest

from agents.domain import FoundPlaces, Place
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, known, like, where


def asking() -> tuple[Chat, Desk]:
    world = World(COUNTRIES, AIRPORTS)
    desk = Desk(world)
    return Chat(world, analyst=desk), desk


@pytest.mark.parametrize(
    ("asked", "is_known"),
    [
        ("list the countries with their population", False),
        ("list of countries including their population", False),
        ("list the countries with population", True),
    ],
)
async def test_a_column_of_their_own_is_shown_and_restricts_nothing(asked: str, is_known: bool) -> None:
    chat, _ = asking()
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert (name, "population" in arguments["columns"]) == ("query_features", True)
    assert arguments.get("filters") == (known("population") if is_known else None)


@pytest.mark.parametrize(
    "asked",
    [
        "number of different countries of the airports",
        "the number of distinct countries of airports",
        "count the unique countries of the airports",
    ],
)
async def test_the_number_of_different_values(asked: str) -> None:
    chat, _ = asking()
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert (name, arguments["table"], arguments["column"]) == ("column_stats", "data.airports", "country")


async def test_the_number_of_different_values_of_some_rows() -> None:
    chat, _ = asking()
    await chat("number of different continents in Europe")
    ((name, arguments),) = chat.calls
    assert (name, arguments["column"]) == ("column_stats", "continent")
    assert arguments["filters"] == where("continent", "=", "Europe")


@pytest.mark.parametrize(
    "asked",
    [
        "how many airports are there per million people in each country",
        "how many airports per million people does each country have",
        "how many airports are there per million people",
    ],
)
async def test_a_rate_of_each_area(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    (rate,) = [arguments for operation, arguments in desk.analysis.steps if operation == "calculate"]
    assert rate["expression"] == '1000000 * count / "population"'


async def test_the_groups_after_a_text_are_no_part_of_it() -> None:
    chat, desk = asking()
    await chat("number of airports whose name contains field, grouped by country")
    (kept, rows), (grouped, groups) = desk.analysis.steps
    assert (kept, rows["filter"]) == ("filter", like("name", "%field%"))
    assert (grouped in ("summarise", "dissolve"), groups["by"]) == (True, ["country"])


@pytest.mark.parametrize(
    ("asked", "number"),
    [
        ("countries with only one airport", 1),
        ("which countries have just one airport?", 1),
        ("countries with a single airport", 1),
        ("how many countries have only a single airport", 1),
        ("countries with just 3 airports", 3),
    ],
)
async def test_areas_with_an_exact_number_of_rows(asked: str, number: int) -> None:
    chat, desk = asking()
    await chat(asked)
    assert desk.analysis.steps[-1][1]["filter"] == where("count", "=", number)


@pytest.mark.parametrize(
    "asked", ["countries without a single airport", "countries that don't have a single airport"]
)
async def test_no_single_row_is_none(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    assert desk.analysis.steps[-1][1]["invert"]


@pytest.mark.parametrize(
    "asked",
    [
        "easternmost airport of Germany",
        "which airport is the easternmost in Germany",
        "which is the easternmost airport of Germany?",
    ],
)
async def test_the_row_farthest_to_one_side_of_some_rows(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    (kept, rows), (placed, _), (last, top) = desk.analysis.steps
    assert (kept, rows["filter"], placed) == ("filter", where("country", "=", "Germany"), "columns")
    assert (last, top["by"], top["n"]) == ("top", "longitude", 1)


async def test_rows_near_both_of_two_places() -> None:
    chat, desk = asking()
    await chat("airports within 300 km of both Germany and France")
    near = [arguments for operation, arguments in desk.analysis.steps if operation == "select_by_location"]
    assert [(each["source"], each["distance"]) for each in near] == [
        ("data.airports", "300 km"), ("step_2", "300 km"),
    ]  # fmt: skip


async def test_what_follows_but_is_no_request_of_its_own() -> None:
    chat, _ = asking()
    answer = await chat("which country has the fewest people but at least one airport")
    assert answer.startswith("I understood")
    assert not chat.calls


FINDS = make_table(
    "data.finds", "POINT", "Find register of the museum",
    [("id", "integer", ""), ("OBJ", "text", "Object type"), ("mat", "text", "Material"),
     ("plac", "text", "Where the object is now")],
    [(1, "coin", "silver", "lost", (1.0, 1.0)), (2, "axe", "iron", "museum", (2.0, 1.0))],
)  # fmt: skip


async def test_a_comment_that_tells_a_kind_means_its_column_before_one_that_mentions_it() -> None:
    chat = Chat(World(FINDS))
    await chat("list the lost finds with object and material")
    ((_, arguments),) = chat.calls
    assert {"OBJ", "mat"} <= {*arguments["columns"]}


async def test_a_corrected_noun_in_y_has_its_own_plural() -> None:
    chat, _ = asking()
    assert "Read “countires” as “countries”." in await chat("countires with at least 2 airports")


async def test_a_place_is_zoomed_to_by_its_whole_name_only() -> None:
    chat, _ = asking()
    places = (Place(
        name="Fårö norra kust", table="data.zones", kind="zone", bounds=(1, 1, 2, 2), longitude=1.5, latitude=1.5,
        whole=False,
    ),)  # fmt: skip

    async def find_place(_text: str, limit: int = 5) -> FoundPlaces:
        return FoundPlaces(places=places)

    chat.world.data.find_place = find_place  # type: ignore[method-assign]
    assert "no table and no place is called “Fårö”" in await chat("zoom to Fårö")
    assert not chat.world.map.views


async def test_a_column_that_is_kept_is_no_question_about_people() -> None:
    chat, desk = asking()
    await chat(
        "drop the columns area_km2 and continent of countries, then keep only the columns name and population"
    )
    assert [operation for operation, _ in desk.analysis.steps] == ["columns", "columns"]
    assert desk.analysis.steps[-1][1]["changes"] == [{"function": "keep", "columns": ["name", "population"]}]
