"""Values that name rows or begin with `not`, a column's own unit, lists of numbers, places near rows."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agents.domain import Column, FoundPlaces, Place
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where

PLANTS = make_table(
    "data.plants",
    "POINT",
    "Plants of a garden",
    [("id", "integer", ""), ("label", "text", ""), ("species", "text", ""), ("felt", "text", ""),
     ("stems", "integer", ""), ("built_year", "integer", ""), ("no3_mg_l", "number", "Nitrate in mg/l"),
     ("asset_value", "integer", ""), ("length_m", "number", "")],
    [(1, "P-1", "Oak", "widely", 2, 1980, 10.5, 100, 5.0, (1.0, 1.0)),
     (2, "Lakeside", "Oak", "not felt", 3, 1995, 60.5, 600, 7.0, (2.0, 2.0)),
     (3, "P-3", "Lime", "locally", 4, 2001, 70.5, 700, 9.0, (3.0, 3.0))],
)  # fmt: skip
OAKS = where("species", "=", "Oak")


def with_samples() -> World:
    """As the registry has them: the most common values of a text column."""
    table, rows = PLANTS
    columns = tuple(
        each.model_copy(update={"samples": ("Oak", "Lime")}) if each.name == "species" else each
        for each in table.columns
    )
    return World((table.model_copy(update={"columns": columns}), rows))


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show the oaks", OAKS),
        ("show the oaks with more than 2 stems", both(OAKS, where("stems", ">", 2))),
        ("show the plants that were felt widely", where("felt", "=", "widely")),
        ("show the plants that were not felt", where("felt", "=", "not felt")),
        ("show plants with more than 50 mg/l nitrate", where("no3_mg_l", ">", 50)),
        ("show plants with nitrate above 50 mg/l", where("no3_mg_l", ">", 50)),
        ("show oaks and limes", where("species", "in", ["Oak", "Lime"])),
        ("plants with stems 2 or 3", both(where("stems", "=", 2), where("stems", "=", 3), op="or")),
        ("show plants worth more than 500", where("asset_value", ">", 500)),
        ("plants with over 2 stems built after 1990", both(where("stems", ">", 2), where("built_year", ">", 1990))),
        ("plants with 2, 3 or 5 stems", both(*(where("stems", "=", each) for each in (2, 3, 5)), op="or")),
        ("plants whose stems is 2 or 4", both(where("stems", "=", 2), where("stems", "=", 4), op="or")),
        ("plants whose stems is 2 or more", where("stems", ">=", 2)),
    ],
)  # fmt: skip
async def test_what_is_said_of_rows_is_found_in_their_columns(sentence: str, filters: dict[str, Any]) -> None:
    chat = Chat(with_samples())
    answer = await chat(sentence)
    assert [layer.filter for layer in chat.layers.values()] == [filters], answer


@pytest.mark.parametrize(
    "sentence",
    ["show oaks and weeds", "how many oaks and plants are there?", "show plants by number of length"],
)
async def test_what_is_only_read_in_part_is_declined(sentence: str) -> None:
    chat = Chat(with_samples())
    await chat(sentence)
    assert not chat.layers
    assert {name for name, _ in chat.calls} <= {"cannot_do"}


async def test_rows_named_by_values_in_two_commands_are_all_shown() -> None:
    chat = Chat(with_samples())
    await chat("show the oaks, then the limes")
    assert [layer.filter for layer in chat.layers.values()] == [OAKS, where("species", "=", "Lime")]


async def test_a_value_after_only_narrows_the_layer_at_hand() -> None:
    chat = Chat(with_samples())
    await chat("show plants")
    await chat("only the oaks")
    assert [layer.filter for layer in chat.layers.values()] == [OAKS]


@pytest.mark.parametrize("sentence", ["how many oaks are there?", "how many plants are oaks?"])
async def test_rows_are_counted_by_a_value_that_names_them(sentence: str) -> None:
    chat = Chat(with_samples())
    assert "There are 2 plants" in await chat(sentence)


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("how long are the oaks in total?", "The total `length_m` of plants where species is Oak is 12 m"),
        ("what is the most common species of the plants?", "Most common: Oak (2), Lime (1)"),
        ("colour plants by runway length", "plants has no column “runway length”. It has label"),
        ("which plant has the longest shadow?", "“shadow” is not a word of this language"),
    ],
)
async def test_a_figure_is_of_the_rows_that_are_named(sentence: str, answer: str) -> None:
    assert answer in await Chat(with_samples())(sentence)


async def test_a_share_of_what_the_map_shows_is_of_its_layer() -> None:
    chat = Chat(with_samples())
    await chat("show plants with more than 2 stems")
    answer = await chat("what share of the plants on the map are oaks?")
    assert [call[1]["filters"] for call in chat.calls] == [
        both(where("stems", ">", 2), OAKS), where("stems", ">", 2)
    ]  # fmt: skip
    assert "50 %" in answer


async def test_a_share_of_each_group_is_also_of_a_filtered_layer() -> None:
    desk = Desk(with_samples())
    chat = Chat(desk.world, analyst=desk)
    await chat("show plants with more than 2 stems")
    await chat("percentage of the plants on the map above 8 m by species")
    steps = desk.analysis.steps
    assert [name for name, _ in steps] == [
        "filter",
        "filter",
        "dissolve",
        "summarise",
        "join_by_attribute",
        "calculate",
    ]
    assert steps[0][1]["filter"] == where("stems", ">", 2)
    assert steps[1][1] == {"source": "step_1", "filter": where("length_m", ">", 8)}


@pytest.mark.parametrize(("shown", "total"), [(None, 3), ("show plants with more than 2 stems", 2)])
async def test_the_share_of_each_group_is_of_all_rows_that_are_named(shown: str | None, total: int) -> None:
    desk = Desk(with_samples())
    chat = Chat(desk.world, analyst=desk)
    if shown is not None:
        await chat(shown)
    await chat(
        "percentage of the plants on the map by species" if shown else "percentage of the plants by species"
    )
    assert desk.analysis.steps[-1][1]["expression"] == f"100 * count / {total}"


def _lakeside(kind: str, longitude: float, detail: str) -> Place:
    bounds = (longitude - 0.1, 1.9, longitude + 0.1, 2.1)
    return Place(
        name="Lakeside",
        table="data.plants",
        kind=kind,
        bounds=bounds,
        longitude=longitude,
        latitude=2.0,
        detail=detail,
    )


@pytest.mark.parametrize(
    ("places", "answer"),
    [
        ([("garden", 2.0, ""), ("city", -90.0, "Ohio, United States")], "Interpreted as Lakeside (garden)"),
        ([("garden", 2.0, "North"), ("city", 2.5, "South")], "Which Lakeside do you mean"),
        ([("city", -80.0, "Ohio"), ("city", -90.0, "Ohio")], "2 places are called “Lakeside, Ohio”"),
    ],
)
async def test_of_several_places_the_one_where_the_rows_are_is_meant(
    places: list[tuple[str, float, str]], answer: str
) -> None:
    world = with_samples()
    found = [_lakeside(*each) for each in places]

    async def find_place(_text: str, limit: int = 5) -> FoundPlaces:
        return FoundPlaces(places=tuple(found))

    world.data.find_place = find_place  # type: ignore[method-assign]
    sentence = await Chat(world, analyst=Desk(world))("plants within 5 km of Lakeside")
    assert answer in sentence


@pytest.mark.parametrize(
    ("sentence", "answer"),
    [
        ("how many oaks does the City own?", "There is 1 plant where species is Oak and owner is City."),
        ("when was Lakeside planted?", "**Lakeside**: `planted` 1999-05-01."),
        ("when was the plant with the most stems?", "`planted` 2001-06-01"),
        ("when was Lakeside renamed?", "“renamed” is not a word of this language"),
        ("how many plants and owners are there?", "but not “and owners are there?”"),
        ("how many oaks and plants are there?", "“oaks and plants” are counted one after the other"),
    ],
)
async def test_who_owns_how_many_and_when_it_was(sentence: str, answer: str) -> None:
    table, rows = with_samples().registry.tables()[0], PLANTS[1]
    more = zip(rows, ("City", "Mr. Low", "City"), ("1981-03-01", "1999-05-01", "2001-06-01"), strict=True)
    wider = [{**row, "owner": owner, "planted": day} for row, owner, day in more]
    added = (
        Column(name="owner", kind="text", sql_type="x"),
        Column(name="planted", kind="date", sql_type="x"),
    )
    table = table.model_copy(update={"columns": (*table.columns, *added)})
    assert answer in await Chat(World((table, wider)))(sentence)


PARCELS = make_table(
    "data.Parcels 2023",
    "MULTIPOLYGON",
    None,
    [("parcel_no", "text", ""), ("Land Use", "text", ""), ("Area_ac", "number", ""), ("Value (USD)", "number", "")],
    [("P-1", "Vacant", 2.0, 1000.0, (1.0, 1.0)), ("P-2", "Housing", 6.0, 2000.0, (2.0, 2.0)),
     ("P-3", "Vacant", 8.0, 500.0, (3.0, 3.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("total area of the vacant parcels in hectares", "4.05 ha"),
        ("largest parcel in square metres", "32,374.85 m²"),
        ("how many parcels are larger than 2 hectares?", "There are 2 features where Area_ac > 4.94"),
        ("largest parcel", "`Value (USD)` 500 $"),
    ],
)
async def test_units_in_names_are_read_however_they_are_written(sentence: str, told: str) -> None:
    assert told in await Chat(World(PARCELS))(sentence)


@pytest.mark.parametrize(
    ("sentence", "limit"), [("most populous countries", 10), ("most populous country", 1)]
)
async def test_a_ranking_of_several_lists_several(sentence: str, limit: int) -> None:
    chat = Chat()
    await chat(sentence)
    assert [call["limit"] for _, call in chat.calls] == [limit]


async def test_a_legend_in_another_unit_says_so() -> None:
    chat = Chat()
    answer = await chat("colour the countries by area in square miles")
    assert "The legend is in km², as `area_km2` is stored: 1 sq mi is 2.59 km²." in answer, answer
    assert chat.calls[0][1]["style"] == {"kind": "graduated", "column": "area_km2"}


async def test_a_colour_in_a_unit_of_something_else_is_refused() -> None:
    answer = await Chat()("colour the countries by population in square miles")
    assert "it is not known what population of countries is in sq mi" in answer


async def test_an_outline_has_its_colour() -> None:
    chat = Chat()
    answer = await chat("show countries in orange with a black outline")
    assert chat.calls[0][1]["color"] == "orange"
    assert chat.calls[0][1]["style"] == {"stroke_color": "black"}
    assert "outlined in black" in answer


MEADOWS = make_table(
    "data.meadows",
    "POINT",
    "Meadows",
    [("id", "integer", ""), ("mowing", "text", ""), ("town", "text", ""), ("ditch_depth_cm", "number", "")],
    [(1, "never", "Ulm", 40.0, (1.0, 1.0)), (2, "late", "Ulm", 60.0, (2.0, 2.0)),
     (3, "early", "Rye", 80.0, (3.0, 3.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "value"),
    [("meadows that are never mown", "never"), ("late mown meadows", "late")],
)
async def test_when_something_is_done_is_the_value_of_its_column(sentence: str, value: str) -> None:
    chat = Chat(World(MEADOWS))
    answer = await chat(sentence)
    assert chat.calls[0][1].get("filters") == where("mowing", "=", value), answer


async def test_what_is_never_done_is_not_done() -> None:
    table, rows = MEADOWS
    columns = tuple(
        each.model_copy(update={"samples": ("never", "late")}) if each.name == "mowing" else each
        for each in table.columns
    )
    chat = Chat(World((table.model_copy(update={"columns": columns}), rows)))
    await chat("how many meadows are mown?")
    assert chat.calls[0][1]["filters"] == {"op": "not", "args": [where("mowing", "=", "never")]}


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("how deep is the ditch of a late mown meadow on average, in metres?", where("mowing", "=", "late")),
        ("how deep are the ditches of meadows on average?", None),
    ],
)
async def test_a_measure_on_average_is_the_mean_of_its_column(sentence: str, filters: Any) -> None:
    chat = Chat(World(MEADOWS))
    answer = await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["column"], arguments.get("filters")) == (
        "column_stats",
        "ditch_depth_cm",
        filters,
    ), answer


async def test_a_text_is_not_compared_with_a_quantity() -> None:
    sites = make_table(
        "data.campsites", "POINT", "Campsites",
        [("id", "integer", ""), ("site_no", "text", "site number within its campground"),
         ("site_typ", "text", "type of site: Tent, RV"),
         ("fee_cad", "number", "Fee per night in Canadian dollars")],
        [(1, "A1", "Tent", 21.0, (1.0, 1.0)), (2, "A2", "Tent", 40.0, (1.0, 1.1))],
    )  # fmt: skip
    chat = Chat(World(sites))
    await chat("show campsites")
    answer = await chat("just the tent sites under 30 dollars")
    assert "site_no < 30 dollars" not in answer
    assert '"30 dollars"' not in json.dumps(chat.calls)
    answer = await chat("campsites with a site no above 2019")
    assert "site_no of campsites holds no numbers" in answer
