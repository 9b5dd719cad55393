"""The density of features as a smooth surface of cells (kernel density estimation)."""

from __future__ import annotations

import math
from typing import Any, Literal

from sqlalchemy import ColumnElement, Float, FromClause, Integer, cast, column, func, literal, select, true

from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.grid import COUNTED_NOTE
from server.gis.operations.support.attributes.columns import real_number
from server.gis.operations.support.base import (
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    column_argument,
    count_rows,
    table_argument,
)
from server.gis.operations.support.earth.projections import local_equal_area
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.lattice import Lattice, spots
from server.gis.operations.support.palettes import shaded

BANDWIDTH = Template(
    "op_bandwidth",
    "The bandwidth must be more than 0 and the cells between a {n}th of it and the whole of it; got a "
    "bandwidth of {bandwidth} and cells of {size}.",
)
HEAT_PAIRS = Template(
    "op_heat_pairs",
    "Each of the {n} features of {table} would warm {cells} cells; that is {pairs} in all, and at most "
    "{most} are computed. Use larger cells, a shorter bandwidth, or fewer features.",
)
KERNEL = Template(
    "op_kernel",
    "Kernel density with a {kernel} kernel{cut}, bandwidth {bandwidth}, taken at the middle of cells of "
    "{size}. Cells that no feature reaches are left out.",
)
KERNEL_CUT = Template("op_kernel_cut", ", cut at {n} bandwidths")

CELLS_PER_BANDWIDTH = 5
MAX_CELLS_PER_BANDWIDTH = 100
"""Cells in a bandwidth."""
MAX_PAIRS = 300_000_000
GAUSSIAN_CUT = 3.0
"""Standard deviations from a feature at which its Gaussian kernel is cut off; the kernel is scaled up by the 1.1 %
beyond."""


class HeatArguments(Arguments):
    source: str = table_argument("The table whose features are spread; lines and areas at their centre.")
    bandwidth: Length
    """How far a feature spreads: the radius of the quartic kernel, the standard deviation of the Gaussian one."""
    size: Length | None = None
    """The side of the square cells; else a fifth of the bandwidth."""
    kernel: Literal["quartic", "gaussian"] = "quartic"
    """quartic: ends at the bandwidth; gaussian: a bell curve, cut at three bandwidths."""
    weight: str | None = column_argument(
        "A numeric column that says how much each feature counts (people, tonnes); else each counts 1.",
        default=None,
    )


class Heat(Operation[HeatArguments]):
    """Kernel density in cells of a local projection."""

    summary = "A heat surface: kernel density of features (or of a weight) per km², in square cells."
    phrases = (
        (
            "<open> (heat surface|kernel density|density surface) (of|for) {source} (with a radius "
            "of|with a bandwidth of|with radius|with bandwidth|within|with) {bandwidth} [(in|on|and) "
            "{size} [cells|squares|grid]]"
        ),
    )

    async def build(self, arguments: HeatArguments, workspace: Workspace) -> Step:
        """Silverman, "Density Estimation for Statistics and Data Analysis" (1986), equations 4.1 and 4.5."""
        source = workspace.source(arguments.source)
        size = _cell_size(arguments)
        weight = _weight(arguments, source)
        cut = arguments.bandwidth * (GAUSSIAN_CUT if arguments.kernel == "gaussian" else 1.0)
        reach = math.floor(cut / size + 0.5)
        await _refuse_too_many(source, reach, workspace)
        projection = await local_equal_area(source, workspace)
        lattice = Lattice("square", size, projection)
        prepared, rows = spots(source, projection, [weight.label("weight")], workspace)
        warmed = _warmed(rows, lattice, arguments.bandwidth, reach)
        share = _kernel(arguments.kernel, warmed.c.squared) / (arguments.bandwidth / 1000.0) ** 2
        heated = (
            select(warmed.c.i, warmed.c.j, func.sum(warmed.c.weight * share).label("density"))
            .where(warmed.c.squared < (cut / arguments.bandwidth) ** 2, warmed.c.weight.is_not(None))
            .group_by(warmed.c.i, warmed.c.j)
            .subquery("heated")
        )
        cell = lattice.cell(heated.c.i, heated.c.j)
        made, drawn = lattice.drawn(heated, cell, [heated.c.density.label("density_per_km2")], workspace)
        what = arguments.weight or "features"
        return Step(
            drawn,
            geometry_type="MultiPolygon",
            srid=WGS84,
            prepare=(*prepared, *made),
            method=(projection.note, COUNTED_NOTE, _method(arguments, size)),
            comments={"density_per_km2": f"Estimated {what} per square kilometre at the middle of the cell."},
            style=shaded("density_per_km2", "YlOrRd"),
        )


def _warmed(spots: FromClause, lattice: Lattice, bandwidth: float, reach: int) -> FromClause:
    """Each feature with each cell around it: `i`, `j`, `weight`, and how far apart they are, in squared bandwidths."""
    x, y = func.ST_X(spots.c.spot, type_=Float()), func.ST_Y(spots.c.spot, type_=Float())
    own_i, own_j = lattice.place(x, y)
    placed = select(x.label("x"), y.label("y"), own_i.label("i"), own_j.label("j"), spots.c.weight).subquery(
        "placed"
    )
    right, up = (
        func.generate_series(-reach, reach).table_valued(column("n", Integer()), name=name).render_derived()
        for name in ("rightwards", "upwards")
    )
    near = (
        select(
            placed.c.x,
            placed.c.y,
            placed.c.weight,
            (placed.c.i + right.c.n).label("i"),
            (placed.c.j + up.c.n).label("j"),
        )
        .select_from(placed.join(right, true()).join(up, true()))
        .subquery("near")
    )
    across, along = (
        ((cast(cell, Float()) + 0.5) * lattice.size - at) / bandwidth
        for cell, at in ((near.c.i, near.c.x), (near.c.j, near.c.y))
    )
    squared = (across * across + along * along).label("squared")
    return select(near.c.i, near.c.j, near.c.weight, squared).subquery("warmed")


def _kernel(kernel: str, squared: ColumnElement[Any]) -> ColumnElement[Any]:
    """The share of a feature per squared bandwidth, by the squared distance in bandwidths. It adds up to 1."""
    if kernel == "quartic":
        return literal(3.0 / math.pi, Float()) * func.power(1.0 - squared, 2.0)
    within = 1.0 - math.exp(-(GAUSSIAN_CUT**2) / 2.0)
    return literal(1.0 / (2.0 * math.pi * within), Float()) * func.exp(-squared / 2.0)


def _cell_size(arguments: HeatArguments) -> float:
    bandwidth = arguments.bandwidth
    size = bandwidth / CELLS_PER_BANDWIDTH if arguments.size is None else arguments.size
    if bandwidth <= 0 or not bandwidth / MAX_CELLS_PER_BANDWIDTH <= size <= bandwidth:
        raise InvalidQuestion(
            BANDWIDTH(n=MAX_CELLS_PER_BANDWIDTH, bandwidth=length_text(bandwidth), size=length_text(size))
        )
    return size


def _weight(arguments: HeatArguments, source: Source) -> ColumnElement[Any]:
    if arguments.weight is None:
        return literal(1.0, Float())
    return real_number(source, arguments.weight)


async def _refuse_too_many(source: Source, reach: int, workspace: Workspace) -> None:
    rows = await count_rows(source.rows, workspace)
    pairs = rows * (2 * reach + 1) ** 2
    if pairs > MAX_PAIRS:
        raise InvalidQuestion(
            HEAT_PAIRS(n=rows, table=source.table.id, cells=(2 * reach + 1) ** 2, pairs=pairs, most=MAX_PAIRS)
        )


def _method(arguments: HeatArguments, size: float) -> str:
    ends = "" if arguments.kernel == "quartic" else KERNEL_CUT(n=formatted(GAUSSIAN_CUT, "g"))
    return KERNEL(
        kernel=arguments.kernel, cut=ends, bandwidth=length_text(arguments.bandwidth), size=length_text(size)
    )
