"""Messages that change one part of the answer before: its rows, column, order or form, or that ask a fact of it."""

from __future__ import annotations

import datetime
from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, known, where

MOORINGS = make_table(
    "data.moorings", "POINT", "Moorings of the harbours",
    [("id", "integer", ""), ("name", "text", ""), ("hull", "text", "kind of boat"), ("flag", "text", ""),
     ("checked_on", "date", "date of the last check"), ("chk", "text", "Inspector"),
     ("length_m", "number", "length of the boat"), ("fee_eur", "number", "fee per year, EUR"),
     ("hooked", "integer", "fish landed")],
    [(1, "A1", "yacht", "Malta", "2024-05-01", "Ines Pol", 9.5, 400.0, 0, (1.0, 1.0)),
     (2, "A2", "yacht", "Italy", "2022-03-01", "Ines Pol", 12.0, 610.0, 3, (1.0, 1.1)),
     (3, "B1", "trawler", "Malta", "2023-07-09", "Otto Rau", 21.0, 900.0, 812, (1.0, 1.2)),
     (4, "B2", "trawler", "Spain", "2021-01-01", "Otto Rau", 17.5, 800.0, 400, (1.0, 1.3)),
     (5, "C1", "ferry", "Italy", "2025-02-02", "Ines Pol", 64.0, 5200.0, 0, (1.0, 1.4))],
)  # fmt: skip
BASINS = make_table(
    "data.basins", "POLYGON", "Basins of the harbours",
    [("id", "integer", ""), ("name", "text", ""), ("depth_m", "number", "depth")],
    [(1, "Old basin", 4.0, (1.0, 1.0)), (2, "Fish dock", 9.0, (1.0, 1.2)), (3, "Roads", 14.0, (1.0, 1.4))],
)  # fmt: skip
MALTA, ITALY = where("flag", "=", "Malta"), where("flag", "=", "Italy")
YACHTS = where("hull", "=", "yacht")


@pytest.fixture
def chat() -> Chat:
    world = World(MOORINGS, BASINS)
    return Chat(world, analyst=Desk(world))


async def _said(chat: Chat, conversation: str) -> tuple[str, dict[str, Any]]:
    """The first call of the last message."""
    for text in conversation.split(" | "):
        answer = await chat(text)
    assert chat.calls, answer
    return chat.calls[0]


@pytest.mark.parametrize(
    ("conversation", "filters"),
    [
        ("how many moorings have flag Italy | and malta?", MALTA),
        ("how many moorings are there with flag Malta | and italy?", ITALY),
        ("how many moorings of yachts | and trawlers?", where("hull", "=", "trawler")),
        (
            "when was the last yacht checked | and trawler?",
            both(where("hull", "=", "trawler"), known("checked_on")),
        ),
    ],
)
async def test_another_value_of_the_same_column(chat: Chat, conversation: str, filters: Any) -> None:
    name, arguments = await _said(chat, conversation)
    assert arguments.get("filters") == filters, (name, arguments)


@pytest.mark.parametrize(
    ("conversation", "sort", "descending", "limit"),
    [
        ("show the basins coloured by depth | top two", "depth_m", True, 2),
        ("show the basins coloured by depth | top two | now lowest 2", "depth_m", False, 2),
        ("show the basins coloured by depth | the 2 lowest as a table", "depth_m", False, 2),
        ("top 3 moorings by length | now the lowest two", "length_m", False, 2),
        ("top 3 moorings by length | same for fee", "fee_eur", True, 3),
    ],
)
async def test_a_ranking_by_the_same_column(
    chat: Chat, conversation: str, sort: str, descending: bool, limit: int
) -> None:
    name, arguments = await _said(chat, conversation)
    assert (name, arguments["sort"], arguments["descending"]) == ("query_features", sort, descending)
    assert arguments["limit"] == limit
    assert "id" not in str(arguments["filters"])


async def test_nothing_is_ranked_without_a_column(chat: Chat) -> None:
    await chat("show the moorings")
    await chat("top two")
    assert [each for each, _ in chat.calls] in ([], ["cannot_do"])


@pytest.mark.parametrize(
    ("conversation", "columns", "filters"),
    [
        ("show moorings of yachts | who inspected them", {"chk"}, YACHTS),
        ("how many moorings of yachts | who inspected these", {"chk"}, YACHTS),
        ("show moorings of yachts | when was the last one checked", {"checked_on"}, both(YACHTS, known("checked_on"))),
        ("how many moorings of yachts | how long has the oldest one been waiting", {"checked_on"},
         both(YACHTS, known("checked_on"))),
        ("show moorings of yachts | which of them hooked more than 2 fish", {"hooked"},
         both(YACHTS, where("hooked", ">", 2))),
    ],
)  # fmt: skip
async def test_a_fact_of_the_rows(chat: Chat, conversation: str, columns: set[str], filters: Any) -> None:
    name, arguments = await _said(chat, conversation)
    assert name == "query_features", arguments
    assert columns <= {*arguments["columns"]}
    assert arguments["filters"] == filters


async def test_a_number_of_what_was_done(chat: Chat) -> None:
    name, arguments = await _said(chat, "show moorings of yachts | how many of them hooked at least one fish")
    assert (name, arguments["filters"]) == ("count_features", both(YACHTS, where("hooked", ">=", 1)))


@pytest.mark.parametrize(
    ("conversation", "goal"),
    [
        ("moorings per basin | only yachts", "number of yacht moorings in each basin"),
        ("average fee of moorings by flag | only yachts", "average fee of yacht moorings by flag"),
        ("total fee of moorings by flag | same for length", "total length of moorings by flag"),
        ("moorings of yachts | total fee? | by flag", "total fee of the layer `moorings` by flag"),
        (
            "moorings of yachts | total fee? | per year as a bar chart",
            "total fee of the layer `moorings` per year",
        ),
    ],
)
async def test_figures_of_groups_of_other_rows_or_columns(chat: Chat, conversation: str, goal: str) -> None:
    name, arguments = await _said(chat, conversation)
    assert (name, arguments["goal"]) == ("run_analysis", goal)


async def test_only_some_years(chat: Chat) -> None:
    await _said(chat, "colour moorings by hull | only 2022 to 2024")
    assert chat.layers["moorings"].filter == both(
        where("checked_on", ">=", {"date": "2022-01-01"}), where("checked_on", "<", {"date": "2025-01-01"})
    )


async def test_near_the_row_that_was_the_answer(chat: Chat) -> None:
    name, arguments = await _said(chat, "which mooring has the largest fee | any basins within 1 km of it?")
    assert (name, arguments["goal"]) == ("run_analysis", "any basins within 1 km of C1?")


async def test_the_row_that_was_the_answer_is_shown(chat: Chat) -> None:
    await _said(chat, "which mooring has the largest fee | where is it, zoom there")
    assert [name for name, _ in chat.calls] == ["add_map_layer", "zoom_to"]


async def test_an_analysis_of_them_is_declined_if_the_layer_shows_other_rows(chat: Chat) -> None:
    """The figures of the layer were told."""
    await chat("show moorings of yachts")
    await chat("how many moorings of trawlers are there")
    await chat("total fee of them by flag")
    assert [name for name, _ in chat.calls] == ["cannot_do"]


KILNS = make_table(
    "data.kilns", "POINT", "Kilns of the potteries",
    [("id", "integer", ""), ("name", "text", ""), ("kind", "text", ""), ("fuel", "text", "")],
    [(1, "K1", "tall bottle oven", "coal", (1.0, 1.0)), (2, "K2", "squat bottle oven", "coal", (1.0, 1.1)),
     (3, "K3", "tunnel oven", "gas", (1.0, 1.2)), (4, "K4", "tall bottle oven", "wood", (1.0, 1.3))],
)  # fmt: skip


async def test_values_that_end_with_the_words_are_all_meant() -> None:
    chat = Chat(World(KILNS))
    await chat("show kilns with coal")
    answer = await chat("only the bottle oven ones")
    assert chat.layers["kilns"].count == 2, answer
    assert "kind ends with bottle oven" in answer


@pytest.mark.parametrize("asked", ["how many fish were landed", "how many fish were landed in total"])
async def test_a_figure_without_a_noun_is_of_the_rows_spoken_of(chat: Chat, asked: str) -> None:
    """The total of all moorings was told."""
    name, arguments = await _said(chat, f"show moorings of yachts | {asked}")
    assert (name, arguments["column"], arguments["filters"]) == ("column_stats", "hooked", YACHTS)
    name, arguments = await _said(chat, f"how many moorings have flag Malta | {asked}")
    assert (name, arguments["column"], arguments["filters"]) == ("column_stats", "hooked", MALTA)


@pytest.mark.parametrize(
    ("conversation", "sort", "descending"),
    [
        ("show the basins coloured by depth | which has the lowest", "depth_m", False),
        ("show moorings with a fee above 500 | which has the most", "fee_eur", True),
        ("how many moorings with a fee above 500 | which one has the least", "fee_eur", False),
        ("top 3 moorings by length | just the top 2", "length_m", True),
        ("top 3 moorings by length | and by fee?", "fee_eur", True),
        ("show moorings of yachts | which hooked the least", "hooked", False),
        ("show moorings of yachts | how long is the longest", "length_m", True),
    ],
)
async def test_a_ranking_that_names_no_column_or_rows(
    chat: Chat, conversation: str, sort: str, descending: bool
) -> None:
    name, arguments = await _said(chat, conversation)
    assert (name, arguments["sort"], arguments["descending"]) == ("query_features", sort, descending)
    assert '"id"' not in str(arguments["filters"])


@pytest.mark.parametrize(
    ("conversation", "goal"),
    [
        ("show moorings by hull | which has the most", 'number of the layer `moorings` by "hull"'),
        ("show moorings of yachts | which flag has the most", "number of the layer `moorings` by flag"),
        ("show moorings of yachts | which year had the most", "number of the layer `moorings` by year"),
        ("how many moorings have flag Malta | average fee? | per hull",
         "average fee of moorings that have flag Malta per hull"),
        ("how many moorings per hull in 2023 | same for 2024", "how many moorings per hull in 2024"),
        ("yacht moorings per basin | only malta", "number of malta yacht moorings in each basin"),
    ],
)  # fmt: skip
async def test_groups_of_the_rows_spoken_of(chat: Chat, conversation: str, goal: str) -> None:
    name, arguments = await _said(chat, conversation)
    assert (name, arguments["goal"]) == ("run_analysis", goal)


async def test_a_command_of_several_steps_is_meant_once(chat: Chat) -> None:
    """The message was read again with the result on the map, and the rest of it was not understood."""
    await chat("show moorings of yachts")
    assert "not understand" not in await chat("per year")


@pytest.mark.parametrize(
    ("conversation", "call"),
    [
        ("which mooring has the largest fee | who is the inspector", "query_features"),
        ("how many moorings have flag Malta | map them", "add_map_layer"),
        ("how many moorings have flag Malta | list with fee", "query_features"),
        ("show moorings of yachts | only this year", "update_map_layer"),
        (
            "show moorings of yachts | how many are above 500 euros | what percentage is that",
            "count_features",
        ),
    ],
)
async def test_requests_cut_short(chat: Chat, conversation: str, call: str) -> None:
    name, _ = await _said(chat, conversation)
    assert name == call


async def test_a_figure_without_a_noun_is_not_narrowed_by_the_value_that_it_replaces(chat: Chat) -> None:
    name, arguments = await _said(chat, "how many fish were landed with flag Malta | and italy?")
    assert (name, arguments["column"]) == ("column_stats", "hooked")
    assert arguments["filters"] == ITALY


@pytest.mark.parametrize("asked", ["how many flags", "how many different flags are there"])
async def test_different_values_of_the_rows_are_counted(chat: Chat, asked: str) -> None:
    name, arguments = await _said(chat, f"show moorings of yachts | {asked}")
    assert (name, arguments["column"], arguments["filters"]) == ("column_stats", "flag", YACHTS)


async def test_the_largest_is_not_the_group_with_the_most_rows(chat: Chat) -> None:
    await chat("show moorings by hull")
    await chat("which is the largest")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


async def test_how_many_in_a_year(chat: Chat) -> None:
    name, arguments = await _said(chat, "show moorings of yachts | how many in 2024")
    assert name == "count_features"
    assert YACHTS in arguments["filters"]["args"]


@pytest.mark.parametrize("asked", ["the top two", "which has the lowest"])
async def test_a_ranking_is_of_what_the_layer_shows(chat: Chat, asked: str) -> None:
    await chat("show moorings with a fee above 300")
    await chat("only the yachts")
    await chat(asked)
    ((_, arguments),) = chat.calls
    assert YACHTS in arguments["filters"]["args"], arguments


async def test_a_ranking_of_a_coloured_layer_is_of_what_it_shows(chat: Chat) -> None:
    await chat("colour moorings by fee")
    await chat("only the yachts")
    await chat("top two")
    ((_, arguments),) = chat.calls
    assert YACHTS in arguments["filters"]["args"], arguments


async def test_a_date_of_something_else_is_not_told(chat: Chat) -> None:
    await chat("show moorings of yachts")
    await chat("when was the last one painted")
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"])


async def test_a_figure_after_groups_is_of_the_rows_that_were_grouped(chat: Chat) -> None:
    """The average of all moorings was told."""
    await chat("show moorings of yachts")
    await chat("number per flag")
    await chat("average fee")
    ((_, arguments),) = chat.calls
    assert arguments.get("filters") == YACHTS or "layer `moorings`" in arguments["goal"]


@pytest.mark.parametrize(
    ("conversation", "first"),
    [
        ("how many moorings were checked in 2025 | and the year before?", "2024-01-01"),
        ("how many moorings were checked in 2022 | and the year after", "2023-01-01"),
        ("how many moorings were checked in 2022 | and the previous year, please", "2021-01-01"),
    ],
)
async def test_the_year_beside(chat: Chat, conversation: str, first: str) -> None:
    name, arguments = await _said(chat, conversation)
    bounds = [each["args"][1] for each in arguments["filters"]["args"]]
    assert (name, bounds[0]) == ("count_features", {"date": first}), arguments


async def test_the_year_before_last_year(chat: Chat) -> None:
    _, arguments = await _said(chat, "how many moorings were checked last year | and the year before?")
    bounds = [each["args"][1] for each in arguments["filters"]["args"]]
    assert bounds[0] == {"date": f"{datetime.date.today().year - 2}-01-01"}, arguments


@pytest.mark.parametrize(
    "words",
    ["give me a table", "can i have them as a table pls", "put them in a table", "show me a list of them"],
)
async def test_the_rows_as_a_table(chat: Chat, words: str) -> None:
    name, arguments = await _said(chat, f"show moorings of yachts | {words}")
    assert (name, arguments["filters"]) == ("query_features", YACHTS)


async def test_the_dates_of_the_rows(chat: Chat) -> None:
    name, arguments = await _said(chat, "show moorings of yachts | when were they last checked")
    assert (name, arguments["filters"]) == ("query_features", both(YACHTS, known("checked_on")))
    assert "checked_on" in arguments["columns"]


async def test_the_areas_that_most_of_the_rows_are_in(chat: Chat) -> None:
    await chat("show moorings of yachts")
    answer = await chat("which basin are most of them in")
    assert chat.calls == [("run_analysis", {"goal": "how many of the layer `moorings` are in each basin"})]
    assert "counted for 3 of them" in answer, answer
