"""All rows of a dataset that lie in a small box, read from the row groups that meet it, for tiles close up.

Bounded in what is read, in rows of the answer and in time; where a bound is met there is no answer, and tiles show
the sample. Where rows lie is kept in a bounded memory, so that neighbouring tiles need not read it again."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import shapely
import structlog
from cachetools import LRUCache, cachedmethod
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.gis.lake import store
from server.gis.lake.dataset import Dataset, LakeFile
from server.gis.lake.errors import FilesChanged, NoLakeTable, OutOfAllowance, PathRefused
from server.gis.lake.places import SIDES, Places, read_places
from server.gis.lake.ranges import Box, meeting
from server.gis.lake.remote.ranges import Allowance
from server.gis.lake.storage import DatasetReader, LakeStorage

log = structlog.get_logger(__name__)

READERS = 2
"""Boxes that are read at once."""
MEMORY_BYTES = 128 * 1024**2
MAX_CACHED_DATASETS = 64
MAX_CACHED_FILES = 4096
"""Files whose row groups are cached."""


@dataclass(frozen=True)
class DetailLimits:
    """What reading a box may take."""

    scanned_rows: int = 3_000_000
    scanned_bytes: int = 96 * 1024**2
    """Limit for geometries or covering columns, compressed."""
    remote_bytes: int = 32 * 1024**2
    """Limit for all columns of the row groups with rows in the box, if they are at an address: at 100 Mbit/s, they
    take most of the time."""
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
    number: int
    rows: int
    bytes: int
    """Size of geometries or covering columns."""


@dataclass(frozen=True)
class _Groups:
    """The row groups of one file."""

    groups: Sequence[_Group]
    boxes: np.ndarray
    """NaN where they are not known."""


@dataclass(frozen=True)
class _Known:
    dataset: Dataset
    boxes: np.ndarray
    """Bounds of the files, NaN where they are not known."""


class LakeDetail:
    """Reads boxes of lake tables. Safe for concurrent use."""

    def __init__(self, owner: AsyncEngine, storage: LakeStorage, limits: DetailLimits | None = None) -> None:
        self._owner, self._storage = owner, storage
        self._limits = limits or DetailLimits()
        self._known: LRUCache[str, _Known | None] = LRUCache(MAX_CACHED_DATASETS)
        self._groups: LRUCache[tuple[str, str], _Groups] = LRUCache(MAX_CACHED_FILES)
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
        assert table.lake is not None  # noqa: S101 - the caller checked
        key = f"{table.id} {table.lake.version}"
        if key not in self._known:
            try:
                async with self._owner.connect() as connection:
                    dataset = await store.dataset_of(connection, table)
                self._known[key] = _known_of(dataset)
            except NoLakeTable:
                self._known[key] = None
        return self._known[key]

    def _read(self, known: _Known, box: Box, deadline: float) -> DetailRows:
        allowance = Allowance(2 * self._limits.remote_bytes, deadline - time.monotonic())
        reader = self._storage.reader(known.dataset, allowance)
        try:
            return self._rows(reader, known, box, deadline)
        except _TooMuch:
            return NOT_READ
        except (OutOfAllowance, FilesChanged):
            return NOT_NOW
        except (NoLakeTable, PathRefused, pa.ArrowException, OSError, shapely.errors.ShapelyError) as error:
            log.warning(
                "files of a lake table cannot be read", root=known.dataset.root, error=str(error)[:300]
            )
            return NOT_NOW

    def _rows(self, reader: DatasetReader, known: _Known, box: Box, deadline: float) -> DetailRows:
        """The rows in the box. Raises _TooMuch, OutOfAllowance, FilesChanged and others."""
        found: list[tuple[LakeFile, _Group, np.ndarray]] = []
        for file, group in self._meeting(reader, known, box, deadline):
            _in_time(deadline)
            rows = self._places_of(reader, file, group).within(box)
            if len(rows):
                found.append((file, group, rows))
            if sum(len(each) for _, _, each in found) > self._limits.rows:
                raise _TooMuch
        if reader.is_remote:
            columns = set(reader.dataset.stored)
            size = sum(reader.bytes_of(file, group.number, columns) for file, group, _ in found)
            if size > self._limits.remote_bytes:
                raise _TooMuch
        tables = []
        for file, group, rows in found:
            _in_time(deadline)
            tables.append(reader.rows(file, group.number, rows))
        return DetailRows(pa.concat_tables(tables) if tables else _nothing(reader.dataset))

    def _meeting(
        self, reader: DatasetReader, known: _Known, box: Box, deadline: float
    ) -> Sequence[tuple[LakeFile, _Group]]:
        """The row groups that may have rows in the box. Raises _TooMuch where they have too many rows or bytes."""
        chosen = []
        for place in meeting(known.boxes, box):
            _in_time(deadline)
            file = known.dataset.files[place]
            reader.check_state(file)
            of_file = self._groups_of(reader, file)
            chosen += [(file, of_file.groups[number]) for number in meeting(of_file.boxes, box)]
            limit = self._limits.scanned_bytes
            limit = min(limit, self._limits.remote_bytes) if reader.is_remote else limit
            if (
                sum(group.rows for _, group in chosen) > self._limits.scanned_rows
                or sum(group.bytes for _, group in chosen) > limit
            ):
                raise _TooMuch
        return chosen

    @cachedmethod(
        lambda self: self._groups,
        key=lambda _, reader, file: (reader.dataset.version, file.path),
        lock=lambda self: self._lock,
    )
    def _groups_of(self, reader: DatasetReader, file: LakeFile) -> _Groups:
        return _groups(reader, file)

    @cachedmethod(
        lambda self: self._places,
        key=lambda _, reader, file, group: (reader.dataset.version, file.path, group.number),
        lock=lambda self: self._lock,
    )
    def _places_of(self, reader: DatasetReader, file: LakeFile, group: _Group) -> Places:
        facts = reader.dataset.geometry
        assert facts is not None  # noqa: S101 - `_known_of` checked
        return read_places(reader, file, group.number, facts)


class _TooMuch(Exception):
    """A limit is met that would be met again."""


def _in_time(deadline: float) -> None:
    if time.monotonic() > deadline:
        raise OutOfAllowance("reading takes too long", is_final=False)


def _known_of(dataset: Dataset) -> _Known | None:
    facts = dataset.geometry
    if facts is None or facts.name not in {each.source for each in dataset.columns if each.is_geometry}:
        return None
    return _Known(dataset, _boxes([file.box for file in dataset.files]))


def _groups(reader: DatasetReader, file: LakeFile) -> _Groups:
    facts = reader.dataset.geometry
    assert facts is not None  # noqa: S101 - `_known_of` checked
    metadata = reader.footer(file)
    covering = {".".join(facts.covering[side]): side for side in SIDES if side in facts.covering}
    read = set(covering) or {facts.name}
    groups, boxes = [], []
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
        if group.num_rows:
            groups.append(_Group(number, group.num_rows, size))
            boxes.append([sides[side] for side in SIDES] if len(sides) == len(SIDES) else file.box)
    return _Groups(groups, _boxes(boxes))


def _boxes(boxes: Sequence[Sequence[float] | None]) -> np.ndarray:
    return np.array([each or (np.nan,) * 4 for each in boxes], dtype=np.float64)


def _nothing(dataset: Dataset) -> pa.Table:
    return pa.table({column.name: pa.array([], pa.string()) for column in dataset.columns})
