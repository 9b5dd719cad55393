"""Values, groups and rows in the words that people use for them, where the data has others."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

SIGHTINGS = make_table(
    "data.moor_obs", "POINT", "Moorland sightings",
    [("id", "integer", ""), ("sp_nm", "text", "species, common name"), ("loc_nm", "text", "moor name"),
     ("conf", "integer", "confidence 1 low, 2 medium, 3 high"), ("seen", "date", "date of sighting"),
     ("wing_mm", "number", "wing length in millimetres")],
    [(1, "Hen harrier", "Black Moss", 3, "2023-05-01", 340, (1.0, 1.0)),
     (2, "Hen harrier", "Black Moss", 1, "2024-05-01", 350, (1.1, 1.0)),
     (3, "Merlin", "High Fell", 3, "2024-06-01", 210, (2.0, 2.0)),
     (4, "Merlin", "High Fell", 3, "2024-07-01", 220, (2.0, 2.1))],
)  # fmt: skip
CALLS = make_table(
    "data.emergencies", "POINT", "Emergency calls",
    [("id", "integer", ""), ("kind", "text", "kind of call"), ("base", "text", "HEL = helipad, STN = station"),
     ("crew", "integer", "")],
    [(1, "Moorland fire", "HEL", 4, (1.0, 1.0)), (2, "Flood", "STN", 6, (1.1, 1.0))],
)  # fmt: skip
PITCHES = make_table(
    "data.tentpitches", "POINT", "Pitches of the camp grounds",
    [("id", "integer", ""), ("pitch_no", "text", "number"), ("ground", "text", "camp ground"),
     ("fee_eur", "number", "fee")],
    [(1, "A1", "Lake", 12.0, (1.0, 1.0)), (2, "A2", "Lake", 14.0, (1.1, 1.0)), (3, "B1", "Dune", 9.0, (2.0, 1.0))],
)  # fmt: skip


def chatting() -> tuple[Chat, Desk]:
    desk = Desk(World(SIGHTINGS, CALLS, PITCHES))
    return Chat(desk.world, analyst=desk), desk


def rows(chat: Chat) -> list[int]:
    (layer,) = chat.layers.values()
    return [row["id"] for row in chat.world.data.passing(layer.table, layer.filter)]


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("harrier sightings", [1, 2]),
        ("sightings with high confidence", [1, 3, 4]),
        ("high confidence sightings", [1, 3, 4]),
        ("sightings from Black Moss in 2024", [2]),
        ("heatmap merlin", [3, 4]),
        ("moorland fire emergencies", [1]),
    ],
)
async def test_rows_by_plain_words(sentence: str, expected: list[int]) -> None:
    chat, _ = chatting()
    answer = await chat(sentence)
    assert chat.layers, answer
    assert rows(chat) == expected, answer


@pytest.mark.parametrize(
    ("sentence", "by"),
    [
        ("number of sightings by species and year", ["sp_nm", "year"]),
        ("count sightings per year and species", ["year", "sp_nm"]),
        ("sightings by species and month", ["sp_nm", "month"]),
        ("average wing length by species and moor", ["sp_nm", "loc_nm"]),
        ("average wing length by species and year", ["sp_nm", "year"]),
    ],
)
async def test_two_groups(sentence: str, by: list[str]) -> None:
    chat, desk = chatting()
    answer = await chat(sentence)
    name, arguments = desk.analysis.steps[-1]
    assert (name, arguments["by"]) == ("summarise", by), answer


@pytest.mark.parametrize("sentence", ["sightings by species and wing length", "sightings by year and month"])
async def test_numbers_and_two_times_are_no_two_groups(sentence: str) -> None:
    chat, desk = chatting()
    answer = await chat(sentence)
    assert not desk.analysis.steps, answer


async def test_which_values_rows_have_that_pass() -> None:
    chat, _ = chatting()
    answer = await chat("which species were recorded in 2023?")
    assert "Hen harrier" in answer
    assert "Merlin" not in answer


async def test_a_value_that_a_comment_explains_is_no_column() -> None:
    chat, desk = chatting()
    answer = await chat("which helipads had a crew over 3")
    assert not desk.analysis.steps, answer


@pytest.mark.parametrize("sentence", ["how many pitches in each camp ground", "pitches per camp ground"])
async def test_a_table_of_a_compound_name_is_called_by_its_last_noun(sentence: str) -> None:
    chat, desk = chatting()
    answer = await chat(sentence)
    assert desk.analysis.steps[-1][1]["by"] == ["ground"], answer


@pytest.mark.parametrize("words", ["green Merlin, red Hen harrier", "Merlin green, Hen harrier red"])
async def test_colours_before_or_behind_their_values(words: str) -> None:
    chat, _ = chatting()
    answer = await chat(f"sightings by species, {words}")
    assert "Merlin in green" in answer
    assert "Hen harrier in red" in answer
