"""Cells that count the features in them: hexagons, squares, and numbered circles that split on zoom.

The tiles of these styles carry cells in place of features (`server.gis.tiles.bins`), with the attributes named here."""

from __future__ import annotations

from agents.domain import BINNED, USUAL_CELL_PX, CellStatistic, DrawLayer, StyleSpec
from agents.geo.styling.colours import DEFAULT_COLOUR
from server.gis.styles import colors, drawing
from server.gis.styles.classes import class_breaks
from server.gis.styles.expressions import Expression
from server.gis.styles.kinds.base import Drawn, Request, by_classes, outline_of
from server.gis.styles.legend import Counted, legend_of

COUNT = "count"
VALUED = ("hexbin", "grid")
"""Styles whose cells may show a statistic of a column."""
DEFAULT_CLASSES = 6
MIN_CELL_PX = 8.0
SERIES = (1, 2, 5)
CLUSTER_BREAKS = (2, 10, 100, 1000, 10_000, 100_000)
RADII = (6, 13, 17, 21, 25, 29, 33)


def statistic_of(spec: StyleSpec) -> CellStatistic:
    """What is computed of the rows in a cell: of a column its mean, unless something else is asked for."""
    if spec.kind == "cluster" or (spec.statistic is None and spec.column is None):
        return "count"
    return spec.statistic or "mean"


def shown_attribute(spec: StyleSpec) -> str | None:
    """The attribute of a tile's features that the style shows."""
    if spec.kind not in BINNED:
        return spec.column
    statistic = statistic_of(spec)
    return COUNT if statistic == "count" else f"{statistic} of {spec.column}"


def cell_pixels(spec: StyleSpec) -> float:
    """The width of a cell on the screen."""
    return max(MIN_CELL_PX, spec.size or USUAL_CELL_PX[spec.kind])


async def draw_bins(request: Request) -> Drawn:
    """Hexagons or squares in colours for the rows in them, or for a statistic of a column of these.

    Limits of counts are the same at every zoom, so the legend holds at all of them."""
    spec = request.spec
    attribute = shown_attribute(spec) or COUNT
    counts = attribute == COUNT
    if not counts:
        request.theme_column(numeric=True)
    breaks = list(spec.breaks) or await _breaks(request)
    shades = colors.sequence(request.ramp(), len(breaks) + 1)
    steps = by_classes(attribute, breaks, shades)
    outline = outline_of(spec)
    edge = outline.color or drawing.OUTLINE
    layers = [
        DrawLayer(type="fill", filter=["has", attribute], paint={"fill-color": steps, "fill-opacity": 0.75}),
        DrawLayer(
            type="line",
            filter=["has", attribute],
            paint={
                "line-color": edge,
                "line-width": 0.5 if outline.width is None else outline.width,
                "line-opacity": 0.6,
            },
        ),
    ]
    title = request.table.name if counts else attribute
    counted = Counted(minimum=1 if counts else None, integers=counts)
    return layers, legend_of(layers, title, spec.kind, counted)


async def draw_clusters(request: Request) -> Drawn:
    """Circles with the number of rows that they represent; a single row is a small circle without a number."""
    spec = request.spec
    color = spec.color or DEFAULT_COLOUR
    number = ["get", COUNT]
    radius: Expression = ["step", number, RADII[0]]
    for value, size in zip(CLUSTER_BREAKS, RADII[1:], strict=True):
        radius += [value, size]
    circles = drawing.sized_circles("point", color, radius, ["has", COUNT], number, outline_of(spec))
    # Thousands as 1.2k, millions as 3.4M: they must fit into the circle.
    text = [
        "case",
        ["<", number, 1000],
        ["to-string", number],
        ["<", number, 1_000_000],
        ["concat", ["number-format", ["/", number, 1000], {"max-fraction-digits": 1}], "k"],
        ["concat", ["number-format", ["/", number, 1_000_000], {"max-fraction-digits": 1}], "M"],
    ]
    numbers = DrawLayer(
        type="symbol",
        filter=[">=", number, 2],
        layout={"text-field": text, "text-size": 12, "text-allow-overlap": True},
        paint={"text-color": "#1f2933", "text-halo-color": "#ffffff", "text-halo-width": 1.4},
    )
    layers = [circles, numbers]
    return layers, legend_of(layers, request.table.name, "cluster")


async def _breaks(request: Request) -> list[float]:
    spec = request.spec
    if statistic_of(spec) == "count":
        return _series(1, max(10, request.table.row_estimate / 4), spec.classes or 9)
    column = request.theme_column(numeric=True)
    found = await request.statistics_of(column).distribution()
    if spec.statistic == "sum" and found.values and (found.minimum or 0) >= 0:
        middle = found.sample[len(found.sample) // 2]
        total = sum(found.sample) / len(found.sample) * found.values
        return _series(max(middle, total / 1e7, 1e-9), max(total / 4, middle), spec.classes or 9)
    if spec.statistic in ("min", "max"):
        # Least values of cells with several rows lie in the lower half of the rows' values, greatest in the upper half.
        half = len(found.sample) // 2
        part = found.sample[half:] if spec.statistic == "max" else found.sample[: half + 1]
        return class_breaks(part, spec.classes or DEFAULT_CLASSES, "equal", integers=False)
    return class_breaks(found.sample, spec.classes or DEFAULT_CLASSES, spec.method, integers=False)


def _series(least: float, most: float, classes: int) -> list[float]:
    """Rising 1, 2, 5, 10 ... above `least` up to about `most`, at most `classes - 1` of them."""
    steps: list[float] = []
    power = 1e-9
    while power <= most:
        steps += [value for each in SERIES if least < (value := float(f"{each * power:.3g}")) <= most]
        power *= 10
    room = classes - 1
    if len(steps) > room:
        stride = -(-len(steps) // room)
        steps = steps[::stride]
    return steps
