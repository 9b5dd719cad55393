"""Nouns that several values end with, and codes of places, which are meant only where they are written in capitals."""

from __future__ import annotations

import pytest

from agents.domain import FoundPlaces, Place
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

TREES = make_table(
    "data.tree_inv", "POINT", "Tree inventory",
    [("id", "integer", ""), ("spp_com", "text", "Common name of the species"), ("street", "text", "")],
    [(1, "Bur oak", "Elm St", (1.0, 1.0)), (2, "Red oak", "Oak Lane", (1.1, 1.0)),
     (3, "Red maple", "Ash Lane", (2.0, 2.0))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Bus stops", [("id", "integer", ""), ("name", "text", "")],
    [(1, "Main", (1.0, 1.0))],
)  # fmt: skip


def desk(*, known: bool = False) -> Desk:
    """`known`: whether the registry has the values among the samples."""
    table, rows = TREES
    samples = ("Bur oak", "Red oak") if known else ()
    columns = tuple(
        [
            each.model_copy(update={"samples": samples if each.name == "spp_com" else ()})
            for each in table.columns
        ]
    )
    world = World((table.model_copy(update={"columns": columns}), rows), STOPS)

    async def find_place(text: str, limit: int = 5) -> FoundPlaces:
        airport = Place(
            name="Khost Airport", table="data.airports", kind="airport", bounds=(69.0, 33.0, 70.0, 34.0),
            longitude=69.8, latitude=33.3, whole=text.isupper(),
        )  # fmt: skip
        return FoundPlaces(places=(airport,) if text.upper() == "OAKS" else ())

    world.data.find_place = find_place  # type: ignore[method-assign]
    return Desk(world)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("sentence", ["Oaks within 50 km of a bus stop", "OAKS WITHIN 50 KM OF A BUS STOP"])
async def test_a_noun_that_several_values_end_with_is_no_code_of_a_place(sentence: str, known: bool) -> None:
    own = desk(known=known)
    answer = await Chat(own.world, analyst=own)(sentence)
    assert "Khost" not in answer
    assert [len(rows) for rows in own.analysis.results.values()][-1] == 2, answer


@pytest.mark.parametrize("sentence", ["show the oaks", "show oak trees", "where are the oak trees?"])
async def test_such_a_noun_names_the_rows(sentence: str) -> None:
    chat = Chat(desk().world)
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert len(chat.world.data.passing("data.tree_inv", layer.filter)) == 2, answer


@pytest.mark.parametrize("sentence", ["show the maples", "the maple trees", "maples"])
async def test_the_noun_of_a_single_value_names_its_rows(sentence: str) -> None:
    chat = Chat(desk().world)
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert len(chat.world.data.passing("data.tree_inv", layer.filter)) == 1, answer
    assert "spp_com ends with maple" in answer


async def test_a_column_that_tells_no_kind_is_not_meant() -> None:
    chat = Chat(desk().world)
    answer = await chat("show the lanes")
    assert not chat.layers, answer


@pytest.mark.parametrize("sentence", ["trees of maples or oaks", "are there any oak or maple trees?"])
async def test_nouns_of_several_values_are_alternatives(sentence: str) -> None:
    chat = Chat(desk().world)
    answer = await chat(sentence)
    assert "3 " in answer, answer


@pytest.mark.parametrize(("place", "is_read"), [("OAKS", True), ("oaks", False), ("Oaks", False)])
async def test_a_code_is_written_in_capitals(place: str, is_read: bool) -> None:
    """Of a place that nothing else is called as."""
    world = World(STOPS)
    world.data.find_place = desk().world.data.find_place  # type: ignore[method-assign]
    own = Desk(world)
    answer = await Chat(world, analyst=own)(f"bus stops within 50 km of {place}")
    assert ("no table and no place is called" not in answer) is is_read, answer
