"""Whole conversations with the offline model: what it does, what it says, and what it admits."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import Focus, LayerDraft
from agents.ports import AnalysisReport
from server.maps.analyses.offered import OFFERED
from tests.unit.geo_agent.tables import AIRPORTS, COUNTRIES
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

ABOVE_2000 = where("elevation_m", ">", 2000)
WHICH_PARKS = (
    "Which table do you mean: data.parks or town.parks?\n\n"
    "You could say:\n- show data.parks in green\n- show town.parks in green"
)


async def test_the_newcomers_first_five_minutes() -> None:
    chat = Chat()
    assert await chat("show airports in red") == "Added **Airports** in red: 14 airports."
    assert chat.layers["airports"].style.color == "#ff0000"

    answer = await chat("only the ones above 2000 m")
    assert answer == "**Airports** now shows 4 airports where elevation_m > 2,000 (before: 14)."
    assert chat.layers["airports"].filter == ABOVE_2000

    answer = await chat("colour countries by population")
    assert answer.startswith("Added **Countries**, coloured by `population`: 14 countries.")
    assert "legend" not in answer, "the classes stand on the map"
    assert chat.layers["countries"].style.kind == "graduated"

    assert await chat("remove the airports") == "Removed **Airports**."
    assert list(chat.layers) == ["countries"]

    answer = await chat("reset the map")
    assert answer == "The map is empty now: 1 layer removed. Say “undo” to get it back."
    assert chat.layers == {}

    assert await chat("undo") == "Undone: map reset."
    assert list(chat.layers) == ["countries"]


async def test_refinements_are_joined_widened_and_taken_back() -> None:
    chat = Chat()
    await chat("show airports")
    await chat("only the ones above 2000 m")
    await chat("only the large ones")
    assert chat.layers["airports"].filter == both(ABOVE_2000, where("size", "=", "large"))
    await chat("also the ones in Germany")
    german = where("country", "=", "Germany")
    assert chat.layers["airports"].filter == both(
        both(ABOVE_2000, where("size", "=", "large")), german, op="or"
    )
    await chat("what about those above 4000 m?")
    assert chat.layers["airports"].filter == where("elevation_m", ">", 4000)
    assert await chat("all again") == "**Airports** shows all its 14 airports again."
    assert chat.layers["airports"].filter is None


async def test_several_commands_are_carried_out_in_order_and_pronouns_follow() -> None:
    chat = Chat()
    answer = await chat(
        "show airports and cities in red, colour countries by population; "
        "then label the cities and zoom to them"
    )
    assert [name for name, _ in chat.calls] == ["add_map_layer"] * 3 + ["update_map_layer", "zoom_to"]
    assert chat.calls[-1][1] == {"layer": "cities"}
    assert answer.count("Added") == 3
    assert answer.endswith("Zoomed to **Cities**.")


async def test_a_command_goes_on_rightly_when_the_words_it_began_with_are_gone() -> None:
    chat = Chat()
    await chat("show cities and airports")
    await chat("rename the cities to Big places")
    answer = await chat("remove Big places and the airports, then zoom to Ulm")
    assert [name for name, _ in chat.calls] == ["remove_map_layer", "remove_map_layer", "zoom_to"]
    assert answer == "Removed **Big places**. Removed **Airports**.\n\nZoomed to **Ulm** (cities, Germany)."


async def test_nothing_with_an_unknown_word_is_called_understood_or_offered() -> None:
    answer = await Chat()("predict the population of Germany in 2050")
    assert "“predict” is not a word of this language" in answer
    assert "I understood" not in answer
    assert "- predict" not in answer


async def test_a_part_that_is_not_understood_holds_everything_back() -> None:
    chat = Chat()
    answer = await chat("show airports in red and make me a coffee")
    assert [name for name, _ in chat.calls] == ["cannot_do"]
    assert not chat.layers
    assert answer.startswith(
        "I cannot do that: “coffee” is not a word of this language, nor the name of a table or column that you "
        "mention. I understood “show airports in red”, but not “make me a coffee”, so I changed nothing."
    )


async def test_what_is_not_understood_is_said_with_examples_from_the_tables_that_there_are() -> None:
    chat = Chat(World(AIRPORTS))
    answer = await chat("frobnicate the doodads")
    assert "did not understand “frobnicate the doodads”" in answer
    assert "show airports in red" in answer
    assert "cities" not in answer
    assert "“frobnicate” and “doodads” are not words of this language" in answer
    assert [name for name, _ in chat.calls] == ["cannot_do"]


async def test_a_partly_understood_request_quotes_both_parts() -> None:
    answer = await Chat()("show airports with sparkles")
    assert "I understood “show airports”, but not “with sparkles”" in answer


async def test_unknown_things_are_refused_by_cannot_do_naming_what_there_is() -> None:
    chat = Chat()
    answer = await chat("show hospitals in Berlin")
    ((name, arguments),) = chat.calls
    assert name == "cannot_do"
    assert "hospitals" in arguments["reason"]
    assert answer.startswith(
        "I cannot do that: no table here is about “hospitals”. There are airlines, airports,"
    )


@pytest.mark.parametrize(
    ("phrase", "reason"),
    [
        ("show airports in Narnia", "no row of airports has the value “Narnia”"),
        ("show airports whose country is Narnia", "no row of airports has “Narnia” as its country"),
        ("show airports named Hogwarts", "nothing in airports is called “Hogwarts”"),
        ("show airports above 2000 kg", "no column of airports is a weight"),
        ("show cities above 2000 m", "no column of cities is a length"),
        ("show cities deeper than 5", "no column of cities tells how deep they are"),
        ("show airlines", "airlines has no geometry"),
        ("show airports sized by country", "country of airports holds no numbers"),
        ("colour countries by population with 12 classes", "12 classes cannot be told apart"),
        ("show airports in viridis", "a colour ramp needs a column"),
        ("average name of airports", "name of airports holds no numbers"),
        ("what is the population of Atlantis", "“Atlantis” is not in"),
        ("what is the weather in Berlin", "no table has a column for “weather”"),
        ("only the ones above 2000 m", "the map has no layers yet"),
        ("hide the airports", "the map has no layers yet"),
        ("zoom in", "I do not know which part of the map you look at"),
        ("show airports in view", "I do not know which part of the map you look at"),
        ("only the selected ones", "the map has no layers yet"),
        ("show airports within 50 km of Berlin", "this needs a spatial analysis"),
        ("buffer the airports by 10 km", "this needs a spatial analysis"),
        ("which cities are farthest from an airport", "this needs a spatial analysis"),
    ],
)
async def test_what_cannot_be_done_is_refused_with_the_reason(phrase: str, reason: str) -> None:
    chat = Chat()
    answer = await chat(phrase)
    assert [name for name, _ in chat.calls] == ["cannot_do"], answer
    assert reason in answer
    assert chat.layers == {}


async def test_spatial_questions_go_to_the_analyst_word_for_word() -> None:
    class Analyst:
        goals: list[str] = []

        def operations(self) -> Any:
            return OFFERED

        async def recipes(self, session: Any) -> list[Any]:
            return []

        async def run(self, goal: str, session: Any, context: Any) -> AnalysisReport:
            self.goals.append(goal)
            return AnalysisReport("3 airports lie within 50 km of Berlin.")

    analyst = Analyst()
    chat = Chat(analyst=analyst)
    goal = "show the airports within 50 km of Berlin"
    assert await chat(goal) == "3 airports lie within 50 km of Berlin."
    assert analyst.goals == [goal]


async def test_a_layer_among_several_of_one_table_is_asked_for() -> None:
    chat = Chat()
    await chat.world.map.add_layer(LayerDraft(table="data.airports", id="one", name="Low"))
    await chat.world.map.add_layer(LayerDraft(table="data.airports", id="two", name="High"))
    assert await chat("hide the airports") == (
        "Which layer do you mean: one (Low) or two (High)?\n\nYou could say:\n- hide one\n- hide two"
    )
    await chat("two")
    assert chat.layers["two"].visible is False
    assert chat.layers["one"].visible is True


async def test_layers_are_known_by_their_own_names_and_their_colour() -> None:
    chat = Chat()
    await chat("show airports in red and cities in blue")
    await chat("rename the airports to High flyers")
    await chat("hide high flyers")
    assert chat.layers["airports"].visible is False
    await chat("show high flyers again")
    assert chat.layers["airports"].visible is True


async def test_showing_what_is_there_already_changes_nothing_and_says_so() -> None:
    chat = Chat()
    await chat("show airports")
    assert await chat("show airports") == "Airports is on the map already: 14 features."
    layer = chat.world.map.layers()[-1]
    chat.world.map._layers = (layer.model_copy(update={"estimated": True, "count": 1_234_567}),)
    assert await chat("show airports") == "Airports is on the map already: about 1.23 million features."
    assert chat.calls == []
    await chat("hide airports")
    await chat("show airports")
    assert chat.layers["airports"].visible is True
    await chat("only above 2000 m")
    assert "with its filter" in await chat("show airports")
    await chat("show all airports")
    assert chat.layers["airports"].filter is None


async def test_a_second_layer_of_a_table_is_named_after_what_it_shows() -> None:
    chat = Chat()
    await chat("show airports")
    await chat("show large airports in Germany")
    assert chat.layers["airports-2"].name == "Large airports in Germany"
    await chat("all again")
    assert chat.layers["airports-2"].name == "Airports", "the name must not tell of a filter that is gone"


async def test_the_largest_ones_are_drawn_and_named() -> None:
    chat = Chat()
    answer = await chat("show the 3 largest cities")
    assert chat.layers["cities"].filter == where("id", "in", [10, 11, 13])
    assert (
        "the 3 cities with the greatest `population`: Shanghai (24,874,500), Beijing (18,960,744)" in answer
    )
    answer = await chat("only the top 2 by population")
    assert "**3 largest cities** now shows the 2 cities with the greatest `population`" in answer
    assert chat.layers["cities"].count == 2


async def test_everything_in_view_follows_the_focus() -> None:
    world = World(focus=Focus(bounds=(5.0, 45.0, 15.0, 55.0), zoom=5))
    chat = Chat(world)
    assert await chat("how many cities are in view?") == (
        "There are 4 cities where the position is in the given area."
    )
    await chat("zoom in")
    assert world.map.views == [(7.5, 47.5, 12.5, 52.5)]
    area = {"type": "Polygon", "coordinates": [[[13, 52], [14, 52], [14, 53], [13, 53], [13, 52]]]}
    world.map.focus = Focus(area=area, bounds=(5.0, 45.0, 15.0, 55.0))
    await chat("how many cities are here?")
    assert chat.calls[0][1]["filters"]["args"][1] == area
    await chat("show cities")
    world.map.focus = Focus(layer_id="cities", feature_ids=(1, 5))
    await chat("only the selected ones")
    assert chat.layers["cities"].filter == where("id", "in", [1, 5])


async def test_here_means_the_strongest_and_an_area_stays_at_hand() -> None:
    area = {"type": "Polygon", "coordinates": [[[13, 52], [14, 52], [14, 53], [13, 53], [13, 52]]]}
    view = {"bbox": [5.0, 45.0, 15.0, 55.0]}
    chat = Chat(World())
    await chat("show cities")
    chat.world.map.focus = Focus(layer_id="cities", feature_ids=(1, 5), bounds=(5.0, 45.0, 15.0, 55.0))

    async def asked_for(text: str) -> object:
        await chat(text)
        return chat.calls[0][1]["filters"]

    assert await asked_for("how many cities are here?") == where("id", "in", [1, 5])
    assert await asked_for("how many cities are in this area?") == where("id", "in", [1, 5])
    assert (await asked_for("how many cities are in view?"))["args"][1] == view
    chat.world.map.focus = chat.world.map.focus.model_copy(update={"area": area})
    assert await asked_for("how many cities are here?") == where("id", "in", [1, 5])
    assert (await asked_for("how many cities are in this area?"))["args"][1] == area
    assert (await asked_for("how many cities are in view?"))["args"][1] == view
    chat.world.map.focus = Focus(layer_id="gone", feature_ids=(1, 5), bounds=(5.0, 45.0, 15.0, 55.0))
    assert "not on the map any more" in await chat("how many cities are here?")


async def test_an_empty_layer_is_called_empty() -> None:
    chat = Chat()
    answer = await chat("show airports above 8000 m")
    assert answer.startswith("I added **Airports**, but it is empty: no feature where elevation_m > 8,000.")
    await chat("show cities")
    answer = await chat("only the ones over 100 million")
    assert "**Cities** is empty now: none of its 17 features is left" in answer


async def test_another_value_of_a_column_takes_the_place_of_the_one_before() -> None:
    """A row has one country only, so both conditions together would leave nothing."""
    chat = Chat()
    await chat("show airports above 100 m")
    await chat("now only those in Germany")
    above, german, french = (
        where("elevation_m", ">", 100), where("country", "=", "Germany"), where("country", "=", "France")
    )  # fmt: skip
    assert chat.layers["airports"].filter == both(above, german)
    await chat("and in France?")
    assert chat.layers["airports"].filter == both(above, french)
    await chat("only those below 50 m")
    assert chat.layers["airports"].filter == both(french, where("elevation_m", "<", 50))


async def test_questions_are_answered_with_numbers_from_the_results() -> None:
    chat = Chat()
    assert await chat("how many airports are in Germany?") == "There are 4 airports where country is Germany."
    answer = await chat("what is the average elevation of airports in Germany?")
    assert answer == "The average `elevation_m` of airports where country is Germany is 273 m (4 values)."
    assert await chat("what is the population of Germany?") == "**Germany**: `population` 82,927,922."
    assert await chat("what is the capital of France") == "**France**: `capital` Paris."
    assert "| Shanghai | 24,874,500 |" in await chat("top 2 cities by population")
    assert "**Daocheng Yading Airport**: `elevation_m` 4,411 m" in await chat("which airport is the highest?")
    assert "from 6.9 to 9.5, average 8.33" in await chat("statistics of magnitude of earthquakes")
    assert "(16 values, 1 empty)" in await chat("total population of cities")


async def test_tables_columns_and_places_are_reported() -> None:
    chat = Chat()
    answer = await chat("what tables are there?")
    assert "**data.airports** (about 14 rows, points): Airports and airfields" in answer
    answer = await chat("describe airports")
    assert "- `elevation_m`, number: Elevation above sea level in metres (-3 to 4,411)" in answer
    assert "No table is about “dragons”" in await chat("search for dragons")
    answer = await chat("where is Paris?")
    assert "**Paris** (cities, France) at 48.850° N, 2.350° E." in answer
    assert "33.660° N, 95.560° W" in answer
    assert "No place called “Atlantis”" in await chat("where is Atlantis")
    await chat("show airports in red")
    assert "Airports (id airports): 14 features, in red" in await chat("what is on the map?")


async def test_a_code_is_found_by_way_of_a_table_that_knows_them_all_and_only_then() -> None:
    table, rows = AIRPORTS
    coded = table.model_copy(update={"columns": tuple(c for c in table.columns if c.name != "country")}), rows
    chat = Chat(World(coded, COUNTRIES))
    await chat("show airports in Europe")
    assert chat.layers["airports"].filter == where("country_code", "in", ["CH", "DE", "FR", "NL"])
    incomplete = World(coded, (COUNTRIES[0], COUNTRIES[1][:4]))
    answer = await Chat(incomplete)("show airports in Europe")
    assert "no row of airports has the value “Europe”" in answer, "rows would be missed without a word"


async def test_of_several_layers_none_is_removed_for_being_spoken_of_last() -> None:
    chat = Chat()
    await chat.world.map.add_layer(LayerDraft(table="data.airports", id="one", name="Low"))
    await chat.world.map.add_layer(LayerDraft(table="data.airports", id="two", name="High"))
    await chat("make high red")
    answer = await chat("remove the airports")
    assert answer == (
        "Which layer do you mean: one (Low) or two (High)?\n\nYou could say:\n- remove one\n- remove two"
    )
    await chat("one")
    assert list(chat.layers) == ["two"]


async def test_a_capital_does_not_stand_for_its_country() -> None:
    answer = await Chat()("show cities in Berlin")
    assert "no row of cities has the value “Berlin”" in answer
    assert "cities named Berlin" in answer


@pytest.mark.parametrize(
    ("sentence", "tools"),
    [
        ("show cities and label them by population", ["add_map_layer", "update_map_layer"]),
        (
            "show airports, colour them by elevation and zoom to them",
            ["add_map_layer", "update_map_layer", "zoom_to"],
        ),
        ("show airports and cities", ["add_map_layer", "add_map_layer"]),
        ("average elevation of airports by country and city", []),
        ("how many airports are there and cities", []),
        ("list the airports and cities", []),
    ],
)
async def test_a_noun_after_and_is_shown_only_where_something_is_shown(
    sentence: str, tools: list[str]
) -> None:
    chat = Chat()
    await chat(sentence)
    assert [name for name, _ in chat.calls if name != "cannot_do"] == tools


async def test_a_figure_of_the_first_rows_is_not_one_of_all_rows() -> None:
    desk = Desk(World())
    await Chat(desk.world, analyst=desk)("total population of the 3 largest cities")
    assert [name for name, _ in desk.analysis.steps] == ["top", "summarise"]
    assert desk.analysis.steps[0][1] == {"source": "data.cities", "by": "population", "n": 3}
