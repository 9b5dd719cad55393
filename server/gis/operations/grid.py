"""Counts, sums and densities of features in a grid of equal cells."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, and_, cast, func, literal, select

from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84, exact
from server.gis.operations.support.attributes.aggregates import COUNT_ONLY, Aggregate, aggregated, ignored
from server.gis.operations.support.attributes.columns import carried, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import centre
from server.gis.operations.support.earth.projections import equal_area
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.lattice import CellShape, Lattice, spots
from server.gis.operations.support.palettes import shaded

MOST_CELLS = 250_000

COUNTED_NOTE = (
    "Lines and areas are counted whole in the cell of their centre of gravity, points where they are."
)
_ADDS_UP = ("count", "sum")


class GridArguments(Arguments):
    source: str = table_argument("The table whose features are counted; lines and areas at their centre.")
    size: Length
    """The side of a square, or the distance between opposite sides of a hexagon."""
    shape: CellShape = "hexagon"
    """The form of the cells."""
    aggregates: tuple[Aggregate, ...] = COUNT_ONLY
    """What to compute of the features of each cell."""
    density: bool = False
    """Also each count and sum per square kilometre."""
    empty: bool = False
    """Also the cells without features, over the extent of the data; else only cells with any."""


class Grid(Operation[GridArguments]):
    """Counts and aggregates in equal cells of a local projection."""

    name = "grid"
    summary = "Count or sum features in square or hexagonal cells of a size in metres; density=true per km²."
    arguments = GridArguments
    traits = frozenset({"counts"})
    phrases = (
        *(
            words.replace("CELLS", cells) + f" -> shape={shape}"
            for cells, shape in (
                ("(hexagon|hexagons|hexagonal|hexagonal cells|hexbins)", "hexagon"),
                ("(square|squares|square cells)", "square"),
            )
            for words in (
                (
                    "(count|grid|bin|how many) {source} [are there] (in|by|into|per|with) {size} CELLS "
                    "[cells|cell|grid]"
                ),
                (
                    "<open> CELLS [grid] (of|with|by) {size} [cells|squares|hexagons] (over|of|for|with|"
                    "around) {source}"
                ),
            )
        ),
        "<open> grid (of|with|by) {size} [cells] (over|of|for|with|around) {source} -> shape=hexagon",
    )

    async def build(self, arguments: GridArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        projection = await equal_area(source, workspace)
        lattice = Lattice(arguments.shape, arguments.size, projection)
        attributes = [label.element.label(f"a{n}") for n, label in enumerate(carried(source))]
        prepared, rows = spots(source, projection, attributes, workspace)
        i, j = lattice.place(func.ST_X(rows.c.spot), func.ST_Y(rows.c.spot))
        placed = select(i.label("cell_i"), j.label("cell_j"), rows).subquery("placed")
        values = dict(zip((each.name for each in source.attributes), list(placed.c)[3:], strict=True))
        figures = aggregated(arguments.aggregates, source, {GEOMETRY, ROW_ID}, placed.c.cell_i, values)
        counted = (
            select(placed.c.cell_i.label("i"), placed.c.cell_j.label("j"), *figures)
            .group_by(placed.c.cell_i, placed.c.cell_j)
            .subquery("counted")
        )
        cells: Any = counted
        if arguments.empty:
            every = lattice.over(*await _bounds(source, lattice, workspace))
            cells = every.join(
                counted, and_(counted.c.i == every.c.i, counted.c.j == every.c.j), isouter=True
            )
        at = every.c if arguments.empty else counted.c
        area = projection.clipped(lattice.cell(at.i, at.j))
        columns = _columns(arguments, counted, [figure.name for figure in figures], area)
        return Step(
            select(*columns, lattice.drawn(area).label(GEOMETRY)).select_from(cells),
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=prepared,
            method=(projection.note, COUNTED_NOTE),
            notes=await ignored(arguments.aggregates, source, workspace),
            comments={label.name: "Per square kilometre of the cell." for label in columns[len(figures) :]},
            style=shaded(figures[0].name),
        )


def _columns(arguments: GridArguments, counted: Any, names: list[str], area: ColumnElement[Any]) -> list[Any]:
    """The figures, with 0 where nothing was counted; then those that add up per square kilometre."""
    figures, densities, taken = [], [], {GEOMETRY, ROW_ID, *names}
    for aggregate, name in zip(arguments.aggregates, names, strict=True):
        figure = counted.c[name]
        if arguments.empty and aggregate.function in ("count", "distinct"):
            figure = func.coalesce(figure, 0)
        figures.append(figure.label(exact(name)))
        if arguments.density and aggregate.function in _ADDS_UP:
            dense = free_name(f"{name}_per_km2", taken)
            taken.add(dense)
            kilometres = func.ST_Area(area, type_=Float()) / literal(1e6, Float())
            densities.append((cast(figure, Float()) / kilometres).label(exact(dense)))
    return [*figures, *densities]


async def _bounds(
    source: Source, lattice: Lattice, workspace: Workspace
) -> tuple[float, float, float, float]:
    """The extent of the data on the projection. Raises InvalidQuestion where it holds too many cells."""
    spot = lattice.projection.apply(centre(source))
    x, y = func.ST_X(spot), func.ST_Y(spot)
    west, south, east, north = await workspace.row(
        select(func.min(x), func.min(y), func.max(x), func.max(y)).select_from(source.rows)
    )
    cells = ((east - west) / lattice.size + 1) * ((north - south) / lattice.size + 1)
    if cells > MOST_CELLS:
        fitting = lattice.size * (cells / MOST_CELLS) ** 0.5
        raise InvalidQuestion(
            f"The extent of {source.table.id} holds about {cells:,.0f} cells of {length_text(lattice.size)}; at most "
            f"{MOST_CELLS:,} are made. Take cells of {fitting:,.0f} m or more, or empty=false."
        )
    return west, south, east, north
