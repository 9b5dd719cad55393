"""Describes the style of a layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from agents.domain import Table
from agents.geo.styling.colours import NO_FILL
from agents.geo.wording.phrases import colour_words, count_of, listed, number, value
from agents.offline.answers import texts
from agents.offline.answers.wording import plain, sentences
from agents.offline.meaning.intents import Look
from agents.offline.meaning.units import column_unit, convert


def look_phrase(facts: Mapping[str, Any]) -> str:
    """`in red, size 5`, `coloured by population`; empty for the default style."""
    return _listed(_parts(facts))


def _listed(parts: Sequence[str]) -> str:
    given = [part for part in parts if part]
    return reduce(lambda first, second: texts.LOOKS(first=first, second=second), given) if given else ""


def look_words(facts: Mapping[str, Any]) -> str:
    """The same after a layer's name: ` in red`, `, coloured by population`."""
    kind, *details = _parts(facts)
    if "opacity" in facts:
        details.append(texts.SEE_THROUGH(percent=round(facts["opacity"] * 100)))
    if not kind and not details:
        return ""
    follows = not kind or facts.get("style", {}).get("kind") == "graduated"
    return (texts.LOOK_APART if follows else texts.LOOK_AFTER)(look=_listed([kind, *details]))


def asked_words(facts: Mapping[str, Any], look: Any, table: Table | None) -> str:
    """Notes on what cannot be drawn as requested, and that the legend keeps the stored unit."""
    if not isinstance(look, Look):
        return ""
    symbols = texts.NO_SYMBOLS(symbols=look.symbol) if look.symbol not in ("", "lines") else ""
    widths = texts.NO_WIDTHS() if look.symbol == "lines" and facts.get("geometry_type") == "line" else ""
    return sentences(symbols, widths, _unit_words(facts, look, table))


def _unit_words(facts: Mapping[str, Any], look: Look, table: Table | None) -> str:
    name = facts.get("style", {}).get("column")
    column = table.column(name) if table is not None and name else None
    own = column_unit(column) if column is not None else None
    if look.unit is None or own is None or own == look.unit:
        return ""
    factor = number(convert(1.0, look.unit, own))
    return texts.LEGEND_UNIT(unit=own.symbol, column=name, asked=look.unit.symbol, factor=factor)


def _parts(facts: Mapping[str, Any]) -> list[str]:
    """The description of the colours, possibly empty, and further details."""
    style = facts.get("style", {})
    kind, column = style.get("kind", "single"), style.get("column")
    if kind == "cluster":
        return [texts.CLUSTERS()]
    if kind in ("hexbin", "grid"):
        return [_cells(style)]
    method = texts.METHODS.get(facts.get("asked", {}).get("method", ""))
    return [_kind(facts, style, column), *([method()] if method else []), *_details(style)]


def _details(style: Mapping[str, Any]) -> list[str]:
    details: list[str] = []
    if style.get("size"):
        details.append(texts.SIZED(size=number(style["size"])))
    if style.get("extrude"):
        details.append(texts.RISING(column=style["extrude"]))
    if style.get("label"):
        template = texts.LABELLED_TEXT if "{" in style["label"] else texts.LABELLED
        details.append(template(column=style["label"]))
    if style.get("stroke") == 0:
        details.append(texts.UNOUTLINED())
    elif style.get("stroke_color"):
        details.append(texts.OUTLINED(colour=colour_words(style["stroke_color"])))
    if style.get("blend", "normal") != "normal":
        details.append(texts.BLENDED(blend=style["blend"]))
    return details


def _kind(facts: Mapping[str, Any], style: Mapping[str, Any], column: Any) -> str:
    kind = style.get("kind", "single")
    colour = colour_words(style["color"]) if style.get("color") else ""
    if kind == "graduated":
        return texts.COLOURED_BY(column=column, ramp=_ramp(style))
    if kind == "categorical":
        if style.get("values"):
            pairs = [
                texts.VALUE_IN(value=plain(value(each["value"])), colour=colour_words(each["color"]))
                for each in style["values"]
            ]
            return texts.VALUES_IN(column=column, values=listed(pairs))
        if facts.get("has_others"):
            return texts.MOST_VALUES(count=count_of(int(facts["classes"]), "value"), column=column)
        return texts.EACH_VALUE(column=column)
    if kind == "proportional":
        return texts.CIRCLES_IN(column=column, colour=colour) if colour else texts.CIRCLES(column=column)
    if kind == "heatmap":
        return texts.WEIGHTED_HEAT(column=column) if column else texts.HEAT()
    if style.get("color") == NO_FILL:
        return texts.UNFILLED()
    return texts.IN_COLOUR(colour=colour) if colour else ""


def _cells(style: Mapping[str, Any]) -> str:
    narrow, wide = texts.CELLS["hexagons" if style["kind"] == "hexbin" else "squares"]
    column = style.get("column")
    figure = (
        texts.FIGURE_OF[style.get("statistic") or "mean"](column=column)
        if column
        else texts.NUMBER_OF_FEATURES()
    )
    if style.get("size"):
        return wide(width=number(style["size"]), figure=figure, ramp=_ramp(style))
    return narrow(figure=figure, ramp=_ramp(style))


def _ramp(style: Mapping[str, Any]) -> str:
    return texts.IN_RAMP(ramp=style["ramp"]) if style.get("ramp") else ""
