"""Background work on tables goes on after errors of every kind."""

from __future__ import annotations

import asyncio
from typing import Any

import asyncpg
import pytest

from server.gis.profiles.worker import TableWorker


class FailsOnce(TableWorker):
    """A worker whose first round fails."""

    def __init__(self, error: Exception) -> None:
        nothing: Any = None
        super().__init__(nothing, nothing, 1.0)
        self._error: Exception | None = error
        self.begun: asyncio.Queue[None] = asyncio.Queue()

    async def _round(self) -> None:
        self.begun.put_nowait(None)
        error, self._error = self._error, None
        if error is not None:
            raise error

    async def _failed(self, error: Exception) -> None:
        """Nothing is left to do."""


@pytest.mark.parametrize("error", [OSError(), asyncpg.InterfaceError("connection is closed"), KeyError("id")])
async def test_a_worker_goes_on_after_an_error(error: Exception) -> None:
    worker = FailsOnce(error)
    worker.start()
    async with asyncio.timeout(5):
        for _ in range(2):
            worker.want([])
            await worker.begun.get()
    await worker.close()
