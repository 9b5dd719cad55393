"""Functions of PostGIS that Sedona lacks, in Spark's SQL over named values, which `filled` replaces by expressions."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp

from server.gis.operations.support.earth.geodesic_buffer import POLAR_LATITUDE, QUADRANT_SEGMENTS

REFUSED_ROW = "GEOAGENT: "
"""Begins the message of an error that a row of the data raises; what follows is for users."""


def filled(template: str, **values: Any) -> Any:
    """The template as an expression; each name of `values` is replaced by its expression."""
    tree = sqlglot.parse_one(template, read="spark")
    for column in list(tree.find_all(exp.Column)):
        if not column.table and column.name in values:
            column.replace(values[column.name].copy())
    return tree


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
"""Of a collection part by part, which JTS refuses to take as a whole."""

_EARTH = (
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
    'UNIT["degree",0.017453292519943295],AXIS["Longitude",EAST],AXIS["Latitude",NORTH]]'
)
_AROUND_POINT = (
    f"""concat('PROJCS["local",{_EARTH},PROJECTION["Azimuthal_Equidistant"],PARAMETER["latitude_of_center",', """
    """ST_Y(shape), '],PARAMETER["longitude_of_center",', ST_X(shape), """
    """'],PARAMETER["false_easting",0],PARAMETER["false_northing",0],UNIT["metre",1]]')"""
)
_ZONE = """
concat('EPSG:',
  CASE WHEN ST_Y(shape) < 0 THEN 32701 ELSE 32601 END + CAST(least(floor((ST_X(shape) + 180D) / 6D), 59) AS INT))
"""
_AREAS = f"""
transform(transform(
  array(CASE WHEN abs(ST_Y(shape)) > {POLAR_LATITUDE}D THEN {_AROUND_POINT} ELSE {_ZONE} END),
  plane -> ST_Transform(ST_Buffer(ST_Transform(shape, 'EPSG:4326', plane), radius, false,
    'quad_segs={QUADRANT_SEGMENTS}'), plane, 'EPSG:4326')),
  area -> CASE WHEN ST_XMax(area) - ST_XMin(area) <= 180D THEN area ELSE ST_Union(
    ST_Intersection(ST_ShiftLongitude(area), ST_PolygonFromEnvelope(0D, -90D, 180D, 90D)),
    ST_Translate(ST_Intersection(ST_ShiftLongitude(area), ST_PolygonFromEnvelope(180D, -90D, 360D, 90D)), -360D, 0D))
  END)
"""
POINT_BUFFER = f"""
CASE WHEN shape IS NULL OR radius IS NULL THEN NULL
  WHEN ST_IsEmpty(shape) THEN ST_GeomFromWKT('MULTIPOLYGON EMPTY')
  WHEN radius <= 0 OR abs(ST_Y(shape)) + radius / 110000D > 89D
    THEN raise_error('{REFUSED_ROW}A buffer has a distance that is not more than 0, or would reach a pole.')
  ELSE ST_SetSRID(ST_Multi(element_at({_AREAS}, 1)), 4326) END
"""
"""`geodesic_buffer` of `radius` metres around the point `shape`, with the same projection and corners."""
