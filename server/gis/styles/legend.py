"""The legend of a style, read back from the very expressions that are drawn, so that the two cannot disagree.

`legend_of` knows MapLibre expressions and counts, but not the code that made the style."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from agents.domain import OTHERS, DrawLayer, Legend, LegendEntry, StyleKind
from server.gis.styles.expressions import Expression, evaluate
from server.gis.styles.notes import with_note
from server.gis.styles.numbers import format_number, range_label

MAX_LABEL_CHARS = 60


@dataclass(frozen=True)
class Counted:
    """Rows per class or category, in the order of the expression, and what falls outside of them."""

    classes: Sequence[int] = ()
    other: int = 0
    nulls: int = 0
    minimum: float | None = None
    maximum: float | None = None
    integers: bool = False


def legend_of(
    layers: Sequence[DrawLayer],
    title: str,
    kind: StyleKind,
    counted: Counted | None = None,
    note: str | None = None,
) -> Legend:
    """The legend of what is drawn, read from the very paint expressions."""
    counted = counted or Counted()
    if kind == "heatmap":
        gradient = Legend(title=title, kind=kind, shape="gradient", entries=_gradient(layers))
        return with_note(gradient, note)
    drawn = _thematic(layers)
    size = _size(drawn)
    color = drawn.paint[_color_key(drawn)]
    if kind == "proportional":
        entries = _circles(drawn, counted)
    elif kind in ("graduated", "hexbin", "grid"):
        entries = _classes(color, size, counted)
    elif kind == "categorical":
        entries = _categories(color, size, counted)
    else:
        entries = [LegendEntry(label=title, color=str(color), size=size)]
    return with_note(Legend(title=title, kind=kind, shape=_shape(drawn), entries=tuple(entries)), note)


def _thematic(layers: Sequence[DrawLayer]) -> DrawLayer:
    """The thematic layer: the first whose colour or radius depends on data, else the first one."""
    coloured = [layer for layer in layers if layer.type in ("fill", "line", "circle")]
    for layer in coloured:
        if isinstance(layer.paint[_color_key(layer)], list) or layer.source_layer == "points":
            return layer
    return coloured[0]


def _color_key(layer: DrawLayer) -> str:
    return f"{layer.type}-color"


def _shape(layer: DrawLayer) -> Literal["circle", "line", "fill"]:
    return "circle" if layer.type == "circle" else "line" if layer.type == "line" else "fill"


def _size(layer: DrawLayer) -> float | None:
    size = layer.paint.get({"circle": "circle-radius", "line": "line-width"}.get(layer.type, ""))
    if size is None or "get" in str(size):
        return None
    return round(float(evaluate(size, {})), 2)


def _guarded(expression: Expression) -> tuple[Expression, Expression | None]:
    """`["case", ["has", column], drawn, no data]` taken apart."""
    if isinstance(expression, list) and expression[0] == "case" and expression[1][0] == "has":
        return expression[2], expression[3]
    return expression, None


def _classes(color: Expression, size: float | None, counted: Counted) -> list[LegendEntry]:
    drawn, without = _guarded(color)
    colors, breaks = [drawn], []
    if isinstance(drawn, list):
        _step, _subject, first, *rest = drawn
        breaks, colors = rest[::2], [first, *rest[1::2]]
    entries = []
    for index, shade in enumerate(colors):
        low = breaks[index - 1] if index else None
        high = breaks[index] if index < len(breaks) else None
        minimum = counted.minimum if low is None else low
        maximum = counted.maximum if high is None else high
        if not breaks and counted.minimum is None:
            break
        label = range_label(low, high, counted.integers)
        if not breaks and minimum is not None:
            label = format_number(minimum, 15 if counted.integers else 6)
        entries.append(
            LegendEntry(
                label=label,
                code="range",
                color=shade,
                size=size,
                minimum=minimum,
                maximum=maximum,
                open=open_ends(low, high),
                whole=counted.integers,
                count=_at(counted, index),
            )
        )
    return entries + _leftovers(counted, None, without, size)


def _categories(color: Expression, size: float | None, counted: Counted) -> list[LegendEntry]:
    drawn, without = _guarded(color)
    pairs: list[tuple[Any, str]] = []
    other: Expression = drawn
    if isinstance(drawn, list):
        *labelled, other = drawn[2:] if drawn[0] == "match" else drawn[1:]
        pairs = [
            (label if drawn[0] == "match" else label[2], shade)
            for label, shade in zip(labelled[::2], labelled[1::2], strict=True)
        ]
    entries = [
        LegendEntry(
            label=category_label(value),
            code="value",
            color=shade,
            size=size,
            value=value,
            count=_at(counted, index),
        )
        for index, (value, shade) in enumerate(pairs)
    ]
    return entries + _leftovers(counted, other, without, size)


def _leftovers(
    counted: Counted, other: Expression | None, without: Expression | None, size: float | None
) -> list[LegendEntry]:
    entries = []
    if counted.other and other is not None:
        entries.append(LegendEntry(label=OTHERS, code="other", color=other, size=size, count=counted.other))
    if counted.nulls and without is not None:
        entries.append(
            LegendEntry(label="no data", code="no_data", color=without, size=size, count=counted.nulls)
        )
    return entries


def _circles(layer: DrawLayer, counted: Counted) -> list[LegendEntry]:
    """Circles as large as the map draws them, for round values up to the greatest one."""
    radius, color = layer.paint["circle-radius"], layer.paint["circle-color"]
    column = next(iter(_read(radius)), "")
    entries = []
    for value in _round_values(counted.minimum, counted.maximum):
        properties = {column: value}
        entries.append(
            LegendEntry(
                label=format_number(value),
                code="value",
                color=str(evaluate(color, properties)),
                size=round(float(evaluate(radius, properties)), 2),
                value=value,
            )
        )
    return entries


def _round_values(minimum: float | None, maximum: float | None) -> list[float]:
    """The greatest value cut to one digit, about a third and a tenth of it, and the same below zero."""
    result: list[float] = []
    for bound, sign in ((maximum, 1), (minimum, -1)):
        size = 0.0 if bound is None else bound * sign
        if size <= 0:
            continue
        unit = 10.0 ** math.floor(math.log10(size))
        top = float(f"{math.floor(size / unit) * unit:.1g}")
        steps = [top, float(f"{top / 3:.1g}"), float(f"{top / 10:.1g}")]
        result += [sign * step for step in (steps if sign > 0 else steps[:1])]
    return result


def _gradient(layers: Sequence[DrawLayer]) -> tuple[LegendEntry, ...]:
    drawn = next(layer for layer in layers if layer.type == "heatmap")
    colors = drawn.paint["heatmap-color"][6::2]
    ends: dict[int, Literal["few", "many"]] = {0: "few", len(colors) - 1: "many"}
    return tuple(
        LegendEntry(label=ends.get(index, ""), code=ends.get(index, "step"), color=color)
        for index, color in enumerate(colors)
    )


def open_ends(low: float | None, high: float | None) -> Literal["below", "above", "both"] | None:
    """Which ends of a class have no bound."""
    if low is None:
        return "both" if high is None else "below"
    return "above" if high is None else None


def category_label(value: Any) -> str:
    """A category's value as the legend writes it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format_number(value, 15)
    text = str(value)
    if not text.strip():
        return "(empty)"
    return text if len(text) <= MAX_LABEL_CHARS else text[: MAX_LABEL_CHARS - 1] + "…"


def _at(counted: Counted, index: int) -> int | None:
    return counted.classes[index] if index < len(counted.classes) else None


def _read(expression: Expression) -> list[str]:
    """Columns in the order in which an expression reads them."""
    if not isinstance(expression, list):
        return []
    if expression[0] == "get":
        return [expression[1]]
    return [name for part in expression[1:] for name in _read(part)]
