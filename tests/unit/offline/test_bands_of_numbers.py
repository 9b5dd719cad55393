"""Figures by bands of a number, which are listed or of one width."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat, both, where, within

PEAKS = make_table(
    "data.peaks", "POINT", "Peaks",
    [("id", "integer", ""), ("name", "text", ""), ("elevation_m", "number", "Elevation in metres"),
     ("elevation_ft", "number", "Elevation in feet")],
    [(n, f"Peak {n}", 100.5 * n, 330.1 * n, (7.0, 46.0)) for n in range(1, 41)],
)  # fmt: skip
TOWNS = make_table(
    "data.towns", "POINT", "Towns",
    [("id", "integer", ""), ("name", "text", ""), ("population", "integer", "Number of inhabitants")],
    [(n, f"Town {n}", 10_000 * n, (7.0, 46.0)) for n in range(1, 41)],
)  # fmt: skip


async def steps(sentence: str) -> tuple[list[tuple[str, dict[str, Any]]], Chat]:
    desk = Desk(World(PEAKS, TOWNS))
    chat = Chat(desk.world, analyst=desk)
    await chat(sentence)
    return desk.analysis.steps, chat


@pytest.mark.parametrize(
    ("sentence", "cases"),
    [
        (
            "Count the peaks in elevation bands: below 500, 500-1000, 1000-2000 and over 2000 metres",
            [
                ("1: below 500", where("elevation_m", "<", 500)),
                ("2: 500-1000", both(where("elevation_m", ">=", 500), where("elevation_m", "<", 1000))),
                ("3: 1000-2000", within("elevation_m", 1000, 2000)),
                ("4: over 2000 metres", where("elevation_m", ">", 2000)),
            ],
        ),
        (
            "number of peaks by elevation: under 1000 ft, 1000 ft or more",
            [
                ("1: under 1000 ft", where("elevation_ft", "<", 1000)),
                ("2: 1000 ft or more", where("elevation_ft", ">=", 1000)),
            ],
        ),
        (
            "how many towns are small (under 50k), middle (50-250k) and large (above 250k)",
            [
                ("1: small (under 50k)", where("population", "<", 50_000)),
                ("2: middle (50-250k)", within("population", 50_000, 250_000)),
                ("3: large (above 250k)", where("population", ">", 250_000)),
            ],
        ),
        (
            "count towns by size: under 50k, over 50k",
            [
                ("1: under 50k", where("population", "<", 50_000)),
                ("2: over 50k", where("population", ">", 50_000)),
            ],
        ),
        (
            "how many peaks are below 100 m, between 100 and 500 m and above 500 m",
            [
                ("1: below 100 m", where("elevation_m", "<", 100)),
                ("2: between 100 and 500 m", within("elevation_m", 100, 500)),
                ("3: above 500 m", where("elevation_m", ">", 500)),
            ],
        ),
        (
            "split the towns into small (under 100k) and large (100k or more) and count them",
            [
                ("1: small (under 100k)", where("population", "<", 100_000)),
                ("2: large (100k or more)", where("population", ">=", 100_000)),
            ],
        ),
    ],
)
async def test_rows_in_the_bands_that_are_listed(
    sentence: str, cases: list[tuple[str, dict[str, Any]]]
) -> None:
    made, _ = await steps(sentence)
    assert [name for name, _ in made] == ["columns", "filter", "summarise", "sort"]
    (change,) = made[0][1]["changes"]
    assert change["name"] == "band"
    assert change["cases"] == [{"when": when, "then": then} for then, when in cases]
    assert (made[2][1]["by"], made[3][1]["by"], made[3][1]["ascending"]) == (["band"], "band", True)


@pytest.mark.parametrize(
    ("sentence", "expression"),
    [
        ("number of peaks in elevation bands of 500 m", 'floor("elevation_m" / 500) * 500'),
        ("peaks by elevation in bands of 1000 ft", 'floor("elevation_ft" / 1000) * 1000'),
        ("how many peaks per 500 m of elevation", 'floor("elevation_m" / 500) * 500'),
        ("peaks by elevation in 500 m steps", 'floor("elevation_m" / 500) * 500'),
        ("number of peaks by elevation in bands of 1 km", 'floor("elevation_m" / 1000) * 1000'),
        ("towns by population in bands of 100k", 'floor("population" / 100000) * 100000'),
    ],
)
async def test_rows_in_bands_of_one_width(sentence: str, expression: str) -> None:
    made, _ = await steps(sentence)
    assert [name for name, _ in made] == ["calculate", "filter", "summarise", "sort"]
    assert made[0][1]["expression"] == expression


async def test_a_figure_of_each_band() -> None:
    made, _ = await steps("average population of towns by population in bands of 100k")
    assert made[2][1]["aggregates"][0] == {"function": "mean", "column": "population"}


@pytest.mark.parametrize(
    ("sentence", "kind", "x"),
    [
        ("line chart, x = elevation in 500 m steps, y = number of peaks", "line", "elevation_m_from"),
        ("bar chart of peaks by elevation in bands of 500 m", "bar", "elevation_m_from"),
        ("histogram of the elevation of peaks in bins of 500 m", "bar", "elevation_m_from"),
        ("bar chart of towns by population: under 50k, 50k-250k, over 250k", "bar", "band"),
    ],
)
async def test_a_chart_of_the_bands(sentence: str, kind: str, x: str) -> None:
    made, chat = await steps(sentence)
    name, arguments = chat.calls[-1]
    assert made[-1][0] == "sort"
    assert (name, arguments["kind"], arguments["x"], arguments["y"]) == ("make_chart", kind, x, "count")


@pytest.mark.parametrize(
    "sentence",
    [
        "how many towns above 100k and below 200k",
        "how many towns are above 100k and below 200k",
        "show peaks by elevation in 5 classes",
        "number of towns by elevation: below 500, over 500",
        "number of towns by population: below 500, over 100",
    ],
)
async def test_conditions_and_numbers_of_classes_are_no_bands(sentence: str) -> None:
    made, _ = await steps(sentence)
    assert not {"columns", "calculate"} & {name for name, _ in made}
