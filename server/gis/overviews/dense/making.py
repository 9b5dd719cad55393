"""Makes the bands of dense tiles, by what they are of."""

from __future__ import annotations

from server.gis.overviews.dense.points import make_bands_of_points
from server.gis.overviews.dense.shapes import make_band_of_shapes
from server.gis.overviews.placing import Placing
from server.gis.overviews.steps import Build, Steps
from server.gis.tiles.projection import Crs


async def make_dense_bands(build: Build, placed: tuple[Placing, Crs], steps: Steps, room: int) -> None:
    """Make the band of the next zoom level, or of points of all that remain, in a transaction, and note it in `steps`.
    They take at most `room` bytes together."""
    zooms = steps.remaining_dense
    if build.table.geometry_family == "point":
        made = await make_bands_of_points(build, placed, steps, room)
    else:
        zooms, room = zooms[:1], room // len(zooms)
        made = await make_band_of_shapes(build, placed, steps, room)
    found = {band.zoom: band.model_dump(mode="json") for band in made}
    steps.dense += [found.get(zoom, {"name": ""}) for zoom in zooms]
