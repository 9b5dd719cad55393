"""What the offline model asks back when a request can mean several things, and how an answer goes on."""

from __future__ import annotations

import json

import pytest

from agents.core import AssistantMessage, UserMessage
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

ABOVE_2000 = where("elevation_m", ">", 2000)
WHICH_PARKS = (
    "Which table do you mean: data.parks or town.parks?\n\n"
    "You could say:\n- show data.parks in green\n- show town.parks in green"
)


async def test_an_ambiguous_table_is_asked_for_and_the_answer_is_enough() -> None:
    chat = Chat()
    assert await chat("show parks in green") == WHICH_PARKS
    assert chat.calls == []
    await chat("town.parks")
    assert chat.calls == [("add_map_layer", {"table": "town.parks", "color": "green"})]


async def test_each_option_of_a_question_is_the_own_request_with_the_option_in_it() -> None:
    chat = Chat()
    offered = (await chat("show parks in green")).partition("You could say:\n")[2]
    await chat(offered.splitlines()[0].removeprefix("- "))
    assert chat.calls == [("add_map_layer", {"table": "data.parks", "color": "green"})]


async def test_an_ambiguous_column_is_asked_for_and_the_answer_is_enough() -> None:
    chat = Chat()
    await chat("show earthquakes over 20")
    assert "depth_km" in str(chat.calls), "only depths reach 20"
    answer = await chat("list the top 2 countries by iso")
    assert answer == (
        "Which column do you mean by “iso”: iso_a2 or iso_numeric?\n\nYou could say:\n"
        "- list the top 2 countries by iso_a2\n- list the top 2 countries by iso_numeric"
    )
    await chat("iso_numeric")
    assert chat.calls[0][1]["sort"] == "iso_numeric"


async def test_a_question_after_a_step_that_was_done_waits_for_its_answer_and_goes_on_from_there() -> None:
    chat = Chat()
    answer = await chat("show airports, then show parks in green")
    assert answer.endswith(WHICH_PARKS)
    await chat("town.parks")
    assert chat.calls == [("add_map_layer", {"table": "town.parks", "color": "green"})]


async def test_a_second_question_keeps_the_answer_to_the_first() -> None:
    chat = Chat()
    await chat("show parks in green, then list the top 2 countries by iso")
    await chat("the one in town")
    assert list(chat.layers) == ["parks"]
    await chat("iso_numeric")
    assert chat.calls[-1][1]["sort"] == "iso_numeric"


async def test_a_question_a_refusal_and_a_failure_are_data_of_the_answer() -> None:
    chat = Chat()
    outcomes = []
    for text in ("show airports", "show parks", "show hospitals in Berlin", "airports show the"):
        await chat(text)
        assert chat.finished is not None
        outcomes.append(chat.finished.memory["offline"]["outcome"])
    assert outcomes == ["done", "asked", "refused", "unread"]


async def test_the_memory_of_an_answer_is_enough_to_go_on_after_a_restart() -> None:
    world = World()
    chat = Chat(world)
    await chat("show airports, then show cities, then show parks in green")
    assert chat.finished is not None
    kept = AssistantMessage(chat.finished.text, memory=json.loads(json.dumps(chat.finished.memory)))
    later = Chat(
        world, history=[UserMessage("show airports, then show cities, then show parks in green"), kept]
    )
    await later("data.parks")
    assert later.calls == [("add_map_layer", {"table": "data.parks", "color": "green"})]
    await later("hide the airports")
    assert later.finished is not None
    kept = AssistantMessage(later.finished.text, memory=later.finished.memory)
    last = Chat(world, history=[UserMessage("hide the airports"), kept])
    await last("show them again")
    assert last.layers["airports"].visible


async def test_a_new_request_after_a_question_is_not_taken_for_its_answer() -> None:
    chat = Chat()
    await chat("show parks")
    await chat("show airports")
    assert list(chat.layers) == ["airports"]


@pytest.mark.parametrize("answer", ["the second one", "the second", "2", "2nd", "I mean the second table"])
async def test_an_option_can_be_named_by_its_place(answer: str) -> None:
    chat = Chat()
    await chat("show parks in green")
    await chat(answer)
    assert chat.calls == [("add_map_layer", {"table": "town.parks", "color": "green"})]


async def test_there_is_no_third_of_two_options() -> None:
    chat = Chat()
    await chat("show parks in green")
    await chat("the third")
    assert chat.calls == []


async def test_the_place_in_one_question_does_not_answer_the_next_one() -> None:
    chat = Chat()
    await chat("show parks in green, then list the top 2 countries by iso")
    await chat("the first")
    assert list(chat.layers) == ["parks"]
    assert "data.parks" in str(chat.calls)
    assert "iso_a2" not in str(chat.calls)
    await chat("the second")
    assert chat.calls[-1][1]["sort"] == "iso_numeric"


TAPS = make_table(
    "data.taps", "POINT", "Taps", [("id", "integer", ""), ("in_use", "text", "In use Y/N")],
    [(1, "Y", (1.0, 1.0)), (2, "N", (1.0, 1.1))],
)  # fmt: skip
PLOTS = make_table(
    "data.plots", "POLYGON", "Plots", [("id", "integer", ""), ("name", "text", "")],
    [(1, "a", (1.0, 1.0)), (2, "b", (1.0, 1.1))],
)  # fmt: skip


async def test_no_before_a_state_of_other_rows_denies_the_rows() -> None:
    desk = Desk(World(TAPS, PLOTS))
    chat = Chat(desk.world, analyst=desk)
    await chat("find plots with no in-use tap within 300 ft")
    assert desk.analysis.steps[0][1]["filter"] == where("in_use", "=", "Y")
    chosen = {"distance": "300 ft", "predicate": "within_distance", "invert": True}
    assert desk.analysis.steps[-1] == (
        "select_by_location", {"source": "data.plots", "other": "step_1", **chosen}
    )  # fmt: skip
