"""Functions of PostGIS that Sedona lacks, in Spark's SQL over named values, which `filled` replaces by expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sqlglot
from sqlglot import exp

from server.gis.operations.support.earth.geodesic_buffer import (
    PIECE_DEGREES,
    POLAR_LATITUDE,
    QUADRANT_SEGMENTS,
    SEGMENT_METRES,
)
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M, SMALL_DEGREES
from server.gis.spark.fault_texts import BUFFER_ROW, CUT_ROW
from server.gis.spark.great_circles import LONLAT

REFUSED_ROW = "GEOAGENT: "
"""Begins the message of an error that a row of the data raises; what follows is for users."""
EARTH_RADIUS = 6_371_008.0
"""Earth radius of ST_DistanceSphere, in metres."""
SEMI_MINOR = 6_356_752.0
"""Half the axis of WGS 84 from pole to pole, in metres, rounded down."""
STEEPEST = 1.004
"""Greatest change of a latitude for a change of 1 in the reduced one, rounded up."""


def filled(template: str, **values: Any) -> Any:
    """The template as an expression; each name of `values` is replaced by its expression."""
    tree = sqlglot.parse_one(template, read="spark")
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.name in values:
            column.replace(values[column.name].copy())
    return tree


def azimuthal(code: str, latitude: str, longitude: str) -> str:
    """Spark's SQL of the definition (WKT) of a projection that PROJ calls `aeqd` or `laea`, around a place."""
    method = {"aeqd": "Azimuthal_Equidistant", "laea": "Lambert_Azimuthal_Equal_Area"}[code]
    earth = (
        'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
        'UNIT["degree",0.017453292519943295],AXIS["Longitude",EAST],AXIS["Latitude",NORTH]]'
    )
    before = f'PROJCS["local",{earth},PROJECTION["{method}"],PARAMETER["latitude_of_center",'
    between = '],PARAMETER["longitude_of_center",'
    after = '],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]'
    return f"concat('{before}', {latitude}, '{between}', {longitude}, '{after}')"


AREA = """
aggregate(ST_Dump(shape), 0D, (total, part) ->
  total + ST_AreaSpheroid(ST_MakePolygon(ST_ExteriorRing(part)))
  - aggregate(
      filter(sequence(0, ST_NumInteriorRings(part)), number -> number < ST_NumInteriorRings(part)),
      0D,
      (holes, number) -> holes + ST_AreaSpheroid(ST_MakePolygon(ST_InteriorRingN(part, number)))))
"""
"""Ring by ring: ST_AreaSpheroid of Sedona 1.7 errs where an area has several holes."""

DIFFERENCE = """
CASE WHEN ST_GeometryType(shape) = 'ST_GeometryCollection'
  THEN ST_Union(filter(transform(ST_Dump(shape), part -> ST_Difference(part, other)), part -> NOT ST_IsEmpty(part)))
  ELSE ST_Difference(shape, other) END
"""
"""Evaluates a collection part by part, because JTS refuses it as a whole."""

MIDDLE = f"""
element_at(transform(
  array(aggregate(
    transform(ST_DumpPoints(shape), p -> struct(radians(ST_X(p)) AS lon, radians(ST_Y(p)) AS lat)),
    struct(0D AS x, 0D AS y, 0D AS z),
    (total, p) -> struct(total.x + cos(p.lat) * cos(p.lon) AS x, total.y + cos(p.lat) * sin(p.lon) AS y,
      total.z + sin(p.lat) AS z))),
  total -> {LONLAT.format(v="total")}), 1)
"""
"""The middle of the corners of a shape on the globe, as ST_Centroid of a geography of points."""

_LOCAL = azimuthal("laea", "ST_Y(middle)", "ST_X(middle)")
CENTRE = f"""
CASE WHEN shape IS NULL OR ST_IsEmpty(shape) THEN NULL
  WHEN ST_XMax(shape) - ST_XMin(shape) < {SMALL_DEGREES}D AND ST_YMax(shape) - ST_YMin(shape) < {SMALL_DEGREES}D
    THEN ST_Centroid(shape)
  ELSE element_at(transform(transform(transform(array({MIDDLE}),
    middle -> {_LOCAL}),
    plane -> struct(plane, ST_Centroid(ST_Transform(shape, 'EPSG:4326', plane)) AS flat)),
    placed -> ST_SetSRID(ST_Transform(placed.flat, placed.plane, 'EPSG:4326'), 4326)), 1) END
"""
"""The centre of gravity of a valid shape, as `geodesy.centre` has it. Its middle and its plane are found once: Spark
computes again what an expression repeats."""

_DENSE_LINE = f"""
ST_MakeLine(flatten(array(
  flatten(transform(transform(transform(
    sequence(1, ST_NPoints(line) - 1),
    n -> struct(ST_PointN(line, n) AS a, ST_PointN(line, n + 1) AS b)),
    edge -> struct(edge.a AS a, radians(ST_X(edge.a)) AS lon1, radians(ST_Y(edge.a)) AS lat1,
      radians(ST_X(edge.b)) AS lon2, radians(ST_Y(edge.b)) AS lat2,
      ST_DistanceSphere(edge.a, edge.b) / {EARTH_RADIUS}D AS angle,
      CAST(power(2D, greatest(0D, ceil(log2(ST_DistanceSphere(edge.a, edge.b) / {SEGMENT_METRES}D)))) AS INT)
        AS pieces)),
    edge -> transform(sequence(0, edge.pieces - 1), i -> CASE WHEN i = 0 THEN edge.a ELSE element_at(transform(
      transform(
        array(struct(sin((1D - i / edge.pieces) * edge.angle) AS f, sin(i / edge.pieces * edge.angle) AS g)),
        w -> struct(
          w.f * cos(edge.lat1) * cos(edge.lon1) + w.g * cos(edge.lat2) * cos(edge.lon2) AS x,
          w.f * cos(edge.lat1) * sin(edge.lon1) + w.g * cos(edge.lat2) * sin(edge.lon2) AS y,
          w.f * sin(edge.lat1) + w.g * sin(edge.lat2) AS z)),
      v -> {LONLAT.format(v="v")}), 1) END))),
  array(ST_PointN(line, -1)))))
"""
"""Corners on the great circle of each long edge, which is halved until its parts are short enough, as ST_Segmentize of
a geography does."""


def _dense(line: str) -> str:
    return _DENSE_LINE.replace("line", line)


def _parts_of(shape: str, dense: Callable[[str], str]) -> str:
    """The single parts of a shape, in whose lines and rings `dense` adds corners."""
    return f"""transform(ST_Dump({shape}), part -> CASE ST_GeometryType(part)
    WHEN 'ST_LineString' THEN {dense("part")}
    WHEN 'ST_Polygon' THEN ST_MakePolygon({dense("ST_ExteriorRing(part)")}, transform(
      filter(sequence(0, ST_NumInteriorRings(part)), ring -> ring < ST_NumInteriorRings(part)),
      ring -> {dense("ST_InteriorRingN(part, ring)")}))
    ELSE part END)"""


_SMALL_DEGREES = SEGMENT_METRES / LONGEST_DEGREE_M
_DENSE = f"""
CASE WHEN ST_Dimension(piece) = 0 OR ST_XMax(piece) - ST_XMin(piece) + ST_YMax(piece) - ST_YMin(piece)
    < {_SMALL_DEGREES}D THEN piece
  ELSE ST_Collect({_parts_of("piece", _dense)}) END
"""


def _straight(line: str) -> str:
    return f"""ST_MakeLine(flatten(array(
  flatten(transform(transform(
    sequence(1, ST_NPoints({line}) - 1),
    n -> struct(ST_PointN({line}, n) AS a, ST_PointN({line}, n + 1) AS b)),
    edge -> transform(
      sequence(0, greatest(1, CAST(ceil(ST_Distance(edge.a, edge.b) / longest) AS INT)) - 1),
      i -> ST_Point(
        ST_X(edge.a) + (ST_X(edge.b) - ST_X(edge.a)) * i
          / greatest(1D, ceil(ST_Distance(edge.a, edge.b) / longest)),
        ST_Y(edge.a) + (ST_Y(edge.b) - ST_Y(edge.a)) * i
          / greatest(1D, ceil(ST_Distance(edge.a, edge.b) / longest)))))),
  array(ST_PointN({line}, -1)))))"""


SEGMENTIZE = f"""
CASE WHEN shape IS NULL OR ST_IsEmpty(shape) OR ST_Dimension(shape) = 0 THEN shape
  WHEN ST_GeometryType(shape) IN ('ST_LineString', 'ST_Polygon')
    THEN ST_SetSRID(element_at({_parts_of("shape", _straight)}, 1), 4326)
  ELSE ST_SetSRID(ST_Collect({_parts_of("shape", _straight)}), 4326) END
"""
"""ST_Segmentize in the plane of longitudes and latitudes: each edge longer than `longest` in equal parts."""

_WIDE = f"""ST_XMax(shape) - ST_XMin(shape) > {PIECE_DEGREES}D OR ST_YMax(shape) - ST_YMin(shape) > {PIECE_DEGREES}D"""
_CELLS = (
    """sequence(CAST(floor({least}(shape) / {size}D) AS INT), CAST(floor({most}(shape) / {size}D) AS INT))"""
)
_ACROSS = _CELLS.format(least="ST_XMin", most="ST_XMax", size=PIECE_DEGREES)
_UP = _CELLS.format(least="ST_YMin", most="ST_YMax", size=PIECE_DEGREES)
_CELL = "ST_PolygonFromEnvelope({size} * i, {size} * j, {size} * (i + 1), {size} * (j + 1))".format(
    size=f"{PIECE_DEGREES}D"
)
_PIECES = f"""
CASE WHEN {_WIDE} THEN filter(
    flatten(transform(
      CASE WHEN ST_GeometryType(shape) = 'ST_GeometryCollection' THEN ST_Dump(shape) ELSE array(shape) END,
      part -> flatten(transform({_ACROSS}, i -> transform({_UP}, j -> ST_Intersection(part, {_CELL})))))),
    piece -> NOT ST_IsEmpty(piece))
  WHEN ST_Dimension(shape) = 2 AND ST_Perimeter(shape) = 0 THEN array(ST_Centroid(shape))
  ELSE array(shape) END
"""
_AEQD = azimuthal("aeqd", "piece.y", "piece.x")
_AREAS = f"""
transform(transform(transform(transform({_PIECES},
  piece -> struct({_DENSE} AS dense, ST_X(ST_Centroid(piece)) AS x, ST_Y(ST_Centroid(piece)) AS y,
    (ST_XMin(piece) + ST_XMax(piece)) / 2D AS lon, ST_YMin(piece) + ST_YMax(piece) AS north)),
  piece -> struct(piece.dense AS dense, CASE WHEN abs(piece.y) > {POLAR_LATITUDE}D THEN {_AEQD} ELSE concat('EPSG:',
    CASE WHEN piece.north < 0 THEN 32701 ELSE 32601 END + CAST(least(floor((piece.lon + 180D) / 6D), 59) AS INT)) END
    AS plane)),
  piece -> ST_Transform(ST_Buffer(ST_Transform(piece.dense, 'EPSG:4326', piece.plane), radius, false,
    'quad_segs={QUADRANT_SEGMENTS}'), piece.plane, 'EPSG:4326')),
  area -> CASE WHEN ST_XMax(area) - ST_XMin(area) <= 180D THEN area ELSE ST_Union(
    ST_Intersection(ST_ShiftLongitude(area), ST_PolygonFromEnvelope(0D, -90D, 180D, 90D)),
    ST_Translate(ST_Intersection(ST_ShiftLongitude(area), ST_PolygonFromEnvelope(180D, -90D, 360D, 90D)), -360D, 0D))
  END)
"""
_REACH = "greatest(abs(ST_YMin(shape)), abs(ST_YMax(shape))) + radius / 110000D > 89D"
BUFFER = f"""
CASE WHEN shape IS NULL OR radius IS NULL THEN NULL
  WHEN ST_IsEmpty(shape) THEN ST_GeomFromWKT('MULTIPOLYGON EMPTY')
  WHEN radius <= 0 OR {_REACH}
    THEN raise_error('{REFUSED_ROW}{BUFFER_ROW.code}')
  ELSE ST_SetSRID(ST_Multi(element_at(transform(array({_AREAS}), areas ->
    CASE WHEN size(areas) = 1 THEN element_at(areas, 1) ELSE ST_Union(areas) END), 1)), 4326) END
"""
"""`geodesic_buffer` of `radius` metres around `shape`, with the same pieces, projections and corners."""

_BOX = "ST_PolygonFromEnvelope({west}, p.south, {east}, p.north)"
REACH = f"""
CASE WHEN shape IS NULL OR ST_IsEmpty(shape) THEN NULL ELSE element_at(transform(transform(transform(
  array(struct(ST_X(shape) AS lon, ST_Y(shape) AS lat, metres / {SEMI_MINOR}D AS angle)),
  p -> struct(p.lon AS lon, p.lat AS lat, p.angle AS angle, degrees(p.angle) * {STEEPEST}D AS rise)),
  p -> struct(p.lon AS lon, greatest(-90D, p.lat - p.rise) AS south, least(90D, p.lat + p.rise) AS north,
    CASE WHEN abs(p.lat) + p.rise >= 90D THEN 180D
      ELSE degrees(asin(sin(p.angle) / cos(radians(p.lat)))) + 1e-9D END AS wide)),
  p -> CASE WHEN p.wide >= 180D THEN {_BOX.format(west="-180D", east="180D")}
    WHEN p.lon - p.wide <= -180D THEN ST_Collect(array({_BOX.format(west="-180D", east="p.lon + p.wide")},
      {_BOX.format(west="p.lon - p.wide + 360D", east="180D")}))
    WHEN p.lon + p.wide >= 180D THEN ST_Collect(array({_BOX.format(west="p.lon - p.wide", east="180D")},
      {_BOX.format(west="-180D", east="p.lon + p.wide - 360D")}))
    ELSE {_BOX.format(west="p.lon - p.wide", east="p.lon + p.wide")} END), 1) END
"""
"""The longitudes and latitudes that `metres` from a point can reach. A circle is widest nearer to a pole than its
centre: on the sphere of reduced latitudes, whose angles are at most the distance divided by the shorter radius,
it is asin(sin(angle) / cos(latitude)) wide, up to a pole, from where all longitudes can be reached."""

_LINES = """flatten(transform(filter(ST_Dump(shape), part -> NOT ST_IsEmpty(part)), part -> CASE ST_Dimension(part)
  WHEN 1 THEN array(part)
  WHEN 2 THEN concat(array(ST_ExteriorRing(part)), transform(
    filter(sequence(0, ST_NumInteriorRings(part)), ring -> ring < ST_NumInteriorRings(part)),
    ring -> ST_InteriorRingN(part, ring)))
  ELSE filter(array(part), point -> false) END))"""
_JUMPS = """exists(sequence(1, ST_NPoints(line) - 1), n ->
  abs(ST_X(ST_PointN(line, n + 1)) - ST_X(ST_PointN(line, n))) > 180D
  AND least(abs(ST_Y(ST_PointN(line, n))), abs(ST_Y(ST_PointN(line, n + 1)))) <= 89.999D)"""
WHOLE = f"""
CASE WHEN ST_XMax(shape) - ST_XMin(shape) > 180D AND exists({_LINES}, line -> {_JUMPS})
  THEN raise_error('{REFUSED_ROW}{CUT_ROW.code}')
  ELSE shape END
"""
"""Refuses edges that span more than 180 degrees, as `geometry_checks.jumps` finds them."""
