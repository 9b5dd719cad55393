"""Legends read back from expressions, and the evaluator of expressions."""

from __future__ import annotations

import pytest

from agents.domain import DrawLayer
from server.gis.styles import Counted, evaluate, legend_of
from server.gis.styles.drawing import Outline, shapes
from server.gis.styles.expressions import columns_of

STEPS = ["case", ["has", "v"], ["step", ["get", "v"], "#aaaaaa", 10, "#bbbbbb", 20, "#cccccc"], "#d9d9d9"]
MATCH = ["case", ["has", "k"], ["match", ["get", "k"], "a", "#111111", "b", "#222222", "#999999"], "#d9d9d9"]


def test_a_class_of_the_legend_has_the_colour_that_its_values_are_drawn_in() -> None:
    layers = shapes("polygon", STEPS, themed=True)
    legend = legend_of(layers, "v", "graduated", Counted([3, 4, 5], 0, 2, 0.0, 30.0))
    assert [entry.count for entry in legend.entries] == [3, 4, 5, 2]
    for entry in legend.entries[:-1]:
        assert entry.minimum is not None
        assert evaluate(layers[0].paint["fill-color"], {"v": entry.minimum}) == entry.color
    assert legend.entries[-1].label == "no data"
    assert evaluate(layers[0].paint["fill-color"], {}) == legend.entries[-1].color
    assert [entry.label.replace("\u202f", " ") for entry in legend.entries[:-1]] == [
        "< 10",
        "10 – < 20",
        "≥ 20",
    ]


def test_a_category_of_the_legend_has_the_colour_that_it_is_drawn_in() -> None:
    layers = shapes("point", MATCH, Outline(5), themed=True)
    legend = legend_of(layers, "k", "categorical", Counted([7, 6], other=5, nulls=4))
    assert [(entry.label, entry.count) for entry in legend.entries] == [
        ("a", 7),
        ("b", 6),
        ("other", 5),
        ("no data", 4),
    ]
    assert [evaluate(MATCH, {"k": key}) for key in ("a", "b", "zzz")] == [e.color for e in legend.entries[:3]]
    assert all(entry.size == 5 for entry in legend.entries)
    assert legend.shape == "circle"


def test_what_nothing_falls_into_is_not_in_the_legend() -> None:
    legend = legend_of(shapes("line", MATCH, themed=True), "k", "categorical", Counted([7, 6]))
    assert [entry.label for entry in legend.entries] == ["a", "b"]
    assert legend.shape == "line"


def test_circles_in_the_legend_are_as_large_as_on_the_map() -> None:
    radius = ["max", 1, ["*", 24, ["sqrt", ["/", ["abs", ["get", "pop"]], 5_000_000]]]]
    circle = DrawLayer(type="circle", paint={"circle-color": "#0072b2", "circle-radius": radius})
    legend = legend_of([circle], "pop", "proportional", Counted(minimum=10, maximum=5_000_000))
    assert [entry.value for entry in legend.entries] == [5_000_000, 2_000_000, 500_000]
    for entry in legend.entries:
        assert entry.size == round(evaluate(radius, {"pop": entry.value}), 2)
    largest, _, smallest = legend.entries
    assert largest.size is not None
    assert smallest.size is not None
    assert (largest.size / smallest.size) ** 2 == pytest.approx(10, rel=0.01)


def test_an_operator_that_is_not_known_is_never_guessed() -> None:
    with pytest.raises(NotImplementedError):
        evaluate(["within", {}], {})


def test_the_columns_that_a_style_reads_are_known() -> None:
    assert columns_of(["case", ["has", "a"], ["match", ["get", "b"], "get", "#fff", "#000"], "x"]) == {
        "a",
        "b",
    }
    assert columns_of({"circle-radius": ["*", 2, ["get", "c"]], "circle-color": "red"}) == {"c"}
    assert columns_of(["match", ["geometry-type"], ["Point", "MultiPoint"], True, False]) == set()


def test_true_is_not_one() -> None:
    expression = ["match", ["get", "k"], 1, "one", "other"]
    assert evaluate(expression, {"k": 1}) == "one"
    assert evaluate(expression, {"k": True}) == "other"
