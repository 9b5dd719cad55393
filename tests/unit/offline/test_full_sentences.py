"""Requests as people write them in full sentences: looks, tables that are named at another place, several tables of
one noun."""

from __future__ import annotations

from typing import Any

import pytest

from agents.geo.styling.colours import colour_name
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, where

OLD_TREES = make_table(
    "data.trees", "POINT", "Street trees",
    [("id", "integer", ""), ("species", "text", ""), ("height_m", "number", "")],
    [(1, "Oak", 12.0, (1.0, 1.0)), (2, "Ash", 9.0, (2.0, 1.0)), (3, "Oak", 14.0, (2.0, 3.0))],
)  # fmt: skip
TREES = make_table(
    "data.tree_inventory", "POINT", "Trees of the forestry unit",
    [("id", "integer", ""), ("spp_common", "text", ""), ("dbh_in", "number", "Diameter at breast height in inches"),
     ("heritage_yn", "text", ""), ("site_type", "text", "")],
    [(1, "Oak", 12.0, "Y", "street", (1.0, 1.0)), (2, "Ash", 9.0, "N", "park", (2.0, 1.0)),
     (3, "Oak", 20.0, "N", "street", (2.0, 2.0))],
)  # fmt: skip
PARKS = make_table(
    "data.parks", "POLYGON", "City parks",
    [("id", "integer", ""), ("name", "text", ""), ("zone", "text", ""), ("area_ac", "number", "Area in acres")],
    [(1, "Rose Green", "A", 12.0, (1.0, 1.0)), (2, "Fox Hill", "B", 9.0, (2.0, 1.0)),
     (3, "Heron Bank", "B", 20.0, (2.0, 2.0))],
)  # fmt: skip
RESULTS = make_table(
    "data.vote_results", "POLYGON", "Results of the vote by constituency (made up)",
    [("code", "text", ""), ("constituency", "text", ""), ("winner", "text", ""), ("prev_winner", "text", ""),
     ("turnout_pct", "number", "")],
    [("E1", "North", "Green", "Labour", 60.0, (1.0, 1.0)), ("E2", "South", "Labour", "Green", 70.0, (2.0, 1.0)),
     ("E3", "West", "National", "National", 65.0, (3.0, 1.0))],
)  # fmt: skip


async def asked(sentence: str, *more: str) -> tuple[Chat, str]:
    world = World(OLD_TREES, TREES, PARKS, RESULTS)
    chat = Chat(world, analyst=Desk(world))
    answer = await chat(sentence)
    for each in more:
        answer = await chat(each)
    return chat, answer


@pytest.mark.parametrize(
    ("sentence", "style"),
    [
        ("show the trees, light orange", {"color": "#ffd27f"}),
        ("show the trees in dark tomato, larger than usual", {"color": "#aa422f"}),
        ("show the trees in dark green, a bit bigger than normal, and put the species next to them",
         {"color": "#006400", "label": "species"}),
        ("trees in red and write the height beside them", {"label": "height_m"}),
    ],
)  # fmt: skip
async def test_looks_in_whole_sentences(sentence: str, style: dict[str, Any]) -> None:
    chat, answer = await asked(sentence)
    (layer,) = chat.layers.values()
    assert layer.table == "data.trees", answer
    assert {name: getattr(layer.style, name) for name in style} == style
    assert (layer.style.size or 0) > 5 or "than" not in sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Colour the constituencies by winner: Labour red, Green green and National blue.",
        "show the constituencies by winner (Labour red, Green green, National blue)",
    ],
)
async def test_a_value_may_be_called_like_its_colour(sentence: str) -> None:
    chat, answer = await asked(sentence)
    (layer,) = chat.layers.values()
    assert layer.table == "data.vote_results", answer
    assert [(each.value, colour_name(each.color)) for each in layer.style.values] == [
        ("Labour", "red"), ("Green", "green"), ("National", "blue"),
    ]  # fmt: skip


@pytest.mark.parametrize("sentence", ["how many heritage trees are there?", "Count the heritage trees"])
async def test_of_two_tables_of_a_noun_the_one_that_has_the_column_before_it(sentence: str) -> None:
    chat, answer = await asked(sentence)
    ((_, arguments),) = chat.calls
    assert (arguments["table"], arguments["filters"]) == (
        "data.tree_inventory",
        where("heritage_yn", "=", "Y"),
    ), answer


OAK, STREET, OLD = (
    where("spp_common", "=", "Oak"),
    where("site_type", "=", "street"),
    where("heritage_yn", "=", "Y"),
)


@pytest.mark.parametrize(
    ("sentence", "table", "kept"),
    [
        ("how many trees of the tree inventory are on streets, just roughly so I know what's coming?",
         "tree_inventory", STREET),
        ("how many oak trees are there in the inventory?", "tree_inventory", OAK),
        ("in the inventory, how many heritage trees are there?", "tree_inventory", OLD),
        ("how many trees are on streets? I mean in the tree inventory", "tree_inventory", STREET),
        ("how many constituencies were won by Labour?", "vote_results", where("winner", "=", "Labour")),
    ],
)  # fmt: skip
async def test_the_table_is_named_at_another_place(sentence: str, table: str, kept: Any) -> None:
    chat, answer = await asked(sentence)
    (_, arguments), *more = chat.calls
    assert (arguments.get("table"), arguments.get("filters"), more) == (f"data.{table}", kept, []), answer


@pytest.mark.parametrize(
    ("sentence", "column", "by"),
    [
        ("so what's the average trunk diameter per species in the tree inventory?", "dbh_in", "spp_common"),
        ("What was the average turnout for each winner of the vote?", "turnout_pct", "winner"),
        ("how many acres of park do we have in each zone? biggest first would be nice", "area_ac", "zone"),
        ("how many acres of parks by zone, as a table", "area_ac", "zone"),
    ],
)
async def test_figures_of_groups_in_whole_sentences(sentence: str, column: str, by: str) -> None:
    world = World(OLD_TREES, TREES, PARKS, RESULTS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    (dissolved,) = [arguments for name, arguments in desk.analysis.steps if name == "dissolve"]
    assert dissolved["by"] == [by], answer
    assert column in {each.get("column") for each in dissolved["aggregates"]}


GOOD = make_table(
    "data.play_equipment", "POINT", "Play equipment and inspections",
    [("asset", "text", ""), ("kind", "text", ""), ("last_insp", "date", ""), ("owner", "text", ""),
     ("insp_result", "text", "Result of the last inspection"), ("install_yr", "integer", ""),
     ("upkeep_eur_yr", "integer", "Upkeep in euros per year"), ("contract_end", "date", "")],
    [("P1", "swing", None, "City", "major defect", 1999, 40, "2025-03-01", (1.0, 1.0)),
     ("P2", "slide", "2024-01-01", "School", "pass", 2010, 90, "2026-03-01", (2.0, 1.0)),
     ("P3", "swing", "2024-02-01", "City", "pass", 2020, 70, None, (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("how many pieces of play equipment have a major defect at the last inspection?",
         where("insp_result", "=", "major defect")),
        ("count the play equipment that belongs to the City", where("owner", "=", "City")),
        ("how many items of play equipment have a contract that runs out before 2026?",
         where("contract_end", "<", {"date": "2026-01-01"})),
        ("how many pieces of play equipment have a contract that expires before 2026?",
         where("contract_end", "<", {"date": "2026-01-01"})),
        ("how many pieces of play equipment have never been inspected", {"op": "isNull", "args": [
            {"property": "last_insp"}]}),
    ],
)  # fmt: skip
async def test_verbs_and_places_behind_a_column(sentence: str, kept: Any) -> None:
    chat = Chat(World(GOOD))
    answer = await chat(sentence)
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == kept, answer


@pytest.mark.parametrize(
    ("sentence", "table", "sort", "shown"),
    [
        ("which two pieces of play equipment cost us the most in upkeep per year?", GOOD, "upkeep_eur_yr", "asset"),
        ("Which two constituencies had the smallest turnout, and who won them?", RESULTS, "turnout_pct", "winner"),
    ],
)  # fmt: skip
async def test_the_first_rows_by_a_verb_and_who_did_it(
    sentence: str, table: Any, sort: str, shown: str
) -> None:
    chat = Chat(World(table))
    answer = await chat(sentence)
    ((name, arguments),) = chat.calls
    assert (name, arguments["sort"], arguments["limit"]) == ("query_features", sort, 2), answer
    assert shown in arguments["columns"]


async def test_who_did_it_is_asked_of_the_rows_before() -> None:
    chat = Chat(World(RESULTS))
    await chat("show the constituencies won by Green")
    answer = await chat("and who won there?")
    assert "Green" in answer
    assert "National" not in answer


@pytest.mark.parametrize(
    ("sentence", "label"),
    [
        ("show the constituencies with the name of the constituency", "constituency"),
        ("label the constituencies with the names of their winners", "winner"),
    ],
)
async def test_labels_are_the_names_of_something(sentence: str, label: str) -> None:
    chat = Chat(World(RESULTS))
    await chat("show the constituencies")
    answer = await chat(sentence)
    assert {layer.style.label for layer in chat.layers.values()} & {label}, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "are the oaks taller than the ashes on average?",
        "in the trees table, are the ashes taller than the oaks on average? what are the two numbers",
    ],
)
async def test_the_averages_of_two_values_are_set_side_by_side(sentence: str) -> None:
    world = World(OLD_TREES, PARKS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    (dissolved,) = [arguments for name, arguments in desk.analysis.steps if name == "dissolve"]
    assert (dissolved["by"], dissolved["aggregates"][0]["column"]) == (["species"], "height_m"), answer


async def test_people_who_live_in_rows_are_added_up() -> None:
    chat = Chat()
    answer = await chat("How many people live in German cities with more than one million inhabitants?")
    assert [name for name, _ in chat.calls] == ["column_stats"], answer
    answer = await chat("Compare the populations and areas of Peru, Germany and Bolivia.")
    assert "area_km2" in answer
    assert "population" in answer


ROUTES = make_table(
    "data.mowing_routes", "LINESTRING", "Mowing routes",
    [("id", "integer", ""), ("contractor", "text", ""), ("cost_eur_yr", "integer", ""), ("active_yn", "text", ""),
     ("repl_cost_eur", "integer", "Replacement cost in euros")],
    [(1, "Blades", 40, "Y", 900, (1.0, 1.0)), (2, "Edge", 50, "N", 300, (2.0, 2.0)),
     (3, "Edge", 70, "Y", 200, (3.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "kept"),
    [
        ("I need to know how much we're paying each mowing contractor per year in total, only the active routes please",
         where("active_yn", "=", "Y")),
        ("how much are we spending on mowing routes per contractor?", None),
        ("how much do we pay for the active mowing routes per contractor?", where("active_yn", "=", "Y")),
    ],
)  # fmt: skip
async def test_what_is_paid_is_the_total_of_the_costs(sentence: str, kept: Any) -> None:
    world = World(ROUTES, PARKS)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(sentence)
    (dissolved,) = [arguments for name, arguments in desk.analysis.steps if name == "dissolve"]
    figure = dissolved["aggregates"][0]
    assert (dissolved["by"], figure["function"], figure["column"]) == (
        ["contractor"],
        "sum",
        "cost_eur_yr",
    ), answer
    assert [arguments["filter"] for name, arguments in desk.analysis.steps if name == "filter"] == [
        kept
    ] * bool(kept)


async def test_a_column_is_not_divided_by_itself() -> None:
    world = World(ROUTES)
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)("average cost of mowing routes per contractor per year")
    assert "calculate" not in [name for name, _ in desk.analysis.steps], answer


async def test_what_it_would_cost_is_a_total_of_the_rows_before() -> None:
    chat = Chat(World(ROUTES))
    await chat("how many mowing routes of the contractor Edge are there?")
    answer = await chat("and what would it cost to replace them?")
    ((_, arguments),) = chat.calls
    assert (arguments["column"], arguments["filters"]) == (
        "repl_cost_eur",
        where("contractor", "=", "Edge"),
    ), answer
