"""Outcomes, owners, kinds and dates as people say them: `failed`, `belong to the city`, `haven't been inspected`."""

from __future__ import annotations

from typing import Any

import pytest

from agents.domain import FoundPlaces, Place
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, where

TREES = make_table(
    "data.tree_inv", "POINT", "Tree inventory",
    [("id", "integer", ""), ("spp_bot", "text", "Botanical name"), ("spp_com", "text", "Common name of the species"),
     ("dbh_cm", "number", "Trunk diameter at breast height (1.4 m), centimetres"), ("own", "text", "Owner: City"),
     ("insp_dt", "date", "Date of last inspection")],
    [(1, "Quercus", "Bur oak", 40.0, "City", "2020-05-01", (1.0, 1.0)),
     (2, "Acer", "Red maple", 20.0, "Private", "2022-05-01", (1.1, 1.0))],
)  # fmt: skip
TESTS = make_table(
    "data.play_tests", "POINT", "Inspections of playgrounds",
    [("test_id", "integer", ""), ("rslt", "text", "Result: Pass, Fail"), ("rep_cost", "number", "Repair cost"),
     ("test_dt", "date", "Inspection date"), ("next_due", "date", "Next inspection due")],
    [(1, "Pass", 10.0, "2024-01-05", "2025-01-05", (1.0, 1.0)),
     (2, "Fail", 90.0, "2024-02-05", "2025-02-05", (1.0, 1.1))],
)  # fmt: skip
ROUTES = make_table(
    "data.bus_routes", "LINESTRING", "Bus routes",
    [("id", "integer", ""), ("sun_svc", "text", "Runs on Sundays: Y/N")],
    [(1, "Y", (1.0, 1.0)), (2, "N", (1.1, 1.0))],
)  # fmt: skip
PARKS = make_table(
    "data.parks", "POLYGON", "City parks", [("id", "integer", ""), ("park_name", "text", ""), ("cls", "text", "Class")],
    [(1, "Riverside Park", "Regional", (1.0, 1.0)), (2, "Hill Park", "Community", (5.0, 5.0))],
)  # fmt: skip


def world() -> World:
    return World(TREES, TESTS, ROUTES, PARKS)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("failed inspections", where("rslt", "=", "Fail")),
        ("trees that belong to the city", where("own", "=", "City")),
        ("show trees that haven't been inspected since 2021",
         both(where("insp_dt", "<", {"date": "2021-01-01"}), empty("insp_dt"), op="or")),
        ("show trees that havent been inspected since 2021",
         both(where("insp_dt", "<", {"date": "2021-01-01"}), empty("insp_dt"), op="or")),
        ("routes that dont run on sundays", where("sun_svc", "=", "N")),
        ("routes that do not run on sundays", where("sun_svc", "=", "N")),
    ],
)  # fmt: skip
async def test_what_is_said_is_found_in_the_columns(sentence: str, filters: dict[str, Any]) -> None:
    chat = Chat(world())
    answer = await chat(sentence)
    assert [layer.filter for layer in chat.layers.values()] == [filters], answer


async def test_the_outcome_stands_behind_the_noun() -> None:
    answer = await Chat(world())("how many inspections failed in 2024?")
    assert answer.startswith("There is 1 ")
    assert "rslt is Fail" in answer


async def test_a_date_that_is_due_next_is_not_when_it_was() -> None:
    """Nor is `costs 2024` a condition on the column that is added up."""
    answer = await Chat(world())("total repair costs 2024")
    assert "test_dt" in answer
    assert "several" not in answer


@pytest.mark.parametrize(
    "sentence",
    [
        "list the ten thickest trees with species and diameter",
        "the 2 thickest trees with their species and diameter",
    ],
)
async def test_several_columns_are_listed(sentence: str) -> None:
    answer = await Chat(world())(sentence)
    assert "| Bur oak |" in answer
    assert "dbh_cm" in answer


async def test_the_common_name_is_the_species() -> None:
    desk = Desk(world())
    chat = Chat(desk.world, analyst=desk)
    await chat("show trees with a diameter over 10 cm")
    answer = await chat("how many are there by species?")
    assert "spp_com" in answer


@pytest.mark.parametrize("sentence", ["give me that as a bar chart", "now show these as a bar chart"])
async def test_what_is_shown_becomes_a_chart(sentence: str) -> None:
    chat = Chat()
    await chat("colour countries by continent")
    await chat(sentence)
    assert [name for name, _ in chat.calls] == ["make_chart"]


async def test_a_name_that_ends_with_the_noun_is_that_row() -> None:
    own = world()

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        park = Place(
            name="Riverside Park",
            table="data.parks",
            kind="park",
            bounds=(0.0, 0.0, 2.0, 2.0),
            longitude=1.0,
            latitude=1.0,
        )
        return FoundPlaces(places=(park,) if text == "Riverside Park" else ())

    own.data.find_place = find_place  # type: ignore[method-assign]
    desk = Desk(own)
    answer = await Chat(own, analyst=desk)("trees within 500 m of Riverside Park")
    (found, selected) = desk.analysis.steps
    assert (found[0], found[1]["source"]) == ("filter", "data.parks"), answer
    assert selected[1]["other"] == "step_1"


async def test_a_column_that_figures_of_groups_do_not_have_is_that_of_the_only_layer_with_it() -> None:
    desk = Desk(world())
    chat = Chat(desk.world, analyst=desk)
    await chat("show trees with a diameter over 10 cm")
    await chat("how many are there by species?")
    await chat("colour them by owner")
    assert [layer.style.column for layer in chat.layers.values() if layer.table == "data.tree_inv"] == ["own"]
