"""Exact counts of the rows of a dataset that pass a filter, from the files: row groups are left out by their statistics
and boxes, and of the others only the columns of the filter are read.

Conditions that could mean another thing here than in PostgreSQL are not counted, and neither is what takes too long."""

from __future__ import annotations

import time

import shapely
from cachetools import LRUCache
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Cql2, Table
from server.gis.lake.answers.answer_queue import TIMEOUT_S, AnswerQueue
from server.gis.lake.answers.conditions import Condition, NotInFiles
from server.gis.lake.dataset import LakeFile
from server.gis.lake.errors import OutOfAllowance
from server.gis.lake.storage import DatasetReader, LakeStorage

MAX_CACHED_COUNTS = 1_000
BATCH_ROWS = 128 * 1024


class LakeCounter:
    """Counts rows of lake tables. Safe for concurrent use; one count is computed at a time."""

    def __init__(self, owner: AsyncEngine, storage: LakeStorage, seconds: float = TIMEOUT_S) -> None:
        self._queue = AnswerQueue(owner, storage, seconds)
        self._known: LRUCache[tuple[str, str, str], int | None] = LRUCache(MAX_CACHED_COUNTS)

    async def count(self, table: Table, filter: Cql2) -> int | None:
        """How many rows of all files pass the (normalized) filter; None where that cannot be computed in time."""
        if table.lake is None:
            return None
        key = (table.id, table.lake.version, repr(filter))
        if key in self._known:
            return self._known[key]
        is_too_much = False

        def read(reader: DatasetReader, deadline: float) -> int:
            nonlocal is_too_much
            try:
                return _counted(table, reader, filter, deadline)
            except OutOfAllowance as error:
                is_too_much = error.is_final
                raise

        found = await self._queue.answer(table, read)
        if found is not None or is_too_much:
            self._known[key] = found
        return found


def _counted(table: Table, reader: DatasetReader, filter: Cql2, deadline: float) -> int:
    asked = Condition.read(filter, reader.dataset, table.geometry_column)
    total = 0
    for file in reader.dataset.files:
        if time.monotonic() > deadline:
            raise NotInFiles("it takes too long")
        if file.rows and asked.may_hold(file):
            total += _rows_passing(reader, file, asked, deadline)
    return total


def _rows_passing(reader: DatasetReader, file: LakeFile, asked: Condition, deadline: float) -> int:
    rows, geometry = reader.fragment(file), reader.dataset.geometry
    condition = asked.expression(file)
    if not asked.places:
        return int(rows.count_rows(filter=condition))
    assert geometry is not None  # noqa: S101 - there is a place
    total = 0
    for batch in rows.to_batches(columns=[geometry.name], filter=condition, batch_size=BATCH_ROWS):
        if time.monotonic() > deadline:
            raise NotInFiles("it takes too long")
        total += int(asked.holds(shapely.from_wkb(batch.column(0).to_numpy(zero_copy_only=False))).sum())
    return total
