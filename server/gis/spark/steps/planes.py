"""Longitudes and latitudes of points as coordinates of an equal-area projection, for Sedona.

It knows projections by their EPSG number only, so the local ones are computed here. Formulas: Snyder, "Map Projections:
A Working Manual", USGS Professional Paper 1395 (1987), equations 3-12, 24-17 to 24-20 and 10-14 to 10-18."""

from __future__ import annotations

import math
import re
from typing import Any

from sqlalchemy import ColumnElement, Float, func, literal

from server.gis.operations.support.earth.projections import NumberedProjection, Projection, WorldEqualArea
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import NotOnSpark

SEMI_MAJOR = 6_378_137.0
ECCENTRICITY2 = (2 - 1 / 298.257223563) / 298.257223563
ECCENTRICITY = math.sqrt(ECCENTRICITY2)
MAX_LATITUDE = 89.0
"""Of the middle of a local projection; at a pole its formulas are others."""

Number = ColumnElement[Any]


def plane_coordinates(shape: Number, projection: Projection) -> tuple[Number, Number]:
    """X and Y in metres of an EPSG:4326 point. Raises NotOnSpark."""
    if isinstance(projection, WorldEqualArea):
        return _cylindrical(shape, math.radians(30.0))
    if isinstance(projection, NumberedProjection):
        flat = projection.apply(shape)
        return func.ST_X(flat), func.ST_Y(flat)
    found = re.fullmatch(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+) \+datum=WGS84 .*", projection.proj)
    if found is None or abs(float(found[1])) > MAX_LATITUDE:
        raise NotOnSpark("grid", texts.CELLS())
    return _azimuthal(shape, math.radians(float(found[1])), math.radians(float(found[2])))


def _azimuthal(shape: Number, latitude: float, longitude: float) -> tuple[Number, Number]:
    """Lambert azimuthal equal-area around a place, in radians."""
    q_pole = _q_of(1.0)
    sin_middle = _q_of(math.sin(latitude)) / q_pole
    cos_middle = math.sqrt(1 - sin_middle**2)
    radius = SEMI_MAJOR * math.sqrt(q_pole / 2)
    m = math.cos(latitude) / math.sqrt(1 - ECCENTRICITY2 * math.sin(latitude) ** 2)
    d = SEMI_MAJOR * m / (radius * cos_middle)
    sin_beta = _q(shape) / _number(q_pole)
    cos_beta = func.sqrt(func.greatest(_number(0.0), _number(1.0) - sin_beta * sin_beta), type_=Float())
    away = func.ST_X(shape) * _number(math.pi / 180) - _number(longitude)
    cos_away = func.cos(away, type_=Float())
    facing = _number(1.0) + _number(sin_middle) * sin_beta + _number(cos_middle) * cos_beta * cos_away
    b = _number(radius) * func.sqrt(_number(2.0) / facing, type_=Float())
    x = b * _number(d) * cos_beta * func.sin(away, type_=Float())
    y = b * _number(1 / d) * (_number(cos_middle) * sin_beta - _number(sin_middle) * cos_beta * cos_away)
    return x, y


def _cylindrical(shape: Number, standard: float) -> tuple[Number, Number]:
    """Equal-area cylinder, true at a latitude in radians."""
    k = math.cos(standard) / math.sqrt(1 - ECCENTRICITY2 * math.sin(standard) ** 2)
    x = func.ST_X(shape) * _number(math.pi / 180 * SEMI_MAJOR * k)
    return x, _q(shape) * _number(SEMI_MAJOR / (2 * k))


def _q(shape: Number) -> Number:
    sin = func.sin(func.ST_Y(shape) * _number(math.pi / 180), type_=Float())
    logarithm = func.ln(
        (_number(1.0) - _number(ECCENTRICITY) * sin) / (_number(1.0) + _number(ECCENTRICITY) * sin),
        type_=Float(),
    )
    curved = sin / (_number(1.0) - _number(ECCENTRICITY2) * sin * sin)
    return _number(1 - ECCENTRICITY2) * (curved - _number(1 / (2 * ECCENTRICITY)) * logarithm)


def _q_of(sin: float) -> float:
    logarithm = math.log((1 - ECCENTRICITY * sin) / (1 + ECCENTRICITY * sin))
    return (1 - ECCENTRICITY2) * (sin / (1 - ECCENTRICITY2 * sin**2) - logarithm / (2 * ECCENTRICITY))


def _number(value: float) -> Number:
    return literal(value, Float())
