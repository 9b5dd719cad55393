"""Tools of the person who runs the server bring their own words."""

from __future__ import annotations

from typing import Any

import pytest

from agents.core import tool
from agents.geo_agent import GeoAgent
from agents.offline import OfflineModel
from tests.unit.geo_agent.world import World


class ParksAgent(GeoAgent):
    """An agent with two tools that have words, and one that has none."""

    asked: list[tuple[Any, ...]]

    @tool(
        phrases=["[what are] opening hours of parks in {place}", "when do parks in {place} open -> day=today"]
    )
    async def opening_hours(self, place: str, day: str = "any") -> dict[str, str]:
        """When parks open."""
        self.asked.append((place, day))
        return {"answer": f"Parks in {place} open at 8."}

    @tool(
        params={"table": {"enum": lambda self: [each.id for each in self.registry.tables()]}},
        phrases=["rehearse {table} {times} times"],
    )
    async def rehearse(self, table: str, times: int) -> dict[str, str]:
        """Do it several times."""
        self.asked.append((table, times))
        return {"answer": "Rehearsed."}


@pytest.mark.parametrize(
    ("sentence", "asked", "answer"),
    [
        (
            "what are the opening hours of the parks in Berlin?",
            ("Berlin", "any"),
            "Parks in Berlin open at 8.",
        ),
        ("when do the parks in Ulm open", ("Ulm", "today"), "Parks in Ulm open at 8."),
        ("rehearse airports 3 times", ("data.airports", 3), "Rehearsed."),
    ],
)
async def test_a_tool_is_called_by_its_own_words(sentence: str, asked: tuple[Any, ...], answer: str) -> None:
    agent = ParksAgent(OfflineModel(), **World().ports)
    agent.asked = []
    finished = await agent.run(sentence)
    assert finished.text == answer
    assert agent.asked == [asked]


async def test_a_table_that_the_tool_does_not_know_is_declined_and_nothing_is_called() -> None:
    agent = ParksAgent(OfflineModel(), **World().ports)
    agent.asked = []
    finished = await agent.run("rehearse unicorns 3 times")
    assert "did not understand" in finished.text
    assert agent.asked == []


class TwoReadings(ParksAgent):
    """Another tool with the same words."""

    @tool(phrases=["when do parks in {town} open"])
    async def opening_ceremony(self, town: str) -> dict[str, str]:
        """When parks opened for the first time."""
        self.asked.append((town,))
        return {"answer": "In 1888."}


async def test_words_that_mean_two_things_alike_are_asked_about() -> None:
    agent = TwoReadings(OfflineModel(), **World().ports)
    agent.asked = []
    finished = await agent.run("when do parks in Ulm open?")
    assert finished.text == (
        "That can mean several things: “opening hours” or “opening ceremony”. Which do you mean?\n\n"
        "You could say:\n"
        "- when do parks in Ulm open (meaning opening hours)\n"
        "- when do parks in Ulm open (meaning opening ceremony)"
    )
    assert agent.asked == []


@pytest.mark.parametrize(
    "sentence",
    [
        ["when do parks in Ulm open (meaning opening ceremony)"],
        ["when do parks in Ulm open?", "opening ceremony"],
        ["when do parks in Ulm open?", "the ceremony"],
    ],
)
async def test_the_meaning_that_is_chosen_is_carried_out(sentence: list[str]) -> None:
    agent = TwoReadings(OfflineModel(), **World().ports)
    agent.asked = []
    for each in sentence:
        finished = await agent.run(each)
    assert (finished.text, agent.asked) == ("In 1888.", [("Ulm",)])


async def test_the_rest_of_the_request_follows_the_meaning_that_was_chosen() -> None:
    world = World()
    agent = TwoReadings(OfflineModel(), **world.ports)
    agent.asked = []
    await agent.run("when do parks in Ulm open, then show airports")
    assert not world.map.layers()
    await agent.run("the hours")
    assert agent.asked == [("Ulm", "today")]
    assert [layer.table for layer in world.map.layers()] == ["data.airports"]


async def test_a_meaning_that_the_words_do_not_have_is_asked_about_again() -> None:
    agent = TwoReadings(OfflineModel(), **World().ports)
    agent.asked = []
    finished = await agent.run("when do parks in Ulm open (meaning nothing of that)")
    assert "Which do you mean?" in finished.text
    assert agent.asked == []


async def test_without_the_tool_its_words_are_not_understood() -> None:
    finished = await GeoAgent(OfflineModel(), **World().ports).run("rehearse airports 3 times")
    assert "so I changed nothing" in finished.text


class Pairs(GeoAgent):
    """A tool whose words may be taken apart in two ways."""

    asked: list[tuple[Any, ...]]

    @tool(phrases=["pair {one} and {other}"])
    async def pair(self, one: str, other: str) -> dict[str, str]:
        """Pair two towns."""
        self.asked.append((one, other))
        return {"answer": "Paired."}


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        (["pair Ulm and Bonn"], [("Ulm", "Bonn")]),
        (["pair Ulm and Bonn and Berlin"], []),
        (["pair Ulm and Bonn and Berlin (meaning pair one Ulm other Bonn and Berlin)"], [("Ulm", "Bonn and Berlin")]),
    ],
)  # fmt: skip
async def test_two_readings_of_one_command_are_asked_about(
    sentence: list[str], asked: list[tuple[str, str]]
) -> None:
    agent = Pairs(OfflineModel(), **World().ports)
    agent.asked = []
    for each in sentence:
        finished = await agent.run(each)
    assert agent.asked == asked, finished.text
