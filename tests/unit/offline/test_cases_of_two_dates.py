"""Requests about rows with several dates, other values of a question's column, agents of a row, what went up, and
looks in other words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, empty, known, no, where

CASES = make_table(
    "data.nmc_cases", "POINT", "Notified cases",
    [("id", "integer", ""), ("disease", "text", ""), ("case_class", "text", ""), ("onset_dt", "date", "Symptom onset"),
     ("notif_dt", "date", "Notification")],
    [(1, "Measles", "confirmed", "2024-01-01", "2024-02-01", (1.0, 1.0)),
     (2, "Measles", "suspected", "2024-01-09", "2024-02-01", (1.0, 1.1)),
     (3, "Pertussis", "confirmed", "2023-01-09", "2024-01-01", (1.0, 1.1))],
)  # fmt: skip
ESTATES = make_table(
    "data.estates", "POLYGON", "Estates",
    [("id", "integer", ""), ("estate_name", "text", ""), ("owner", "text", ""), ("sheep_2024", "integer", ""),
     ("sheep_2025", "integer", ""), ("hab_name", "text", "")],
    [(1, "Farr", "Farr Trust", 300, 400, "moor", (1.0, 1.0)),
     (2, "Abernethy", "RSPB Scotland", 200, 100, "wood", (1.0, 1.1))],
)  # fmt: skip
JOBS = make_table(
    "data.work_orders", "POINT", "Work orders",
    [("id", "integer", ""), ("wo_type", "text", ""), ("status", "text", ""), ("due_dt", "date", ""),
     ("cost_aud", "number", "Cost, AUD"), ("night", "boolean", "")],
    [(1, "Pruning", "Completed", "2020-01-01", 100.0, True, (1.0, 1.0)),
     (2, "Removal", "Open", "2020-01-01", 900.0, False, (1.0, 1.1))],
)  # fmt: skip
LIGHTS = make_table(
    "data.street_lights", "POINT", "Street lights with fault reports",
    [("id", "integer", ""), ("fault_rep", "date", "Date the last fault was reported"),
     ("fault_fix", "date", "Date the last fault was repaired, empty = still open"), ("circuit", "text", "")],
    [(1, "2025-01-01", "2025-02-01", "K1", (1.0, 1.0)), (2, "2025-01-01", None, "K1", (1.0, 1.1)),
     (3, None, None, "K2", (1.0, 1.2))],
)  # fmt: skip
LEAKS = make_table(
    "data.leaks", "POINT", "Leaks",
    [("id", "integer", ""), ("leak_reported", "date", ""), ("leak_repaired", "date", "")],
    [(1, None, None, (1.0, 1.0)), (2, "2025-01-01", None, (1.0, 1.1)), (3, None, "2025-01-01", (1.0, 1.2))],
)  # fmt: skip


INSPECTIONS = make_table(
    "data.inspections", "POINT", "Inspections",
    [("id", "integer", ""), ("insp_visit", "date", ""), ("insp_closed", "date", "")],
    [(1, None, None, (1.0, 1.0)), (2, "2025-01-01", "2025-01-01", (1.0, 1.2))],
)  # fmt: skip


@pytest.fixture
def desk() -> Desk:
    return Desk(World(CASES, ESTATES, JOBS))


@pytest.fixture
def chat(desk: Desk) -> Chat:
    return Chat(desk.world, analyst=desk)


def offered(answer: str) -> list[str]:
    return [line.removeprefix("- ") for line in answer.splitlines() if line.startswith("- ")]


@pytest.mark.parametrize(
    ("request_", "goals"),
    [
        (
            "number of cases per month",
            ["number of cases per month of onset_dt", "number of cases per month of notif_dt"],
        ),
        (
            "which month had the most measles cases",
            [
                "which month of onset_dt had the most measles cases",
                "which month of notif_dt had the most measles cases",
            ],
        ),
    ],
)
async def test_the_date_of_a_period_is_asked_for(
    desk: Desk, chat: Chat, request_: str, goals: list[str]
) -> None:
    answer = await chat(request_)
    assert answer.startswith("Which column do you mean by the time: onset_dt or notif_dt?"), answer
    assert offered(answer) == goals
    await chat("onset_dt")
    assert ("columns", "onset_dt") in [
        (name, arguments["changes"][0].get("column"))
        for name, arguments in desk.analysis.steps
        if "changes" in arguments
    ], desk.analysis.steps


async def test_the_date_of_a_line_chart_is_asked_for_once(chat: Chat) -> None:
    answer = await chat("line chart of cases per month since jan 2024")
    assert offered(answer) == ["onset_dt", "notif_dt"], answer
    await chat("notif_dt")
    (drafted,) = (arguments for name, arguments in chat.calls if name == "make_chart")
    assert "notif_dt" in str(drafted), drafted
    assert "onset_dt" not in str(drafted), drafted


@pytest.mark.parametrize(
    ("question", "other", "answer"),
    [
        (
            "how many measles cases are confirmed",
            "and pertussis",
            "There is 1 nmc case where disease is Pertussis",
        ),
        ("how many confirmed measles cases are there", "and suspected ones?", "case_class is suspected"),
        (
            "how many prunings are completed",
            "what about open",
            "There are 0 work orders where wo_type is Pruning",
        ),
    ],
)
async def test_another_value_of_the_same_column(chat: Chat, question: str, other: str, answer: str) -> None:
    await chat(question)
    told = await chat(other)
    assert answer in told, told


async def test_who_owns_a_row(chat: Chat) -> None:
    answer = await chat("who owns Abernethy")
    assert answer == "**Abernethy**: `owner` RSPB Scotland.", answer


@pytest.mark.parametrize(
    ("sentence", "op"),
    [
        ("estates where the sheep went up between 2024 and 2025", ">"),
        ("estates where the sheep have gone down between 2024 and 2025", "<"),
    ],
)
async def test_what_went_up_or_down(chat: Chat, sentence: str, op: str) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert layer.filter == where("sheep_2025", op, {"property": "sheep_2024"}), answer


@pytest.mark.parametrize(
    "sentence",
    [
        "make the work orders bigger where the cost is higher",
        "make the work orders bigger where there are more cost",
    ],
)
async def test_sizes_in_other_words(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    assert (layer.style.kind, layer.style.column) == ("proportional", "cost_aud"), answer


@pytest.mark.parametrize("words", ["habitat", "habitat type"])
async def test_a_short_name_of_kinds(chat: Chat, words: str) -> None:
    answer = await chat(f"colour the estates by {words}")
    (layer,) = chat.layers.values()
    assert layer.style.column == "hab_name", answer


async def test_everything_else_is_hidden(chat: Chat) -> None:
    await chat("show the work orders")
    await chat("show the estates")
    await chat("hide everything else")
    assert {layer.table: layer.visible for layer in chat.layers.values()} == {
        "data.work_orders": False,
        "data.estates": True,
    }


async def test_the_width_and_the_colour_of_outlines(chat: Chat) -> None:
    await chat("show the estates")
    answer = await chat("make the outlines thick and dark grey")
    (layer,) = chat.layers.values()
    assert layer.style.stroke_color is not None, answer


@pytest.mark.parametrize("asked", ["what did we spend on", "how much did we spend on"])
async def test_what_was_spent(chat: Chat, asked: str) -> None:
    answer = await chat(f"{asked} completed jobs")
    assert answer.startswith("The total `cost_aud` of work_orders where status is Completed is 100"), answer


@pytest.mark.parametrize("sentence", ["overdue work orders", "show the overdue jobs"])
async def test_what_is_overdue_is_not_done(chat: Chat, sentence: str) -> None:
    answer = await chat(sentence)
    (layer,) = chat.layers.values()
    past, done = layer.filter["args"]
    assert (past["op"], past["args"][0]) == ("<", {"property": "due_dt"}), answer
    assert done == no(where("status", "=", "Completed")), answer


async def test_at_night_is_a_yes_or_no_column(chat: Chat) -> None:
    assert "1 work order where night is yes" in await chat("how many work orders at night")


async def test_jobs_are_work_orders(chat: Chat) -> None:
    assert "There are 2 work orders." in await chat("how many jobs are there")


@pytest.mark.parametrize(
    ("sentence", "count"),
    [("pruning due in 2020", 1), ("work orders done in January 2020", 2), ("show pruning", 1)],
)
async def test_works_are_named_by_what_is_done(chat: Chat, sentence: str, count: int) -> None:
    answer = await chat(sentence)
    assert f": {count} work order" in answer, answer


async def test_another_value_of_the_rows_that_a_pronoun_means(chat: Chat) -> None:
    await chat("show removals")
    await chat("how much did they cost in total")
    answer = await chat("and pruning?")
    assert answer.startswith("The total `cost_aud` of work_orders where wo_type is Pruning is 100"), answer
    assert len(chat.layers) == 1


async def test_an_amount_is_no_year(chat: Chat) -> None:
    answer = await chat("what did removals cost this year")
    assert chat.layers == {}, answer


UNFIXED = both({"op": "isNull", "args": [{"property": "fault_fix"}]}, known("fault_rep"))


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("lights still not fixed", UNFIXED),
        ("lights that were never fixed", UNFIXED),
        ("unrepaired street lights", UNFIXED),
        ("lights still open", UNFIXED),
        ("how many lights have not been fixed?", UNFIXED),
        ("lights where fault_fix is empty", empty("fault_fix")),
        ("lights with no fix date", empty("fault_fix")),
        ("leaks not repaired", empty("leak_repaired")),
        ("inspections not closed", empty("insp_closed")),
    ],
)
async def test_what_never_began_is_not_unfinished(sentence: str, filters: Any) -> None:
    chat = Chat(World(LIGHTS, LEAKS, INSPECTIONS))
    answer = await chat(sentence)
    assert [call.get("filters") for _, call in chat.calls] == [filters], answer


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        ("undecided applications", both(empty("decis_dt"), no(where("status", "=", "Withdrawn")))),
        ("applications not decided yet", both(empty("decis_dt"), no(where("status", "=", "Withdrawn")))),
        ("applications without a decision date", empty("decis_dt")),
        ("withdrawn applications", where("status", "=", "Withdrawn")),
    ],
)
async def test_what_was_given_up_is_not_to_be_done(sentence: str, filters: Any) -> None:
    made = make_table(
        "data.applications", "POINT", "",
        [("id", "integer", ""), ("status", "text", ""), ("lodge_dt", "date", "Date of lodgement"),
         ("decis_dt", "date", "Date of decision; empty while undecided or withdrawn")],
        [(1, "Lodged", "2024-01-01", None, (1.0, 1.0)), (2, "Withdrawn", "2024-01-01", None, (1.0, 1.0)),
         (3, "Approved", "2024-01-01", "2024-02-02", (1.0, 1.0))],
    )  # fmt: skip
    chat = Chat(World(made))
    answer = await chat(sentence)
    assert [layer.filter for layer in chat.layers.values()] == [filters], answer
