"""Hides the features of legend entries: a filter on every style layer, read back from the entries themselves."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from agents.domain import DrawLayer, Legend, LegendEntry
from server.gis.styles.expressions import Expression


def hide(
    layers: Sequence[DrawLayer], legend: Legend, column: str, labels: Collection[str]
) -> tuple[list[DrawLayer], Legend]:
    """The layers without the features of the entries that have these labels, and the legend that says so."""
    entries = tuple(
        entry.model_copy(update={"hidden": entry.label in labels and entry.code in _PART})
        for entry in legend.entries
    )
    parts = [_PART[entry.code](entry, column, entries) for entry in entries if entry.hidden]
    if not parts:
        return list(layers), legend
    shown: Expression = ["!", ["any", *parts]]
    filtered = [
        layer.model_copy(update={"filter": shown if layer.filter is None else ["all", layer.filter, shown]})
        for layer in layers
    ]
    return filtered, legend.model_copy(update={"entries": entries})


def _range(entry: LegendEntry, column: str, _entries: Sequence[LegendEntry]) -> Expression:
    value = ["get", column]
    parts: list[Any] = [["has", column]]
    if entry.open not in ("below", "both"):
        parts.append([">=", value, entry.minimum])
    if entry.open not in ("above", "both"):
        parts.append(["<", value, entry.maximum])
    return ["all", *parts]


def _value(entry: LegendEntry, column: str, _entries: Sequence[LegendEntry]) -> Expression:
    return ["==", ["get", column], entry.value]


def _other(_entry: LegendEntry, column: str, entries: Sequence[LegendEntry]) -> Expression:
    named = [_value(entry, column, entries) for entry in entries if entry.code == "value"]
    return ["all", ["has", column], ["!", ["any", *named]]]


def _no_data(_entry: LegendEntry, column: str, _entries: Sequence[LegendEntry]) -> Expression:
    return ["!", ["has", column]]


_PART = {"range": _range, "value": _value, "other": _other, "no_data": _no_data}
"""Expressions that are true of an entry's features, by the code of the entry."""
