"""MapLibre style layers from colours, sizes and expressions: one function a geometry family, nothing about data.

Layers are bottom first. Opacities are plain numbers, so that a client may multiply them by the layer's own opacity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.domain import DrawLayer, GeometryFamily, StyleSpec
from server.gis.styles.colors import transparent
from server.gis.styles.expressions import Expression

DEFAULT_RADIUS: Expression = ["interpolate", ["linear"], ["zoom"], 0, 2, 6, 4, 12, 6]
DEFAULT_WIDTH: Expression = ["interpolate", ["linear"], ["zoom"], 0, 0.75, 6, 1.5, 12, 3]
OUTLINE = "#ffffff"
OUTLINE_SHARE = 0.2
"""Width of a circle's outline as a share of its radius, where no width was asked for."""
MAX_OUTLINE = 1.5
HEAT = "@heat"
"""The attribute of representatives that says how much more than the mean one they weigh."""

SIZE = "@size"
"""The attribute of representatives by which the radius of their circles is multiplied."""


@dataclass(frozen=True)
class Outline:
    """Size of circles (radius) and lines (width), and width and colour of outlines. None is chosen to fit."""

    size: float | None = None
    width: float | None = None
    color: str | None = None


PLAIN = Outline()


def shapes(
    family: GeometryFamily, color: Expression, outline: Outline = PLAIN, *, themed: bool
) -> list[DrawLayer]:
    """The layers that draw a family in a colour, which may be an expression. `themed` fills cover more."""
    if family == "point":
        return [_circles(color, outline)]
    if family == "line":
        return [_lines(color, outline.size)]
    if family == "polygon":
        return _areas(color, outline, themed)
    fill, edge = _areas(color, outline, themed)
    return [
        fill.model_copy(update={"filter": _only("Polygon")}),
        edge.model_copy(update={"filter": _only("Polygon")}),
        _lines(color, outline.size).model_copy(update={"filter": _only("LineString")}),
        _circles(color, outline).model_copy(update={"filter": _only("Point")}),
    ]


def within_zooms(layer: DrawLayer, least: float | None, most: float | None) -> DrawLayer:
    """The layer from one zoom up to another, as far as these are given; its own limits stay."""
    lows = [zoom for zoom in (layer.minzoom, least) if zoom is not None]
    highs = [zoom for zoom in (layer.maxzoom, most) if zoom is not None]
    return layer.model_copy(
        update={"minzoom": max(lows) if lows else None, "maxzoom": min(highs) if highs else None}
    )


def sorted_by(height: Expression, layers: list[DrawLayer]) -> list[DrawLayer]:
    """The layers with their features in order: what is higher is drawn above what is lower."""
    return [
        each.model_copy(update={"layout": {**each.layout, f"{each.type}-sort-key": height}})
        for each in layers
    ]


def base(family: GeometryFamily, color: str) -> list[DrawLayer]:
    """Faint shapes below circles or a heat map, which show what these represent; nothing below points."""
    if family == "polygon":
        return [
            DrawLayer(type="fill", paint={"fill-color": color, "fill-opacity": 0.12}),
            DrawLayer(type="line", paint={"line-color": color, "line-width": 0.5, "line-opacity": 0.5}),
        ]
    if family == "line":
        return [DrawLayer(type="line", paint={"line-color": color, "line-width": 1, "line-opacity": 0.5})]
    return []


def sized_circles(
    family: GeometryFamily,
    color: Expression,
    radius: Expression,
    filter: Expression,
    sort: Expression,
    outline: Outline = PLAIN,
) -> DrawLayer:
    """Circles of a radius that an expression gives, the larger ones beneath. Outlines of small ones are thinner."""
    width: Expression = ["min", 0.75, ["*", OUTLINE_SHARE / 2, radius]]
    return DrawLayer(
        type="circle",
        source_layer="features" if family == "point" else "points",
        filter=filter,
        layout={"circle-sort-key": sort},
        paint={
            "circle-color": color,
            "circle-radius": radius,
            "circle-opacity": 0.65,
            "circle-stroke-color": outline.color or OUTLINE,
            "circle-stroke-width": width if outline.width is None else outline.width,
            "circle-stroke-opacity": 0.9,
        },
    )


def heat(family: GeometryFamily, colors: tuple[str, ...], radius: float, weight: Expression) -> DrawLayer:
    """A heat map; the ramp starts transparent, so that the base map shows where there are no features."""
    stops: list[Any] = [0, transparent(colors[0])]
    for index, color in enumerate(colors):
        stops += [round(0.1 + 0.9 * index / (len(colors) - 1), 3), color]
    return DrawLayer(
        type="heatmap",
        source_layer="features" if family == "point" else "points",
        paint={
            "heatmap-color": ["interpolate", ["linear"], ["heatmap-density"], *stops],
            "heatmap-weight": ["*", weight, ["case", ["has", HEAT], ["get", HEAT], 1]],
            "heatmap-intensity": ["interpolate", ["linear"], ["zoom"], 0, 0.3, 9, 1.5, 15, 3],
            "heatmap-radius": ["interpolate", ["linear"], ["zoom"], 0, radius / 2, 9, radius, 15, radius * 2],
            "heatmap-opacity": 0.8,
        },
    )


def labels(family: GeometryFamily, text: Expression, spec: StyleSpec) -> DrawLayer:
    """Labels next to points, and in the middle of lines and areas; one for each feature.

    The style says its size, whether labels may overlap, and from which zoom on they are written."""
    layout: dict[str, Any] = {
        "text-field": text,
        "text-size": spec.label_size or 12,
        "text-max-width": 9,
        "text-padding": 3,
        "text-optional": True,
    }
    if spec.label_overlap:
        layout |= {"text-allow-overlap": True, "text-ignore-placement": True}
    if family == "point":
        layout |= {"text-variable-anchor": ["top", "bottom", "left", "right"], "text-radial-offset": 0.6}
    return DrawLayer(
        type="symbol",
        source_layer="features" if family == "point" else "points",
        minzoom=spec.label_min_zoom,
        layout=layout,
        paint={
            "text-color": "#1f2933",
            "text-halo-color": "#ffffff",
            "text-halo-width": 1.4,
            "text-opacity": 1,
        },
    )


def _circles(color: Expression, outline: Outline) -> DrawLayer:
    return DrawLayer(
        type="circle",
        paint={
            "circle-color": color,
            "circle-radius": DEFAULT_RADIUS if outline.size is None else outline.size,
            "circle-opacity": 0.85,
            "circle-stroke-color": outline.color or OUTLINE,
            "circle-stroke-width": _circle_outline(outline),
            "circle-stroke-opacity": 0.9,
        },
    )


def _circle_outline(outline: Outline) -> Expression:
    """Grows with the circle and the zoom: outlines of many points at low zoom would hide the points in white."""
    if outline.width is not None:
        return outline.width
    widest = MAX_OUTLINE if outline.size is None else min(MAX_OUTLINE, outline.size * OUTLINE_SHARE)
    return ["interpolate", ["linear"], ["zoom"], 2, 0, 6, round(widest / 2, 2), 12, round(widest, 2)]


def _lines(color: Expression, size: float | None) -> DrawLayer:
    return DrawLayer(
        type="line",
        layout={"line-cap": "round", "line-join": "round"},
        paint={
            "line-color": color,
            "line-width": DEFAULT_WIDTH if size is None else size,
            "line-opacity": 0.9,
        },
    )


def _areas(color: Expression, outline: Outline, themed: bool) -> list[DrawLayer]:
    width: Expression = ["interpolate", ["linear"], ["zoom"], 1, 0.3, 5, 0.6, 12, 1.2]
    edge = {"line-color": OUTLINE, "line-width": width, "line-opacity": 0.8}
    if not themed:
        edge = {"line-color": color, "line-width": 1.2, "line-opacity": 0.9}
    if outline.color is not None:
        edge["line-color"] = outline.color
    if outline.width is not None:
        edge["line-width"] = outline.width
    return [
        DrawLayer(type="fill", paint={"fill-color": color, "fill-opacity": 0.8 if themed else 0.4}),
        DrawLayer(type="line", layout={"line-join": "round"}, paint=edge),
    ]


def _only(kind: str) -> list[Any]:
    return ["match", ["geometry-type"], [kind, f"Multi{kind}"], True, False]
