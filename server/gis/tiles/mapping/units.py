"""Writes how shapes near a tile are drawn in its own units by a linear mapping (affine.py): they are not clipped, what
rounding made invalid is mended, and nothing is projected.

Shapes that reach farther are drawn as the writer of the statement draws them without a mapping.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.gis.tiles import fragments
from server.gis.tiles.grid import BUFFER, EXTENT, PIXELS
from server.gis.tiles.projection import LONLAT, Crs

TOLERANCE = 0.5
"""Tolerance of simplification in units of a tile, the same as that of ST_AsMVTGeom."""
FEW_VERTICES = 24
"""Shapes with no more are not worth looking for vertices to leave out."""
PIXEL = EXTENT // PIXELS
POINT, LINE = 0, 1


@dataclass(frozen=True)
class Shapes:
    """What all shapes of a table have in common. `dimension` is 0 for points; `is_simple` where their vertices are
    thinned in coordinates of the data; `doubtful` is SQL that tells whether the shape of a matched row may be invalid,
    empty if none is."""

    dimension: int
    crs: Crs
    is_simple: bool
    doubtful: str

    @property
    def is_parallel(self) -> bool:
        """Whether rows and columns of tiles are parallel to the axes of the coordinate system."""
        return self.crs.kind == "mercator" or self.crs.srid == LONLAT


def in_units(shapes: Shapes, stored: str, common: Mapping[str, Any], drawn: str) -> tuple[str, str]:
    """What is drawn of a row, and what FROM names. `drawn` is how it is drawn without the mapping, `stored` the
    geometry in coordinates of the data, already simplified where the shapes are simple."""
    srid = shapes.crs.srid
    names = {**common, "srid": srid, "drawn": drawn}
    names["near"] = fragments.NEAR.format(**names)
    names["clip"] = f"ST_MakeEnvelope({-BUFFER}, {-BUFFER}, {EXTENT + BUFFER}, {EXTENT + BUFFER}, {srid})"
    names["units"] = fragments.AFFINE.format(stored=stored, affine=common["affine"])
    if shapes.dimension == POINT:
        return fragments.UNITS_POINT.format(**names), fragments.UNITS_POINT_STEPS.format(**names)
    if shapes.dimension == LINE and shapes.is_parallel:
        return _line(shapes.is_simple, stored, names)
    names["units_pixel"] = fragments.UNITS_PIXEL_OF[shapes.dimension].format(half=PIXEL // 2, **common)
    for name, function in (("units_tiny", "greatest"), ("units_slim", "least")):
        names[name] = fragments.UNITS_NARROWER.format(function=function, unit_pixel=PIXEL, **common)
    names["simplified"] = (fragments.UNITS if shapes.is_simple else fragments.SIMPLE_UNITS).format(
        tolerance_u=TOLERANCE, few=FEW_VERTICES, **common
    )
    names["snapped"] = fragments.SNAPPED.format(**names)
    names["turned"] = fragments.TURNED_OF[shapes.dimension].format(**names)
    # What rounding makes invalid of a valid shape is smaller than a unit, and so invisible.
    tests_any = shapes.doubtful and shapes.dimension != LINE
    is_whole = fragments.IS_WHOLE_AND_VALID if tests_any else fragments.IS_WHOLE
    is_valid = fragments.IS_VALID.format(**common)
    names["is_whole"] = is_whole.format(is_tested=shapes.doubtful, is_valid=is_valid, **common)
    return fragments.UNITS_SHAPE.format(**names), fragments.UNITS_STEPS.format(**names)


def _line(is_simple: bool, stored: str, names: dict[str, Any]) -> tuple[str, str]:
    names["across"], _, _, names["down"], names["x_offset"], names["y_offset"] = names["affine"].split(", ")
    names |= {"few": FEW_VERTICES, "stored": stored, "half": PIXEL // 2, "unit_pixel": PIXEL}
    names["line"] = fragments.LONG_LINE.format(**names) if is_simple else stored
    names["data_box"] = fragments.DATA_BOX.format(**names)
    names["line_slim"] = fragments.LINE_SLIM.format(**names)
    names["line_pixel"] = fragments.LINE_PIXEL.format(**names)
    return fragments.LINE.format(**names), fragments.LINE_STEPS.format(**names)
