"""Incidents that are called for what happened, their year and state, and tables with columns in Spanish."""

from __future__ import annotations

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat, where

FIRES = make_table(
    "data.incidents", "POINT", "Wildfire incidents 2023 to 2025 (point of origin)",
    [("id", "integer", ""), ("fire_no", "text", "Fire number"), ("fire_name", "text", ""), ("fire_yr", "integer", ""),
     ("ign_dt", "date", "Date of ignition"), ("out_dt", "date", "Date declared out"), ("size_ha", "number", ""),
     ("stage", "text", "Stage of control: Out of Control (OOC), Being Held (BH), Out. Active = everything but Out")],
    [(1, "K70396", "Bear Lake", 2024, "2024-07-01", None, 900.0, "Out of Control", (1.0, 1.0)),
     (2, "K70397", "Hope Creek", 2024, "2024-07-20", "2024-09-01", 20.0, "Out", (1.1, 1.0)),
     (3, "G10002", "Patry River", 2025, "2025-07-15", None, 400.0, "Being Held", (1.2, 1.0)),
     (4, "G10003", "Corya", 2025, "2025-08-06", "2025-08-30", 700.0, "Out", (1.3, 1.0))],
)  # fmt: skip
ROUTES = make_table(
    "data.rutas", "LINESTRING", "Collection routes",
    [("id", "integer", ""), ("nombre", "text", ""), ("tipo", "text", ""), ("activa", "boolean", ""),
     ("operador", "text", ""), ("tipo_veh", "text", ""), ("long_km", "number", "Route length in km")],
    [(1, "Astorga", "Bulky", True, "Recimed", "Dump truck", 4.0, (1.0, 2.0)),
     (2, "Boston", "Organic", False, "Recimed", "Box truck", 5.0, (1.1, 2.0)),
     (3, "Enciso", "Bulky", True, "Emvarias", "Box truck", 9.0, (1.2, 2.0))],
)  # fmt: skip
COMPLAINTS = make_table(
    "data.pqrs", "POINT", "Complaints of citizens",
    [("id", "integer", ""), ("estado", "text", "Abierta = open, Cerrada = closed"),
     ("fec_rad", "date", "Date received"),
     ("fec_cierre", "date", "Date closed"), ("motivo", "text", "Reason: Ruido (noise), Cobro (damaged bins)"),
     ("ruta", "text", "Route")],
    [(1, "Cerrada", "2025-05-02", "2025-06-02", "Ruido", "R1", (1.0, 1.0)),
     (2, "Cerrada", "2025-04-02", "2025-05-20", "Cobro", "R1", (1.1, 1.0)),
     (3, "Abierta", "2025-05-09", None, "Cobro", "R2", (3.0, 1.0))],
)  # fmt: skip
BINS = make_table(
    "data.bins", "POINT", "Street bins",
    [("id", "integer", ""), ("name", "text", ""), ("state", "text", ""), ("district", "text", "")],
    [(1, "A1", "Damaged", "Boston", (1.0, 1.0)), (2, "A2", "Good", "Boston", (1.1, 1.0)),
     (3, "Astorga", "Good", "Caribe", (3.0, 1.0))],
)  # fmt: skip


BLOCKS = make_table(
    "data.blocks", "POLYGON", "Management blocks of the Tarangire-Manyara ecosystem",
    [("id", "integer", ""), ("block", "text", ""), ("park", "text", ""), ("area_km2", "number", ""),
     ("inst_yr", "integer", ""),
     ("sewer", "text", "Sewers: SEP separate, NONE no public sewer"),
     ("state", "text", "Lasting = all Firm")],
    [(1, "Lake", "Lake Manyara NP", 5.0, 1940, "SEP", "Loose", (1.0, 1.0)),
     (2, "Marang", "Lake Manyara NP", 7.0, 1990, "NONE", "Firm", (2.0, 1.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "rows"),
    [
        ("show active fires", [1, 3]),
        ("OOC fires over 500 ha", [1]),
        ("wildfires in 2024", [1, 2]),  # the year of the fires, though there are two dates
        ("fires that ignited between July 15 and Aug 5, 2025", [3]),
        ("fires that ignited after Jul 15 2025", [4]),
        ("zoom to fire G10003", [4]),
        ("complaints closed in May 2025", [2]),
        ("active routes", [1, 3]),
        ("routes of type bulky", [1, 3]),
        ("routes operated by recimed", [1, 2]),
        ("blocks without public sewer", [2]),
        ("blocks built before 1950", [1]),
    ],
)
async def test_rows_are_found(sentence: str, rows: list[int]) -> None:
    chat = Chat(World(FIRES, ROUTES, COMPLAINTS, BINS, BLOCKS))
    answer = await chat(sentence)
    assert chat.layers, answer
    (layer,) = chat.layers.values()
    assert [row["id"] for row in chat.world.data.passing(layer.table, layer.filter)] == rows


@pytest.mark.parametrize(
    ("sentence", "beginning"),
    [
        ("total km of active routes", "The total `long_km` of rutas where activa is yes is 13"),
        ("how many complaints did we close in May 2025?", "There is 1 pqr where fec_cierre"),
        ("where are the trucks right now", "I cannot do that"),  # a route's vehicle is no route
        ("show public sewer blocks", "I cannot do that"),  # not those with “NONE no public sewer”
        ("show lasting blocks", "I cannot do that"),  # “all Firm” are not all but these
    ],
)
async def test_figures(sentence: str, beginning: str) -> None:
    answer = await Chat(World(FIRES, ROUTES, COMPLAINTS, BINS, BLOCKS))(sentence)
    assert answer.startswith(beginning), answer


@pytest.mark.parametrize("place", ["does Germany have", "are in Germany", "in Germany"])
async def test_a_place_after_two_counts_holds_for_both(place: str) -> None:
    chat = Chat(World())
    await chat(f"how many airports and how many cities {place}?")
    germany = where("country", "=", "Germany")
    assert [(call["table"], call["filters"]) for _, call in chat.calls] == [
        ("data.airports", germany),
        ("data.cities", germany),
    ]


async def test_a_value_after_and_is_no_condition_if_it_names_rows_of_another_table() -> None:
    chat = Chat(World(COMPLAINTS, BINS))
    await chat("how many open complaints and damaged bins are there")
    assert not chat.calls


async def test_a_figure_after_a_ranking_is_not_that_of_all_rows() -> None:
    chat = Chat(World(ROUTES))
    answer = await chat("what is the longest route and how many km")
    assert answer.endswith("is 9 km (1 value)."), answer  # not 18


async def test_colours_after_a_request_that_was_declined_are_not_for_all_rows() -> None:
    chat = Chat(World(BINS))
    await chat("bins with unicorns")
    assert "it is not clear which rows you mean" in await chat("colour by state")
    assert not chat.layers


async def test_a_name_in_several_tables_is_asked_about() -> None:
    chat = Chat(World(ROUTES, BINS))
    chat.world.data.names |= {"data.rutas": "nombre", "data.bins": "name"}
    assert (await chat("zoom to Astorga")).startswith("Which Astorga do you mean")


async def test_a_name_in_the_comment_of_a_table_is_no_noun_for_its_rows() -> None:
    assert "block is Lake" not in await Chat(World(BLOCKS))("area of lake manyara")
