"""What the tiles of a style hold: while that stays the same, a change of the style needs no new tiles."""

from __future__ import annotations

from agents.domain import BINNED, Style
from server.gis.styles.expressions import columns_of


def tile_contents(style: Style) -> set[str]:
    """What tiles must contain for a style: cells, or columns, source layers, times, the largest values first, and what
    representatives say of their weight."""
    if style.kind in BINNED:
        return {f"cells {style.kind} {style.size} {style.statistic} {style.column}"}
    labelled = {name for drawn in style.layers for name in columns_of(drawn.layout)}
    shown = (style.column, style.extrude, *style.tooltip, *labelled)
    columns = {f"column {column}" for column in shown if column is not None}
    layers = {f"layer {drawn.source_layer}" for drawn in style.layers}
    columns |= {f"time {style.time}"} if style.time is not None else set()
    columns.add("heat" if style.kind == "heatmap" else "sizes")
    return columns | layers | ({f"largest {style.column}"} if style.kind == "proportional" else set())
