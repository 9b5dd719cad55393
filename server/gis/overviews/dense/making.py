"""Makes the bands of dense tiles, by what they are of."""

from __future__ import annotations

from collections.abc import Mapping

import asyncpg

from agents.domain import Table
from server.gis.overviews.dense.points import make_bands_of_points
from server.gis.overviews.dense.shapes import make_band_of_shapes
from server.gis.overviews.placing import Placing
from server.gis.overviews.steps import Steps
from server.gis.profiles.versions import TableState
from server.gis.tiles.projection import Crs


async def make_dense_bands(
    session: asyncpg.Connection,
    table: Table,
    state: TableState,
    placed: tuple[Placing, Crs],
    steps: Steps,
    names: Mapping[int, str],
    room: int,
) -> None:
    """Make the band of the next zoom level, or of points of all that remain, in a transaction, and note it in `steps`.
    `names` of zoom levels are the tables of bands, which take at most `room` bytes together."""
    zooms = steps.remaining_dense
    if table.geometry_family == "point":
        made = await make_bands_of_points(session, table, state, placed, steps, names, room)
    else:
        zooms, room = zooms[:1], room // len(zooms)
        made = await make_band_of_shapes(session, table, state, placed, steps, names[zooms[0]], room)
    found = {band.zoom: band.model_dump(mode="json") for band in made}
    steps.dense += [found.get(zoom, {"name": ""}) for zoom in zooms]
