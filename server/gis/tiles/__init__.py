"""Vector tiles straight from PostGIS."""

from server.gis.tiles.grid import InvalidTile, Tile
from server.gis.tiles.queue import TileBusy
from server.gis.tiles.service import (
    DrawnTile,
    LayerLookup,
    TableLookup,
    TileLimits,
    TileService,
    TileTooSlow,
    UnknownLayer,
)

__all__ = [
    "DrawnTile",
    "InvalidTile",
    "LayerLookup",
    "TableLookup",
    "Tile",
    "TileBusy",
    "TileLimits",
    "TileService",
    "TileTooSlow",
    "UnknownLayer",
]
