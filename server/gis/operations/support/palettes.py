"""Default colours of results: high, clustered or removed in red, low in blue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

HOT = ("#b2182b", "#ef8a62", "#fddbc7")
"""The strongest first; with COLD the diverging ramp RdBu of ColorBrewer 2.0."""
COLD = ("#2166ac", "#67a9cf", "#d1e5f0")
PLAIN = "#c4c4c4"
"""Colour of what is not significant, or did not change."""


def coloured(column: str, colours: Mapping[str, str]) -> dict[str, Any]:
    """The style of a column whose values are known, in the order of its legend."""
    values = [{"value": value, "color": color} for value, color in colours.items()]
    return {"kind": "categorical", "column": column, "values": values}


def shaded(column: str, ramp: str | None = None) -> dict[str, Any]:
    """The style of a figure: classes of a number, a colour for each other value."""
    return {"column": column, **({"ramp": ramp} if ramp else {})}
