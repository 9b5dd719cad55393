"""What people write about recipes and results in the offline language."""

from __future__ import annotations

import pytest

from agents.domain import RecipeCard, RecipeParameter
from agents.offline.recipe_words import RecipeCall, format_run, parse_recipe_command, parse_run


def card(name: str, **parameters: str) -> RecipeCard:
    given = tuple(
        RecipeParameter(name=each, kind="text", default=value, step="s") for each, value in parameters.items()
    )
    return RecipeCard(name=name, goal="g", steps=("s",), parameters=given)


RECIPES = [
    card("Remote cities", distance="50 km", n="20", country="Peru"),
    card("remote"),
    card("Near and far", n_2="1"),
]
RESULTS = ["analysis.farthest_cities_a1b2c3", "analysis.buffers_d4e5f6"]


@pytest.mark.parametrize(
    ("text", "name", "values"),
    [
        ("run recipe remote cities", "Remote cities", {}),
        ("Please run the recipe “Remote cities”.", "Remote cities", {}),
        ("run recipe remote", "remote", {}),
        ("run recipe remote cities with distance 3 km", "Remote cities", {"distance": "3 km"}),
        ("run recipe remote cities with distance 3 km and n = 5", "Remote cities", {"distance": "3 km", "n": "5"}),
        ("run the recipe remote cities with a distance of 3 km, country: Sri Lanka", "Remote cities",
         {"distance": "3 km", "country": "Sri Lanka"}),
        ("run recipe remote cities with country Bosnia and Herzegovina", "Remote cities",
         {"country": "Bosnia and Herzegovina"}),
        ("run recipe near and far with n 2 = 7", "Near and far", {"n_2": "7"}),
    ],
)  # fmt: skip
def test_a_recipe_is_run_with_values(text: str, name: str, values: dict[str, str]) -> None:
    assert parse_run(text, RECIPES) == (name, values)


@pytest.mark.parametrize(
    "text",
    [
        "show airports",
        "run recipe remote cities and colour them red",
        "run recipe unknown",
        "run recipe remote with x 3",
    ],
)
def test_what_says_more_or_else_is_not_taken_for_it(text: str) -> None:
    assert parse_run(text, RECIPES) is None


def test_what_a_hand_asked_for_is_heard_as_it_was_meant() -> None:
    values = {"distance": "3 km", "n": 5, "country": "Côte d’Ivoire"}
    text = format_run("Remote cities", values)
    assert text == "Run the recipe “Remote cities” with distance = 3 km, n = 5, country = Côte d’Ivoire"
    assert parse_run(text, RECIPES) == ("Remote cities", {key: str(value) for key, value in values.items()})


@pytest.mark.parametrize(
    ("text", "call"),
    [
        ("save this as recipe far cities", RecipeCall("save_recipe", {"name": "far cities"})),
        ("save the analysis as a recipe called “far”", RecipeCall("save_recipe", {"name": "far"})),
        (
            "keep it as recipe far with parameters distance and n",
            RecipeCall("save_recipe", {"name": "far", "parameters": ["distance", "n"]}),
        ),
        (
            "rename recipe REMOTE to far away",
            RecipeCall("rename_recipe", {"recipe": "remote", "name": "far away"}),
        ),
        ("delete the recipe remote cities", RecipeCall("remove_recipe", {"recipe": "Remote cities"})),
        ("which recipes are there?", RecipeCall("")),
        ("list recipes", RecipeCall("")),
        ("drop the result farthest cities", RecipeCall("drop_result", {"table": RESULTS[0]})),
        ("delete result buffers_d4e5f6", RecipeCall("drop_result", {"table": RESULTS[1]})),
        ("run recipe unknown", RecipeCall("run_recipe", {"recipe": "unknown"})),
        ("run recipe remote with x 3", RecipeCall("run_recipe", {"recipe": "remote", "values": {"x 3": ""}})),
    ],
)
def test_recipes_and_results_are_managed(text: str, call: RecipeCall) -> None:
    assert parse_recipe_command(text, RECIPES, RESULTS) == call


@pytest.mark.parametrize(
    "text", ["show the result", "recipes", "results", "which restaurants have recipes", "drop the layer"]
)
def test_other_requests_go_their_way(text: str) -> None:
    call = parse_recipe_command(text, RECIPES, RESULTS)
    assert call is None or call == RecipeCall("")
