"""One answer from the files of lake tables at a time, within a limit of seconds that includes the wait for its turn."""

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
from server.gis.lake.errors import NoLakeTable, PathRefused

log = structlog.get_logger(__name__)

SECONDS = 10.0

Found = TypeVar("Found")


class Turns:
    """Safe for concurrent use; the answers of one instance are computed one after the other, in threads."""

    def __init__(self, owner: AsyncEngine, seconds: float = SECONDS) -> None:
        self._owner, self._seconds = owner, seconds
        self._turn = asyncio.Lock()

    async def answer(self, table: Table, read: Callable[[Dataset, float], Found]) -> Found | None:
        """What `read` finds in the files of the table by a deadline of `time.monotonic`.

        None where the files do not answer it, cannot be read, or not in time.
        """
        deadline = time.monotonic() + self._seconds
        try:
            async with asyncio.timeout(self._seconds):
                await self._turn.acquire()
        except TimeoutError:
            return None
        try:
            async with self._owner.connect() as connection:
                dataset = await store.dataset_of(connection, table)
            return await asyncio.to_thread(read, dataset, deadline)
        except NotInFiles:
            return None
        except (NoLakeTable, PathRefused, pa.ArrowException, OSError, shapely.errors.ShapelyError) as error:
            log.warning("the files of a lake table are not read", table=table.id, error=str(error)[:300])
            return None
        finally:
            self._turn.release()
