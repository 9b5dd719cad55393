"""What operations are measured on: a town of parcels, points and lines, the same in PostGIS and in GeoPandas.

Made with a fixed seed in UTM zone 32 (EPSG:25832, metres). GeoPandas gets it as it is, so that it may calculate in
the plane at once; PostGIS gets it in longitude and latitude (EPSG:4326), as most tables are, with keys and spatial
indexes. Parcels lie on a bent grid, about 30 m wide, edge to edge, a block each hundred."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator
from dataclasses import dataclass

import asyncpg
import numpy as np
import pandas as pd
import shapely
from geopandas import GeoDataFrame

SEED = 20_260
EAST, NORTH = 500_000.0, 5_400_000.0
ORIGIN = np.array([EAST, NORTH])
WIDTH = 30.0
PLANE = 25_832
CHUNK = 50_000
LANDUSE = np.array(["forest", "field", "meadow", "housing", "industry", "road", "water", "park"])


@dataclass(frozen=True)
class Town:
    """The frames by name: parcels, points, lines (n rows each), tenth (n/10 points), sites (n/100 points), zones and
    mask (n/1000 areas or more, the mask every second of them), stops (at most 1,000 points), ratings (no geometry)."""

    rows: int
    frames: dict[str, pd.DataFrame]

    def __getitem__(self, name: str) -> GeoDataFrame:
        return self.frames[name]


def town(rows: int) -> Town:
    """Some rows, the same for the same number."""
    dice = np.random.default_rng(SEED)
    side = math.isqrt(rows - 1) + 1
    extent = side * WIDTH
    points = _points(dice, rows, extent)
    zones = _zones(dice, max(16, rows // 1000), extent)
    frames: dict[str, pd.DataFrame] = {
        "parcels": _parcels(dice, rows, side),
        "points": points,
        "lines": _lines(dice, rows, extent),
        "tenth": points.iloc[: max(1, rows // 10)].reset_index(drop=True),
        "sites": _sites(dice, max(10, rows // 100), extent),
        "stops": _sites(dice, min(1000, rows), extent),
        "zones": zones,
        "mask": zones.iloc[::2].reset_index(drop=True),
        "ratings": pd.DataFrame({"parcel": dice.permutation(rows), "rating": dice.random(rows) * 10}),
    }
    return Town(rows, frames)


def _parcels(dice: np.random.Generator, rows: int, side: int) -> GeoDataFrame:
    """Cells of a grid whose corners were pushed about: neighbours share their edges."""
    corners = np.stack(np.meshgrid(np.arange(side + 1), np.arange(side + 1), indexing="xy"), axis=-1) * WIDTH
    corners = corners + dice.uniform(-0.3 * WIDTH, 0.3 * WIDTH, corners.shape) + ORIGIN
    rings = np.stack(
        [corners[:-1, :-1], corners[:-1, 1:], corners[1:, 1:], corners[1:, :-1], corners[:-1, :-1]], 2
    )
    flat = rings.reshape(-1, 5, 2)[:rows]
    numbers = np.arange(rows)
    column, row = numbers % side, numbers // side
    return GeoDataFrame(
        {
            "id": numbers,
            "owner": np.char.add("owner ", dice.integers(0, max(2, rows // 20), rows).astype(str)),
            "landuse": LANDUSE[dice.integers(0, len(LANDUSE), rows)],
            "value": np.round(dice.gamma(2.0, 200.0, rows), 2),
            "block": (row // 10) * (side // 10 + 1) + column // 10 + 1,
        },
        geometry=shapely.polygons(flat),
        crs=PLANE,
    )


def _points(dice: np.random.Generator, rows: int, extent: float) -> GeoDataFrame:
    where = dice.uniform(0, extent, (rows, 2)) + ORIGIN
    return GeoDataFrame(
        {
            "id": np.arange(rows),
            "kind": LANDUSE[dice.integers(0, len(LANDUSE), rows)],
            "value": np.round(dice.normal(100.0, 25.0, rows), 3),
            "track": dice.integers(0, max(1, rows // 100), rows),
        },
        geometry=shapely.points(where),
        crs=PLANE,
    )


def _lines(dice: np.random.Generator, rows: int, extent: float) -> GeoDataFrame:
    """Five corners each, some 200 m long."""
    starts = dice.uniform(0, extent, (rows, 1, 2)) + ORIGIN
    steps = dice.normal(0, 35.0, (rows, 4, 2))
    path = np.concatenate([starts, starts + np.cumsum(steps, axis=1)], axis=1)
    return GeoDataFrame(
        {"id": np.arange(rows), "value": np.round(dice.random(rows) * 100, 3)},
        geometry=shapely.linestrings(path),
        crs=PLANE,
    )


def _sites(dice: np.random.Generator, rows: int, extent: float) -> GeoDataFrame:
    where = dice.uniform(0, extent, (rows, 2)) + ORIGIN
    names = np.char.add("site ", np.arange(rows).astype(str))
    return GeoDataFrame({"id": np.arange(rows), "name": names}, geometry=shapely.points(where), crs=PLANE)


def _zones(dice: np.random.Generator, rows: int, extent: float) -> GeoDataFrame:
    """Squares side by side over the whole town, turned a little off the parcels' grid."""
    side = math.isqrt(rows - 1) + 1
    size = extent / side
    numbers = np.arange(side * side)
    west, south = EAST + (numbers % side) * size + 7.0, NORTH + (numbers // side) * size + 11.0
    boxes = shapely.box(west, south, west + size, south + size)
    return GeoDataFrame(
        {"id": numbers, "people": np.round(dice.gamma(3.0, 500.0, side * side), 1)}, geometry=boxes, crs=PLANE
    )


async def load(connection: asyncpg.Connection, place: Town) -> None:
    """Make the tables in the schema `data`, with keys, spatial indexes and statistics."""
    for name, frame in place.frames.items():
        await connection.execute(_table(name, frame))
        await connection.copy_to_table(
            name,
            schema_name="data",
            source=_csv(frame),
            format="csv",
            columns=[_named(each) for each in frame.columns],
        )
        if isinstance(frame, GeoDataFrame):
            if name in ("points", "tenth"):
                await connection.execute(
                    f"ALTER TABLE data.{name} ADD COLUMN lon float8, ADD COLUMN lat float8;"
                    f"UPDATE data.{name} SET lon = ST_X(geom), lat = ST_Y(geom)"
                )
                await connection.execute(f"VACUUM FULL data.{name}")
            await connection.execute(f"CREATE INDEX ON data.{name} USING gist (geom)")
        await connection.execute(f"VACUUM ANALYZE data.{name}")


def _table(name: str, frame: pd.DataFrame) -> str:
    kinds = {"i": "bigint", "f": "float8"}
    columns = []
    for column, kind in frame.dtypes.items():
        if column == "geometry":
            shape = frame.geom_type.iloc[0]
            columns.append(f"geom geometry({shape}, 4326)")
        else:
            key = " PRIMARY KEY" if column in ("id", "parcel") else ""
            columns.append(f"{column} {kinds.get(kind.kind, 'text')}{key}")
    return f"CREATE TABLE data.{name} ({', '.join(columns)})"


async def _csv(frame: pd.DataFrame) -> AsyncIterator[bytes]:
    for start in range(0, len(frame), CHUNK):
        part = frame.iloc[start : start + CHUNK]
        if isinstance(part, GeoDataFrame):
            shapes = shapely.set_srid(part.to_crs(4326).geometry.values, 4326)
            part = pd.DataFrame(part.drop(columns="geometry")).assign(
                geom=shapely.to_wkb(shapes, hex=True, include_srid=True)
            )
        yield part.to_csv(index=False, header=False).encode()


def _named(column: object) -> str:
    return "geom" if column == "geometry" else str(column)
