"""Writes how shapes near a tile are drawn in its own units by a linear mapping (affine.py): what leaves the tile's
margin is clipped, what rounding made invalid is mended, and nothing is projected.

Shapes that reach farther are drawn as the writer of the statement draws them without a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from server.gis.tiles import fragments
from server.gis.tiles.grid import BUFFER, EXTENT, PIXELS

TOLERANCE = 0.5
"""In units: what ST_AsMVTGeom leaves out of shapes, too."""
FEW_VERTICES = 24
"""Shapes with no more are not worth looking for vertices to leave out."""
PIXEL = EXTENT // PIXELS
POINT = 0


def in_units(
    dimension: int, simple: bool, srid: int, stored: str, common: Mapping[str, Any], drawn: str
) -> tuple[str, str]:
    """What is drawn of a row, and what FROM names. `drawn` is how it is drawn without the mapping, `stored` the
    geometry in coordinates of the data, already simplified where `simple`."""
    names = {**common, "srid": srid, "drawn": drawn}
    names["near"] = fragments.NEAR.format(**names)
    names["clip"] = f"ST_MakeEnvelope({-BUFFER}, {-BUFFER}, {EXTENT + BUFFER}, {EXTENT + BUFFER}, {srid})"
    names["units"] = fragments.AFFINE.format(stored=stored, affine=common["affine"])
    if dimension == POINT:
        return fragments.UNITS_POINT.format(**names), fragments.UNITS_POINT_STEPS.format(**names)
    names["simplified"] = (fragments.UNITS if simple else fragments.SIMPLE_UNITS).format(
        tolerance_u=TOLERANCE, few=FEW_VERTICES, **common
    )
    names["snapped"] = fragments.SNAPPED_OF[dimension].format(**names)
    names["is_whole"] = fragments.IS_WHOLE_OF[dimension].format(**names)
    names["units_pixel"] = fragments.UNITS_PIXEL_OF[dimension].format(half=PIXEL // 2, **common)
    for name, function in (("units_tiny", "greatest"), ("units_slim", "least")):
        names[name] = fragments.UNITS_NARROWER.format(function=function, unit_pixel=PIXEL, **common)
    return fragments.UNITS_SHAPE.format(**names), fragments.UNITS_STEPS.format(**names)
