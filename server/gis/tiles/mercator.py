"""Writes the expression that brings a geometry to Web Mercator."""

from __future__ import annotations

from server.gis.tiles import fragments
from server.gis.tiles.grid import HALF_WORLD
from server.gis.tiles.projection import Crs


def to_mercator(g: str, crs: Crs, geography: bool) -> str:
    """A geometry in Web Mercator, cut where it crosses the antimeridian."""
    if crs.kind == "mercator":
        return g
    if crs.kind == "lonlat":
        return _from_lonlat(fragments.SHIFTED.format(g=g) if geography else g, crs.srid)
    unwrapped = _from_lonlat("ST_ShiftLongitude(l)", 4326)
    slit = fragments.SLIT.format(srid=crs.srid)
    return fragments.PROJECTED.format(g=g, half=HALF_WORLD, unwrapped=unwrapped, slit=slit)


def _from_lonlat(g: str, srid: int) -> str:
    return fragments.FROM_LONLAT.format(g=g, srid=srid)
