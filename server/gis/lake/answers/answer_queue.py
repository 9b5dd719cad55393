"""One answer from the files of lake tables at a time, within a limit of seconds that includes the wait in the queue."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import TypeVar

import pyarrow as pa
import shapely
import structlog
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Table
from server.gis.lake import store
from server.gis.lake.answers.conditions import NotInFiles
from server.gis.lake.dataset import Dataset
from server.gis.lake.errors import NoLakeTable, OutOfAllowance, PathRefused
from server.gis.lake.remote.ranges import Allowance
from server.gis.lake.storage import DatasetReader, LakeStorage

log = structlog.get_logger(__name__)

TIMEOUT_S = 10.0
REMOTE_BYTES = 64 * 1024**2
"""Limit for files at addresses: at 100 Mbit/s, they take about half of the time."""

Found = TypeVar("Found")


class AnswerQueue:
    """Safe for concurrent use; the answers of one instance are computed one after the other, in threads."""

    def __init__(self, owner: AsyncEngine, storage: LakeStorage, seconds: float = TIMEOUT_S) -> None:
        self._owner, self._storage, self._seconds = owner, storage, seconds
        self._lock = asyncio.Lock()

    async def answer(self, table: Table, read: Callable[[DatasetReader, float], Found]) -> Found | None:
        """What `read` finds in the files of the table by a deadline of `time.monotonic`.

        None where the files do not answer it, cannot be read, or not in time."""
        deadline = time.monotonic() + self._seconds
        try:
            async with asyncio.timeout(self._seconds):
                await self._lock.acquire()
        except TimeoutError:
            return None
        try:
            async with self._owner.connect() as connection:
                dataset = await store.dataset_of(connection, table)
            return await asyncio.to_thread(self._read, table, dataset, read, deadline)
        except (NotInFiles, OutOfAllowance):
            return None
        except (NoLakeTable, PathRefused, pa.ArrowException, OSError, shapely.errors.ShapelyError) as error:
            log.warning("the files of a lake table are not read", table=table.id, error=str(error)[:300])
            return None
        finally:
            self._lock.release()

    def _read(
        self, table: Table, dataset: Dataset, read: Callable[[DatasetReader, float], Found], deadline: float
    ) -> Found:
        allowance = Allowance(REMOTE_BYTES, deadline - time.monotonic())
        self._storage.check_present(dataset, table.id, allowance)
        return read(self._storage.reader(dataset, allowance), deadline)
