"""Cells that cover a plane without gaps: squares or hexagons, numbered by column and row.

A point finds its cell by arithmetic, without a join, and belongs to exactly one, so that points on a border are
counted once. The plane is an equal-area projection, so that all cells have the same area on the ground."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import (
    ColumnElement,
    Float,
    FromClause,
    Integer,
    Label,
    Select,
    case,
    cast,
    column,
    func,
    literal,
    select,
)

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import GEOMETRY, Geometry, Prepared, Source, Workspace
from server.gis.operations.support.earth.geodesy import centre, is_of_points
from server.gis.operations.support.earth.local_projection import in_plane, transformed
from server.gis.operations.support.earth.projections import Projection
from server.gis.operations.support.earth.units import length_text

CELL_SIZE = Template("op_cell_size", "A cell measures {least} to {most}; got {got}.")

CellShape = Literal["square", "hexagon"]

MIN_CELL_M = 1.0
MAX_CELL_M = 1_000_000.0
"""Metres. Larger cells would hide how the earth curves."""
SEGMENT_METRES = 20_000.0
"""The sides of cells are straight on the projection; corners so far apart keep them so on the map."""
POLAR_SEGMENTS = 40
"""Corners on a side where a pole may be near."""


@dataclass(frozen=True)
class Lattice:
    """`size` is the side of a square, or the distance between opposite sides of a hexagon, in metres."""

    shape: CellShape
    size: float
    projection: Projection

    def __post_init__(self) -> None:
        if not MIN_CELL_M <= self.size <= MAX_CELL_M:
            raise InvalidQuestion(
                CELL_SIZE(
                    least=length_text(MIN_CELL_M), most=length_text(MAX_CELL_M), got=length_text(self.size)
                )
            )

    @property
    def edge(self) -> float:
        """The length of an edge, PostGIS's `size`."""
        return self.size if self.shape == "square" else self.size / math.sqrt(3)

    def place(
        self, x: ColumnElement[Any], y: ColumnElement[Any]
    ) -> tuple[ColumnElement[int], ColumnElement[int]]:
        """Column and row of the cell that holds a point of the plane."""
        if self.shape == "square":
            return _floor(x / self.size), _floor(y / self.size)
        # The columns of hexagons overlap: the point belongs to the nearest of two centres.
        left = _floor(x / (1.5 * self.edge))
        (left_row, left_away), (right_row, right_away) = (self._in_column(left + n, x, y) for n in (0, 1))
        nearer = left_away <= right_away
        return case((nearer, left), else_=left + 1), case((nearer, left_row), else_=right_row)

    def cell(self, i: ColumnElement[Any], j: ColumnElement[Any]) -> ColumnElement[Any]:
        """The cell as a polygon of the plane."""
        make = func.ST_Square if self.shape == "square" else func.ST_Hexagon
        return make(literal(self.edge, Float()), i, j, type_=Geometry())

    def drawn(
        self,
        cells: FromClause,
        cell: ColumnElement[Any],
        columns: Iterable[Label[Any]],
        workspace: Workspace | None,
    ) -> tuple[tuple[Prepared, ...], Select[Any]]:
        """The columns of the cells, and polygons `cell` of the plane as MultiPolygons in EPSG:4326: the temporary table
        that makes this quicker, given a workspace, and the statement."""
        labels = list(columns)
        polar = self.projection.seam is not None
        segment = min(SEGMENT_METRES, self.edge / POLAR_SEGMENTS) if polar else SEGMENT_METRES
        dense = func.ST_Segmentize(cell, segment, type_=Geometry())
        if workspace is None or polar or self.projection.is_set_up_once:
            shape = func.ST_Multi(self.projection.back_areas(dense), type_=Geometry())
            return (), select(*labels, shape.label(GEOMETRY)).select_from(cells)
        # Cells are never empty, and have one part.
        prepared, made = transformed(
            cells, self.projection.back, dense, labels, workspace, "cell", of_one_part=True
        )
        shape = func.ST_Multi(made.c["cell"], type_=Geometry())
        kept = (made.c[label.name].label(label.name) for label in labels)
        return (prepared,), select(*kept, shape.label(GEOMETRY)).select_from(made)

    def over(self, west: float, south: float, east: float, north: float) -> FromClause:
        """All cells that meet a rectangle of the plane: columns `i` and `j`."""
        make = func.ST_SquareGrid if self.shape == "square" else func.ST_HexagonGrid
        bounds = func.ST_MakeEnvelope(west, south, east, north, type_=Geometry())
        made = make(literal(self.edge, Float()), bounds)
        return made.table_valued(
            column("geom", Geometry()), column("i", Integer()), column("j", Integer()), name="every"
        )

    def _in_column(
        self, i: ColumnElement[Any], x: ColumnElement[Any], y: ColumnElement[Any]
    ) -> tuple[ColumnElement[int], ColumnElement[float]]:
        """The row of a column of hexagons nearest to a point, and its centre's squared distance."""
        half = cast(func.abs(i) % 2, Float()) / 2.0
        row = _floor(y / self.size - half + 0.5)
        across = x - cast(i, Float()) * (1.5 * self.edge)
        along = y - (cast(row, Float()) + half) * self.size
        return row, across * across + along * along


def _floor(value: ColumnElement[Any]) -> ColumnElement[int]:
    return cast(func.floor(value), Integer())


def spots(
    source: Source, projection: Projection, columns: Iterable[Label[Any]], workspace: Workspace
) -> tuple[tuple[Prepared, ...], FromClause]:
    """Where each row is counted, as point `spot` of the plane, with columns of the source: the temporary table that
    this needs, and the rows. Rows without a geometry are left out."""
    labels = list(columns)
    centred = select(centre(source).label("centre"), *labels).select_from(source.rows)
    if not (is_of_points(source) and source.declared_srid == WGS84):
        # Else PostgreSQL would compute the centre for each reference. Parallel plans cannot continue from such rows.
        centred = centred.offset(0)
    own = centred.subquery("own")
    kept = [own.c[label.name].label(label.name) for label in labels]
    return in_plane(own, projection, own.c.centre, kept, workspace, "spot", are_points=True)
