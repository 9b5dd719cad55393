"""Which of the figures of an analysis its layer is coloured by."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from agents.domain import Table
from server.maps.analyses.result_styles import FinishedStep, default_style
from tests.unit.geo_agent.making import make_table

DISTRICTS, _ = make_table(
    "analysis.districts", "POLYGON", "Districts with their stops",
    [("id", "integer", ""), ("name", "text", ""), ("count", "integer", ""), ("sum_brd_day", "number", "")],
    [(1, "Oliwa", 7, 19514.0, (1.0, 1.0)), (2, "Zaspa", 5, 22680.0, (1.0, 1.1))],
)  # fmt: skip


COUNTED = FinishedStep("s1", DISTRICTS, 2, style={"column": "count"}, figures=("count", "sum_brd_day"))
"""A step that has counted and added up the rows in each area."""


@pytest.mark.parametrize(
    ("goal", "column"),
    [
        ("total daily boardings per district", "sum_brd_day"),
        ("number of stops per district", "count"),
        ("which district has the most stops", "count"),
        ("how many stops are in each district, and their total boardings", "count"),
    ],
)
async def test_areas_are_coloured_by_the_figure_that_was_asked_for(goal: str, column: str) -> None:
    async def varying(_: Table, names: Sequence[str]) -> Sequence[str]:
        return names

    assert (await default_style([COUNTED], goal, varying)).column == column


@pytest.mark.parametrize(
    "goal",
    ["number of species per district", "how many species are in each district", "count species per district"],
)
async def test_areas_are_coloured_by_the_number_of_values_that_was_asked_for(goal: str) -> None:
    table, _ = make_table(
        "analysis.districts", "POLYGON", "Districts with their species",
        [("id", "integer", ""), ("name", "text", ""), ("count", "integer", ""), ("distinct_sci_name", "integer", "")],
        [(1, "Oliwa", 7, 3, (1.0, 1.0)), (2, "Zaspa", 5, 4, (1.0, 1.1))],
    )  # fmt: skip

    async def varying(_: Table, names: Sequence[str]) -> Sequence[str]:
        return names

    step = replace(COUNTED, table=table, figures=("count", "distinct_sci_name"))
    assert (await default_style([step], goal, varying)).column == "distinct_sci_name"
