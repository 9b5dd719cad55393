"""Facts of one row: with its name inside the question, and with a pronoun after a question that it answered."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.chatting import Chat

BORES = make_table(
    "data.boreholes",
    "POINT",
    "Boreholes",
    [("id", "integer", ""), ("REF", "text", ""), ("aquifer", "text", ""), ("use", "text", ""),
     ("depth_m", "number", ""), ("drilled", "date", ""), ("sealed", "boolean", ""), ("status", "text", ""),
     ("operator", "text", ""), ("nitrate_mgl", "number", "Nitrate, mg/l"),
     ("last_insp", "date", "Last inspection"), ("next_insp", "date", "Next inspection due"),
     ("insp_res", "text", "Result of the last inspection")],
    [(1, "26-7-0108", "Gallocanta", "domestic", 419.0, "1970-10-17", False, "active", "CHE", 30.0,
      "2024-03-01", "2027-03-01", "minor defects", (1.0, 40.0)),
     (2, "26-7-0109", "Jiloca", "irrigation", 120.0, "1991-02-03", True, "closed", "ACA", None,
      "2025-04-02", "2028-04-02", "passed", (2.0, 41.0))],
)  # fmt: skip


def _world() -> World:
    return World(BORES)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("which aquifer is 26-7-0108 in?", "`aquifer` Gallocanta"),
        ("what is 26-7-0109 used for?", "`use` irrigation"),
        ("when was borehole 26-7-0108 drilled", "`drilled` 1970-10-17"),
        ("is 26-7-0109 sealed?", "Yes: **26-7-0109**: `sealed` yes"),
        ("is the borehole 26-7-0108 sealed", "No: **26-7-0108**: `sealed` no"),
        ("is 26-7-0109 active?", "No: **26-7-0109**: `status` closed"),
        ("which aquifer does 26-7-0109 use?", "`aquifer` Jiloca"),
        ("who operates 26-7-0109?", "`operator` ACA"),
        ("when was the borehole 26-7-0108 last inspected?", "`last_insp` 2024-03-01"),
        ("when was the last inspection of borehole 26-7-0108?", "`last_insp` 2024-03-01"),
        (
            "when was the last inspection of 26-7-0108 and what was the result?",
            "`last_insp` 2024-03-01, `insp_res` minor defects",
        ),
        ("who is the operator of 26-7-0109 and what is its status?", "`operator` ACA, `status` closed"),
    ],
)
async def test_a_fact_of_a_row_with_its_name_in_the_question(sentence: str, fact: str) -> None:
    assert fact in await Chat(_world())(sentence)


@pytest.mark.parametrize(
    ("sentence", "fact"),
    [
        ("how deep is it?", "`depth_m` 419"),
        ("when was it drilled", "`drilled` 1970-10-17"),
        ("whats it used for", "`use` domestic"),
        ("is it sealed?", "`sealed` no"),
        ("is it still active", "`status` active"),
        ("which aquifer is it in", "`aquifer` Gallocanta"),
        ("and who operates it?", "`operator` CHE"),
    ],
)
async def test_a_pronoun_is_the_row_that_answered_the_question(sentence: str, fact: str) -> None:
    chat = Chat(_world())
    assert "26-7-0108" in await chat("what's the deepest borehole?")
    answer = await chat(sentence)
    assert "**26-7-0108**" in answer
    assert fact in answer


@pytest.mark.parametrize(
    ("shown", "message", "columns"),
    [
        ("active boreholes in Gallocanta", "and who operates them?", ["operator"]),
        ("active boreholes", "status and depth of these boreholes?", ["status", "depth_m"]),
    ],
)
async def test_a_fact_of_the_rows_that_were_drawn(shown: str, message: str, columns: list[str]) -> None:
    chat = Chat(_world())
    await chat(shown)
    answer = await chat(message)
    assert [name for name, _ in chat.calls] == ["query_features"], answer
    assert set(columns) <= {*chat.calls[0][1]["columns"]}


async def test_a_reference_number_names_a_row() -> None:
    assert (await Chat(_world())("the deepest borehole")).startswith("**26-7-0108**")


@pytest.mark.parametrize(
    ("sentence", "filters"),
    [
        (
            "show the nitrate boreholes",
            {"op": "not", "args": [{"op": "isNull", "args": [{"property": "nitrate_mgl"}]}]},
        ),
    ],
)
async def test_rows_called_by_what_is_measured_in_them(sentence: str, filters: dict[str, Any]) -> None:
    chat = Chat(_world())
    await chat(sentence)
    assert chat.calls[0][1]["filters"] == filters


RAIN = make_table(
    "data.basins",
    "POLYGON",
    "Basins",
    [("id", "integer", ""), ("name", "text", ""), ("P_mm", "number", "mean annual precipitation, mm"),
     ("q_mean", "number", "mean daily discharge, m3/s"), ("code", "text", "Code of the basin")],
    [(1, "Arga", 900.0, 5.0, "A1", (1.0, 40.0)), (2, "Ega", 600.0, 9.0, "A2", (2.0, 41.0))],
)  # fmt: skip


@pytest.mark.parametrize(
    ("sentence", "start"),
    [
        ("total rainfall", "The total `P_mm`"),
        ("which basin has the highest streamflow", "**Ega**"),
    ],
)
async def test_words_for_the_same_measure(sentence: str, start: str) -> None:
    assert (await Chat(World(RAIN))(sentence)).startswith(start)


async def test_the_first_kind_that_a_comment_lists_is_no_name_for_all_rows() -> None:
    schemes = make_table(
        "data.planned_schemes",
        "LINESTRING",
        "Planned roads, pipelines and other schemes",
        [("id", "integer", ""), ("scheme", "text", ""), ("kind", "text", "")],
        [
            (1, "Bypass", "road", (1.0, 40.0)),
            (2, "Main", "pipeline", (2.0, 41.0)),
            (3, "Link", "road", (3.0, 42.0)),
        ],
    )
    chat = Chat(World(schemes))
    await chat("show the planned roads")
    assert all(layer.count == 2 for layer in chat.layers.values())
