"""Tiles of layers: from memory, or drawn by PostGIS once for all concurrent requests.

A layer version never changes, and the tag in a tile's address changes with the data, so a tile is drawn once and kept
within a bounded number of bytes. At most as many tiles are drawn at once as the pool has connections; queue.py says
which is next, and a request that waits too long is refused with the time to try again.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, replace
from typing import Any, Protocol

import asyncpg
import structlog
from cachetools import LRUCache, TTLCache
from isal import igzip

from agents.domain import BINNED, Layer, Table
from agents.ports import TableRegistry
from server import fault_texts
from server.database.engines import is_unavailable
from server.database.sqlstates import sqlstate
from server.gis.errors import UNAVAILABLE, DataUnavailable, GisError, UnknownTable, by_sqlstate
from server.gis.overviews.caps import USUAL_CAPS, TileCaps
from server.gis.overviews.summaries import filter_text
from server.gis.profiles.proof import UNPROVEN, Proven
from server.gis.styles.attributes import as_number
from server.gis.tiles.bins.writer import BinStatements
from server.gis.tiles.extent import beyond_earth
from server.gis.tiles.flight import SingleFlight
from server.gis.tiles.grid import InvalidTile, Tile
from server.gis.tiles.low_zoom import LowZoom
from server.gis.tiles.metrics import TileMetrics
from server.gis.tiles.overruns import Overruns, TooComplex
from server.gis.tiles.projection import SearchBoxes, read_crs
from server.gis.tiles.queue import Drawn, TileQueue, TileRequest, TileTooSlow
from server.gis.tiles.statement import LayerStatements

log = structlog.get_logger(__name__)

COMPRESSION_LEVEL = 2
"""Level of ISA-L: a sixth of the time of zlib, for bodies that are 10 to 15 percent larger."""
MAX_COMPRESSED_INLINE_BYTES = 196_608
"""A body up to this size is compressed in under half a millisecond, in which the server does nothing else."""

Key = tuple[str, str, int, str, str]
"""Map, layer, version, the column of a person's time slider (empty: the style's own), and the tag of
the data."""
DataTag = Callable[[Table, str], Awaitable[str]]
"""The tag of what tiles of a table are drawn from now; empty where changes of its rows cannot be detected. The second
value is the tag that was asked for, which another server may know already."""


Prove = Callable[[Table], Awaitable[Proven | None]]
"""What is proven about the rows of a table; None without a proof."""
STATEMENT_KEPT_S = 10.0
"""Seconds for which a statement is used before what is known about its table is read again."""


class LayerLookup(Protocol):
    """Finds layers, in the version that a tile's address names or as they are now."""

    async def layer(self, map_id: str, layer_id: str, version: int) -> Layer | None:
        """The layer as it was announced with this version; None if it never was."""

    async def current(self, map_id: str, layer_id: str) -> Layer | None:
        """The layer as it is now; None where the map has no layer of this id. Raises a fault with the code
        `unknown_map` where there is no such map."""


class UnknownLayer(GisError):
    """The map has no such layer in this version."""

    code = "unknown_layer"


@dataclass(frozen=True)
class TileLimits:
    """Bounds of the tile service: memory in bytes, time in seconds, and features in a tile."""

    cache_bytes: int = 128 * 1024 * 1024
    seconds: float = 12.0
    """Time for drawing, and half of it for waiting for a place before; the statement has its own, shorter limit
    in the pool."""
    concurrency: int | None = None
    """Tiles drawn at once; as many as the pool has connections unless given."""
    caps: TileCaps = USUAL_CAPS


@dataclass(frozen=True)
class DrawnTile:
    """`body` is gzip; empty when nothing is there. `total` features lie in the tile, of which `shown` are drawn."""

    body: bytes
    etag: str
    shown: int
    total: int
    is_final: bool = True
    """False for a note in place of a tile, which must not be cached."""
    again_s: int = 0
    """As in `LayerStatements`."""
    table: str = ""
    """The id of the table that it was drawn from."""
    is_estimate: bool = False
    """As in `LayerStatements`."""

    @property
    def size(self) -> int:
        """Bytes in the cache, with an estimate for the object."""
        return len(self.body) + 200


class TileService:
    """Vector tiles of layers: from memory, from a request under way, or from PostGIS."""

    def __init__(
        self,
        pool: asyncpg.Pool,
        tables: TableRegistry,
        layers: LayerLookup,
        limits: TileLimits | None = None,
        data_tag: DataTag | None = None,
        low_zoom: LowZoom | None = None,
        prove: Prove | None = None,
    ) -> None:
        """Without `data_tag`, tables never change; without `low_zoom`, all tiles are drawn from the tables; without
        `prove`, each row is checked before it is drawn."""
        self._pool, self._tables, self._layers = pool, tables, layers
        self._data_tag, self._low_zoom, self._prove = data_tag, low_zoom, prove
        self._limits = limits or TileLimits()
        self._cache: LRUCache[tuple[Key, Tile], DrawnTile] = LRUCache(
            self._limits.cache_bytes, getsizeof=lambda tile: tile.size
        )
        self._flights: SingleFlight[DrawnTile] = SingleFlight()
        self._statements: TTLCache[Key, LayerStatements] = TTLCache(512, STATEMENT_KEPT_S)
        self._written_before: LRUCache[str, LayerStatements] = LRUCache(512)
        """By all that the SQL of a layer depends on, which is the same in most versions of it."""
        self._beyond: LRUCache[tuple[str, str], bool] = LRUCache(4096)
        """By table and tag of its data, whether coordinates may leave the earth."""
        self._boxes = SearchBoxes()
        self.metrics = TileMetrics()
        self._hits = self.metrics.requests.labels("hit")
        self.queue = TileQueue(self._limits.concurrency or pool.get_max_size())
        self._overruns = Overruns(pool, self.queue)

    async def tile(
        self, map_id: str, layer_id: str, version: int, tile: Tile, time_column: str = "", tag: str = ""
    ) -> DrawnTile:
        """The tile. `tag` is that of the address; if it is not the current one, the tile shows the current data
        and must not be cached. Raises UnknownLayer, InvalidTile, TileTooSlow, or a GisError of the table."""
        found = self.in_memory(map_id, layer_id, version, tile, time_column, tag)
        if found is not None:
            return found
        key = (map_id, layer_id, version, time_column, tag)
        if self._data_tag is not None:
            table, _ = await self._drawn_of(key)
            current = await self._data_tag(table, tag)
            if not current or current != tag:
                return replace(await self._found((*key[:4], current), tile), is_final=False)
        return await self._found(key, tile)

    async def _found(self, key: Key, tile: Tile) -> DrawnTile:
        """The tile from memory, or drawn for all requests that wait for it."""
        found = self._cache.get((key, tile))
        if found is not None:
            return found
        joined = self._flights.under_way((key, tile))
        self.metrics.requests.labels("joined" if joined else "miss").inc()
        try:
            found = await self._flights.join((key, tile), lambda: self._draw(key, tile))
        except Exception:
            self.metrics.requests.labels("error").inc()
            raise
        self.metrics.bytes.inc(len(found.body))
        return found

    def in_memory(
        self, map_id: str, layer_id: str, version: int, tile: Tile, time_column: str = "", tag: str = ""
    ) -> DrawnTile | None:
        """The tile if it was drawn before and is still kept."""
        found = self._cache.get(((map_id, layer_id, version, time_column, tag), tile))
        if found is not None:
            self._hits.inc()
            self.metrics.bytes.inc(len(found.body))
        return found

    async def current(self, map_id: str, layer_id: str) -> Layer:
        """The layer as it is now. Raises UnknownLayer."""
        layer = await self._layers.current(map_id, layer_id)
        if layer is None:
            raise UnknownLayer(fault_texts.NO_LAYER(layer=repr(layer_id)))
        return layer

    def forget(self, tables: Collection[str]) -> None:
        """Drop the tiles of tables that no longer exist."""
        for key in [key for key, tile in self._cache.items() if tile.table in tables] if tables else ():
            del self._cache[key]

    @property
    def cached_bytes(self) -> int:
        """Size of all tiles in memory."""
        return int(self._cache.currsize)

    async def close(self) -> None:
        """End all drawing."""
        await self._flights.close()
        await self._overruns.close()

    async def _draw(self, key: Key, tile: Tile) -> DrawnTile:
        table, drawn = await self._drawn_of(key)
        if self._overruns.is_too_complex(table, drawn, tile.z):
            return self._too_complex()
        try:
            request = await self.queue.enter(key[0], table.id, tile.z, self._limits.seconds / 2, drawn[1])
            made = await self._draw_admitted(request, table, key, tile)
        except TooComplex:
            return self._too_complex()
        except asyncio.CancelledError:
            self.metrics.abandoned.inc()
            raise
        made = replace(made, table=table.id)
        is_stable = made.is_final and (self._data_tag is None or bool(key[4]))
        if is_stable and made.size <= self._limits.cache_bytes:
            self._cache[key, tile] = made
            self.metrics.cached_bytes.set(self._cache.currsize)
        return made

    async def _draw_admitted(self, request: TileRequest, table: Table, key: Key, tile: Tile) -> DrawnTile:
        """Draw, then return connection and place; if PostgreSQL continues to draw the tile, only after it has
        stopped."""
        connection: asyncpg.Connection | None = None
        is_drawn = False
        try:
            async with asyncio.timeout(self._limits.seconds):
                connection = await self._pool.acquire()
                drawn = await self._drawn_by(connection, key, tile)
            is_drawn = True
            return drawn
        except (TimeoutError, asyncpg.QueryCanceledError) as error:
            raise TileTooSlow(
                f"Tile {tile.z}/{tile.x}/{tile.y} of {key[1]!r} could not be drawn in time."
            ) from error
        except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
            raise _fault(error, key[1], tile) from error
        finally:
            if connection is not None and not is_drawn:
                self._overruns.give_back(connection, request, table)
            else:
                try:
                    if connection is not None:
                        await self._pool.release(connection)
                finally:
                    self.queue.leave(request)

    def _too_complex(self) -> DrawnTile:
        return DrawnTile(self._overruns.note, _etag(self._overruns.note), 0, 0, is_final=False)

    async def _drawn_of(self, key: Key) -> tuple[Table, Drawn]:
        statements = self._statements.get(key)
        if statements is not None:
            return statements.table, statements.drawn
        layer, table = await self._layer_and_table(key)
        return table, (table.id, filter_text(layer.filter))

    async def _layer_and_table(self, key: Key) -> tuple[Layer, Table]:
        map_id, layer_id, version, *_ = key
        layer = await self._layers.layer(map_id, layer_id, version)
        if layer is None:
            raise UnknownLayer(fault_texts.NO_LAYER_VERSION(layer=repr(layer_id), version=str(version)))
        return layer, self._tables.get(layer.table)

    async def _drawn_by(self, connection: asyncpg.Connection, key: Key, tile: Tile) -> DrawnTile:
        try:
            row, statements = await self._row(connection, key, tile)
        except (asyncpg.UndefinedColumnError, asyncpg.UndefinedTableError, asyncpg.UndefinedFunctionError):
            # The table was changed since the statement was written; the registry knows the new one.
            self._statements.pop(key, None)
            row, statements = await self._row(connection, key, tile)
        except (asyncpg.InternalServerError, asyncpg.InsufficientPrivilegeError):
            # Rows were added outside of the extent that the spatial index had when the statement was written, or the
            # reader may no longer see which transaction wrote a row.
            self._statements[key] = await self._written(connection, key, careful=True)
            row, statements = await self._row(connection, key, tile)
        if row is None or not row["tile"]:
            return DrawnTile(b"", _etag(b""), 0, 0)
        body: bytes = row["tile"]
        inline = len(body) <= MAX_COMPRESSED_INLINE_BYTES
        packed = _packed(body) if inline else await asyncio.to_thread(_packed, body)
        return DrawnTile(
            packed, _etag(packed), row["shown"], row["total"], not statements.is_passing, statements.again_s,
            is_estimate=statements.is_estimate,
        )  # fmt: skip

    async def _row(self, connection: asyncpg.Connection, key: Key, tile: Tile) -> tuple[Any, LayerStatements]:
        """The row with the tile, and the statements that it is from; no row where the reference system does not
        reach."""
        statements = self._statements.get(key)
        if statements is None:
            statements = self._statements[key] = await self._written(connection, key)
        box = await self._boxes.of(connection, statements.crs, tile)
        if box is None:
            return None, statements
        started = time.perf_counter()
        low = await self._low_zoom.statements(connection, statements, tile, box) if self._low_zoom else None
        if low is not None:
            statements = low
            box = await self._boxes.of(connection, low.crs, tile)
            if box is None:
                return None, low
        affine = self._boxes.affine(statements.crs, tile)
        while True:
            statement = statements.at(tile.z, mapped=affine is not None)
            arguments = statement.arguments(statements.crs, tile, box, affine)
            await connection.plan_once(statement.is_planned_once)
            row = await connection.fetchrow(statement.text, *arguments)
            if row is None or low is not None:
                break
            if not statements.must_be_ranked(tile.z, row["shown"], row["total"]):
                break
        self.metrics.seconds.observe(time.perf_counter() - started)
        return row, statements

    async def _written(
        self, connection: asyncpg.Connection, key: Key, careful: bool = False
    ) -> LayerStatements:
        layer, table = await self._layer_and_table(key)
        time_column = key[3]
        if time_column:
            layer = timed(layer, table, time_column)
        crs = await read_crs(connection, table.srid, table.id)
        found = None if careful or self._prove is None else await self._prove(table)
        proof = found or UNPROVEN
        wide = crs.kind == "lonlat" and (
            careful or (not proof.is_on_earth and await self._is_beyond_earth(connection, table, key[4]))
        )
        drawn = f"{layer.count} {filter_text(layer.filter)} {layer.style.model_dump_json()}"
        same = f"{table.id} {wide} {proof} {drawn}"
        before = self._written_before.get(same)
        if before is not None and before.table == table and before.crs == crs:
            return before
        statements = BinStatements if layer.style.kind in BINNED else LayerStatements
        made = statements(table, layer, crs, self._limits.caps, wide, proof)
        self._written_before[same] = made
        return made

    async def _is_beyond_earth(self, connection: asyncpg.Connection, table: Table, tag: str) -> bool:
        """Found out once for each version of the data; each time where changes cannot be detected."""
        found = self._beyond.get((table.id, tag)) if tag else None
        if found is None:
            found = await beyond_earth(connection, table)
            if tag:
                self._beyond[table.id, tag] = found
        return found


def timed(layer: Layer, table: Table, time_column: str) -> Layer:
    """The layer with the values of that column in its tiles, for a time slider."""
    column = table.column(time_column)
    if column is None or as_number(table, column) is None:
        raise InvalidTile(f"{time_column[:80]!r} is not a column of dates, times or numbers.")
    return layer.model_copy(update={"style": layer.style.model_copy(update={"time": column.name})})


def _packed(body: bytes) -> bytes:
    compressed: bytes = igzip.compress(body, COMPRESSION_LEVEL, mtime=0)
    return compressed


def _etag(body: bytes) -> str:
    return hashlib.blake2b(body, digest_size=12).hexdigest()


def _fault(error: Exception, layer_id: str, tile: Tile) -> GisError:
    if is_unavailable(error):
        return DataUnavailable(UNAVAILABLE)
    if isinstance(error, asyncpg.UndefinedTableError | asyncpg.InsufficientPrivilegeError):
        return UnknownTable(f"The table of layer {layer_id!r} does not exist any more or may not be read.")
    if isinstance(error, asyncpg.UndefinedColumnError):
        return UnknownTable(f"The table of layer {layer_id!r} has lost a column that the layer needs.")
    if fault := by_sqlstate(sqlstate(error), f"layer {layer_id!r}", str(error)):
        return fault
    log.error(
        "a tile could not be drawn", layer=layer_id, tile=(tile.z, tile.x, tile.y), error=str(error)[:500]
    )
    return GisError(f"Tile {tile.z}/{tile.x}/{tile.y} of layer {layer_id!r} could not be drawn.")
