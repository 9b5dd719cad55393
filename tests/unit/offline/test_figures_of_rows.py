"""Rows ranked by one column divided by another, words that are no group, and rows that lack a value."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Calls, Chat, both, empty, no, where


def sampled(made: tuple[Any, list[Any]], **samples: tuple[str, ...]) -> tuple[Any, list[Any]]:
    """The catalogue knows the most common values of these columns."""
    table, rows = made
    columns = [each.model_copy(update={"samples": samples.get(each.name, ())}) for each in table.columns]
    return table.model_copy(update={"columns": tuple(columns)}), rows


CLINICS = make_table(
    "data.clinics", "POINT", "",
    [("id", "integer", ""), ("name", "text", ""), ("kind", "text", ""), ("beds", "integer", ""),
     ("area_ha", "number", ""), ("budget_eur", "number", ""), ("remarks", "text", ""), ("built", "integer", ""),
     ("inspected", "date", "")],
    [(1, "Anna", "eye", 10, 2.0, 100.0, "old", 1950, "2020-01-01", (1.0, 1.0)),
     (2, "Lake", "dental", 20, 4.0, 50.0, None, 2010, "2021-01-01", (2.0, 2.0)),
     (3, "Park", "eye", None, 4.0, 70.0, None, 1990, "2022-01-01", (2.0, 2.0))],
)  # fmt: skip
TREES = sampled(make_table(
    "data.trees", "POINT", "",
    [("id", "integer", ""), ("kind", "text", ""), ("genus", "text", ""), ("planted_yr", "integer", "")],
    [(1, "Oak", "Oak", 1990, (1.0, 1.0)), (2, "Red Oak", "Oak", 1990, (1.0, 1.0)),
     (3, "Lime", "Lime", 2001, (1.0, 1.0)), (4, "Ash", "Ash", 2001, (1.0, 1.0))],
), kind=("Oak", "Red Oak", "Lime", "Ash"), genus=("Oak", "Lime", "Ash"))  # fmt: skip


async def asked(*sentences: str) -> tuple[Calls, list[tuple[str, dict[str, Any]]], str]:
    world = World(CLINICS, TREES)
    desk = Desk(world)
    chat = Chat(world, analyst=desk)
    for sentence in sentences:
        answer = await chat(sentence)
    return chat.calls, desk.analysis.steps if desk.analysis is not None else [], answer


@pytest.mark.parametrize(
    ("sentence", "expression", "n", "smallest"),
    [
        ("top 2 clinics by budget per bed", "budget_eur * 1 / beds", 2, False),
        ("the 2 clinics with the highest budget per bed", "budget_eur * 1 / beds", 2, False),
        ("which clinic has the lowest budget per bed?", "budget_eur * 1 / beds", 1, True),
        ("which clinic has the highest budget per hectare?", "budget_eur * 1 / area_ha", 1, False),
    ],
)
async def test_rows_are_ranked_by_a_rate(sentence: str, expression: str, n: int, smallest: bool) -> None:
    _, steps, answer = await asked(sentence)
    assert [name for name, _ in steps] == ["calculate", "top"], answer
    assert steps[0][1]["expression"].replace('"', "") == expression
    assert (steps[1][1]["n"], steps[1][1].get("smallest", False)) == (n, smallest)


async def test_groups_are_ranked_by_a_rate_of_totals_and_rows_without_a_value_are_counted() -> None:
    _, steps, answer = await asked("which kind has the highest budget per bed?")
    assert [name for name, _ in steps] == ["filter", "dissolve", "calculate", "top"], answer
    assert steps[2][1]["expression"] == "sum_budget_eur * 1 / sum_beds"
    assert "1 row without a value of `budget_eur` or `beds`" in answer


@pytest.mark.parametrize(
    "sentence", ["show clinics per bed", "map of clinics by budget per bed", "budget per ha", "budget per m"]
)
async def test_what_a_figure_is_divided_by_is_no_group_and_no_colour(sentence: str) -> None:
    calls, steps, answer = await asked(sentence)
    assert not [each for each in calls if each[0] not in ("cannot_do", "run_analysis")], answer
    assert not any(step.get("by") for _, step in steps), answer


@pytest.mark.parametrize("sentence", ["clinics with the fewest remarks", "clinics with the most remarks"])
async def test_texts_are_not_ranked_as_numbers(sentence: str) -> None:
    calls, _, answer = await asked(sentence)
    assert not [each for each in calls if each[0] != "cannot_do"], answer


@pytest.mark.parametrize(
    ("sentence", "column", "descending"),
    [("newest clinic", "built", True), ("oldest clinic", "built", False)],
)
async def test_the_newest_is_the_one_that_was_built_last(
    sentence: str, column: str, descending: bool
) -> None:
    calls, _, answer = await asked(sentence)
    assert (calls[0][1]["sort"], calls[0][1]["descending"]) == (column, descending), answer


async def test_newer_is_the_opposite_of_older() -> None:
    calls, _, answer = await asked("clinics newer than 2000")
    assert calls[0][1]["filters"] == where("built", ">", 2000), answer


async def test_a_value_of_two_kinds_is_asked_about_where_one_has_more_rows() -> None:
    calls, _, answer = await asked("trees that are neither oaks nor ashes")
    assert "kind Oak" in answer
    assert "genus Oak" in answer
    assert not [each for each in calls if each[0] != "cannot_do"], answer
    calls, _, answer = await asked("trees that are not limes")
    assert calls[0][1]["filters"] == no(where("kind", "=", "Lime")), answer


async def test_a_chart_per_year_of_a_column_of_years_counts_rows() -> None:
    calls, _, answer = await asked("line chart of trees planted per year")
    (name, arguments), *_ = calls
    assert name == "make_chart"
    assert (arguments.get("x"), arguments.get("y")) == ("planted_yr", None), answer


async def test_the_title_of_groups_keeps_the_conditions_behind_them() -> None:
    _, _, answer = await asked("number of clinics by kind with more than 5 beds")
    assert "Number of clinics by kind with more than 5 beds" in answer


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        (
            "eye clinics with more than 5 beds or larger than 3 ha",
            both(where("kind", "=", "eye"), both(where("beds", ">", 5), where("area_ha", ">", 3), op="or")),
        ),
        (
            "clinics where kind is eye and beds > 5 or area_ha > 3",
            both(both(where("kind", "=", "eye"), where("beds", ">", 5)), where("area_ha", ">", 3), op="or"),
        ),
    ],
)
async def test_alternatives_behind_a_value_share_it_unless_and_joins_them(sentence: str, wanted: Any) -> None:
    calls, _, answer = await asked(sentence)
    assert calls[0][1]["filters"] == wanted, answer


@pytest.mark.parametrize(
    "sentence",
    ["total beds and average budget by kind", "average beds and average budget of clinics by kind"],
)
async def test_both_figures_are_by_the_group_behind_them(sentence: str) -> None:
    _, steps, answer = await asked(sentence)
    ((name, arguments),) = steps
    assert (name, arguments["by"]) == ("dissolve", ["kind"]), answer
    assert [each["column"] for each in arguments["aggregates"][:2]] == ["beds", "budget_eur"]
    assert "has the greatest" not in answer


@pytest.mark.parametrize(
    "sentence",
    [
        "what are the average, median, min and max beds of clinics?",
        "show the average, median, min and max beds of clinics",
    ],
)
async def test_four_figures_of_one_column(sentence: str) -> None:
    _, ((name, arguments),), _ = await asked(sentence)
    functions = [each["function"] for each in arguments["aggregates"]]
    assert (name, functions) == ("summarise", ["count", "mean", "median", "min", "max"])


async def test_a_layer_is_not_drawn_by_two_columns() -> None:
    calls, _, answer = await asked("show clinics", "size them by beds and colour them by kind")
    assert not [name for name, _ in calls if name != "cannot_do"], answer
    calls, _, answer = await asked(
        "show clinics and trees", "colour clinics by kind and colour trees by genus"
    )
    assert len([name for name, _ in calls if name == "update_map_layer"]) == 2, answer


@pytest.mark.parametrize(
    "sentence",
    [
        "which kind has the fewest clinics with more than 15 beds?",
        "kinds with fewer than 2 clinics larger than 3 ha",
    ],
)
async def test_the_fewest_of_some_rows_may_be_none(sentence: str) -> None:
    _, steps, answer = await asked(sentence)
    names = [name for name, _ in steps]
    assert names[:5] == ["filter", "dissolve", "summarise", "join_by_attribute", "calculate"], answer
    assert "passing" in f"{steps[5:]}{answer}"  # the rows that pass are counted, and not those of the group


@pytest.mark.parametrize(
    ("sentence", "wanted"),
    [
        ("roads without lighting", both(where("lit", "=", "no"), empty("lit"), op="or")),
        ("roads with lighting", no(both(where("lit", "=", "no"), empty("lit"), op="or"))),
    ],
)  # fmt: skip
async def test_what_says_no_has_none(sentence: str, wanted: Any) -> None:
    roads = sampled(make_table(
        "data.roads", "LINESTRING", "", [("id", "integer", ""), ("lit", "text", "Street lighting")],
        [(1, "yes", (1.0, 1.0)), (2, "no", (1.0, 1.0)), (3, "partly", (1.0, 1.0)), (4, None, (1.0, 1.0))],
    ), lit=("yes", "no", "partly"))  # fmt: skip
    chat = Chat(World(roads))
    answer = await chat(sentence)
    assert chat.calls[0][1]["filters"] == wanted, answer


@pytest.mark.parametrize(
    ("asked", "function", "words"),
    [
        (
            "standard deviation of elevation of airports in Germany",
            "stddev",
            "Standard deviation of elevation",
        ),
        (
            "what is the 90th percentile of elevation of airports in Germany",
            "p90",
            "90th percentile of elevation",
        ),
        ("the upper quartile of elevation of the airports in Germany", "p75", "Upper quartile of elevation"),
    ],
)
async def test_the_spread_of_a_column_is_a_figure(asked: str, function: str, words: str) -> None:
    world = World()
    desk = Desk(world)
    answer = await Chat(world, analyst=desk)(asked)
    (_, (operation, arguments)) = desk.analysis.steps
    assert operation == "summarise", answer
    assert arguments["aggregates"] == [{"function": "count"}, {"function": function, "column": "elevation_m"}]
    assert answer.startswith(words), answer


async def test_a_percentile_that_is_not_calculated_is_declined() -> None:
    world = World()
    assert "cannot" in await Chat(world, analyst=Desk(world))("95th percentile of elevation of airports")
