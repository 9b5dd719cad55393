"""Requests of a field station: comments that translate their first noun, people with the most rows, shares of areas,
densities, and styles with the part of the symbol before its colour."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, known, like, where

GEMEINDEN = make_table(
    "data.gemeinden", "POLYGON", "Municipalities (Gemeinden)",
    [("ags", "text", ""), ("name", "text", ""), ("kreis", "text", ""),
     ("EW_2023", "integer", "Einwohner, population at 31.12.2023"), ("FL_KM2", "number", "Fläche, area in km2"),
     ("wald_pct", "number", "Waldanteil, share of forest in percent")],
    [("01", "Altdorf", "Lahr", 4000, 20.0, 81.0, (1.0, 1.0)), ("02", "Bergen", "Lahr", 1000, 50.0, 40.0, (2.0, 1.0)),
     ("03", "Calw", "Rott", 9000, 30.0, 75.0, (3.0, 1.0))],
)  # fmt: skip
PLOTS = make_table(
    "data.veg_plots", "POINT", "Permanent vegetation plots",
    [("plot_no", "text", ""), ("habitat", "text", ""), ("n_spec", "integer", "number of vascular plant species"),
     ("surveyor", "text", "")],
    [("VP1", "Fen", 30, "K. Vogel", (1.0, 1.0)), ("VP2", "Bog", 12, "K. Vogel", (2.0, 1.0)),
     ("VP3", "Bog", 18, "A. Laber", (3.0, 1.0))],
)  # fmt: skip
TRAPS = make_table(
    "data.camera_traps", "POINT", "Camera traps",
    [("trap_id", "text", ""), ("last_serv", "date", "date of the last service (battery, card)"),
     ("BATT_PCT", "integer", "battery level in percent at the last message")],
    [("CT1", "2024-05-01", 20, (1.0, 1.0)), ("CT2", "2024-06-01", 90, (2.0, 1.0))],
)  # fmt: skip
STREAMS = make_table(
    "data.streams", "LINESTRING", "Streams and rivers",
    [("name", "text", ""), ("str_order", "integer", "Strahler stream order"), ("len_km", "number", ""),
     ("barriers", "integer", "number of barriers that fish cannot pass")],
    [("Elz", 1, 4.0, 8, (1.0, 1.0)), ("Breg", 2, 5.0, 5, (2.0, 1.0)), ("Urach", 3, 9.0, 1, (3.0, 1.0))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(GEMEINDEN, PLOTS, TRAPS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("municipalities with more than 70% forest", where("wald_pct", ">", 70)),
        ("Gemeinden where over 70 % is forest", where("wald_pct", ">", 70)),
        ("municipalities with a population over 3000", where("EW_2023", ">", 3000)),
        ("traps with less than 30% battery", where("BATT_PCT", "<", 30)),
    ],
)
async def test_the_rows_that_are_drawn(chat: Chat, sentence: str, filters: dict[str, Any]) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer


@pytest.mark.parametrize(
    ("sentence", "by", "figure"),
    [
        ("population per Kreis", "kreis", {"function": "sum", "column": "EW_2023"}),
        ("number of inhabitants by kreis", "kreis", {"function": "sum", "column": "EW_2023"}),
        ("avg number of species per plot by habitat", "habitat", {"function": "mean", "column": "n_spec"}),
        ("average species number by habitat", "habitat", {"function": "mean", "column": "n_spec"}),
    ],
)
async def test_figures_of_groups(
    chat: Chat, desk: Desk, sentence: str, by: str, figure: dict[str, Any]
) -> None:
    answer = await chat(sentence)
    ((_, arguments),) = desk.analysis.steps
    assert (arguments["by"], arguments["aggregates"][0]) == ([by], figure), answer


@pytest.mark.parametrize("sentence", ["top 2 plots by species number", "top 2 plots by number of species"])
async def test_the_column_of_a_number(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    assert [each in answer for each in ("VP1", "VP2", "VP3")] == [True, False, True], answer


@pytest.mark.parametrize("sentence", ["who has the most plots?", "who got the most plots"])
async def test_who_has_the_most_rows(chat: Chat, sentence: str) -> None:
    assert (await chat(sentence)).startswith("K. Vogel has the most plots: 2"), sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "population density by Gemeinde",
        "municipalities by population density",
        "population density by Gemeinde as choropleth",
        "municipalities coloured by population density",
    ],
)
async def test_a_density_of_areas(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    assert desk.analysis.steps[-1][1]["expression"] == "EW_2023 * 1 / FL_KM2", answer


@pytest.mark.parametrize(
    ("sentence", "colours"),
    [
        ("show the gemeinden, fill light green, outline dark green", ("#90ee90", "darkgreen")),
        ("show the gemeinden, outline in red, fill: yellow", ("#ffff00", "red")),
    ],
)
async def test_the_part_of_a_symbol_before_its_colour(
    chat: Chat, sentence: str, colours: tuple[str, str]
) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert (layer.style.color, layer.style.stroke_color) == colours, answer


@pytest.mark.parametrize(
    ("sentence", "operations"),
    [
        ("top 2 streams by barriers per km", ["calculate", "top"]),
        ("barriers per km, top 2", ["calculate", "top"]),
        ("streams by barriers per km", ["calculate"]),
        ("barriers per km", ["calculate"]),
    ],
)
async def test_a_quotient_of_each_row(sentence: str, operations: list[str]) -> None:
    desk = Desk(World(STREAMS, PLOTS))
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert [name for name, _ in desk.analysis.steps] == operations, answer
    assert desk.analysis.steps[0][1]["expression"] == '"barriers" * 1 / "len_km"', answer


RECORDS = make_table(
    "data.spp_obs", "POINT", "Observations of species",
    [("id", "integer", ""), ("species", "text", ""), ("night", "text", "at night, Y/N, only for camera traps"),
     ("verified", "boolean", "")],
    [(1, "Lynx", "Y", True, (1.0, 1.0)), (2, "Lynx", None, False, (1.0, 1.1)), (3, "Lynx", "N", True, (1.0, 1.2)),
     (4, "Red fox", "N", False, (2.0, 1.0))],
)  # fmt: skip


async def test_a_share_is_of_the_rows_that_a_flag_is_for() -> None:
    desk = Desk(World(RECORDS))
    chat = Chat(desk.world, analyst=desk)
    assert "33.3 % of the 3" in await chat("what share of the observations is at night?")
    await chat("share of night observations per species")
    assert ("filter", {"source": "data.spp_obs", "filter": known("night")}) in desk.analysis.steps


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("unverified records", where("verified", "=", False)),
        ("lynx sightings", where("species", "=", "Lynx")),
        ("fox sightings", like("species", "% fox")),
    ],
)
async def test_nouns_for_any_rows(sentence: str, filters: dict[str, Any]) -> None:
    chat = Chat(World(RECORDS))
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer
