"""Points at equal distances along lines: posts, stops, places to sample at."""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Float,
    FromClause,
    and_,
    case,
    cast,
    func,
    literal,
    select,
    true,
)

from agents.worded import Template, formatted
from server.gis.errors import InvalidQuestion
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import GEODESIC_NOTE, distance, geography, length, lonlat
from server.gis.operations.support.earth.units import Length, length_text
from server.gis.operations.support.geometry.shapes import of_family, unpack_dump

ALONG_GEODESICS = Template(
    "method_along_geodesics",
    "Lines run along geodesics between corners; each part of a feature is measured from its start.",
)


POINTS_APART = Template("op_points_apart", "Points lie at least {least} apart; got {got}.")
MANY_POINTS = Template(
    "op_many_points",
    "The lines of {table} are {km} km long: {n} points, and at most {most} are made. Use a distance of "
    "{fitting} m or more, or filter the lines.",
)

SHORTEST = 0.1
MAX_POINTS = 5_000_000


class PointsAlongLinesArguments(Arguments):
    source: str = table_argument("The table of lines.")
    every: Length
    """The distance between points along the line, from its start."""
    ends: bool = True
    """Also the end of each line, where no point falls on it."""


class PointsAlongLines(Operation[PointsAlongLinesArguments]):
    """Points at regular geodesic distances in metres along lines."""

    summary = "Points along lines, one every so many metres from the start; `along_m` says how far along."
    phrases = ("<open> (points|point) every {every} (along|on) {source}",)

    async def build(self, arguments: PointsAlongLinesArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        of_family(source, "line")
        await _refuse_too_many(source, arguments.every, workspace)
        points = _points(lonlat(source), arguments)
        own = attribute_columns(source)
        part, along = (free_name(name, {label.name for label in own}) for name in ("part", "along_m"))
        return Step(
            select(
                *own, points.c.part.label(part), points.c.along.label(along), points.c.spot.label(GEOMETRY)
            ).select_from(source.rows.join(points, true())),
            geometry_type="Point",
            srid=WGS84,
            portion_source=source,
            method=(GEODESIC_NOTE, ALONG_GEODESICS()),
            comments={
                part: "Number of the line within its feature, from 1.",
                along: "Metres from the start of the line, along it.",
            },
        )


def _points(line: ColumnElement[Any], arguments: PointsAlongLinesArguments) -> FromClause:
    """`part`, `along` and `spot` of each point on one feature, as a lateral subquery.

    Each piece between two corners holds the points from its start up to, but without, its end, which is the
    start of the next; the very end belongs to the last. What is not a line has no points."""
    is_line = func.GeometryType(line).in_(("LINESTRING", "MULTILINESTRING"))
    pieces = unpack_dump(func.ST_DumpSegments(case((is_line, func.ST_Multi(line)), else_=None)), "pieces")
    start, end = (geography(point(pieces.c["shape"])) for point in (func.ST_StartPoint, func.ST_EndPoint))
    metres = distance(start, end)
    measured = select(
        pieces.c.part,
        start.label("start"),
        func.coalesce(func.ST_Azimuth(start, end), 0.0, type_=Float()).label("azimuth"),
        func.coalesce(_in_order(func.sum(metres), pieces, (None, -1)), 0.0, type_=Float()).label("before"),
        metres.label("metres"),
        _in_order(func.lead(metres), pieces).is_(None).label("is_last"),
    ).subquery("measured")
    every = literal(arguments.every, Float())
    reached = measured.c.before + measured.c.metres
    excluded = case((and_(measured.c.is_last, literal(arguments.ends)), 0), else_=1)
    series = func.generate_series(
        cast(func.ceil(measured.c.before / every), BigInteger()),
        cast(func.ceil(reached / every), BigInteger()) - excluded,
    )
    # Through an array, for which the planner expects ten elements instead of a thousand.
    number = func.unnest(func.array(select(series).correlate(measured).scalar_subquery()))
    step = number.table_valued("number", name="step").render_derived()
    along = func.least(cast(step.c.number, Float()) * every, reached, type_=Float())
    spot = func.ST_Project(measured.c.start, along - measured.c.before, measured.c.azimuth)
    return (
        select(measured.c.part, along.label("along"), cast(spot, Geometry()).label("spot"))
        .select_from(measured.join(step, true()))
        .lateral("points")
    )


def _in_order(figure: Any, pieces: FromClause, rows: Any = None) -> ColumnElement[Any]:
    """A window over the pieces of one line, from its start."""
    over: ColumnElement[Any] = figure.over(partition_by=pieces.c.part, order_by=pieces.c.path, rows=rows)
    return over


async def _refuse_too_many(source: Source, every: float, workspace: Workspace) -> None:
    if every < SHORTEST:
        raise InvalidQuestion(POINTS_APART(least=length_text(SHORTEST), got=length_text(every)))
    (metres,) = await workspace.row(select(func.sum(length(lonlat(source)))).select_from(source.rows))
    points = (metres or 0.0) / every
    if points > MAX_POINTS:
        raise InvalidQuestion(
            MANY_POINTS(
                table=source.table.id,
                km=formatted(metres / 1000, ",.0f"),
                n=formatted(points, ",.0f"),
                most=MAX_POINTS,
                fitting=formatted(metres / MAX_POINTS, ",.0f"),
            )
        )
