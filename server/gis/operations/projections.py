"""Local projections for what geography cannot do, chosen from the data's extent, with the error to expect.

Formulas: Snyder, "Map Projections: A Working Manual", USGS Professional Paper 1395 (1987), pages 182 (Lambert
azimuthal equal-area) and 191 (azimuthal equidistant). Both are true at their centre; `spread` is the largest
angular distance c from it, and the error there is 1 / cos(c / 2) - 1 for equal area in one direction, and
c / sin(c) - 1 for equidistant across the rays.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Text, cast, func, literal, select

from server.gis.errors import InvalidQuestion
from server.gis.operations.base import Geography, Geometry, Source, Workspace
from server.gis.operations.geodesy import geography, lonlat
from server.gis.statements import WGS84

EARTH_RADIUS = 6_371_008.8
"""Mean radius in metres (IUGG)."""
FARTHEST = 3_000_000.0
"""Metres from the centre; beyond, a local projection would lie too much."""


@dataclass(frozen=True)
class Projection:
    """A projection by its PROJ text, and a note with its name and error."""

    proj: str
    note: str

    def apply(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        """An EPSG:4326 geometry in this projection, in metres."""
        return func.ST_Transform(shape, literal(self.proj), type_=Geometry())

    def back(self, shape: ColumnElement[Any]) -> ColumnElement[Any]:
        """A geometry of this projection in EPSG:4326."""
        return func.ST_Transform(shape, literal(self.proj), WGS84, type_=Geometry())


async def local_equidistant(source: Source, workspace: Workspace) -> Projection:
    """Azimuthal equidistant around the data. Raises InvalidQuestion where the data span too much of the earth."""
    return await _local(source, workspace, "aeqd", "azimuthal equidistant", _equidistant_error)


async def local_equal_area(source: Source, workspace: Workspace) -> Projection:
    """Lambert azimuthal equal-area around the data; areas are exact, lengths err. Raises as above."""
    return await _local(source, workspace, "laea", "Lambert azimuthal equal-area", _equal_area_error)


async def _local(source: Source, workspace: Workspace, code: str, name: str, error: Any) -> Projection:
    shape = lonlat(source)
    centre = func.ST_Centroid(func.ST_Collect(func.ST_PointOnSurface(shape)), type_=Geometry())
    longitude, latitude = await workspace.row(
        select(func.ST_X(centre), func.ST_Y(centre)).select_from(source.rows)
    )
    if longitude is None:
        raise InvalidQuestion(f"{source.table.id} has no geometry in any row.")
    middle = cast(cast(literal(f"SRID={WGS84};POINT({longitude!r} {latitude!r})"), Text()), Geography())
    (farthest,) = await workspace.row(
        select(func.max(func.ST_Distance(middle, geography(func.ST_Envelope(shape))))).select_from(
            source.rows
        )
    )
    distance = float(farthest or 0.0)
    if distance > FARTHEST:
        raise InvalidQuestion(
            f"{source.table.id} reaches {distance / 1000:,.0f} km from its middle; one flat projection is true only up "
            f"to {FARTHEST / 1000:,.0f} km. Filter it to one country or continent first."
        )
    percent = 100 * error(distance / EARTH_RADIUS)
    return Projection(
        f"+proj={code} +lat_0={latitude!r} +lon_0={longitude!r} +datum=WGS84 +units=m +no_defs",
        f"Computed in a local {name} projection centred at {latitude:.4f}, {longitude:.4f}; "
        f"lengths err by at most about {percent:.2g} % at the edge of the data.",
    )


def _equidistant_error(angle: float) -> float:
    return angle / math.sin(angle) - 1 if angle else 0.0


def _equal_area_error(angle: float) -> float:
    return 1 / math.cos(angle / 2) - 1
