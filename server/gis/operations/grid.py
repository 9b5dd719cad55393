"""Counts, sums and densities of features in a grid of equal cells."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Float, FromClause, Label, Select, and_, cast, func, literal, select

from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84, exact
from server.gis.operations.support import methods
from server.gis.operations.support.attributes.aggregates import (
    COUNT_ONLY,
    ZERO_WITHOUT_ROWS,
    Aggregate,
    aggregated,
    ignored,
)
from server.gis.operations.support.attributes.columns import attribute, free_name
from server.gis.operations.support.attributes.rates import rate_notes, with_rates
from server.gis.operations.support.base import (
    GEOMETRY,
    ROW_ID,
    Arguments,
    Operation,
    Prepared,
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

MANY_CELLS = Template(
    "op_many_cells",
    "The extent of {table} holds about {n} cells of {size}; at most {most} are made. Use cells of "
    "{fitting} m or more, or empty=false.",
)

MAX_CELLS = 250_000

COUNTED_NOTE = methods.COUNTED()
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

    summary = "Count or sum features in square or hexagonal cells of a size in metres; density=true per km²."
    traits = frozenset({"counts"})
    reads_extent = True
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
                "(count|bin|how many) {source} [are there] (in|by|into|per) CELLS (of|with) {size}",
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
        arguments = await with_rates(arguments, source, workspace)
        projection = await equal_area(source, workspace)
        lattice = Lattice(arguments.shape, arguments.size, projection)
        attributes = aggregated_attributes(arguments, source)
        prepared, rows = spots(source, projection, attributes.values(), workspace)
        if not prepared:
            # In one statement with the projection, which costs far more, PostgreSQL would expect sorting all rows by
            # cell to be as cheap as hashing them.
            rows = select(rows).cte("spots").prefix_with("MATERIALIZED")
        counted = cell_counts(
            arguments, source, lattice, func.ST_X(rows.c.spot), func.ST_Y(rows.c.spot), rows
        )
        figures = [column.name for column in list(counted.selected_columns)[2:]]
        over = await extent_on_plane(source, lattice, workspace) if arguments.empty else None
        made, laid = laid_out(arguments, lattice, counted.subquery("counted"), over, workspace)
        densities = [column.name for column in list(laid.selected_columns)[len(figures) : -1]]
        return Step(
            laid,
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=(*prepared, *made),
            method=(projection.note, COUNTED_NOTE, *rate_notes(arguments.aggregates, source)),
            notes=await ignored(arguments.aggregates, source, workspace),
            comments=dict.fromkeys(densities, "Per square kilometre of the cell."),
            style=shaded(figures[0]),
        )


def aggregated_attributes(arguments: GridArguments, source: Source) -> dict[str, Label[Any]]:
    """Those of `Source.numbered` that figures are made of, by name."""
    used = {attribute(source, each.column).name for each in arguments.aggregates if each.column is not None}
    numbered = zip(source.attributes, source.numbered, strict=True)
    return {each.name: label for each, label in numbered if each.name in used}


def cell_counts(
    arguments: GridArguments, source: Source, lattice: Lattice, x: Any, y: Any, rows: FromClause
) -> Select[Any]:
    """Column `i` and row `j` of each cell with features, and its figures. `rows` have the `aggregated_attributes` as
    the last of their columns; `x` and `y` are where each is on the plane."""
    i, j = lattice.place(x, y)
    placed = select(i.label("cell_i"), j.label("cell_j"), rows).subquery("placed")
    attributes = aggregated_attributes(arguments, source)
    values = dict(zip(attributes, list(placed.c)[len(placed.c) - len(attributes) :], strict=True))
    figures = aggregated(arguments.aggregates, source, {GEOMETRY, ROW_ID}, placed.c.cell_i, values)
    return select(placed.c.cell_i.label("i"), placed.c.cell_j.label("j"), *figures).group_by(
        placed.c.cell_i, placed.c.cell_j
    )


def laid_out(
    arguments: GridArguments,
    lattice: Lattice,
    counted: FromClause,
    over: tuple[float, float, float, float] | None = None,
    workspace: Workspace | None = None,
) -> tuple[tuple[Prepared, ...], Select[Any]]:
    """The cells of `cell_counts` with their shapes; with `over`, all cells of that rectangle of the plane. With a
    workspace, first the temporary table that makes this quicker."""
    cells: Any = counted
    at = counted.c
    if over is not None:
        every = lattice.over(*over)
        cells = every.join(counted, and_(counted.c.i == every.c.i, counted.c.j == every.c.j), isouter=True)
        at = every.c
    area = lattice.projection.clipped(lattice.cell(at.i, at.j))
    columns = _columns(arguments, counted, [column.name for column in list(counted.c)[2:]], area)
    return lattice.drawn(cells, area, columns, workspace)


def _columns(arguments: GridArguments, counted: Any, names: list[str], area: ColumnElement[Any]) -> list[Any]:
    """The figures, with 0 where nothing was counted; then those that add up per square kilometre."""
    figures, densities, taken = [], [], {GEOMETRY, ROW_ID, *names}
    for aggregate, name in zip(arguments.aggregates, names, strict=True):
        figure = counted.c[name]
        if arguments.empty and aggregate.function in ZERO_WITHOUT_ROWS:
            figure = func.coalesce(figure, 0)
        figures.append(figure.label(exact(name)))
        if arguments.density and aggregate.function in _ADDS_UP:
            dense = free_name(f"{name}_per_km2", taken)
            taken.add(dense)
            kilometres = func.ST_Area(area, type_=Float()) / literal(1e6, Float())
            densities.append((cast(figure, Float()) / kilometres).label(exact(dense)))
    return [*figures, *densities]


async def extent_on_plane(
    source: Source, lattice: Lattice, workspace: Workspace
) -> tuple[float, float, float, float]:
    """The extent of the data on the projection. Raises InvalidQuestion where it holds too many cells."""
    spot = lattice.projection.apply(centre(source)).label("spot")
    # Without the offset, PostgreSQL would compute the spot for each of the four sides.
    spots = select(spot).select_from(source.rows).offset(0).subquery("spots")
    x, y = func.ST_X(spots.c.spot), func.ST_Y(spots.c.spot)
    west, south, east, north = await workspace.row(select(func.min(x), func.min(y), func.max(x), func.max(y)))
    cells = ((east - west) / lattice.size + 1) * ((north - south) / lattice.size + 1)
    if cells > MAX_CELLS:
        fitting = lattice.size * (cells / MAX_CELLS) ** 0.5
        raise InvalidQuestion(
            MANY_CELLS(
                table=source.table.id,
                n=formatted(cells, ",.0f"),
                size=length_text(lattice.size),
                most=MAX_CELLS,
                fitting=formatted(fitting, ",.0f"),
            )
        )
    return west, south, east, north
