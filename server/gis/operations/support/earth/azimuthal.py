"""Longitudes and latitudes of points as coordinates of Lambert's azimuthal equal-area projection, by arithmetic.

PostGIS sets a projection without a number up again in each call, which takes as long as hundreds of points; Sedona
knows projections by number only. Formulas: Snyder, "Map Projections: A Working Manual", USGS Professional Paper 1395
(1987), equations 3-12 and 24-17 to 24-20."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Float, FromClause, Label, func, literal, select

from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import Geometry
from server.gis.operations.support.earth.projections import Projection
from server.gis.operations.support.geometry.validity import has_shape

SEMI_MAJOR = 6_378_137.0
ECCENTRICITY2 = (2 - 1 / 298.257223563) / 298.257223563
ECCENTRICITY = math.sqrt(ECCENTRICITY2)
MAX_LATITUDE = 89.0
"""Largest latitude of the centre in degrees; at a pole the formulas differ."""

Number = ColumnElement[Any]


class Azimuthal:
    """The projection around a place in degrees. Each method computes a part from those before it."""

    def __init__(self, latitude: float, longitude: float) -> None:
        middle = math.radians(latitude)
        q_pole = q_of(1.0)
        self._longitude, self._q_pole = math.radians(longitude), q_pole
        self._sin = q_of(math.sin(middle)) / q_pole
        self._cos = math.sqrt(1 - self._sin**2)
        self._radius = SEMI_MAJOR * math.sqrt(q_pole / 2)
        m = math.cos(middle) / math.sqrt(1 - ECCENTRICITY2 * math.sin(middle) ** 2)
        self._d = SEMI_MAJOR * m / (self._radius * self._cos)

    @classmethod
    def of(cls, projection: Projection) -> Azimuthal | None:
        """The formulas of this projection; None for one of another kind, or around a pole."""
        found = re.fullmatch(r"\+proj=laea \+lat_0=(\S+) \+lon_0=(\S+) \+datum=WGS84 .*", projection.proj)
        if found is None or abs(float(found[1])) > MAX_LATITUDE:
            return None
        return cls(float(found[1]), float(found[2]))

    def sin_beta(self, shape: Number) -> Number:
        """The sine of the authalic latitude (on a sphere with the same areas)."""
        return authalic(shape) / number(self._q_pole)

    def cos_beta(self, sin_beta: Number) -> Number:
        """The cosine of an authalic latitude from its sine."""
        return func.sqrt(func.greatest(number(0.0), number(1.0) - sin_beta * sin_beta), type_=Float())

    def away(self, shape: Number) -> Number:
        """The difference in longitude, in radians."""
        return func.ST_X(shape) * number(math.pi / 180) - number(self._longitude)

    def scale(self, sin_beta: Number, cos_beta: Number, cos_away: Number) -> Number:
        """The factor `B` of the forward formulas (Snyder 24-19), in metres."""
        facing = number(1.0) + number(self._sin) * sin_beta + number(self._cos) * cos_beta * cos_away
        return number(self._radius) * func.sqrt(number(2.0) / facing, type_=Float())

    def x(self, scale: Number, cos_beta: Number, sin_away: Number) -> Number:
        """Easting in metres (Snyder 24-17); `sin_away` is the sine of the longitude from the centre."""
        return scale * number(self._d) * cos_beta * sin_away

    def y(self, scale: Number, sin_beta: Number, cos_beta: Number, cos_away: Number) -> Number:
        """Northing in metres (Snyder 24-18); `cos_away` is the cosine of the longitude from the centre."""
        across = number(self._cos) * sin_beta - number(self._sin) * cos_beta * cos_away
        return scale * number(1 / self._d) * across

    def coordinates(self, shape: Number) -> tuple[Number, Number]:
        """X and Y in metres of an EPSG:4326 point."""
        sin_beta, away = self.sin_beta(shape), self.away(shape)
        cos_beta = self.cos_beta(sin_beta)
        sin_away, cos_away = func.sin(away, type_=Float()), func.cos(away, type_=Float())
        scale = self.scale(sin_beta, cos_beta, cos_away)
        return self.x(scale, cos_beta, sin_away), self.y(scale, sin_beta, cos_beta, cos_away)

    def placed(self, rows: FromClause, point: Number, columns: Sequence[Label[Any]], name: str) -> FromClause:
        """The rows with the point on the plane, called `name`, and then the columns; without rows that have no
        point. Each part is computed once."""
        kept, away = [each.name for each in columns], self.away(point)
        parts = ("sin_beta", "cos_beta", "sin_away", "cos_away", "scale")
        named = {part: free_name(part, {*kept}) for part in parts}
        first = select(
            self.sin_beta(point).label(named["sin_beta"]),
            func.sin(away, type_=Float()).label(named["sin_away"]),
            func.cos(away, type_=Float()).label(named["cos_away"]),
            *columns,
        )
        turned = first.select_from(rows).where(has_shape(point)).offset(0).subquery("turned")
        cos_beta = self.cos_beta(turned.c[named["sin_beta"]])
        bent = select(turned, cos_beta.label(named["cos_beta"])).offset(0).subquery("bent")
        scale = self.scale(*(bent.c[named[part]] for part in ("sin_beta", "cos_beta", "cos_away")))
        scaled = select(bent, scale.label(named["scale"])).offset(0).subquery("scaled")
        of = {part: scaled.c[named[part]] for part in parts}
        spot = func.ST_MakePoint(
            self.x(of["scale"], of["cos_beta"], of["sin_away"]),
            self.y(of["scale"], of["sin_beta"], of["cos_beta"], of["cos_away"]),
            type_=Geometry(),
        )
        return (
            select(spot.label(name), *(scaled.c[each].label(each) for each in kept)).offset(0).subquery(name)
        )


def authalic(shape: Number) -> Number:
    """`q` of the latitude of a point in degrees, as SQL (Snyder 3-12)."""
    sin = func.sin(func.ST_Y(shape) * number(math.pi / 180), type_=Float())
    logarithm = func.ln(
        (number(1.0) - number(ECCENTRICITY) * sin) / (number(1.0) + number(ECCENTRICITY) * sin),
        type_=Float(),
    )
    curved = sin / (number(1.0) - number(ECCENTRICITY2) * sin * sin)
    return number(1 - ECCENTRICITY2) * (curved - number(1 / (2 * ECCENTRICITY)) * logarithm)


def q_of(sin: float) -> float:
    """`q` of a latitude from its sine (Snyder 3-12)."""
    logarithm = math.log((1 - ECCENTRICITY * sin) / (1 + ECCENTRICITY * sin))
    return (1 - ECCENTRICITY2) * (sin / (1 - ECCENTRICITY2 * sin**2) - logarithm / (2 * ECCENTRICITY))


def number(value: float) -> Number:
    """A constant as double precision."""
    return literal(value, Float())
