"""Sentences say what the facts say, and count classes as the map draws them."""

from __future__ import annotations

from typing import Any

from agents.domain import OTHERS, Layer, Legend, LegendEntry, Style
from agents.geo.tools import layer_facts
from agents.offline.answers.look_words import look_words
from agents.offline.answers.wording import chart_words, drawn_words, legend_words
from server.maps.turns.session import UNCONFIRMED


def facts_of(kind: str, column: str, entries: list[LegendEntry]) -> dict[str, Any]:
    style = Style(kind=kind, column=column, color="#ff0000")  # type: ignore[arg-type]  # one of the kinds
    layer = Layer.model_construct(
        id="a", name="A", table="data.a", count=9, geometry_type="point", style=style,
        filter=None, visible=True, opacity=1.0,
        legend=Legend(title="A", entries=tuple(entries)),
    )  # fmt: skip
    return layer_facts(layer)


def test_a_colour_for_some_values_is_not_called_one_for_each() -> None:
    named = [LegendEntry(label=f"Zone {n}", color="#000", value=f"Zone {n}") for n in range(7)]
    facts = facts_of("categorical", "timezone", [*named, LegendEntry(label=OTHERS, color="#999")])
    assert look_words(facts) == (
        " with a colour for each of the 7 values of `timezone` that most rows have, and one for all others"
    )
    assert legend_words(facts) == "", "the colours stand in the legend on the map"


def test_what_others_share_is_said_once_and_height_with_the_look() -> None:
    facts = {"legend": ["a"], "note": "The 7 most frequent of 10 values.", "style": {"kind": "categorical"}}
    assert legend_words({**facts, "has_others": True}) == ""
    assert legend_words(facts) == "The 7 most frequent of 10 values."
    assert (
        look_words({"style": {"color": "#0000ff", "extrude": "height_m"}}) == " in blue, in 3D by `height_m`"
    )


def test_a_chart_names_its_greatest_groups_that_have_a_value_and_its_fullest_bin() -> None:
    rows = [["dead", 17.27, 9], ["fair", 16.9, 8], ["(empty)", 17.56, 4], ["(others)", 20, 2]]
    bars = {"kind": "bar", "columns": ["cond", "mean of height_m", "count"], "drawn": rows}
    assert chart_words(bars) == "Greatest: dead (17.27) and fair (16.9)."
    bins = {
        "kind": "histogram",
        "columns": ["h from", "h to", "count"],
        "drawn": [[16, 18, 7], [18, 20, 380]],
    }
    assert chart_words(bins) == "The most common values are from 18 to 20: 380 rows."


def test_rows_without_a_value_are_no_class() -> None:
    classes = [LegendEntry(label=f"{n}", color="#000", minimum=n, maximum=n + 1) for n in range(7)]
    facts = facts_of("graduated", "population", [*classes, LegendEntry(label="no data", color="#999")])
    assert facts["classes"] == 7
    assert legend_words(facts) == ""


def test_a_layer_that_no_browser_has_drawn_yet_is_still_being_drawn() -> None:
    assert drawn_words({"name": "cities", "count": 3, "drawn": UNCONFIRMED}) == "Still drawing…"
    assert drawn_words({"name": "cities", "count": 3, "drawn": "drawn: 3 features in view"}) == ""
