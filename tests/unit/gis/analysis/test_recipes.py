"""Plans as recipes: which places can be replaced, and what a plan is with other values in them."""

from __future__ import annotations

from typing import Any

import pytest

from server.gis.analysis.plan import Plan, PlannedStep
from server.gis.analysis.recipes import Recipe, candidates, recipe_of
from server.gis.errors import InvalidQuestion

FILTER = "population > 3000000 AND country = 'Peru' AND name LIKE 'b%'"
PLAN = Plan(
    goal="large cities near airports",
    steps=(
        PlannedStep(
            id="step_1",
            operation="filter",
            arguments={"source": "data.cities", "filter": FILTER},
            title="Cities over 3,000,000",
        ),
        PlannedStep(
            id="step_2",
            operation="select_by_location",
            arguments={
                "source": "step_1",
                "other": "data.airports",
                "predicate": "within_distance",
                "distance": "50 km",
                "invert": False,
            },
            title="Cities within 50 km of airports",
        ),
        PlannedStep(
            id="step_3",
            operation="top",
            arguments={"source": "step_2", "by": "population", "n": 20},
            title="Largest",
        ),
    ),
)


def test_every_single_value_can_be_a_parameter_and_references_to_steps_cannot() -> None:
    kinds = {name: (each.kind, each.default) for name, each in candidates(PLAN).items()}
    assert kinds == {
        "source": ("table", "data.cities"),
        "population": ("number", 3000000),
        "country": ("text", "Peru"),
        "name": ("text", "b%"),
        "other": ("table", "data.airports"),
        "predicate": ("choice", "within_distance"),
        "distance": ("length", "50 km"),
        "invert": ("yes_no", False),
        "by": ("column", "population"),
        "n": ("number", 20),
    }


def test_the_same_name_twice_gets_a_number() -> None:
    step = PlannedStep(id="step_1", operation="buffer", arguments={"source": "data.a", "distance": "1 km"})
    again = step.model_copy(update={"id": "step_2", "arguments": {"source": "step_1", "distance": "2 km"}})
    found = candidates(Plan(goal="g", steps=(step, again)))
    assert list(found) == ["source", "distance", "distance_2"]


def test_values_are_put_where_they_belong_and_titles_say_so() -> None:
    given = {
        "population": "2,000,000",
        "distance": "3 km",
        "n": 5,
        "other": "data.countries",
        "Invert": "yes",
    }
    plan = recipe_of("near", PLAN).filled(given)
    first, second, third = plan.steps
    assert first.arguments["filter"]["args"][0]["args"][1] == 2000000
    assert first.title == "Cities over 2,000,000"
    assert second.arguments == {
        "source": "step_1",
        "other": "data.countries",
        "predicate": "within_distance",
        "distance": "3 km",
        "invert": True,
    }
    assert second.title == "Cities within 3 km of countries"
    assert third.arguments["n"] == 5
    assert third.title == (
        "Largest (population 2,000,000, distance 3 km, n 5, other data.countries, invert yes)"
    )


def test_without_new_values_it_is_the_plan_that_was_saved() -> None:
    plan = recipe_of("near", PLAN).filled({"distance": "50 km"})
    assert [step.title for step in plan.steps] == [step.title for step in PLAN.steps]
    assert plan.steps[1:] == PLAN.steps[1:]
    assert plan.goal == "near"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"distanc": "3 km"}, "Did you mean 'distance'"),
        ({"n": "many"}, "n is a number"),
        ({"n": float("nan")}, "finite"),
        ({"predicate": "near"}, "one of intersects"),
        ({"invert": "perhaps"}, "yes or no"),
        ({"country": ""}, "needs a value"),
        ({"country": "x" * 400}, "300 characters"),
    ],
)
def test_a_wrong_value_is_refused_with_what_was_expected(values: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidQuestion, match=said):
        recipe_of("near", PLAN).filled(values)


def test_only_chosen_places_are_parameters() -> None:
    recipe = recipe_of("near", PLAN, ["distance"])
    assert list(recipe.parameters) == ["distance"]
    with pytest.raises(InvalidQuestion, match="has no parameter 'n'"):
        recipe.filled({"n": 5})
    with pytest.raises(InvalidQuestion, match="no value 'size'"):
        recipe_of("near", PLAN, ["size"])


def test_a_filter_that_cannot_be_read_is_one_text() -> None:
    step = PlannedStep(id="step_1", operation="filter", arguments={"source": "data.a", "filter": "a >> 3"})
    recipe = recipe_of("x", Plan(goal="g", steps=(step,)))
    assert list(recipe.parameters) == ["source", "filter"]
    assert recipe.filled({}).steps[0].arguments["filter"] == "a >> 3"


def test_a_recipe_is_kept_as_json() -> None:
    recipe = recipe_of("near", PLAN)
    assert Recipe.model_validate(recipe.model_dump(mode="json")) == recipe
