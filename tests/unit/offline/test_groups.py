"""A figure of each group, in all its words: by the rows' own column, else by place."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import FoundPlaces, LayerDraft
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, known, where

COUNT = {"function": "count", "name": "count"}
AIRPORTS, COUNTRIES = "data.airports", "data.countries"


def grouped(source: str, by: str, function: str, column: str) -> list[tuple[str, dict[str, Any]]]:
    figure = {"function": function, "column": column}
    return [("dissolve", {"source": source, "by": [by], "aggregates": [figure, COUNT]})]


@pytest.mark.parametrize(
    ("sentence", "steps"),
    [
        ("what is the average elevation of airports per country?", grouped(AIRPORTS, "country", "mean", "elevation_m")),
        ("mean elevation of the airports by country", grouped(AIRPORTS, "country", "mean", "elevation_m")),
        ("the median elevation of airports for each country", grouped(AIRPORTS, "country", "median", "elevation_m")),
        ("highest elevation of airports per country", grouped(AIRPORTS, "country", "max", "elevation_m")),
        ("lowest elevation of airports grouped by country", grouped(AIRPORTS, "country", "min", "elevation_m")),
        ("total population of countries per continent", grouped(COUNTRIES, "continent", "sum", "population")),
        ("sum of population of countries for every continent", grouped(COUNTRIES, "continent", "sum", "population")),
        ("average elevation of airports, by country", grouped(AIRPORTS, "country", "mean", "elevation_m")),
    ],
)  # fmt: skip
async def test_an_aggregate_of_each_group_is_of_that_column(sentence: str, steps: Any) -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    assert desk.analysis.steps == steps


@pytest.mark.parametrize(
    "sentence", ["number of airports per country", "how many airports are there by country?"]
)
async def test_rows_are_counted_by_their_own_column_and_not_by_where_they_lie(sentence: str) -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    assert desk.analysis.steps == [
        ("dissolve", {"source": AIRPORTS, "by": ["country"], "aggregates": [COUNT]})
    ]


@pytest.mark.parametrize(
    "sentence", ["total European country population by continent", "total country population, by continent"]
)
async def test_a_figure_before_which_its_rows_are_named_is_of_those_rows(sentence: str) -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    *before, (grouping, arguments) = desk.analysis.steps
    european = where("continent", "=", "Europe")
    assert [step["filter"] for _, step in before] == ([european] if "European" in sentence else []), answer
    assert (grouping, arguments["by"]) == ("dissolve", ["continent"])
    assert arguments["aggregates"] == [{"function": "sum", "column": "population"}, COUNT]


async def test_rows_that_no_value_describes_have_no_figure() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("total purple country population by continent")
    assert "purple" in answer
    assert desk.analysis.steps == []


async def test_a_place_is_never_one_of_whose_name_it_is_a_part() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    found = world.data.find_place

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        berlin = (await found("Berlin")).places[0]
        part = berlin.model_copy(update={"name": "Lake Geneva Airfield", "whole": False})
        return FoundPlaces(places=(part,)) if text == "Lake Geneva" else await found(text, limit)

    world.data.find_place = find_place  # type: ignore[method-assign]
    answer = await chat("airports within 100 km of Lake Geneva")
    assert "no place is called “Lake Geneva”" in answer
    assert "Lake Geneva Airfield" in answer
    assert chat.layers == {}


async def test_of_places_about_as_well_known_one_is_asked_for_and_the_answer_is_meant() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    berlin = (await world.data.find_place("Berlin")).places[0]
    twins = [berlin.model_copy(update={"detail": "Germany", "population": 300_000})]
    twins.append(
        berlin.model_copy(update={"detail": "United States", "population": 200_000, "longitude": -71.2})
    )

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        named = [each for each in twins if text == "Berlin" or text.endswith(each.detail)]
        return FoundPlaces(places=tuple(named))

    world.data.find_place = find_place  # type: ignore[method-assign]
    answer = await chat("airports within 50 km of Berlin")
    assert answer == (
        "Which Berlin do you mean: Berlin, Germany; or Berlin, United States?\n\nYou could say:\n"
        '- airports within 50 km of "Berlin, Germany"\n- airports within 50 km of "Berlin, United States"'
    )
    assert chat.calls == []
    answer = await chat("Berlin, Germany")
    assert chat.calls == [("run_analysis", {"goal": 'airports within 50 km of "Berlin, Germany"'})]
    assert "Interpreted as Berlin, Germany." in answer


async def test_conditions_before_and_after_a_relation_are_on_the_same_rows() -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat("countries that touch France and have more than 10 million people")
    (call,) = chat.calls
    assert call[0] == "run_analysis"
    assert [operation for operation, _ in desk.analysis.steps] == ["filter", "filter", "select_by_location"]
    assert desk.analysis.steps[0][1]["filter"] == where("population", ">", 10_000_000)


@pytest.mark.parametrize(
    ("sentence", "condition"),
    [
        ("airports within 50 km of Berlin and above 30 m", where("elevation_m", ">", 30)),
        ("airports within 500 km of Berlin and not above 30 m", where("elevation_m", "<=", 30)),
    ],
)
async def test_a_distance_and_a_condition_are_one_question(sentence: str, condition: dict[str, Any]) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat(sentence)
    assert [name for name, _ in chat.calls] == ["run_analysis"]
    assert desk.analysis.steps[0][1]["filter"] == condition


@pytest.mark.parametrize(
    ("sentence", "n"),
    [
        ("countries with the most airports", 10),
        ("top 5 countries by number of airports", 5),
        ("which country has the most airports?", 1),
    ],
)
async def test_those_with_the_most_are_ranked_by_how_many(sentence: str, n: int) -> None:
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    await chat(sentence)
    assert chat.calls[0] == ("run_analysis", {"goal": sentence})
    assert desk.analysis.steps[0] == ("summarise", {"source": AIRPORTS, "by": ["country"]})
    assert desk.analysis.steps[1] == ("top", {"source": "step_1", "by": "count", "n": n, "ties": True})


async def test_a_place_that_may_belong_to_either_side_is_not_guessed() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("countries without airports in Europe")
    assert desk.analysis.steps == []
    assert "it is not clear whether the countries or the airports are meant to be in Europe" in answer
    assert "“countries in Europe without airports”" in answer
    await Chat(world, analyst=desk)("countries in Europe without airports")
    assert [operation for operation, _ in desk.analysis.steps] == ["filter", "select_by_attribute"]


async def test_a_count_of_two_things_in_one_place_is_not_answered_for_one_of_them() -> None:
    chat = Chat()
    answer = await chat("how many airports and cities are there in Germany?")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert "“airports and cities” are counted one after the other" in answer


async def test_a_name_of_two_kinds_of_region_is_asked_about_where_both_have_rows() -> None:
    world = World()
    rows = world.data.rows[AIRPORTS]
    for number, row in enumerate(rows):
        row["region"] = "Germany" if number < 6 and row["country"] != "Germany" else None
    table = world.registry.get(AIRPORTS)
    region = next(column for column in table.columns if column.name == "country").model_copy(
        update={"name": "region"}
    )
    world.registry.replace(table.model_copy(update={"columns": (*table.columns, region)}))
    chat = Chat(world)
    answer = await chat("show airports in Germany")
    assert answer == (
        "Which do you mean by “Germany”: the country Germany or the region Germany?\n\n"
        "You could say:\n- country Germany\n- region Germany"
    )
    assert chat.calls == []
    await chat("the region")
    ((name, arguments),) = chat.calls
    assert name == "add_map_layer"
    assert arguments["filters"] == where("region", "=", "Germany")


def shared(by: str, column: str, value: str, source: str = AIRPORTS) -> Any:
    """The steps of a share: counted all and passing, joined, divided."""
    return [
        ("filter", {"source": source, "filter": where(column, "=", value)}),
        ("dissolve", {"source": source, "by": [by], "aggregates": [COUNT]}),
        ("summarise", {"source": "step_1", "by": [by], "aggregates": [{**COUNT, "name": "passing"}]}),
        (
            "join_by_attribute",
            {
                "source": "step_2",
                "other": "step_3",
                "key": by,
                "other_key": by,
                "columns": ["passing"],
                "zero": True,
            },
        ),
        (
            "calculate",
            {"source": "step_4", "name": "percent", "expression": "100 * passing / count"},
        ),
    ]


@pytest.mark.parametrize(
    "sentence",
    ["share of large airports per country", "what is the percentage of the large airports by country?",
     "proportion of large airports in each country"],
)  # fmt: skip
async def test_a_share_of_each_group_divides_those_that_pass_by_all_of_the_group(sentence: str) -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)(sentence)
    assert desk.analysis.steps == shared("country", "size", "large")


async def test_a_share_of_a_filtered_layer_is_of_its_rows_that_have_a_group() -> None:
    """A row without a country would count as a group of which nothing passes."""
    world = World()
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    first, *others = world.data.rows["data.airports"]
    world.data.rows["data.airports"] = [{**first, "country": None}, *others]  # type: ignore[index]
    high = where("elevation_m", ">", 500)
    await world.map.add_layer(LayerDraft(table="data.airports", id="one", name="High places", filter=high))
    await chat("percentage of large high places by country")
    kept = [arguments["filter"] for name, arguments in desk.analysis.steps if name == "filter"]
    assert kept == [high, known("country"), where("size", "=", "large")]


async def test_a_share_of_each_group_is_of_the_rows_in_the_place_that_is_named() -> None:
    desk = Desk(world := World())
    await Chat(world, analyst=desk)("percentage of large airports in Germany by city")
    kept = [arguments["filter"] for name, arguments in desk.analysis.steps if name == "filter"]
    assert kept[0] == where("country", "=", "Germany")
    assert where("size", "=", "large") in kept


@pytest.mark.parametrize(
    "sentence",
    [
        "percentage of large airports with an iata code by country",
        "average elevation by size, only airports in Peru",
    ],
)
async def test_it_is_not_guessed_of_which_rows_a_figure_is(sentence: str) -> None:
    """Whether the codes are those of the part or of the whole, and whether the average is of Peru, is open."""
    desk = Desk(world := World())
    chat = Chat(world, analyst=desk)
    answer = await chat(sentence)
    assert (desk.analysis.steps, chat.layers) == ([], {}), answer


async def test_the_top_groups_are_those_with_the_greatest_figure() -> None:
    desk = Desk(world := World())
    await Chat(world, analyst=desk)("highest elevation of airports by country, top 2")
    assert desk.analysis.steps[-1] == (
        "top",
        {"source": "step_1", "by": "max_elevation_m", "n": 2, "ties": True},
    )


async def test_a_density_counts_in_each_area_and_divides_by_its_measured_size() -> None:
    world = World()
    desk = Desk(world)
    await Chat(world, analyst=desk)("density of airports per country")
    assert [name for name, _ in desk.analysis.steps] == [
        "summarise",
        "join_by_attribute",
        "measure",
        "calculate",
    ]
    assert desk.analysis.steps[-1][1]["expression"] == "1000000000 * count / area_m2"


@pytest.mark.parametrize(
    "sentence",
    ["what share of the airports is large?", "percentage of large airports",
     "what percentage of the airports are large airports?"],
)  # fmt: skip
async def test_a_share_of_all_rows_says_the_percentage_and_both_counts(sentence: str) -> None:
    chat = Chat()
    assert await chat(sentence) == "50 % of the 14 airports: 7 where size is large."
    assert chat.layers == {}


async def test_all_that_are_tied_for_the_most_are_named() -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("which continent has the most countries?")
    assert desk.analysis.steps[-1][1]["ties"] is True
    assert " has the most countries: " in answer or " have the most countries: " in answer


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("which continent has the most countries?", "Europe has the most countries: 4."),
        ("which country has the most large airports?", "Germany has the most large airports: 3."),
    ],
)
async def test_the_most_is_told_by_what_was_counted(sentence: str, answer: str) -> None:
    world = World()
    found = await Chat(world, analyst=Desk(world))(sentence)
    assert answer in found
    assert "most airports" not in found, "only the large ones were counted"
    assert "|" not in found, "one row with one figure is in the sentence"


async def test_a_place_is_looked_up_once_in_an_analysis_and_anew_in_the_next_turn() -> None:
    world = World()
    chat = Chat(world, analyst=Desk(world))
    find, asked = world.data.find_place, []

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        asked.append(text)
        return await find(text, limit)

    world.data.find_place = find_place  # type: ignore[method-assign]
    await chat("airports within 50 km of Berlin, then show the highest")
    analysed = asked.count("Berlin")
    assert analysed <= 2, "by the model of the map, and by that of the analysis"
    await chat("airports within 50 km of Berlin, then show the highest")
    assert asked.count("Berlin") == 2 * analysed
