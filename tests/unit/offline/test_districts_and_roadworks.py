"""Requests of a network planner: groups of drawn rows, rows that last some time, maps of figures, states."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, no, where

DISTRICTS = make_table(
    "data.districts", "POLYGON", "City districts and the neighbouring municipalities",
    [("id", "integer", ""), ("name", "text", ""), ("kind", "text", "city district or municipality"),
     ("inhabitants", "integer", "")],
    [(1, "Kesklinn", "city district", 65000, (1.0, 1.0)), (2, "Rae", "municipality", 23000, (1.0, 1.1))],
)  # fmt: skip
COMPLAINTS = make_table(
    "data.complaints", "POINT", "Complaints of passengers",
    [("id", "integer", ""), ("received", "date", ""), ("category", "text", ""), ("status", "text", ""),
     ("days_to_answer", "integer", "calendar days until we answered, empty while open")],
    [
        (1, "2025-01-01", "late", "open", None, (1.0, 1.0)), (3, "2025-01-02", "noise", "closed", 3, (1.0, 1.1)),
        (4, "2025-02-01", "late", "closed", 12, (1.1, 1.1)),
    ],
)  # fmt: skip
ROADWORKS = make_table(
    "data.roadworks", "POLYGON", "Roadworks",
    [("id", "integer", ""), ("street", "text", ""), ("start_date", "date", ""), ("end_date", "date", "")],
    [(1, "Narva mnt", "2025-08-01", "2025-10-01", (1.0, 1.0)), (2, "Laagna tee", "2025-03-01", None, (1.0, 1.1))],
)  # fmt: skip
STOPS = make_table(
    "data.bus_stops", "POINT", "Stops",
    [("id", "integer", ""), ("name", "text", ""), ("boardings_per_day", "integer", ""), ("mode", "text", "")],
    [(1, "Viru", 4214, "tram", (1.0, 1.0)), (2, "Loo", 40, "bus", (1.0, 1.1))],
)  # fmt: skip
LINES = make_table(
    "data.lines", "LINESTRING", "Lines",
    [("id", "integer", ""), ("line_no", "text", ""), ("pax_weekday", "integer", "passengers on a weekday")],
    [(1, "T1", 18973, (1.0, 1.0)), (2, "92", 229, (1.0, 1.1))],
)  # fmt: skip
SIGHTINGS = make_table(
    "data.beetle_sightings", "POINT", "Bark beetle and deadwood sightings",
    [("id", "integer", ""), ("kind", "text", ""), ("severity", "text", "")],
    [(1, "bark beetle", "high", (1.0, 1.0)), (2, "deadwood", "low", (1.0, 1.1))],
)  # fmt: skip
STANDS = make_table(
    "data.forest_stands", "POLYGON", "Forest stands",
    [("stand_no", "text", ""), ("revier", "text", ""), ("age_yrs", "integer", ""), ("trees", "integer", "")],
    [("TON-1", "Tonbach", 166, 40, (1.0, 1.0)), ("KNI-2", "Kniebis", 120, 90, (1.0, 1.1))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(DISTRICTS, COMPLAINTS, ROADWORKS, STOPS, LINES, SIGHTINGS, STANDS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def lasting(first: str, following: str) -> dict[str, Any]:
    """Rows that had begun before the day after a period and had not ended before its first day."""
    not_ended = both(where("end_date", ">=", {"date": first}), empty("end_date"), op="or")
    return both(where("start_date", "<", {"date": following}), not_ended)


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("roadworks that were on at 1 september 2025", lasting("2025-09-01", "2025-09-02")),
        ("roadworks active on 1 September 2025", lasting("2025-09-01", "2025-09-02")),
        ("roadworks on 2025-09-01", lasting("2025-09-01", "2025-09-02")),
        ("how many roadworks were under way in 2025?", lasting("2025-01-01", "2026-01-01")),
        ("which roadworks were running in May 2025?", lasting("2025-05-01", "2025-06-01")),
        ("complaints received on 2 January 2025", both(
            where("received", ">=", {"date": "2025-01-02"}), where("received", "<", {"date": "2025-01-03"}))),
        ("roadworks started in 2025", both(
            where("start_date", ">=", {"date": "2025-01-01"}), where("start_date", "<", {"date": "2026-01-01"}))),
    ],
)  # fmt: skip
async def test_rows_last_from_their_start_to_their_end(
    chat: Chat, sentence: str, filters: dict[str, Any]
) -> None:
    answer = await chat(sentence)
    assert chat.calls, answer
    assert chat.calls[0][1]["filters"] == filters


@pytest.mark.parametrize("sentence", ["how many complaints are still open?", "open complaints"])
async def test_a_state_that_is_a_value_is_not_an_empty_column(chat: Chat, sentence: str) -> None:
    await chat(sentence)
    assert chat.calls[0][1]["filters"] == where("status", "=", "open")


@pytest.mark.parametrize(
    "sentence",
    [
        "complaints per district", "show complaints per district", "map of complaints per district",
        "show number of complaints per district", "make a map of the number of complaints per district",
        "complaints per district as a choropleth", "complaints per district, graduated colours",
        "choropleth of complaints per district",
    ],
)  # fmt: skip
async def test_figures_of_areas_are_a_map(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    ((operation, arguments),) = desk.analysis.steps or [("", {"answer": answer})]
    assert (operation, arguments.get("source"), arguments.get("other")) == (
        "spatial_join", "data.districts", "data.complaints",
    )  # fmt: skip


@pytest.mark.parametrize(
    "other", ["per mode", "count by mode", "how many of them per mode?", "for each mode"]
)
async def test_groups_of_drawn_rows_are_of_the_drawn_ones(chat: Chat, desk: Desk, other: str) -> None:
    await chat("show stops with more than 1000 boardings per day")
    await chat(other)
    operations = [(name, arguments.get("filter")) for name, arguments in desk.analysis.steps]
    assert operations[0] == ("filter", where("boardings_per_day", ">", 1000))
    assert [name for name, _ in operations[1:]] == ["dissolve"]


@pytest.mark.parametrize(
    ("before", "other", "sort", "limit"),
    [
        ("busiest stop?", "and the top 5", ("boardings_per_day", True), 5),
        ("which is the busiest stop?", "top 2", ("boardings_per_day", True), 2),
    ],
)
async def test_more_rows_of_a_ranking(
    chat: Chat, before: str, other: str, sort: tuple[str, bool], limit: int
) -> None:
    await chat(before)
    answer = await chat(other)
    assert chat.calls, answer
    arguments = chat.calls[0][1]
    assert ((arguments["sort"], arguments["descending"]), arguments["limit"]) == (sort, limit)


@pytest.mark.parametrize("other", ["and the second?", "the second one?", "which is the 2nd?"])
async def test_the_next_row_of_a_ranking(chat: Chat, other: str) -> None:
    assert (await chat("which district has the most inhabitants")).startswith("**Kesklinn**")
    assert (await chat(other)).startswith("**Rae**")


async def test_a_name_in_small_letters_is_hidden(chat: Chat) -> None:
    await chat("show districts")
    await chat("hide rae")
    assert chat.layers["districts"].filter == no(where("name", "=", "Rae"))


async def test_lines_are_never_silently_all_thicker_by_a_column(chat: Chat) -> None:
    await chat("show lines")
    answer = await chat("make them thicker by passengers")
    assert chat.layers["lines"].style.kind == "proportional"
    assert "Line width cannot show a value" in answer


async def test_zeros_after_a_space_belong_to_a_number(chat: Chat) -> None:
    await chat("lines with more than 10 000 passengers")
    assert chat.calls[0][1]["filters"] == where("pax_weekday", ">", 10000)


async def test_a_value_in_the_title_of_its_table_selects_rows(chat: Chat) -> None:
    await chat("show me all bark beetle sightings coloured by severity")
    assert chat.layers["beetle_sightings"].filter == where("kind", "=", "bark beetle")


async def test_an_age_in_a_column_of_years(chat: Chat) -> None:
    await chat("stands older than 120 years")
    assert chat.layers["forest_stands"].filter == where("age_yrs", ">", 120)


async def test_totals_of_the_groups_that_were_counted(chat: Chat, desk: Desk) -> None:
    await chat("stands per revier")
    answer = await chat("and the trees?")
    assert desk.analysis.steps, answer
    aggregates = desk.analysis.steps[-1][1]["aggregates"]
    assert {"function": "sum", "column": "trees"} in aggregates


@pytest.mark.parametrize(
    "before", ["how many stands are older than 120 years?", "show stands older than 120 years"]
)
async def test_the_total_of_the_rows_before(chat: Chat, before: str) -> None:
    await chat(before)
    await chat("how many trees is that?")
    ((name, arguments),) = chat.calls
    assert (name, arguments["column"], arguments["filters"]) == (
        "column_stats", "trees", where("age_yrs", ">", 120),
    )  # fmt: skip


async def test_which_of_them_have_a_value_in_small_letters(chat: Chat) -> None:
    await chat("show stands older than 100 years")
    await chat("which of them are in tonbach")
    ((name, arguments),) = chat.calls
    assert (name, arguments["filters"]) == (
        "query_features", both(where("age_yrs", ">", 100), where("revier", "=", "Tonbach")),
    )  # fmt: skip


@pytest.mark.parametrize(
    "sentence",
    [
        "percentage of late complaints per district",
        "how many late complaints per district, in percent", "share of the late complaints by district",
    ],
)  # fmt: skip
async def test_shares_of_the_rows_in_areas(chat: Chat, desk: Desk, sentence: str) -> None:
    answer = await chat(sentence)
    steps = [
        (name, arguments.get("filter") or arguments.get("other")) for name, arguments in desk.analysis.steps
    ]
    assert steps[0] == ("filter", where("category", "=", "late")), answer
    assert [name for name, _ in steps[1:]] == ["spatial_join", "spatial_join", "calculate"]
    assert steps[2][1] == "data.complaints"
    assert desk.analysis.steps[-1][1]["expression"] == "100 * part / count"


@pytest.mark.parametrize(
    ("sentence", "years"), [("only 2024 and 2025", ["2024", "2025"]), ("now only 2025", ["2025"])]
)
async def test_only_some_years(chat: Chat, sentence: str, years: list[str]) -> None:
    await chat("show complaints")
    await chat(sentence)
    spans = [
        both(
            where("received", ">=", {"date": f"{year}-01-01"}),
            where("received", "<", {"date": f"{int(year) + 1}-01-01"}),
        )
        for year in years
    ]
    assert chat.layers["complaints"].filter == (spans[0] if len(spans) == 1 else both(*spans, op="or"))


@pytest.mark.parametrize(
    "other", ["per 10 000 inhabitants", "now per 10000 inhabitants", "and per 10,000 people?"]
)
async def test_figures_of_areas_become_rates(chat: Chat, desk: Desk, other: str) -> None:
    await chat("complaints per district")
    answer = await chat(other)
    assert [name for name, _ in desk.analysis.steps] == ["spatial_join", "calculate"], answer
    assert desk.analysis.steps[-1][1]["expression"] == '10000 * count / "inhabitants"'
