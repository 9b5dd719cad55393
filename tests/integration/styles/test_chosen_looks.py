"""What can be chosen of a style: colours of values, breaks, hidden classes, outlines, zooms and tooltips."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from agents.domain import Style
from agents.geo.styling.ramps import NO_DATA, OTHER
from server.gis.errors import UnknownColumn
from server.gis.styles import InvalidStyle, evaluate
from tests.integration.styles.conftest import Studio


async def test_values_have_the_colours_that_were_asked_for_in_the_order_of_the_legend(studio: Studio) -> None:
    values = [
        {"value": "c", "color": "green"},
        {"value": "a", "color": "#00f"},
        {"value": "no", "color": "red"},
    ]
    style, legend = await studio.draw("places", kind="categorical", column="kind", values=values)
    color = style.layers[0].paint["circle-color"]
    drawn = [evaluate(color, {"kind": value}) for value in ("c", "a", "b")] + [evaluate(color, {})]
    assert drawn == ["#008000", "#0000ff", OTHER, NO_DATA]
    counts = dict(await studio.rows("SELECT coalesce(kind, 'none'), count(*) FROM data.places GROUP BY 1"))
    heights = style.layers[0].layout["circle-sort-key"]
    assert [evaluate(heights, {"kind": value}) for value in ("c", "a", "no", "b")] == [3, 2, 1, 0]
    told = [(entry.label, entry.color, entry.count) for entry in legend.entries]
    assert told == [
        ("c", "#008000", counts["c"]),
        ("a", "#0000ff", counts["a"]),
        ("no", "#ff0000", 0),
        ("other", OTHER, counts["b"]),
        ("no data", NO_DATA, counts["none"]),
    ]


@pytest.mark.parametrize(
    ("column", "value", "count"), [("flag", True, 500), ("same", 5, 1000), ("odd", 1.0, 1), ("at", "x", 0)]
)
async def test_values_of_any_kind_of_column_can_have_colours(
    studio: Studio, column: str, value: object, count: int
) -> None:
    chosen = [{"value": value, "color": "red"}]
    _, legend = await studio.draw("places", kind="categorical", column=column, values=chosen)
    assert (legend.entries[0].color, legend.entries[0].count) == ("#ff0000", count)


async def test_a_value_that_the_column_cannot_hold_is_refused(studio: Studio) -> None:
    for column, value in (("flag", "yes"), ("pop", "many"), ("pop", True), ("pop", 1.5)):
        chosen = [{"value": value, "color": "red"}]
        with pytest.raises(InvalidStyle, match="which cannot hold"):
            await studio.draw("places", kind="categorical", column=column, values=chosen)
    with pytest.raises(InvalidStyle):
        await studio.draw(
            "places", kind="categorical", column="kind", values=[{"value": "a", "color": "rde"}]
        )


async def test_a_value_has_one_colour_only(studio: Studio) -> None:
    twice = [{"value": 1, "color": "red"}, {"value": 1.0, "color": "blue"}]
    with pytest.raises(InvalidStyle, match="1 has two"):
        await studio.draw("places", kind="categorical", column="pop", values=twice)


async def test_classes_part_where_the_breaks_say(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="graduated", column="pop", breaks=[100, 2500.5, 1e9])
    color = style.layers[0].paint["circle-color"]
    assert [entry.count for entry in legend.entries] == [9, 41, 950, 0]
    shades = [entry.color for entry in legend.entries]
    assert [evaluate(color, {"pop": value}) for value in (99, 100, 2501, 1e9)] == shades
    assert legend.note is None
    with pytest.raises(InvalidStyle, match="rise"):
        await studio.draw("places", kind="graduated", column="pop", breaks=[5, 5])


def drawn_features(style: Style, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows that the filter of the first style layer lets through."""
    condition = style.layers[0].filter
    return [row for row in rows if condition is None or evaluate(condition, row)]


async def test_hidden_classes_are_not_drawn_and_stay_in_the_legend(studio: Studio) -> None:
    style, legend = await studio.draw("places", kind="graduated", column="pop", breaks=[100, 1000])
    middle = legend.entries[1].label
    style, legend = await studio.draw(
        "places", kind="graduated", column="pop", breaks=[100, 1000], hidden=[middle], label="name"
    )
    assert [entry.hidden for entry in legend.entries] == [False, True, False]
    rows = [{"pop": value} for value in (99, 100, 999, 1000)]
    assert [row["pop"] for row in drawn_features(style, rows)] == [99, 1000]
    assert all(layer.filter is not None for layer in style.layers), "labels are hidden with their features"


async def test_hidden_values_others_and_missing_values_are_not_drawn(studio: Studio) -> None:
    spec = {"kind": "categorical", "column": "kind", "values": [{"value": "a", "color": "red"}]}
    _, legend = await studio.draw("places", **spec)
    assert [entry.label for entry in legend.entries] == ["a", "other", "no data"]
    rows: list[dict[str, Any]] = [{"kind": "a"}, {"kind": "b"}, {}]
    for label, left in (("a", rows[1:]), ("other", [rows[0], rows[2]]), ("no data", rows[:2])):
        style, _ = await studio.draw("places", **spec, hidden=[label])
        assert drawn_features(style, rows) == left
    style, _ = await studio.draw("places", **spec, hidden=["no such entry"])
    assert drawn_features(style, rows) == rows


async def test_outlines_grow_with_the_size_and_the_zoom(studio: Studio) -> None:
    style, _ = await studio.draw("places")
    (circles,) = style.layers
    width = circles.paint["circle-stroke-width"]
    assert [evaluate(width, {}, zoom) for zoom in (0, 2)] == [0, 0], (
        "many points at low zoom keep their colour"
    )
    assert 0 < evaluate(width, {}, 6) < evaluate(width, {}, 12)
    (small,) = (await studio.draw("places", size=2))[0].layers
    assert evaluate(small.paint["circle-stroke-width"], {}, 12) < evaluate(width, {}, 12)
    (chosen,) = (await studio.draw("places", stroke=3, stroke_color="black"))[0].layers
    assert (chosen.paint["circle-stroke-width"], chosen.paint["circle-stroke-color"]) == (3, "#000000")


async def test_a_layer_and_its_labels_have_zooms(studio: Studio) -> None:
    style, _ = await studio.draw(
        "places", label="name", label_min_zoom=8, label_size=15, label_overlap=True, min_zoom=4, max_zoom=12
    )
    circles, labels = style.layers
    assert (circles.minzoom, circles.maxzoom, labels.minzoom, labels.maxzoom) == (4, 12, 8, 12)
    assert (labels.layout["text-size"], labels.layout["text-allow-overlap"]) == (15, True)
    with pytest.raises(InvalidStyle, match="less than"):
        await studio.draw("places", min_zoom=12, max_zoom=4)


async def test_a_tooltip_names_columns_of_the_table(studio: Studio) -> None:
    style, _ = await studio.draw("places", tooltip=["name", "pop"])
    assert style.tooltip == ("name", "pop")
    with pytest.raises(UnknownColumn):
        await studio.draw("places", tooltip=["nonsense"])
    with pytest.raises(InvalidStyle):
        await studio.draw("places", tooltip=["geom"])


async def test_a_style_sent_back_with_one_change_keeps_its_classes(studio: Studio) -> None:
    drawn, legend = await studio.draw("places", kind="categorical", column="id")
    labels = [entry.label for entry in legend.entries]
    again = drawn.model_dump(exclude={"layers"}) | {"hidden": labels[:1]}
    _, hidden = await studio.draw("places", **again)
    assert [entry.label for entry in hidden.entries] == labels
    assert [entry.label for entry in hidden.entries if entry.hidden] == labels[:1]
