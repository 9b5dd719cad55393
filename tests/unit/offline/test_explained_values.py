"""Requests in English over tables whose values are in another language and explained in comments, and over tables that
belong together by a code: of a city's buildings, permits and tram network."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, known, no, where

PERMITS = make_table(
    "data.permis_construire", "POINT", "Building permits",
    [("id", "integer", ""), ("etat", "text", "Accordé = granted, Refusé = refused, En instruction = under review"),
     ("destination", "text", "Use: Logement = housing, Bureaux = offices"),
     ("date_depot", "date", "Date of application"), ("date_decision", "date", ""), ("demandeur", "text", "Applicant"),
     ("recours_yn", "text", "Appeal (O = oui, N = non)"), ("planifie", "boolean", "Planned in advance")],
    [(1, "Accordé", "Logement", "2024-01-05", "2024-03-01", "Alliade", "O", True, (1.0, 1.0)),
     (2, "Refusé", "Bureaux", "2024-02-05", "2024-04-01", "Alliade", "N", False, (1.0, 1.1)),
     (3, "En instruction", "Logement", "2025-02-05", None, "Bouygues", "N", False, (1.0, 1.1)),
     (4, "Accordé", "Bureaux", "2025-02-05", "2025-04-01", "Alliade", "N", True, (1.0, 1.1))],
)  # fmt: skip
TREES = make_table(
    "data.arbres", "POINT", "Street and park trees (arbres d'alignement)",
    [("id", "integer", ""), ("essence", "text", "Species: Platane = plane, Érable = maple"),
     ("sante", "text", "health: bon (good), mauvais (poor)"), ("hauteur_max_m", "number", "Maximum height (m)"),
     ("rok_sadz", "integer", "year of planting")],
    [(1, "Platane", "bon", 12.0, 1990, (1.0, 1.0)), (2, "Érable", "mauvais", 20.0, 2004, (1.0, 1.1))],
)  # fmt: skip
LINES = make_table(
    "data.linie", "LINESTRING", "Tram and bus lines",
    [("id", "integer", ""), ("nr_linii", "text", ""), ("takt_min", "integer", "peak headway, minutes"),
     ("dt_uruch", "date", "launch date"), ("scada_yn", "text", "On SCADA (Y/N)")],
    [(1, "50", 10, "2021-01-01", "Y", (1.0, 1.0)), (2, "8", 20, "1999-01-01", "N", (1.0, 1.1))],
)  # fmt: skip
STOPS = make_table(
    "data.przystanki", "POINT", "Stops",
    [("id", "integer", ""), ("nazwa", "text", "name"), ("wsiad_24", "integer", "boardings, working day 2024"),
     ("wsiad_25", "integer", "boardings, working day 2025"), ("dip", "boolean", "passenger information display"),
     ("typ", "text", "T = tram, A = bus, TA = tram and bus")],
    [(1, "Rondo", 10, 20, True, "TA", (1.0, 1.0)), (2, "Rondo", 30, 5, False, "TA", (1.0, 1.001)),
     (3, "Plac", 5, 6, False, "A", (1.0, 1.4))],
)  # fmt: skip
TRIPS = make_table(
    "data.trips", "POINT", "Field trips",
    [("id", "integer", ""), ("vessel", "text", ""), ("dep_dt", "date", ""), ("ret_dt", "date", "return date"),
     ("dist_nm", "number", "distance, nautical miles")],
    [(1, "Solander", "2025-01-01", "2025-01-20", 265.8, (1.0, 1.0)),
     (2, "Kirra", "2024-12-20", "2025-01-02", 100.0, (1.0, 1.0))],
)  # fmt: skip
INCIDENTS = make_table(
    "data.zdarzenia", "POINT", "Service incidents",
    [("id", "integer", ""), ("nr_linii", "text", ""), ("cause", "text", ""), ("injured", "integer", "people injured"),
     ("dt_zdarz", "timestamp", "")],
    [(1, "50", "collision", 2, "2024-01-01 10:00:00", (1.0, 1.0)),
     (2, "50", "road works", 0, "2025-03-01 10:00:00", (1.0, 1.1)),
     (3, "8", "road works", 1, "2025-02-01 10:00:00", (1.0, 1.1)),
     (4, "9", "Token not loading", 0, "2023-02-01 10:00:00", (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    desk = Desk(World(PERMITS, TREES, LINES, STOPS, TRIPS, INCIDENTS))
    desk.world.data.names["data.przystanki"] = "nazwa"
    return desk


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("show refused permits", where("etat", "=", "Refusé")),
        ("permits still under review", where("etat", "=", "En instruction")),
        ("authorised permits", where("etat", "=", "Accordé")),
        ("office permits", where("destination", "=", "Bureaux")),
        ("plane trees", where("essence", "=", "Platane")),
        ("trees in poor health", where("sante", "=", "mauvais")),
        ("trees in bad health", where("sante", "=", "mauvais")),
        ("permits with an appeal", where("recours_yn", "=", "O")),
        ("trees with a max height over 15 m", where("hauteur_max_m", ">", 15)),
        ("lines launched since 2020", where("dt_uruch", ">=", {"date": "2020-01-01"})),
        ("lines with a headway of 15 min or more", where("takt_min", ">=", 15)),
        ("lines on scada", where("scada_yn", "=", "Y")),
        ("incidents of line 50", where("nr_linii", "=", "50")),
        ("trees planted before 2000", where("rok_sadz", "<", 2000)),
        ("incidents about tokens not loading", where("cause", "=", "Token not loading")),
        ("approved permits", where("etat", "=", "Accordé")),
        ("stops without info display", where("dip", "=", False)),
        ("URGENT - the mayor wants to know about refused permits", where("etat", "=", "Refusé")),
    ],
)
async def test_a_value_by_the_words_that_explain_it(chat: Chat, sentence: str, filters: Any) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == filters, answer
    assert "2,000" not in answer


async def test_a_table_is_named_by_the_whole_of_its_comment(chat: Chat) -> None:
    await chat("tram and bus lines")
    (layer,) = chat.layers.values()
    assert (layer.table, layer.filter) == ("data.linie", None)


async def test_a_flag_before_the_noun_is_a_condition(chat: Chat) -> None:
    await chat("show me all planned permits in january 2024 by date of application")
    await chat("show me all planned permits")
    assert [each.filter for each in chat.layers.values()][-1] == where("planifie", "=", True)


async def test_a_letter_in_brackets_is_no_answer_to_a_flag(chat: Chat) -> None:
    answer = await chat("which permits are in natural zones (N)")
    assert "recours_yn" not in str(chat.calls), answer
    assert [name for name, _ in chat.calls] in ([], ["cannot_do"]), answer


async def test_days_with_the_month_first(chat: Chat) -> None:
    await chat("lines launched after March 1st, 2020")
    (layer,) = chat.layers.values()
    assert layer.filter == where("dt_uruch", ">=", {"date": "2020-03-02"})


@pytest.mark.parametrize(
    ("conversation", "filters", "sort"),
    [
        ("list the permits by Alliade | sort by date of application, newest first",
         both(where("demandeur", "=", "Alliade"), no(empty("date_depot"))), "date_depot"),
        ("table of permits by Alliade | sort by date of application",
         both(where("demandeur", "=", "Alliade"), no(empty("date_depot"))), "date_depot"),
        ("list incidents on line 50 | list them by date",
         both(where("nr_linii", "=", "50"), no(empty("dt_zdarz"))), "dt_zdarz"),
    ],
)  # fmt: skip
async def test_a_sorted_list_is_of_the_same_rows(
    chat: Chat, conversation: str, filters: Any, sort: str
) -> None:
    for text in conversation.split(" | "):
        answer = await chat(text)
    name, arguments = chat.calls[0]
    assert (name, arguments["filters"], arguments["sort"]) == ("query_features", filters, sort), answer


async def test_of_a_sorted_list_all_rows_are_meant(chat: Chat) -> None:
    await chat("list the permits by Alliade")
    await chat("sort by date of application, newest first")
    answer = await chat("and the refused ones")
    (layer,) = chat.layers.values()
    known = no(empty("date_depot"))
    assert layer.filter == both(where("demandeur", "=", "Alliade"), known, where("etat", "=", "Refusé")), (
        answer
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "number of incidents per line",
        "which line had the most incidents",
        "top 2 lines by number of incidents",
    ],
)
async def test_rows_of_lines_are_counted_by_the_code_they_share(
    desk: Desk, chat: Chat, sentence: str
) -> None:
    answer = await chat(sentence)
    names = [name for name, _ in desk.analysis.steps]
    assert names, answer
    assert "spatial_join" not in names, answer
    assert "| 50 | 2 |" in answer or "50 has the most incidents: 2" in answer, answer


async def test_a_total_of_what_was_done_by_the_rows(chat: Chat) -> None:
    await chat("total people injured by incidents in 2024")
    name, arguments = chat.calls[0]
    assert (name, arguments["column"]) == ("column_stats", "injured")


async def test_rows_are_broken_down_into_numbers(desk: Desk, chat: Chat) -> None:
    await chat("incidents in 2025")
    answer = await chat("break that down by cause")
    assert "| road works | 2 |" in answer, answer


async def test_the_lines_are_a_table_as_long_as_the_map_is_empty(chat: Chat) -> None:
    await chat("colour the lines by headway")
    (layer,) = chat.layers.values()
    assert (layer.table, layer.style.column) == ("data.linie", "takt_min")


async def test_values_of_one_column_are_alternatives(chat: Chat) -> None:
    await chat("permits for housing and offices")
    (layer,) = chat.layers.values()
    assert layer.filter == {"op": "in", "args": [{"property": "destination"}, ["Logement", "Bureaux"]]}


@pytest.mark.parametrize("sentence", ["top 2 stops by boardings 2025", "top 2 stops by boardings in 2025"])
async def test_a_column_of_a_year_that_only_its_comment_tells(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    name, arguments = chat.calls[0]
    assert (name, arguments["sort"]) == ("query_features", "wsiad_25")


async def test_trips_are_those_that_began_then(chat: Chat) -> None:
    await chat("trips in 2025")
    (layer,) = chat.layers.values()
    assert "ret_dt" not in str(layer.filter)
    assert "dep_dt" in str(layer.filter)


async def test_nautical_miles(chat: Chat) -> None:
    assert "365.8 nmi" in await chat("total distance of trips")


@pytest.mark.parametrize(
    ("conversation", "filters"),
    [
        ("show stops | do any of them have an info display?", where("dip", "=", True)),
        ("show incidents | are any of them on line 50?", where("nr_linii", "=", "50")),
    ],
)
async def test_any_of_them(chat: Chat, conversation: str, filters: Any) -> None:
    for text in conversation.split(" | "):
        answer = await chat(text)
    name, arguments = chat.calls[0]
    assert (name, arguments["filters"]) == ("count_features", filters), answer


async def test_all_posts_of_a_stop_are_one_place(desk: Desk, chat: Chat) -> None:
    answer = await chat("trees within 500 m of Rondo")
    assert (
        "filter",
        {"source": "data.przystanki", "filter": where("nazwa", "=", "Rondo")},
    ) in desk.analysis.steps, answer


async def test_a_place_zoomed_to_is_spoken_of_further_on(desk: Desk, chat: Chat) -> None:
    await chat("which stop has the fewest boardings in 2024")
    await chat("zoom to it")
    answer = await chat("which trees are within 2 km of it")
    assert "select_by_location" in [name for name, _ in desk.analysis.steps], answer


async def test_figures_are_of_the_numbers_that_are_finite() -> None:
    wells = make_table(
        "data.wells", "POINT", None, [("id", "integer", ""), ("yield_l", "number", "")],
        [(1, 2.0, (1.0, 1.0)), (2, float("nan"), (1.0, 1.1)), (3, None, (1.0, 1.1)), (4, 4.0, (1.0, 1.2))],
    )  # fmt: skip
    assert "is 3 (2 values, 1 empty)" in await Chat(World(wells))("average yield of wells")


async def test_rows_without_a_value_are_hidden(chat: Chat) -> None:
    await chat("show permits")
    await chat("hide the ones without a decision date")
    (layer,) = chat.layers.values()
    assert layer.filter == no(empty("date_decision"))


async def test_the_figure_of_another_value(chat: Chat) -> None:
    await chat("how many incidents on line 50")
    await chat("and on line 8?")
    assert chat.calls == [
        ("count_features", {"table": "data.zdarzenia", "filters": where("nr_linii", "=", "8")})
    ]


async def test_a_place_that_is_zoomed_to_is_not_the_row_before(desk: Desk, chat: Chat) -> None:
    await chat("which stop has the most boardings in 2024")
    await chat("zoom to Plac")
    answer = await chat("which trees are within 2 km of it")
    assert "Rondo" not in str(desk.analysis.steps), answer


async def test_the_row_that_answered_is_zoomed_to(desk: Desk) -> None:
    wells = make_table(
        "data.wells", "POINT", None, [("id", "integer", ""), ("name", "text", ""), ("depth_m", "integer", "")],
        [(1, "Plac", 9, (7.0, 8.0)), (2, "Most", 4, (1.0, 1.1))],
    )  # fmt: skip
    world = World(STOPS, wells)
    world.data.names |= {"data.przystanki": "nazwa", "data.wells": "name"}
    chat = Chat(world)
    first = await chat("which well has the greatest depth")
    answer = await chat("zoom to it")  # not to the stop of that name
    assert [name for name, _ in chat.calls] == ["zoom_to"], (first, answer)
    assert chat.calls[0][1] == {"bounds": [7.0, 8.0, 7.0, 8.0]}


async def test_a_row_that_no_name_finds_is_zoomed_to_by_its_shape(chat: Chat) -> None:
    first = await chat("which line has the longest headway")
    answer = await chat("zoom to it")
    assert chat.calls == [("zoom_to", {"bounds": [1.0, 1.1, 1.0, 1.1]})], (first, answer)


async def test_a_figure_of_rows_that_were_not_found_is_not_of_all(chat: Chat) -> None:
    await chat("stops in the pilot of last spring")
    answer = await chat("and number of boardings in 2025")
    assert "column_stats" not in [name for name, _ in chat.calls], answer


STRIPS = make_table(
    "data.strips", "POINT", "Landing strips",
    [("id", "integer", ""), ("name", "text", ""), ("iata", "text", "Code of three letters; only where airlines fly")],
    [(1, "Alpha", "AAA", (1.0, 1.0)), (2, "Beta", None, (2.0, 2.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    "asked", ["show strips where airlines fly", "strips that airlines fly to", "strips airlines fly to"]
)
async def test_a_column_that_only_some_rows_have_is_known_by_its_comment(asked: str) -> None:
    chat = Chat(World(STRIPS))
    await chat(asked)
    ((_, arguments),) = chat.calls
    assert arguments["filters"] == known("iata")
