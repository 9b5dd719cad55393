"""How the result of an analysis is to look: said in any order behind it, of columns of the result and figures of it."""

from __future__ import annotations

from typing import Any

import pytest

from agents.offline.language.vocabulary import Vocabulary
from agents.offline.meaning.intents import Analyse, Look
from agents.offline.parser import parse
from tests.unit.geo_agent.making import make_table
from tests.unit.geo_agent.world import World
from tests.unit.offline.analysing import Desk
from tests.unit.offline.chatting import Chat

TRACTS = make_table(
    "data.tracts", "POLYGON", "Census tracts",
    [("id", "integer", ""), ("geoid", "text", ""), ("parish", "text", ""), ("population", "integer", ""),
     ("income", "integer", "Median income")],
    [(1, "t1", "Orleans", 1000, 40, (1.0, 1.0)), (2, "t2", "Orleans", 2000, 50, (1.1, 1.0)),
     (3, "t3", "Jefferson", 500, 60, (2.0, 2.0))],
)  # fmt: skip
SCHOOLS = make_table(
    "data.schools", "POINT", "Schools",
    [("id", "integer", ""), ("name", "text", ""), ("pupils", "integer", ""), ("kind", "text", "")],
    [(1, "Ash Hill", 100, "primary", (1.0, 1.0)), (2, "Birch Lane", 300, "grammar", (1.1, 1.0)),
     (3, "Cedar Road", 200, "primary", (2.0, 2.0))],
)  # fmt: skip


async def drawn(sentence: str) -> tuple[dict[str, Any], list[tuple[str, dict[str, Any]]]]:
    """The style of the result, without what was not said, and the steps."""
    desk = Desk(World(TRACTS, SCHOOLS))
    answer = await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.failed is None, desk.analysis.failed
    assert desk.analysis.finished is not None, answer
    style = desk.analysis.style
    return (style.model_dump(exclude_defaults=True) if style is not None else {}), desk.analysis.steps


@pytest.mark.parametrize(
    ("sentence", "style"),
    [
        ("schools within 20 km of any tract, coloured by pupils in viridis with 4 classes",
         {"kind": "graduated", "column": "pupils", "ramp": "Viridis", "classes": 4}),
        ("show schools within 20 km of any tract as blue circles", {"color": "blue"}),
        ("show the schools within 20 km of any tract in red and label them by name", {"color": "red", "label": "name"}),
        ("schools within 20 km of any tract, label them with name and pupils, in red",
         {"color": "red", "label": "{name} ({pupils})"}),
        ("buffer the schools by 1 km and draw the result in light green with a black outline",
         {"color": "lightgreen", "stroke_color": "black"}),
        ("nearest school to each tract, coloured by distance", {"kind": "graduated", "column": "distance_m"}),
        ("schools within 20 km of any tract sized by pupils", {"kind": "proportional", "column": "pupils"}),
        ("schools within 20 km of any tract and colour them by kind", {"kind": "categorical", "column": "kind"}),
        ("schools within 20 km of any tract; make them orange", {"color": "orange"}),
    ],
)  # fmt: skip
async def test_a_result_looks_as_it_was_said(sentence: str, style: dict[str, Any]) -> None:
    assert (await drawn(sentence))[0] == style


@pytest.mark.parametrize(
    ("sentence", "column", "figure"),
    [
        ("dissolve the tracts by parish and colour each parish by its total population",
         "sum_population", ("sum", "population")),
        ("dissolve the tracts by parish, coloured by average income", "mean_income", ("mean", "income")),
        ("merge the tracts by parish and shade them by their highest income", "max_income", ("max", "income")),
    ],
)  # fmt: skip
async def test_groups_get_the_figure_that_their_look_shows(
    sentence: str, column: str, figure: tuple[str, str]
) -> None:
    style, steps = await drawn(sentence)
    assert style == {"kind": "graduated", "column": column}
    wanted = {"function": figure[0], "column": figure[1], "name": column}
    assert steps[-1][1]["aggregates"] == [{"function": "count"}, wanted]


@pytest.mark.parametrize(
    ("sentence", "look"),
    [
        ("buffer the schools by 1 km at 40% opacity", Look(opacity=0.4)),
        ("buffer the schools by 1 km, light blue, 40% opacity", Look(opacity=0.4)),
        ("dissolve the tracts by parish and label each parish", Look(labelled=True)),
        ("number of schools per kind in shades of green", Look(ramp="Greens")),
        ("number of schools per kind in green", Look(ramp="Greens")),
        ("number of schools per kind, choropleth in 7 classes, green", Look(ramp="Greens", classes=7)),
        ("number of schools per kind as a choropleth in purple", Look(ramp="Purples")),
        ("how many schools does each kind have? map it in 5 classes, blue", Look(ramp="Blues", classes=5)),
    ],
)
def test_what_keeps_the_colours_of_the_result_is_changed_behind_it(sentence: str, look: Look) -> None:
    (command,) = parse(sentence, Vocabulary(World(TRACTS, SCHOOLS).registry, (), Desk(World()).operations()))
    assert isinstance(command.intent, Analyse)
    assert command.intent.look == look


@pytest.mark.parametrize(
    "sentence",
    [
        "schools within 20 km of any tract in Orange",
        "schools within 20 km of any tract red",
        "schools within 20 km of any tract by kind",
        "buffer the schools by 1 km and label each parish with its best wine",
    ],
)
async def test_words_that_are_no_look_are_not_drawn(sentence: str) -> None:
    desk = Desk(World(TRACTS, SCHOOLS))
    await Chat(desk.world, analyst=desk)(sentence)
    assert desk.analysis.style is None


@pytest.mark.parametrize("words", ["colour the tracts by that count", "shade the tracts by that number"])
async def test_that_count_is_the_count_of_the_result(words: str) -> None:
    style, steps = await drawn(f"count the schools in each tract and {words}")
    assert style == {"kind": "graduated", "column": "count"}
    assert [operation for operation, _ in steps] == ["spatial_join"]


@pytest.mark.parametrize("asked", ["rank the parishes by number of tracts", "rank parishes by tracts"])
async def test_groups_are_ranked_by_their_number_of_rows(asked: str) -> None:
    world = World(TRACTS)
    answer = await Chat(world, analyst=Desk(world))(asked)
    assert "| Orleans | 2 |" in answer, answer


async def test_whether_any_group_has_so_many_is_answered_by_those_groups() -> None:
    world = World()
    answer = await Chat(world, analyst=Desk(world))("does any country have more than 2 airports?")
    assert "Country with more than 2 airports" in answer
