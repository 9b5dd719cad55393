"""Arcs from one pair of coordinates to another, both in columns of the same row: flights, trips, trade."""

from __future__ import annotations

from sqlalchemy import and_, case, cast, func, or_

from agents.worded import Template
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.attributes.coordinates import check_degrees, coordinates
from server.gis.operations.support.base import (
    Arguments,
    Geography,
    Geometry,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import GEODESIC_NOTE, geography, length, on_the_map
from server.gis.operations.support.geometry.shapes import reshaped

NO_LINE = Template("op_no_line", "Rows without both ends, or with both at one place, have no line.")

CORNER_EVERY_M = 50_000.0


class LinesFromColumnsArguments(Arguments):
    source: str = table_argument("The table with the coordinates of both ends in its columns.")
    from_x: str = column_argument("The column of the longitude where a line starts.")
    from_y: str = column_argument("The column of the latitude where a line starts.")
    to_x: str = column_argument("The column of the longitude where a line ends.")
    to_y: str = column_argument("The column of the latitude where a line ends.")


class LinesFromColumns(Operation[LinesFromColumnsArguments]):
    """Lines along the shortest way over the earth, cut at the antimeridian, with their lengths."""

    summary = (
        "Draw an arc (great circle) in each row from one pair of longitude and latitude columns to another."
    )
    keeps_source_crs = False
    traits = frozenset({"measures_distance", "tabular"})
    phrases = (
        (
            "<open> (arcs|great circles|lines) from {from_x} (and|,) {from_y} to {to_x} (and|,) {to_y} "
            "(of|in) {source} :: arcs of {source} {ends}"
        ),
    )

    async def build(self, arguments: LinesFromColumnsArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        start = coordinates(source, arguments.from_x, arguments.from_y)
        end = coordinates(source, arguments.to_x, arguments.to_y)
        for pair in (start, end):
            await check_degrees(source, workspace, pair)
        a, b = (func.ST_SetSRID(func.ST_MakePoint(*pair), WGS84, type_=Geometry()) for pair in (start, end))
        straight = func.ST_MakeLine(a, b, type_=Geometry())
        curved = cast(func.ST_Segmentize(geography(straight), CORNER_EVERY_M, type_=Geography()), Geometry())
        # Across the antimeridian longitudes jump by 360 degrees; from 0 to 360 they go on.
        onwards = func.ST_ShiftLongitude(curved, type_=Geometry())
        crosses = func.abs(end[0] - start[0]) > 180.0
        has_way = and_(
            *(value.is_not(None) for value in (*start, *end)), or_(start[0] != end[0], start[1] != end[1])
        )
        measured = case((has_way, length(geography(straight))), else_=None)
        return reshaped(
            source,
            case((has_way, on_the_map(case((crosses, onwards), else_=curved))), else_=None),
            "MultiLineString",
            WGS84,
            columns=[measured.label("length_m")],
            method=[GEODESIC_NOTE],
            notes=[NO_LINE()],
            comments={"length_m": "Metres from one end to the other, on the WGS 84 spheroid."},
        )
