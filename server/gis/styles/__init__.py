"""Styles and legends: from a StyleSpec and real data to MapLibre style layers, and the legend of what they draw."""

from server.gis.styles.colors import parse_color
from server.gis.styles.compute import compute_style
from server.gis.styles.errors import InvalidStyle
from server.gis.styles.expressions import evaluate
from server.gis.styles.legend import Counted, legend_of

__all__ = ["Counted", "InvalidStyle", "compute_style", "evaluate", "legend_of", "parse_color"]
