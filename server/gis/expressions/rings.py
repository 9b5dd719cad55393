"""The direction of rings."""

from __future__ import annotations

import sqlalchemy as sa

from server.gis.expressions.identifiers import GEOMETRY, Expression


def counterclockwise(shape: Expression) -> Expression:
    """Polygons with their outer rings counterclockwise, and all else as it is.

    ST_ForcePolygonCCW turns polygons clockwise and then reverses the whole geometry, lines too: a one-way road would
    lead the other way."""
    turned = sa.func.ST_ForcePolygonCW(sa.func.ST_Reverse(shape, type_=GEOMETRY), type_=GEOMETRY)
    return sa.func.ST_Reverse(turned, type_=GEOMETRY)
