"""Temporary files between clients and the database: on disk, within a budget, and deleted when their block ends. A
slow client occupies only a file here, but no slot, connection or transaction.

One address may use at most half of the space that the others leave, so that no address can fill it. Files of a server
that was killed are removed by the next one that starts."""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections import Counter
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from agents.worded import Template, formatted
from server.background import end_tasks
from server.gis.ingest.scratch import LOADING, locked, remove_abandoned
from server.maps.faults import RequestFault

NEEDS_DISK = Template(
    "http_needs_disk",
    "This needs more than {mb} MB of disk on the server, which is more than one file may take. Filter "
    "the layer, or ask who runs the server to raise GEOAGENT_SPOOL.",
)
DISK_TAKEN = Template(
    "http_disk_taken",
    "The server's disk space for uploads and exports is taken by other transfers, of your address or of "
    "others. Try again later.",
)

T = TypeVar("T")

MB = 1024 * 1024
PREFIX = "geoagent-spool-"
SWEEP_INTERVAL_S = 60.0
RETRY_AFTER_S = 30
MEASURED_EVERY_S = 0.25
MAX_TRANSFER_SHARE = 0.5
"""Share of the budget for one transfer, and of its free part for all transfers of one address."""
DISK_SHARE = 0.5
"""Share of the free disk that the budget never exceeds."""


class Spool:
    """`budget` is in bytes; `parent` is where its folder is made, by default the system's temporary folder."""

    def __init__(self, budget: int, parent: Path | None = None) -> None:
        self._parent = parent or Path(tempfile.gettempdir())
        self._budget = budget
        self._folder: Path | None = None
        self._lock: IO[bytes] | None = None
        self._used: Counter[str] = Counter()
        """Bytes by network address."""

    @property
    def used(self) -> int:
        """Bytes of all addresses."""
        return self._used.total()

    @property
    def budget(self) -> int:
        """Bytes that all addresses may use."""
        return self._budget

    def open(self) -> None:
        """Make the folder, after deleting those of servers that have ended."""
        self._sweep()
        self._folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=self._parent))
        self._lock = locked(self._folder)
        self._budget = min(self._budget, int(shutil.disk_usage(self._folder).free * DISK_SHARE))

    async def keep_swept(self) -> None:
        """Remove now and then what processes that were killed left behind, until it is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            await asyncio.to_thread(self._sweep)

    def _sweep(self) -> None:
        for prefix in (PREFIX, LOADING):
            remove_abandoned(prefix, self._parent)

    def close(self) -> None:
        """Delete the folder."""
        if self._folder is not None and self._lock is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._lock.close()

    @contextmanager
    def transfer(self, address: str) -> Iterator[Transfer]:
        """A folder for one transfer of a network address."""
        if self._folder is None:
            self.open()
        with tempfile.TemporaryDirectory(dir=self._folder, ignore_cleanup_errors=True) as folder:
            transfer = Transfer(self, Path(folder), address)
            try:
                yield transfer
            finally:
                self.take(address, -transfer.size)

    def take(self, address: str, size: int) -> None:
        """Count bytes of an address; negative ones give them back."""
        self._used[address] += size
        if not self._used[address]:
            del self._used[address]

    def left_for(self, address: str) -> float:
        """Bytes that transfers of an address may take now, in addition to what they have."""
        own = self._used[address]
        return (self._budget - (self.used - own)) * MAX_TRANSFER_SHARE - own


class Transfer:
    """The files of one upload or one export."""

    def __init__(self, spool: Spool, folder: Path, address: str) -> None:
        self._spool = spool
        self._address = address
        self.folder = folder
        self.size = 0

    def grow(self, size: int) -> None:
        """To be called before `size` more bytes are written. Raises RequestFault `busy` when the address, or all
        together, have too many, and `too_large` when this one has."""
        most = self._spool.budget * MAX_TRANSFER_SHARE
        if self.size + size > most:
            raise RequestFault("too_large", NEEDS_DISK(mb=formatted(most / MB, ",.0f")))
        if size > self._spool.left_for(self._address):
            raise RequestFault("busy", DISK_TAKEN(), RETRY_AFTER_S)
        self._spool.take(self._address, size)
        self.size += size


async def measured(writing: Coroutine[Any, Any, T], folder: Path, transfer: Transfer) -> T:
    """Count what a library writes while it writes, so that it stops within the budget of the spool."""
    task = asyncio.create_task(writing)
    try:
        while True:
            done, _ = await asyncio.wait({task}, timeout=MEASURED_EVERY_S)
            size = await asyncio.to_thread(_size, folder)
            if size > transfer.size:
                transfer.grow(size - transfer.size)
            if done:
                return task.result()
    finally:
        await end_tasks(task)


def _size(folder: Path) -> int:
    """Bytes of all files; a file may be deleted meanwhile."""
    total = 0
    for path in folder.iterdir():
        with suppress(FileNotFoundError):
            total += path.stat().st_size
    return total
