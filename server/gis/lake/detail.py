"""All rows of a dataset that lie in a small box, read from the row groups that meet it, for tiles close up.

Bounded in what is read, in rows of the answer and in time; where a bound is met there is no answer, and the sample has
to do. Where rows lie is kept in a bounded memory, so that neighbouring tiles need not read it again.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import shapely
import structlog
from cachetools import LRUCache
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.gis.lake import store
from server.gis.lake.dataset import Dataset, GeometryFacts, LakeFile
from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.paths import LakePaths
from server.gis.lake.places import SIDES, Places, read_places
from server.gis.lake.ranges import Box
from server.gis.lake.rows import read_rows

log = structlog.get_logger(__name__)

READERS = 2
"""Boxes that are read at once."""
MEMORY_BYTES = 128 * 1024**2
DATASETS = 64


@dataclass(frozen=True)
class DetailLimits:
    """What reading a box may take."""

    scanned_rows: int = 3_000_000
    scanned_bytes: int = 96 * 1024**2
    """Of geometries or covering columns, compressed."""
    rows: int = 30_000
    seconds: float = 4.0


@dataclass(frozen=True)
class DetailRows:
    """`table` has all columns of the dataset under their names in PostGIS, geometries as WKB; None where there are too
    many rows. `is_final` is False where another time may give another answer."""

    table: pa.Table | None
    is_final: bool = True


NOT_READ = DetailRows(None)
NOT_NOW = DetailRows(None, is_final=False)


@dataclass(frozen=True)
class _Group:
    file: LakeFile
    number: int
    rows: int
    bytes: int
    box: Box | None
    metadata: pq.FileMetaData


@dataclass(frozen=True)
class _Known:
    dataset: Dataset
    groups: Sequence[_Group]
    boxes: np.ndarray
    """Of the groups, NaN where they are not known."""


class LakeDetail:
    """Reads boxes of lake tables. Safe for concurrent use."""

    def __init__(self, owner: AsyncEngine, paths: LakePaths, limits: DetailLimits | None = None) -> None:
        self._owner, self._paths = owner, paths
        self._limits = limits or DetailLimits()
        self._known: LRUCache[str, _Known | None] = LRUCache(DATASETS)
        self._places: LRUCache[tuple[str, str, int], Places] = LRUCache(
            MEMORY_BYTES, getsizeof=lambda each: each.bytes
        )
        self._lock = threading.Lock()
        self._places_to_read = asyncio.Semaphore(READERS)

    async def within(self, table: Table, box: Box) -> DetailRows:
        """The rows of a lake table whose boxes meet `box`, in the reference system of the table."""
        if table.lake is None or table.geometry_column is None:
            return NOT_READ
        deadline = time.monotonic() + self._limits.seconds
        try:
            async with asyncio.timeout(self._limits.seconds):
                await self._places_to_read.acquire()
        except TimeoutError:
            return NOT_NOW
        try:
            known = await self._dataset(table)
            return NOT_READ if known is None else await asyncio.to_thread(self._read, known, box, deadline)
        finally:
            self._places_to_read.release()

    async def _dataset(self, table: Table) -> _Known | None:
        assert table.lake is not None  # noqa: S101 - the caller looked
        key = f"{table.id} {table.lake.version}"
        if key not in self._known:
            try:
                async with self._owner.connect() as connection:
                    dataset = await store.dataset_of(connection, table)
                self._known[key] = await asyncio.to_thread(self._looked_into, dataset)
            except (NoLakeTable, PathRefused, pa.ArrowException, OSError) as error:
                log.warning("files of a lake table are not drawn", table=table.id, error=str(error)[:300])
                self._known[key] = None
        return self._known[key]

    def _looked_into(self, dataset: Dataset) -> _Known | None:
        facts = dataset.geometry
        if facts is None or facts.name not in {each.source for each in dataset.columns if each.is_geometry}:
            return None
        named = [file.path for file in dataset.files] if dataset.items_changed_ns is not None else []
        for location in (dataset.root, *named):
            self._paths.resolve(location)
        groups = [group for file in dataset.files for group in _groups(dataset, file, facts)]
        boxes = np.array([each.box or (np.nan,) * 4 for each in groups], dtype=np.float64)
        return _Known(dataset, groups, boxes)

    def _read(self, known: _Known, box: Box, deadline: float) -> DetailRows:
        chosen = [known.groups[n] for n in _meeting(known.boxes, box)]
        limits = self._limits
        if sum(each.rows for each in chosen) > limits.scanned_rows:
            return NOT_READ
        if sum(each.bytes for each in chosen) > limits.scanned_bytes:
            return NOT_READ
        found: list[tuple[_Group, np.ndarray]] = []
        try:
            for file in {each.file.path: each.file for each in chosen}.values():
                _check(known.dataset, file)
            for group in chosen:
                if time.monotonic() > deadline:
                    return NOT_NOW
                rows = self._places_of(known.dataset, group).within(box)
                if len(rows):
                    found.append((group, rows))
                if sum(len(each) for _, each in found) > limits.rows:
                    return NOT_READ
            tables = []
            for group, rows in found:
                if time.monotonic() > deadline:
                    return NOT_NOW
                tables.append(read_rows(known.dataset, group.file, group.metadata, group.number, rows))
        except _Changed:
            return NOT_NOW
        except (pa.ArrowException, OSError, shapely.errors.ShapelyError) as error:
            log.warning(
                "files of a lake table cannot be read", root=known.dataset.root, error=str(error)[:300]
            )
            return NOT_NOW
        return DetailRows(pa.concat_tables(tables) if tables else _nothing(known.dataset))

    def _places_of(self, dataset: Dataset, group: _Group) -> Places:
        key = (dataset.version, group.file.path, group.number)
        with self._lock:
            found = self._places.get(key)
        if found is None:
            facts = dataset.geometry
            assert facts is not None  # noqa: S101 - `_looked_into` looked
            with pq.ParquetFile(dataset.path_of(group.file), metadata=group.metadata) as file:
                found = read_places(file, group.number, facts)
            with self._lock:
                if found.bytes <= MEMORY_BYTES:
                    self._places[key] = found
        return found


class _Changed(Exception):
    """A file is not what was registered."""


def _check(dataset: Dataset, file: LakeFile) -> None:
    state = dataset.path_of(file).stat()
    if (state.st_size, state.st_mtime_ns) != (file.bytes, file.changed_ns):
        raise _Changed


def _groups(dataset: Dataset, file: LakeFile, facts: GeometryFacts) -> list[_Group]:
    metadata = pq.read_metadata(dataset.path_of(file))
    covering = {".".join(facts.covering[side]): side for side in SIDES if side in facts.covering}
    read = set(covering) or {facts.name}
    found = []
    for number in range(metadata.num_row_groups):
        group = metadata.row_group(number)
        size, sides = 0, {}
        for place in range(group.num_columns):
            chunk = group.column(place)
            if chunk.path_in_schema not in read:
                continue
            size += chunk.total_compressed_size
            side, statistics = covering.get(chunk.path_in_schema), chunk.statistics
            if side is not None and statistics is not None and statistics.has_min_max:
                sides[side] = float(statistics.min if side.endswith("min") else statistics.max)
        box = tuple(sides[side] for side in SIDES) if len(sides) == len(SIDES) else file.box
        if group.num_rows:
            found.append(_Group(file, number, group.num_rows, size, _plain(box), metadata))
    return found


def _plain(box: Any) -> Box | None:
    """None for a box across the antimeridian, which may hold anything here."""
    return None if box is None or box[0] > box[2] else (box[0], box[1], box[2], box[3])


def _meeting(boxes: np.ndarray, box: Box) -> np.ndarray:
    if not len(boxes):
        return np.array([], dtype=np.int64)
    west, south, east, north = boxes.T
    beside = (west > box[2]) | (east < box[0]) | (south > box[3]) | (north < box[1])
    return np.flatnonzero(~beside)


def _nothing(dataset: Dataset) -> pa.Table:
    return pa.table({column.name: pa.array([], pa.string()) for column in dataset.columns})
