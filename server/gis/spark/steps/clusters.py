"""Clusters by density (DBSCAN) on Spark.

Spark finds the dense points, and which cells of a grid they connect: dense points in one cell, whose diagonal is the
distance, always belong together. The server joins the cells, of which there are far fewer than points, to clusters."""

from __future__ import annotations

import math
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database.engines import driver_of
from server.database.quoting import quoted
from server.gis.operations.cluster import ClusterArguments
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import GEOMETRY, Step, Workspace
from server.gis.operations.support.earth.geodesy import geometry, lonlat
from server.gis.operations.support.earth.projections import local_equal_area, utm_zone
from server.gis.operations.support.geometry.validity import has_shape
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import NotOnSpark
from server.gis.spark.steps.halves import Halves
from server.gis.spark.steps.places import points_only, row_of

CELL, LINKS = "geoagent_cell", "geoagent_links"
"""Columns of Spark's rows: the cell whose cluster a point is in, and the cells that a dense point connects."""
CLUSTERS = "geoagent_clusters"
"""A temporary table with the cluster of each cell."""


async def clustered(arguments: ClusterArguments, workspace: Workspace, _step: Step) -> Halves:
    """The rows of the operation `cluster`, for Sedona. Raises NotOnSpark."""
    if arguments.method != "dbscan":
        raise NotOnSpark("cluster", texts.K_MEANS())
    source, marked = workspace.source(arguments.source), workspace.source(arguments.source)
    points_only("cluster", source)
    projection = await utm_zone(source, workspace) or await local_equal_area(source, workspace)
    shape = lonlat(marked)
    spots = (
        sa.select(row_of(marked).label("place"), projection.apply(shape).label("spot"))
        .select_from(marked.rows)
        .where(has_shape(shape))
    )
    cells = _cells(spots, arguments.distance or 0.0, arguments.minimum)
    own = attribute_columns(source)
    number = free_name("cluster", {label.name for label in own})
    rows = sa.select(
        *own, cells.c.cell.label(CELL), cells.c.links.label(LINKS), geometry(source).label(GEOMETRY)
    ).select_from(source.rows.join(cells, cells.c.place == row_of(source)))

    def laid_out(made: sa.FromClause) -> sa.Select[Any]:
        numbers = sa.table(CLUSTERS, sa.column("cell", sa.Text()), sa.column("number", sa.Integer()))
        return sa.select(
            *(made.c[label.name] for label in own), numbers.c.number.label(number), made.c[GEOMETRY]
        ).select_from(made.join(numbers, numbers.c.cell == made.c[CELL], isouter=True))

    return Halves(rows, {CELL: "text", LINKS: "text"}, laid_out, number_clusters)


def _cells(spots: sa.Select[Any], distance: float, minimum: int) -> sa.FromClause:
    """The cell of each point, null outside of clusters, and its links, null unless it is dense."""
    located = spots.subquery("located")
    name = sa.func.concat(
        _nth(sa.func.ST_X(located.c.spot), distance),
        "/",
        _nth(sa.func.ST_Y(located.c.spot), distance),
        type_=sa.Text(),
    )
    points = sa.select(located, name.label("cell"))
    here, there = points.subquery("here"), points.subquery("there")
    dense = (
        sa.select(here.c.place)
        .select_from(here.join(there, sa.func.ST_Distance(here.c.spot, there.c.spot) <= distance))
        .group_by(here.c.place)
        .having(sa.func.count() >= minimum)
        .subquery("dense")
    )
    core = sa.select(there).select_from(there.join(dense, dense.c.place == there.c.place)).subquery("core")
    # A dense point is near itself. If several dense points are near a point, the first decides, as in PostGIS.
    is_dense = sa.func.bool_or(here.c.place == core.c.place)
    found = (
        sa.select(
            here.c.place,
            sa.case(
                (is_dense, sa.func.min(here.c.cell)), else_=sa.func.min_by(core.c.cell, core.c.place)
            ).label("cell"),
            sa.case((is_dense, sa.func.array_join(sa.func.collect_set(core.c.cell), " "))).label("links"),
        )
        .select_from(here.join(core, sa.func.ST_Distance(here.c.spot, core.c.spot) <= distance))
        .group_by(here.c.place)
        .subquery("found")
    )
    return (
        sa.select(located.c.place, found.c.cell, found.c.links)
        .select_from(located.join(found, found.c.place == located.c.place, isouter=True))
        .subquery("cells")
    )


def _nth(coordinate: sa.ColumnElement[Any], distance: float) -> sa.ColumnElement[str]:
    side = sa.literal(distance / math.sqrt(2), sa.Float())
    return sa.cast(sa.cast(sa.func.floor(coordinate / side), sa.BigInteger()), sa.Text())


async def number_clusters(connection: AsyncConnection, made: str) -> None:
    """Join the cells that dense points connect, and keep the number of the cluster of each in the table CLUSTERS."""
    statement = f"SELECT DISTINCT {LINKS} FROM pg_temp.{quoted(made)} WHERE {LINKS} IS NOT NULL"  # noqa: S608 - quoted
    parents: dict[str, str] = {}
    async for (links,) in await connection.stream(sa.text(statement)):
        first, *others = sorted(links.split(" "))
        root = _root(parents, first)
        for other in others:
            parents[_root(parents, other)] = root
    numbers: dict[str, int] = {}
    rows = [(cell, numbers.setdefault(_root(parents, cell), len(numbers))) for cell in sorted(parents)]
    await connection.exec_driver_sql(
        f"CREATE TEMPORARY TABLE {CLUSTERS} (cell text PRIMARY KEY, number integer) ON COMMIT DROP"
    )
    driver = await driver_of(connection)
    await driver.copy_records_to_table(CLUSTERS, records=rows, columns=["cell", "number"])


def _root(parents: dict[str, str], cell: str) -> str:
    parents.setdefault(cell, cell)
    while parents[cell] != cell:
        parents[cell] = parents[parents[cell]]
        cell = parents[cell]
    return cell
