"""The kinds of styles: one module each, registered here and nowhere else on the server."""

from agents.domain import StyleKind
from server.gis.styles.kinds import binned, categorical, graduated, heatmap, proportional, single
from server.gis.styles.kinds.base import Draw, Drawn, Request, StatisticsOf

KINDS: dict[StyleKind, Draw] = {
    "single": single.draw,
    "categorical": categorical.draw,
    "graduated": graduated.draw,
    "proportional": proportional.draw,
    "heatmap": heatmap.draw,
    "hexbin": binned.draw_bins,
    "grid": binned.draw_bins,
    "cluster": binned.draw_clusters,
}

__all__ = ["KINDS", "Draw", "Drawn", "Request", "StatisticsOf"]
