"""Helpers of these tests: make a table, draw it, and read the tile back with GDAL's own decoder."""

from __future__ import annotations

import gzip
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyogrio
import shapely

from agents.domain import Cql2, Layer, Legend, Style, StyleSpec, Table
from server.database.engines import Database
from server.database.quoting import quoted
from server.gis.catalog.registry import Registry
from server.gis.styles import compute_style
from server.gis.tiles.grid import Tile
from server.gis.tiles.low_zoom import LowZoom
from server.gis.tiles.service import TileLimits, TileService

SCHEMAS = ("data", "analysis", "public")
RUNNING = """SELECT count(*) FROM pg_stat_activity
    WHERE state = 'active' AND query LIKE '%WITH matched%slow%' AND pid <> pg_backend_pid()"""
"""How many tiles of `data.slow` are being drawn."""


@dataclass
class Layers:
    """All versions of all layers of a map, as the event log would know them."""

    known: dict[tuple[str, str, int], Layer] = field(default_factory=dict)

    async def layer(self, map_id: str, layer_id: str, version: int) -> Layer | None:
        return self.known.get((map_id, layer_id, version))

    async def current(self, map_id: str, layer_id: str) -> Layer | None:
        versions = [
            layer
            for (its_map, its_id, _), layer in self.known.items()
            if (its_map, its_id) == (map_id, layer_id)
        ]
        return max(versions, key=lambda layer: layer.version, default=None)


@dataclass
class Feature:
    id: int | None
    properties: dict[str, Any]
    shape: shapely.Geometry


class Atlas:
    """Tables of one database, drawn as tiles."""

    def __init__(
        self, database: Database, limits: TileLimits | None = None, low_zoom: LowZoom | None = None
    ) -> None:
        self.database = database
        self.registry = Registry(database.reader, SCHEMAS, None)
        self.layers = Layers()
        self.service = TileService(database.tile_pool, self.registry, self.layers, limits, low_zoom=low_zoom)

    async def execute(self, *statements: str) -> None:
        async with self.database.owner.begin() as connection:
            for statement in statements:
                await connection.exec_driver_sql(statement)

    async def table(self, name: str) -> Table:
        """As the registry knows it, once it has looked into the table."""
        await self.registry.refresh(patience=30)
        return self.registry.get(name)

    async def layer(
        self,
        name: str,
        spec: StyleSpec | None = None,
        filter: Cql2 | None = None,
        layer_id: str = "a",
        version: int = 1,
    ) -> Layer:
        """A layer as the map would keep it."""
        table = await self.table(name)
        counting = f"SELECT count(*) FROM {quoted(table.schema_name)}.{quoted(table.name)}"
        style, legend = await compute_style(self.database.reader, table, filter, spec or StyleSpec())
        layer = Layer(
            id=layer_id,
            table=table.id,
            name=table.name,
            geometry_type=table.geometry_family,
            filter=filter,
            style=style,
            legend=legend,
            version=version,
            count=await scalar(self.database, counting),
            tiles=f"/tiles/m/{layer_id}/{version}/{{z}}/{{x}}/{{y}}.mvt",
        )
        self.layers.known["m", layer_id, version] = layer
        return layer

    async def tile(
        self, z: int, x: int, y: int, layer_id: str = "a", version: int = 1
    ) -> dict[str, list[Feature]]:
        drawn = await self.service.tile("m", layer_id, version, Tile.at(z, x, y))
        return decoded(gzip.decompress(drawn.body)) if drawn.body else {}


def decoded(tile: bytes, clip: bool = True) -> dict[str, list[Feature]]:
    """The features of each layer of a tile, y downwards as in the tile. `clip` them to the tile, as browsers do."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "0.mvt"
        path.write_bytes(tile)
        names = [name for name, _ in pyogrio.list_layers(path)]
        return {name: list(_features(path, name, clip)) for name in names}


def _features(path: Path, name: str, clip: bool) -> Iterable[Feature]:
    meta, _, geometries, columns = pyogrio.raw.read(path, layer=name, CLIP="YES" if clip else "NO")
    rows = zip(*(column.tolist() for column in columns), strict=True) if columns else [()] * len(geometries)
    # All at once: one by one, shapes of thousands of features were half of the time of tests that wait for a tile.
    shapes = shapely.transform(shapely.from_wkb(geometries), lambda c: c * [1, -1] + [0, 4096])
    for shape, row in zip(shapes, rows, strict=True):
        values = dict(zip(meta["fields"], row, strict=True))
        number = values.pop("mvt_id", None)
        yield Feature(
            None if absent(number) else int(number), {k: v for k, v in values.items() if not absent(v)}, shape
        )


def absent(value: Any) -> bool:
    """Whether a feature lacks the property: numbers that are absent are read as NaN."""
    return value is None or (isinstance(value, float) and value != value)


def bare_layer(table: Table, **fields: Any) -> Layer:
    """A layer that draws nothing in particular."""
    return Layer(
        **{
            "id": "a",
            "table": table.id,
            "name": table.name,
            "geometry_type": table.geometry_family,
            "style": Style(),
            "legend": Legend(title=table.name),
            "count": 0,
            **fields,
        }
    )


async def scalar(database: Database, query: str) -> Any:
    async with database.owner.connect() as connection:
        return (await connection.exec_driver_sql(query)).scalar()


def counted(atlas: Atlas, result: str) -> float:
    return atlas.service.metrics.requests.labels(result)._value.get()


async def running(atlas: Atlas) -> int:
    return int(await scalar(atlas.database, RUNNING))


async def idle(atlas: Atlas) -> bool:
    return await running(atlas) == 0
