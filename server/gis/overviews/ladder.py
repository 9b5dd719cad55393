"""The overviews of a table as they are kept: one band of representatives for each zoom level."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from cachetools import TTLCache
from pydantic import BaseModel, ConfigDict
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, Table
from server.database.engines import single_reads
from server.gis.overviews.summaries import Need, Summary
from server.gis.profiles.versions import MAX_AGE_S, MAX_TABLES, TableState

SCHEMA = "geoagent_overviews"
WEIGHT = "@weight"
"""The column, and the attribute of tiles, with the number of rows that each stored feature represents."""
ZOOMS = tuple(range(11))
CELLS = 128
"""Cells in a row of a tile, each four pixels wide, before cells are made coarser to save disk space."""
NEEDED_S = 86_400.0
"""Time for which needs are remembered."""
MIN_CELLS = 32
"""Least number of cells in a row of a tile that is drawn from a band: in wider cells, rows would be drawn too far
from their place."""


class Band(BaseModel):
    """Representatives for the zoom level `zoom`."""

    model_config = ConfigDict(frozen=True)

    zoom: int
    name: str
    """The table's, in SCHEMA."""
    rows: int
    cells: int = 0
    """Cells along the world's edge; 0 where they follow from the zoom level, as in earlier versions of the program."""


class DenseBand(Band):
    """Representatives of the rows that reach into `tiles`, the fullest of the zoom level, each given by its column and
    row. Other tiles of this zoom level are drawn from the table."""

    tiles: frozenset[tuple[int, int]]
    weight: int = 0
    """Number of rows that they represented when they were made; 0 if an earlier version of the program made them."""
    summed: bool = False
    """Whether squares and hexagons can be computed from the band: it is of points, representatives have the ladder's
    summaries, and no cell lies in two tiles."""
    has_margin: bool = True
    """Whether rows just outside of the tiles are represented, too: always for lines and areas; for points only if an
    earlier version of the program made the band."""


class Ladder(BaseModel):
    """The overviews of a table. `rows` is the number of rows that the bands represent, and the sum of the weights in
    each; `unplaced` rows have no place on the map."""

    model_config = ConfigDict(frozen=True)

    below: int
    """Tiles of this zoom level and of those above it hold few enough rows to be drawn from the table."""
    cells: int = 0
    """Cells along the world's edge, in the finest band; 0 if an earlier version of the program made the ladder."""
    rows: int = 0
    unplaced: int = 0
    bands: tuple[Band, ...] = ()
    dense: tuple[DenseBand, ...] | None = None
    """For zoom levels from `drawn_below` on. None if a version of the program without them made the ladder."""
    columns: tuple[str, ...] = ()
    summaries: tuple[Summary, ...] | None = None
    """What each representative keeps about all rows that it represents (`summaries.summary_columns`). None if a version
    of the program without summaries made the ladder; its representatives do not name their cell either."""
    bytes: int = 0
    mark: str = ""
    """Identifies the columns and the file of a table whose changed cells are recorded (`changed_cells`), so that the
    bands can be renewed in parts; else empty."""
    is_valid: bool = False
    """Whether ST_IsValid is true for all shapes. False if an earlier version of the program made the ladder."""

    @property
    def drawn_below(self) -> int:
        """Tiles of zoom levels below this one are drawn from bands, whose cells are fine enough for them."""
        return drawn_below(self.below, self.cells)

    @property
    def tables(self) -> tuple[Band, ...]:
        """All bands, each a table in SCHEMA."""
        return (*self.bands, *(self.dense or ()))

    def is_dense(self, zoom: int, x: int, y: int) -> bool:
        """Whether a tile is drawn from a band of dense tiles."""
        return any(band.zoom == zoom and (x, y) in band.tiles for band in self.dense or ())

    def is_dense_near(self, zoom: int, x: int, y: int, margin: int) -> bool:
        """Whether a tile, or another up to `margin` tiles away, is drawn from a band of dense tiles."""
        near = range(-margin, margin + 1)
        return any(self.is_dense(zoom, x + across, y + down) for across in near for down in near)

    def sums_dense(self, zoom: int) -> bool:
        """Whether squares and hexagons in dense tiles of a zoom level are computed from their band."""
        return any(band.zoom == zoom and band.summed for band in self.dense or ())

    def band(self, zoom: int) -> Band:
        """The band for a zoom level: of its dense tiles, else the coarsest one that is fine enough, else the finest."""
        dense = (band for band in self.dense or () if band.zoom == zoom)
        return next(dense, None) or next((band for band in self.bands if band.zoom >= zoom), self.bands[-1])

    def mean_weight(self, zoom: int) -> float:
        """Average number of rows that a representative in the band for a zoom level represents."""
        band = self.band(zoom)
        rows = band.weight if isinstance(band, DenseBand) else self.rows
        return max(1.0, rows / max(1, band.rows))

    def cells_of(self, zoom: int) -> int:
        """Cells along the world's edge in the band for a zoom level."""
        band = self.band(zoom)
        if band.cells:
            return band.cells
        return self.cells if band == self.bands[-1] and self.cells else CELLS << band.zoom

    def table(self, table: Table, zoom: int) -> Table:
        """The band for a zoom level as a table in Web Mercator, with the columns of the one it replaces."""
        band, family = self.band(zoom), {"point": "Point"}.get(table.geometry_family, "Geometry")
        columns = [
            _in_mercator(column, family) if column.name == table.geometry_column else column
            for column in table.columns
            if column.name in self.columns or column.name == table.geometry_column
        ]
        columns.append(Column(name=WEIGHT, kind="integer", sql_type="bigint"))
        update = {
            "schema_name": SCHEMA,
            "name": band.name,
            "columns": tuple(columns),
            "srid": 3857,
            "kind": "table",
            "lake": None,
        }
        return table.model_copy(update=update)


def _in_mercator(column: Column, family: str) -> Column:
    return column.model_copy(update={"sql_type": f"geometry({family},3857)"})


def drawn_below(below: int, cells: int) -> int:
    """The first zoom level whose tiles are drawn from the table. `cells` are those of the finest band along the world's
    edge; 0 if unknown."""
    return min(below, (cells // MIN_CELLS).bit_length()) if cells else below


class FilteredLadder(BaseModel):
    """Overviews of the rows that pass a filter."""

    model_config = ConfigDict(frozen=True)

    ladder: Ladder
    data_version: str
    built_at: float
    """Seconds since 1970."""
    seconds: float


@dataclass(frozen=True)
class OverviewRow:
    """The stored state of a table's overviews. Without a ladder there are none, because of `error` or because tiles
    of the table are small enough."""

    build: int
    data_version: str | None
    ladder: Ladder | None
    built_at: float | None
    """Seconds since 1970."""
    next_version: str | None
    next_steps: Mapping[str, Any] | None
    error: str | None
    seconds: float
    age_s: float
    filtered: Mapping[str, FilteredLadder]
    """By the filter."""
    needed: Mapping[str, float]
    """When needs were last reported, in seconds since 1970, as `read_at` is."""
    read_at: float

    def idle_s(self, need: Need) -> float:
        """Seconds since a map last needed it."""
        return self.read_at - self.needed.get(need.model_dump_json(), 0.0)


_READ = sa.text(
    "SELECT build, data_version, document, extract(epoch FROM built_at) AS built_at, next_version, next_steps, error,"
    " seconds, extract(epoch FROM now() - tried_at) AS age_s, filtered, needed, extract(epoch FROM now()) AS read_at"
    " FROM geoagent.overview"
    " WHERE relid = CAST(CAST(:relid AS bigint) AS oid)"
)
_NEEDED = sa.text(
    "UPDATE geoagent.overview SET needed = (SELECT coalesce(jsonb_object_agg(key, value), '{}') FROM jsonb_each(needed)"
    " WHERE CAST(value AS float8) > extract(epoch FROM now()) - :kept_s)"
    " || (SELECT jsonb_object_agg(need, extract(epoch FROM now())) FROM unnest(CAST(:needs AS text[])) AS need)"
    " WHERE relid = CAST(CAST(:relid AS bigint) AS oid)"
)
_DROPPED = sa.text(
    "SELECT CAST(relid AS bigint) FROM geoagent.overview AS o"
    " WHERE NOT EXISTS (SELECT FROM pg_class WHERE oid = o.relid)"
)


class OverviewStore:
    """Reads and writes which overviews of which tables exist (`geoagent.overview`)."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._rows: TTLCache[int, OverviewRow | None] = TTLCache(MAX_TABLES, MAX_AGE_S)

    async def row(self, relid: int, fresh: bool = False) -> OverviewRow | None:
        """The state of a table's overviews by its oid, at most `MAX_AGE_S` old or, with `fresh`, read now."""
        if not fresh:
            with suppress(KeyError):
                return self._rows[relid]
        async with self._engine.connect() as connection:
            row = (await connection.execute(_READ, {"relid": relid})).one_or_none()
        found = None
        if row is not None:
            ladder = None if row.document is None else Ladder.model_validate(_json(row.document))
            found = OverviewRow(
                row.build,
                row.data_version,
                ladder,
                None if row.built_at is None else float(row.built_at),
                row.next_version,
                _json(row.next_steps),
                row.error,
                row.seconds,
                float(row.age_s),
                {name: FilteredLadder.model_validate(each) for name, each in _json(row.filtered).items()},
                _json(row.needed),
                float(row.read_at),
            )
        self._rows[relid] = found
        return found

    async def report(self, relid: int, needs: Collection[Need]) -> None:
        """Record that open maps need these now."""
        values = {"relid": relid, "needs": [need.model_dump_json() for need in needs], "kept_s": NEEDED_S}
        async with self._engine.begin() as connection:
            await connection.execute(_NEEDED, values)

    async def dropped(self) -> list[int]:
        """The oids of dropped tables that still have overviews."""
        async with single_reads(self._engine) as connection:
            return [row[0] for row in await connection.execute(_DROPPED)]

    async def ladder(
        self, state: TableState, filter: str | None = None
    ) -> tuple[Ladder, float | None] | None:
        """The ladder in use, of all rows or of those that pass a filter, and the time it was built, in seconds since
        1970, or None if it has the present data. Never older than the build that `state` names: the address of a tile
        names it too, so a tile from a sample under that address would stay on the map."""
        row = await self.row(state.relid) if state.relid else None
        if state.overviews > (row.build if row is not None and row.ladder is not None else 0):
            row = await self.row(state.relid, fresh=True)
        if row is None or row.ladder is None:
            return None
        if filter is None:
            return row.ladder, None if row.data_version == state.version else row.built_at
        own = row.filtered.get(filter)
        if own is None:
            return None
        return own.ladder, None if own.data_version == state.version else own.built_at


def _json(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
