"""What an analysis found can be seen: its result is drawn by what was calculated, unless somebody asks otherwise."""

from __future__ import annotations

import re
from typing import Any

import pytest

from server.app import Server
from tests.integration.analysis.asking import FARTHEST, hand_over
from tests.support.models import ScriptedModel, play
from tests.support.server import Client, client

SOURCE = {"source": "data.cities"}
LARGE = ("filter", {**SOURCE, "filter": "population > 3000000", "title": "Large cities"})
SPOTS = ("hot_spots", {"source": "step_1", "column": "population", "k": 8, "title": "Hot spots"})
DONE = ("finish", {"summary": "Done."})


async def drawn(one: Client) -> dict[str, Any]:
    """Ask, and get the layer that was made."""
    await one.ask("join")
    await one.says("go")
    return dict(one.named("layer_added")[-1]["layer"])


async def test_hot_spots_are_red_and_counted(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over("hot spots"), [LARGE], [SPOTS], [DONE], ["Done."])
    async with client(server) as one:
        layer = await drawn(one)
        assert (layer["style"]["kind"], layer["style"]["column"]) == ("categorical", "spot")
        entries = {entry["label"]: entry for entry in layer["legend"]["entries"]}
        ends = [(entry["label"], entry["color"]) for entry in layer["legend"]["entries"]][:: len(entries) - 1]
        assert ends == [("hot 99 %", "#b2182b"), ("not significant", "#c4c4c4")]
        counted = {name: entry["count"] for name, entry in entries.items() if entry["count"]}
        assert sum(counted.values()) == layer["count"]
        result = re.sub(r"\s", "", str(model.requests[3].messages[-1]))
        for name, count in counted.items():
            assert f'"{name}":{count}'.replace(" ", "") in result


async def test_what_a_later_step_keeps_is_drawn_as_before(server: Server, model: ScriptedModel) -> None:
    play(model, hand_over(), *FARTHEST, ["Done."])
    async with client(server) as one:
        layer = await drawn(one)
    assert (layer["style"]["kind"], layer["style"]["column"]) == ("graduated", "distance_m")
    assert layer["count"] == 20


@pytest.mark.parametrize("style", [{"kind": "single", "color": "purple"}, {"column": "population"}])
async def test_the_analyst_draws_as_the_user_wants_and_a_recipe_remembers(
    server: Server, model: ScriptedModel, style: dict[str, Any]
) -> None:
    end = ("finish", {"summary": "Done.", "style": style})
    play(model, hand_over(), [LARGE], [SPOTS], [end], ["Done."])
    async with client(server) as one:
        first = (await drawn(one))["style"]
        assert (first["color"], first["column"]) == (
            "#800080" if "color" in style else None,
            style.get("column"),
        )
        analysis = one.named("analysis_finished")[-1]["analysis_id"]
        await one.ask("recipe_save", analysis_id=analysis, name="Again")
        await one.ask("recipe_run", name="Again", values={}, client_id="c1")
        await one.hears("turn_finished", 2)
        again = one.named("layer_added")[-1]["layer"]["style"]
        assert (again["kind"], again["color"], again["column"]) == tuple(
            first[name] for name in ("kind", "color", "column")
        )


async def test_a_style_that_is_not_valid_is_repaired_before_the_end(
    server: Server, model: ScriptedModel
) -> None:
    wrong = ("finish", {"summary": "Done.", "style": {"kind": "graduated"}})
    play(model, hand_over(), [LARGE], [wrong], [DONE], ["Done."])
    async with client(server) as one:
        layer = await drawn(one)
    assert layer["style"]["kind"] == "single"
    assert len(one.named("analysis_finished")) == 1


AIRPORTS = {"source": "data.airports", "title": "Measured"}
COUNTRIES = {"source": "data.countries", "title": "Measured"}
BOTH = ["area", "perimeter"]
QUESTIONS: list[tuple[str, list[tuple[str, dict[str, Any]]], tuple[str, str | None]]] = [
    ("measure the airports", [("measure", AIRPORTS)], ("single", None)),
    ("measure the airports", [("measure", {**AIRPORTS, "measures": ["area", "length"]})], ("single", None)),
    (
        "measure the airports above 2000 m",
        [("measure", AIRPORTS), ("filter", {"source": "step_1", "filter": "elevation_m > 2000", "title": "High"})],
        ("single", None),
    ),
    ("measure the countries", [("measure", {**COUNTRIES, "measures": ["length", "area"]})], ("graduated", "area_m2")),
    ("how large are the countries?", [("measure", {**COUNTRIES, "measures": BOTH})], ("graduated", "area_m2")),
    ("perimeters of the countries", [("measure", {**COUNTRIES, "measures": BOTH})], ("graduated", "perimeter_m")),
    (
        "perimeters of the countries, and people per km2",
        [
            ("measure", {**COUNTRIES, "measures": ["perimeter"]}),
            ("calculate", {"source": "step_1", "name": "crowd", "expression": "population / 2", "title": "Crowd"}),
        ],
        ("graduated", "perimeter_m"),
    ),
    (
        "perimeter as a share of the area of the countries",
        [
            ("measure", {**COUNTRIES, "measures": BOTH}),
            (
                "calculate",
                {"source": "step_1", "name": "ratio", "expression": "perimeter_m / area_m2", "title": "Ratio"},
            ),
        ],
        ("graduated", "ratio"),
    ),
    (
        "the 30 largest cities",
        [("top", {**SOURCE, "by": "population", "n": 30, "title": "Largest"})],
        ("graduated", "population"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("goal", "steps", "look"), QUESTIONS)
async def test_the_figure_that_the_question_names_is_drawn_and_none_that_does_not_vary(
    server: Server, model: ScriptedModel, goal: str, steps: list[Any], look: tuple[str, str | None]
) -> None:
    play(model, hand_over(goal), *([step] for step in steps), [DONE], ["Done."])
    async with client(server) as one:
        style = (await drawn(one))["style"]
    assert (style["kind"], style["column"]) == look
