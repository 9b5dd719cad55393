"""The distance of every feature of one table to every feature of another."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, func, select, true

from agents.worded import Template
from server.gis.errors import TooExpensive
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import attribute
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    column_argument,
    count_rows,
    table_argument,
)
from server.gis.operations.support.earth.antimeridian import HALF
from server.gis.operations.support.earth.geodesy import (
    GEODESIC_NOTE,
    distance,
    geography,
    lonlat,
    on_the_map,
    short_way,
)

MANY_PAIRS = Template(
    "op_many_pairs",
    "{origins} origins and {destinations} destinations make {pairs} pairs; at most {most} are computed. "
    "Filter the tables first, or use nearest.",
)
MATRIX_LINES = Template(
    "op_matrix_lines",
    "The lines are for drawing, cut at the antimeridian; distances are between the shapes' nearest points.",
)

MAX_PAIRS = 4_000_000


class DistanceMatrixArguments(Arguments):
    source: str = table_argument("The table of origins.")
    other: str = table_argument("The table of destinations.")
    name: str = column_argument("The column that names an origin.")
    other_name: str = column_argument("The column that names a destination.", of="other")


class DistanceMatrix(Operation[DistanceMatrixArguments]):
    """Geodesic distances in metres between all features of two tables. Too many pairs are refused."""

    summary = (
        "One row for each pair of features of two tables, with the distance in metres and a line between."
    )
    traits = frozenset({"measures_distance"})
    phrases = (
        (
            "<open> (distances between|distance matrix of|distance matrix between|distances from) "
            "{source} (and|to|with) {other}"
        ),
        "<what> (how far is|how far away is|how far) {source:place} (from|to|away from) {other:place} [in {unit:unit}]"
        " [as the crow flies]",
        "(how far is it|how far) from {source:place} to {other:place} [in {unit:unit}] [as the crow flies]",
        "<what> [gc|great circle|geodesic|straight line|air line|direct] (distance|distances) [in {unit:unit}]"
        " [between|from|of] {source:place} (and|to|from|-|–) {other:place} [in {unit:unit}] [as the crow flies]",
        "(<what>|how many) {unit:unit} [is it|are there|away is|is|lie] [between|from] {source:place}"
        " (and|to|from) {other:place}",
        "{source:place} (to|-|–) {other:place} distance [in {unit:unit}]",
        "<what> how far apart are {source:place} and {other:place} [in {unit:unit}]",
        "[draw|show|make|add|give me] [a|the] [straight|direct|connecting|great circle] line (from|between)"
        " {source:place} (to|and) {other:place} [[and] [with|label [it] with] [its|the] (length|distance)]"
        " :: Line from {source} to {other}",
    )

    async def build(self, arguments: DistanceMatrixArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        here, there = lonlat(source), lonlat(other)
        origins = await count_rows(source.rows, workspace)
        destinations = await count_rows(other.rows, workspace)
        if origins * destinations > MAX_PAIRS:
            raise TooExpensive(
                MANY_PAIRS(
                    origins=origins, destinations=destinations, pairs=origins * destinations, most=MAX_PAIRS
                )
            )
        spots = [_spot(source, here), _spot(other, there)]
        pairs: FromClause = source.rows.join(other.rows, here.is_not(None) & there.is_not(None))
        line: ColumnElement[Any] = func.ST_Multi(func.ST_MakeLine(*spots), type_=Geometry())
        sides = (*await _longitudes(source, here, workspace), *await _longitudes(other, there, workspace))
        longitudes = [each for each in sides if each is not None]
        if longitudes and max(max(longitudes) - min(longitudes), *map(abs, longitudes)) > HALF:
            pairs, line = _short_ways(pairs, spots, source, other)
        statement = select(
            source.column(attribute(source, arguments.name).name).label("origin"),
            other.column(attribute(other, arguments.other_name).name).label("destination"),
            distance(geography(here), geography(there)).label("distance_m"),
            line.label(GEOMETRY),
        ).select_from(pairs)
        return Step(
            statement,
            geometry_type="MultiLineString",
            srid=WGS84,
            method=(GEODESIC_NOTE, MATRIX_LINES()),
            comments={"distance_m": "Metres between the two features, on the WGS 84 spheroid."},
        )


async def _longitudes(
    source: Source, shape: ColumnElement[Any], workspace: Workspace
) -> Sequence[float | None]:
    """The least and the greatest longitude of all shapes."""
    west, east = func.min(func.ST_XMin(shape)), func.max(func.ST_XMax(shape))
    return await workspace.row(select(west, east).select_from(source.rows))


def _short_ways(
    pairs: FromClause, spots: Sequence[ColumnElement[Any]], source: Source, other: Source
) -> tuple[FromClause, ColumnElement[Any]]:
    """The pairs with lines that may cross the antimeridian, and their lines, cut there."""
    # In subqueries that PostgreSQL cannot flatten: it would compute the points again for each reference to them.
    ends = select(spots[0].label("a"), spots[1].label("b")).offset(0)
    ends_of = ends.correlate(source.rows, other.rows).lateral("ends")
    turn = short_way(func.ST_X(ends_of.c.a), func.ST_X(ends_of.c.b))
    moved = func.ST_Translate(ends_of.c.b, 360.0 * turn, 0.0)
    line = select(func.ST_MakeLine(ends_of.c.a, moved, type_=Geometry()).label("shape"))
    drawn = line.select_from(ends_of).offset(0).correlate(ends_of).lateral("drawn")
    return pairs.join(ends_of, true()).join(drawn, true()), on_the_map(drawn.c["shape"])


def _spot(source: Source, shape: ColumnElement[Any]) -> ColumnElement[Any]:
    """A point of the shape, where its connecting lines start."""
    if source.declared and source.declared[0].upper() == "POINT":
        return shape
    return func.ST_PointOnSurface(shape, type_=Geometry())
