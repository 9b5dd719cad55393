"""Ages in years, figures per hectare, the time of rows with a date of their end, and people of areas."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import full, make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, no, where

STANDS = make_table(
    "data.stands", "POLYGON", "Forest stands from the 2023 inventory",
    [("id", "integer", ""), ("sp_name", "text", ""), ("age_yr", "integer", "Mean age of the stand, years"),
     ("area_ha", "number", ""), ("vol_m3ha", "number", "Standing volume, cubic metres per hectare"),
     ("last_thin", "date", ""), ("own_type", "text", "Ownership: private, state")],
    [(1, "oak", 12, 3.0, 90.0, "2020-01-01", "private", (1.0, 1.0)),
     (2, "pine", 40, 9.0, 80.0, "2021-01-01", "state", (1.0, 1.1))],
)  # fmt: skip
FIRES = make_table(
    "data.fire_events", "POINT", "Rural fires since 2021, ignition points",
    [("id", "integer", ""), ("alert_dt", "timestamp", "Date and time of the alert"),
     ("ext_dt", "timestamp", "Empty while the fire is not out"), ("burn_ha", "number", ""), ("status", "text", ""),
     ("loss_keur", "number", "")],
    [(1, "2025-01-01T00:00:00", None, 2.0, "active", 500.0, (1.0, 1.0)),
     (2, "2024-01-01T00:00:00", "2024-01-02T00:00:00", 3.0, "false alarm", 1500.0, (1.0, 1.1))],
)  # fmt: skip
PARISHES = make_table(
    "data.parishes", "POLYGON", "Parishes",
    [("id", "integer", ""), ("par_name", "text", "Parish"), ("haz_class", "text", ""), ("pop21", "integer", ""),
     ("plan_valid", "date", "")],
    [(1, "Alvares", "high", 577, "2024-01-01", (1.0, 1.0)), (2, "Serpins", "low", 60, None, (1.0, 1.1))],
)  # fmt: skip
PATROLS = make_table(
    "data.patrols", "POINT", "Patrol reports",
    [("id", "integer", ""), ("n_warned", "integer", "People warned")], [(1, 5, (1.0, 1.0))],
)  # fmt: skip
SAMPLES = make_table(
    "data.soil_samples", "POINT", "Soil samples",
    [("id", "integer", ""), ("taken", "date", ""), ("analysed", "date", "")],
    [(1, "2024-01-01", "2025-01-01", (1.0, 1.0))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(STANDS, FIRES, PARISHES, PATROLS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def in_year(column: str, year: int) -> dict[str, Any]:
    ends = ({"timestamp": f"{each}-01-01T00:00:00Z"} for each in (year, year + 1))
    return both(where(column, ">=", next(ends)), where(column, "<", next(ends)))


async def test_rows_live_where_they_lie() -> None:
    pupils = make_table(
        "data.pupils",
        "POINT",
        "Pupils",
        [("id", "integer", ""), ("town", "text", "")],
        [(1, "Graz", (1.0, 1.0))],
    )
    assert "There is 1 pupil" in await Chat(World(pupils))("how many pupils live in Graz?")


async def test_an_age_in_years_is_no_year(chat: Chat) -> None:
    table, rows = STANDS  # without statistics, as where most values are rare
    ages = [each.model_copy(update={"minimum": None, "maximum": None}) for each in table.columns]
    chat = Chat(World((table.model_copy(update={"columns": tuple(ages)}), rows)))
    answer = await chat("show stands older than 12 years")
    assert chat.calls[0][1]["filters"] == where("age_yr", ">", 12), answer
    answer = await chat("list the oldest stand")
    assert "12" not in answer
    assert "40" in answer


@pytest.mark.parametrize(
    "asked", ["average volume per ha by sp name", "average volume per hectare by sp name"]
)
async def test_a_figure_per_hectare_is_not_divided_by_the_area(desk: Desk, chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    ((operation, step),) = desk.analysis.steps
    assert operation == "dissolve", answer
    assert [(each["function"], each["column"]) for each in step["aggregates"] if "column" in each] == [
        ("mean", "vol_m3ha")
    ]


async def test_rows_are_of_the_time_that_is_not_their_end(chat: Chat) -> None:
    answer = await chat("show fires 2025")
    assert chat.calls[0][1]["filters"] == in_year("alert_dt", 2025), answer


async def test_rows_are_of_the_only_date_that_every_row_has() -> None:
    chat = Chat(World(SAMPLES))
    assert "Which column" in await chat("soil samples in 2024")
    table, rows = full(SAMPLES)
    known = [each.model_copy(update={"nullable": each.name == "analysed"}) for each in table.columns]
    chat = Chat(World((table.model_copy(update={"columns": tuple(known)}), rows)))
    answer = await chat("how many soil samples in 2024?")
    assert chat.calls[0][1]["filters"]["args"][0]["args"][0] == {"property": "taken"}, answer


async def test_the_date_of_what_was_done_last_is_not_that_of_the_rows() -> None:
    table, rows = make_table(
        "data.hydrants", "POINT", "Hydrants",
        [("id", "integer", ""), ("installed", "date", ""), ("last_insp", "date", "")],
        [(1, "2020-01-01", "2021-01-01", (1.0, 1.0)), (2, None, "2020-01-01", (1.0, 1.1))],
    )  # fmt: skip
    known = [each.model_copy(update={"nullable": each.name != "last_insp"}) for each in table.columns]
    chat = Chat(World((table.model_copy(update={"columns": tuple(known)}), rows)))
    assert "installed or last_insp" in await chat("hydrants in 2020")


async def test_a_year_behind_a_target_is_not_that_of_what_was_done_last(desk: Desk, chat: Chat) -> None:
    answer = await chat("stands within 500 m of a fire in 2025")
    assert desk.analysis.steps[0][1]["source"] == "data.fire_events", answer
    assert desk.analysis.steps[0][1]["filter"] == in_year("alert_dt", 2025)


async def test_a_date_up_to_which_something_is_valid_tells_no_age(chat: Chat) -> None:
    assert "no column of parishes tells how old they are" in await chat("the 3 oldest parishes")


async def test_a_short_year_belongs_to_no_word(chat: Chat) -> None:
    answer = await chat("how many people live in the parishes?")
    assert chat.calls == [("column_stats", {"table": "data.parishes", "column": "pop21"})], answer


async def test_people_who_were_warned_do_not_live_there(chat: Chat) -> None:
    await chat("show patrols")
    answer = await chat("how many people live there?")
    assert "5" not in answer
    assert all(name == "cannot_do" for name, _ in chat.calls)


@pytest.mark.parametrize(
    ("first", "then", "years"),
    [
        ("how many fires in 2024?", "compared to 2025", (2024, 2025)),
        ("total burn ha of fires in 2024", "vs 2025?", (2024, 2025)),
    ],
)
async def test_another_year_beside_that_of_the_question(
    desk: Desk, chat: Chat, first: str, then: str, years: tuple[int, int]
) -> None:
    await chat(first)
    answer = await chat(then)
    said = f"{chat.calls} {desk.analysis.steps}"
    assert all(f"{year}-01-01" in said for year in years), answer


async def test_another_place_beside_that_of_the_question() -> None:
    chat = Chat()
    await chat("what is the average elevation of airports in Germany?")
    answer = await chat("vs Peru")
    assert "Germany" in answer
    assert "Peru" in answer


@pytest.mark.parametrize(
    "asked", ["fires june to sept", "fires from June to September", "fires June - September"]
)
async def test_months_of_every_year_need_no_preposition(chat: Chat, asked: str) -> None:
    answer = await chat(f"show {asked}")
    month = {"op": "month", "args": [{"property": "alert_dt"}]}
    assert chat.calls[0][1]["filters"] == {"op": "in", "args": [month, [6, 7, 8, 9]]}, answer


async def test_only_the_first_colour_needs_its_for(chat: Chat) -> None:
    answer = await chat("colour parishes by haz class, red for high, green low")
    assert "high in red" in answer
    assert "low in green" in answer


async def test_how_far_needs_no_verb(desk: Desk, chat: Chat) -> None:
    answer = await chat("nearest patrol to each fire and how far")
    assert desk.analysis.steps[-1][0] == "nearest", answer


@pytest.mark.parametrize("called", ["share of people over 65", "% over 65"])
async def test_people_of_an_age_are_the_column_of_it(called: str) -> None:
    table = make_table(
        "data.parishes", "POLYGON", "Parishes",
        [("id", "integer", ""), ("pct_65p", "number", "Share of residents aged 65 or more, %"),
         ("pop21", "integer", "")],
        [(1, 30.0, 5770, (1.0, 1.0)), (2, 60.0, 600, (1.0, 1.1))],
    )  # fmt: skip
    chat = Chat(World(table))
    answer = await chat(f"colour parishes by {called}")
    assert chat.calls[0][1]["style"]["column"] == "pct_65p", answer
    await chat("total people over 65 of parishes")
    assert all(name == "cannot_do" for name, _ in chat.calls)


@pytest.mark.parametrize(
    "asked", ["area of stands by ownership type", "how much area is under each ownership type?"]
)
async def test_a_kind_is_the_column_whose_comment_begins_with_it(desk: Desk, chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    ((operation, step),) = desk.analysis.steps
    assert (operation, step["by"]) == ("dissolve", ["own_type"]), answer


async def test_an_amount_of_money_is_told_in_millions(chat: Chat) -> None:
    assert "2 M€" in await chat("total loss of fires in million euros")


async def test_a_figure_by_a_column_of_areas_is_told_in_the_unit_that_is_named(
    desk: Desk, chat: Chat
) -> None:
    answer = await chat("total loss of fires by haz class in million euros")
    assert [name for name, _ in desk.analysis.steps] == ["dissolve", "spatial_join", "calculate"], answer
    assert desk.analysis.steps[-1][1]["expression"] == '"sum_loss_keur" * 0.001'


@pytest.mark.parametrize(
    ("asked", "function"),
    [("same but burn ha instead of number", "sum"), ("average burn ha instead", "mean")],
)
async def test_a_chart_of_numbers_becomes_one_of_a_figure(chat: Chat, asked: str, function: str) -> None:
    await chat("chart of fires by status")
    answer = await chat(asked)
    ((name, made),) = chat.calls
    assert (name, made["x"], made["y"], made["aggregate"]) == ("make_chart", "status", "burn_ha", function), (
        answer
    )


@pytest.mark.parametrize(
    "asked", ["compare fires by status in 2024 and 2025", "number of fires by status in 2024 vs 2025"]
)
async def test_groups_before_the_years_that_are_compared(desk: Desk, chat: Chat, asked: str) -> None:
    answer = await chat(asked)
    assert desk.analysis.steps[-1][1]["by"] == ["status", "year"], answer


async def test_kilometres_driven_are_not_the_length_of_the_line() -> None:
    tracks = make_table(
        "data.patrols", "LINESTRING", "Patrols",
        [("id", "integer", ""), ("km", "number", "Kilometres driven on the shift"), ("team", "text", "")],
        [(1, 3.0, "A", (1.0, 1.0)), (2, 4.0, "B", (1.0, 1.1))],
    )  # fmt: skip
    desk = Desk(World(tracks))
    answer = await Chat(desk.world, analyst=desk)("km of patrols per team")
    ((operation, step),) = desk.analysis.steps
    assert (operation, step["aggregates"][0]["column"]) == ("dissolve", "km"), answer


@pytest.mark.parametrize("asked", ["average burn ha per fire", "average burn ha of each fire"])
async def test_an_average_per_row_is_that_of_all_rows(asked: str) -> None:
    table = make_table(
        "data.fire_events", "POINT", "Rural fires since 2021",
        [("id", "integer", ""), ("loc_name", "text", ""), ("burn_ha", "number", "")],
        [(1, "Corga", 2.0, (1.0, 1.0)), (2, "Corga", 4.0, (1.0, 1.1)), (3, "Vilar", 9.0, (1.0, 1.1))],
    )  # fmt: skip
    desk = Desk(World(table))
    answer = await Chat(desk.world, analyst=desk)(asked)
    assert "is 5 ha (3 values)" in answer


async def test_a_share_of_what_was_done_by_somebody_per_year() -> None:
    fires = make_table(
        "data.fires", "POINT", "",
        [("id", "integer", ""), ("alert_dt", "timestamp", ""), ("detect_src", "text", "")],
        [(1, "2025-01-01T00:00:00", "tower", (1.0, 1.0)), (2, "2024-01-01T00:00:00", "patrol", (1.0, 1.1))],
    )  # fmt: skip
    desk = Desk(World(fires))
    answer = await Chat(desk.world, analyst=desk)("share of fires detected by towers by year")
    assert desk.analysis.titles[-1] == "Percentage of fires detected by towers by year", answer


async def test_a_share_per_year(desk: Desk, chat: Chat) -> None:
    answer = await chat("share of active fires by year")
    assert desk.analysis.steps[0][0] == "columns", answer
    assert desk.analysis.titles[-1] == "Percentage of active fires by year"


async def test_rows_are_excluded_in_the_form_of_a_command(desk: Desk, chat: Chat) -> None:
    answer = await chat("average burn ha of fires by haz class, exclude false alarms")
    assert desk.analysis.steps[1][1]["filter"] == no(where("status", "=", "false alarm")), answer


async def test_no_behind_its_colour_is_no_number() -> None:
    towers = make_table(
        "data.towers", "POINT", "Towers", [("id", "integer", ""), ("camera", "boolean", "")],
        [(1, True, (1.0, 1.0)), (2, False, (1.0, 1.1))],
    )  # fmt: skip
    answer = await Chat(World(towers))("colour towers by camera, green for yes, grey for no")
    assert "yes in green" in answer
