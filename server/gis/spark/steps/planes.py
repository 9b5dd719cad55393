"""Longitudes and latitudes of points as coordinates of an equal-area projection, for Sedona.

It knows projections by their EPSG number only, so others are computed. Formulas: Snyder, "Map Projections: A Working
Manual", USGS Professional Paper 1395 (1987), equations 10-14 to 10-18."""

from __future__ import annotations

import math

from sqlalchemy import func

from server.gis.operations.support.earth.azimuthal import (
    ECCENTRICITY2,
    SEMI_MAJOR,
    Azimuthal,
    Number,
    authalic,
    number,
)
from server.gis.operations.support.earth.projections import NumberedProjection, Projection, WorldEqualArea
from server.gis.spark import fault_texts as texts
from server.gis.spark.errors import NotOnSpark


def plane_coordinates(shape: Number, projection: Projection) -> tuple[Number, Number]:
    """X and Y in metres of an EPSG:4326 point. Raises NotOnSpark."""
    if isinstance(projection, WorldEqualArea):
        return _cylindrical(shape, math.radians(30.0))
    if isinstance(projection, NumberedProjection):
        flat = projection.apply(shape)
        return func.ST_X(flat), func.ST_Y(flat)
    azimuthal = Azimuthal.of(projection)
    if azimuthal is None:
        raise NotOnSpark("grid", texts.CELLS())
    return azimuthal.coordinates(shape)


def _cylindrical(shape: Number, standard: float) -> tuple[Number, Number]:
    """Equal-area cylinder, true at a latitude in radians."""
    k = math.cos(standard) / math.sqrt(1 - ECCENTRICITY2 * math.sin(standard) ** 2)
    x = func.ST_X(shape) * number(math.pi / 180 * SEMI_MAJOR * k)
    return x, authalic(shape) * number(SEMI_MAJOR / (2 * k))
