"""Requests of a field ecologist: species in the singular, parts of names, yes/no columns named like colours, counts of
several years, and works that were not done."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, like, where

INVASIVES = make_table(
    "data.invasives", "POINT", "Invasive plant records and their treatment",
    [("id", "integer", ""), ("species", "text", ""), ("treat_date", "date", "last treatment, null = not treated yet"),
     ("surveyor", "text", ""), ("cost_gbp", "number", "treatment cost, GBP")],
    [(1, "Japanese knotweed", "2024-05-01", "K. Fraser", 300.0, (1.0, 1.0)),
     (2, "Japanese knotweed", None, "K. Fraser", None, (1.0, 1.1)),
     (3, "American skunk cabbage", None, "L. Mackay", None, (1.0, 1.2))],
)  # fmt: skip
WATERCOURSES = make_table(
    "data.watercourses", "LINESTRING", "Rivers, burns and other watercourses",
    [("id", "integer", ""), ("wc_name", "text", ""), ("wc_type", "text", ""), ("len_km", "number", ""),
     ("salmon", "text", "salmon present: Y / N")],
    [(1, "River Nethy", "river", 30.0, "Y", (1.0, 1.0)), (2, "Muckle Burn", "burn", 18.0, "N", (1.0, 1.1)),
     (3, "Culbin Burn", "burn", 8.0, "N", (1.0, 1.2))],
)  # fmt: skip
ESTATES = make_table(
    "data.estates", "POLYGON", "Estates with owners and spring deer counts",
    [("id", "integer", ""), ("estate_name", "text", ""), ("owner", "text", ""), ("owner_type", "text", ""),
     ("deer_cnt_2024", "integer", "red deer counted in spring 2024"),
     ("deer_cnt_2025", "integer", "red deer counted in spring 2025"),
     ("cull_target", "integer", "deer to be culled this season")],
    [(1, "Farr", "Farr Community Woodland", "community", 300, 400, 30, (1.0, 1.0)),
     (2, "Abernethy", "RSPB Scotland", "charity", 200, 100, 20, (1.0, 1.1)),
     (3, "Corrimony", "RSPB Scotland", "charity", 100, 90, 10, (1.0, 1.2))],
)  # fmt: skip
DETECTIONS = make_table(
    "data.camera_detections", "POINT", "Camera trap detections",
    [("id", "integer", ""), ("species", "text", ""), ("det_at", "date", "")],
    [(1, "Red deer", "2025-03-01", (1.0, 1.0)), (2, "Roe deer", "2025-04-01", (1.0, 1.1)),
     (3, "Pine marten", "2025-04-01", (1.0, 1.1))],
)  # fmt: skip
KNOTWEED = like("species", "% knotweed")


@pytest.fixture
def chat() -> Chat:
    desk = Desk(World(INVASIVES, WATERCOURSES, ESTATES, DETECTIONS))
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show knotweed", KNOTWEED),
        ("japanese knotweed", where("species", "=", "Japanese knotweed")),
        ("skunk cabbage", like("species", "% skunk cabbage")),
        ("untreated invasives", empty("treat_date")),
        (
            "untreated japanese knotweed",
            both(empty("treat_date"), where("species", "=", "Japanese knotweed")),
        ),
        ("watercourses with salmon", where("salmon", "=", "Y")),
        ("invasives surveyed by Fraser", where("surveyor", "=", "K. Fraser")),
        ("RSPB estates", where("owner", "=", "RSPB Scotland")),
        ("estates owned by rspb", where("owner", "=", "RSPB Scotland")),
        ("community owned estates", where("owner_type", "=", "community")),
    ],
)
async def test_the_rows_that_are_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


async def test_a_colour_that_is_no_column_is_still_a_colour(chat: Chat) -> None:
    answer = await chat("watercourses in salmon")
    (layer,) = chat.layers.values()
    assert (layer.filter, layer.style.color) == (None, "#fa8072"), answer


@pytest.mark.parametrize("sentence", ["common estates", "new estates", "hall estates"])
async def test_words_of_many_names_are_no_part_of_one(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert chat.layers == {}


@pytest.mark.parametrize(
    "sentence", ["whats the longest burn", "what is the longest burn?", "which is the longest burn"]
)
async def test_the_greatest_row_of_a_kind(chat: Chat, sentence: str) -> None:
    assert "Muckle Burn" in await chat(sentence)


@pytest.mark.parametrize(
    "sentence", ["which estate had the most deer in 2025?", "which estate has the highest deer count in 2025"]
)
async def test_the_count_of_a_year_is_its_column(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert answer.startswith("**Farr**: `deer_cnt_2025` 400"), answer


async def test_deer_are_not_those_to_be_culled(chat: Chat) -> None:
    answer = await chat("how many deer does Farr have")
    assert "deer_cnt_2024 or deer_cnt_2025" in answer, answer
