"""The first rows of each group by a named column, figures of both answers of a yes/no column, what has not been done,
degrees, and rows by the code that is their key."""

from __future__ import annotations

import pytest

from agents.domain import Place
from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.places import is_called
from server.gis.catalog.gazetteer import searchable
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.tables import AIRPORTS
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, no, where

PLOTS = make_table(
    "data.veg_plots", "POINT", "Permanent vegetation plots",
    [("plot_no", "text", ""), ("habitat", "text", ""), ("n_spec", "integer", "number of vascular plant species"),
     ("shannon", "number", ""), ("slope_deg", "integer", ""), ("grazed", "boolean", "")],
    [("VP1", "Fen", 30, 2.1, 4, True, (1.0, 1.0)), ("VP2", "Bog", 12, 1.7, 31, False, (2.0, 1.0)),
     ("VP3", "Bog", 18, 1.9, 12, False, (3.0, 1.0))],
)  # fmt: skip
STREAMS = make_table(
    "data.streams", "LINESTRING", "Streams and rivers",
    [("name", "text", ""), ("t_max_c", "number", "highest summer water temperature in degrees C"),
     ("restored", "boolean", "")],
    [("Elz", 17.5, True, (1.0, 1.0)), ("Breg", 19.0, False, (2.0, 1.0)), ("Urach", 21.5, False, (3.0, 1.0))],
)  # fmt: skip


def asking() -> tuple[Chat, Desk]:
    world = World(PLOTS, STREAMS)
    desk = Desk(world)
    return Chat(world, analyst=desk), desk


@pytest.mark.parametrize(
    "asked",
    [
        "the 2 plots with the most species in each habitat",
        "the 2 plots with the most species per habitat",
        "top 2 plots by species number per habitat",
        "for each habitat the 2 plots with the most species",
        "in every habitat, which are the 2 plots with the highest n_spec",
    ],
)
async def test_the_first_rows_of_each_group_by_a_named_column(asked: str) -> None:
    chat, desk = asking()
    await chat(asked)
    ((operation, top),) = desk.analysis.steps
    assert (operation, top["by"], top["n"], top["per"]) == ("top", "n_spec", 2, ["habitat"])
    assert not top.get("smallest")


async def test_the_last_rows_of_each_group() -> None:
    chat, desk = asking()
    await chat("the 2 plots with the fewest species in each habitat")
    ((operation, top),) = desk.analysis.steps
    assert (operation, top["by"], top["smallest"]) == ("top", "n_spec", True)


@pytest.mark.parametrize(
    "asked",
    ["median shannon of the grazed vs ungrazed plots", "median shannon of grazed and ungrazed plots"],
)
async def test_a_figure_of_the_rows_of_both_answers(asked: str) -> None:
    chat, _ = asking()
    await chat(asked)
    assert [arguments["filters"] for _, arguments in chat.calls] == [
        where("grazed", "=", True), where("grazed", "=", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("asked", "column"),
    [
        ("average t_max_c restored vs not restored", "restored"),
        ("mean t_max_c: restored versus unrestored", "restored"),
        ("average shannon, grazed vs ungrazed", "grazed"),
    ],
)
async def test_a_figure_by_both_answers(asked: str, column: str) -> None:
    chat, desk = asking()
    await chat(asked)
    ((_, groups),) = desk.analysis.steps
    assert groups["by"] == [column]
    assert "filter" not in groups


@pytest.mark.parametrize(
    "asked",
    [
        "streams that have not been restored",
        "streams which haven't been restored",
        "streams that have never been restored",
        "streams that have not yet been restored",
    ],
)
async def test_what_has_not_been_done(asked: str) -> None:
    chat, _ = asking()
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", no(where("restored", "=", True)))


@pytest.mark.parametrize(
    ("asked", "column", "number"),
    [
        ("streams over 18 degrees", "t_max_c", 18),
        ("streams above 18 °C", "t_max_c", 18),
        ("streams over 18 degrees Celsius", "t_max_c", 18),
        ("streams with a temperature over 18 degrees C", "t_max_c", 18),
        ("plots with a slope over 30°", "slope_deg", 30),
        ("plots steeper than 30 degrees", "slope_deg", 30),
    ],
)
async def test_degrees_of_a_temperature_and_of_a_slope(asked: str, column: str, number: float) -> None:
    chat, _ = asking()
    await chat(asked)
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == where(column, ">", number)


async def test_degrees_of_another_scale_are_not_those_of_the_column() -> None:
    chat, _ = asking()
    answer = await chat("streams over 60 °F")
    assert "I cannot" in answer or "I understood" in answer
    assert not [name for name, _ in chat.calls if name == "add_map_layer"]


def test_a_text_key_is_searched_as_the_code_of_a_place() -> None:
    made, _ = make_table(
        "data.camera_traps", "POINT", "", [("trap_id", "text", ""), ("station", "text", "")],
        [("CT07", "Windwurf", (1.0, 1.0))],
    )  # fmt: skip
    (without_key,), (with_key,) = (
        searchable([made]),
        searchable([made.model_copy(update={"key": ("trap_id",)})]),
    )
    assert (without_key.codes, with_key.codes) == ((), ("trap_id",))


def test_a_code_with_digits_names_a_place_although_other_rows_have_it_as_a_value() -> None:
    world = World(PLOTS, STREAMS)
    vocabulary = Vocabulary(world.registry, [])
    place = Place(
        name="Windwurf", table="data.traps", kind="trap", bounds=(1, 1, 1, 1), longitude=1, latitude=1
    )
    assert is_called(place, "VP1", vocabulary)
    assert not is_called(place, "BOG", vocabulary)  # a habitat, not a code


RECORDS = make_table(
    "data.species_obs", "POINT", "Species observations",
    [("id", "integer", ""), ("common_name", "text", ""), ("plot_no", "text", "")],
    [(1, "lynx", "VP1", (1.0, 1.0)), (2, "lynx", None, (2.0, 1.0)), (3, "badger", None, (3.0, 1.0))],
)  # fmt: skip
RESERVES = make_table(
    "data.reserves", "POLYGON", "Nature reserves", [("id", "integer", ""), ("name", "text", "")],
    [(1, "Belchen", (1.0, 1.0)), (2, "Feldberg", (2.0, 1.0))],
)  # fmt: skip


def in_reserves() -> tuple[Chat, Desk]:
    world = World(RESERVES, RECORDS, PLOTS)
    desk = Desk(world)
    return Chat(world, analyst=desk), desk


@pytest.mark.parametrize(
    "asked",
    [
        "in which reserves were lynx recorded?",
        "in which reserves have lynx been seen",
        "reserves where lynx were observed",
        "reserves in which lynx have been found",
    ],
)
async def test_areas_where_something_was_seen(asked: str) -> None:
    chat, desk = in_reserves()
    await chat(asked)
    (kept, lynx), (operation, found) = desk.analysis.steps
    assert (kept, lynx["filter"]) == ("filter", where("common_name", "=", "lynx"))
    assert (operation, found["source"], found["predicate"]) == (
        "select_by_location", "data.reserves", "shares_interior",
    )  # fmt: skip


@pytest.mark.parametrize(
    "asked",
    [
        "observations that belong to no plot",
        "observations that don't belong to any plot",
        "how many observations are assigned to no plot",
    ],
)
async def test_rows_that_belong_to_none_of_the_others(asked: str) -> None:
    chat, desk = in_reserves()
    await chat(asked)
    ((operation, found),) = desk.analysis.steps
    assert (operation, found["source"], found["other"]) == (
        "select_by_attribute", "data.species_obs", "data.veg_plots",
    )  # fmt: skip
    assert found["invert"]


@pytest.mark.parametrize(
    "asked", ["airports belonging to Germany", "show the airports that belong to Germany"]
)
async def test_rows_that_belong_to_a_place_are_those_in_it(asked: str) -> None:
    chat = Chat(World(AIRPORTS))
    await chat(asked)
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == ("add_map_layer", where("country", "=", "Germany"))
