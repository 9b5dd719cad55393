"""Files at addresses as Python files: what is read is fetched by ranges, kept for a while, and bounded."""

from __future__ import annotations

import io
import math
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from cachetools import LRUCache

from server.gis.lake.errors import OutOfAllowance
from server.gis.lake.states import FileState

BLOCK_BYTES = 16 * 1024
"""Neighbouring blocks are fetched together."""
MEMORY_BYTES = 128 * 1024**2

Fetch = Callable[[int, int, "Allowance"], bytes]
"""Reads a number of bytes from an offset. Raises OSError or FilesChanged."""


class Allowance:
    """What may still be read from addresses for one question. Safe for concurrent use."""

    def __init__(self, size: float = math.inf, seconds: float = math.inf) -> None:
        self.deadline = time.monotonic() + seconds
        self._left = size
        self.stopped = threading.Event()
        """Set it to end reading."""
        self._lock = threading.Lock()

    def take(self, count: int) -> None:
        """Called before bytes are fetched. Raises OutOfAllowance."""
        self.check()
        with self._lock:
            self._left -= count
            if self._left < 0:
                raise OutOfAllowance("more would be read than one question may read from an address")

    def seconds_left(self) -> float:
        """Seconds until the deadline, at least 0.001, because time limits must be positive."""
        return max(0.001, self.deadline - time.monotonic())

    def check(self) -> None:
        """Raise OutOfAllowance where the time is over or reading was stopped."""
        if self.stopped.is_set():
            raise OutOfAllowance("reading was stopped", is_final=False)
        if time.monotonic() > self.deadline:
            raise OutOfAllowance("reading from an address takes too long", is_final=False)


class Blocks:
    """The parts of files that were read last. Safe for concurrent use."""

    def __init__(self) -> None:
        self._kept: LRUCache[tuple[str, FileState, int], bytes] = LRUCache(MEMORY_BYTES, getsizeof=len)
        self._lock = threading.Lock()

    def get(self, location: str, state: FileState, number: int) -> bytes | None:
        """The kept block of this number; None if it is not kept."""
        with self._lock:
            return self._kept.get((location, state, number))

    def put(self, location: str, state: FileState, number: int, block: bytes) -> None:
        """Keep a block, unless it is larger than the cache."""
        with self._lock:
            if len(block) <= self._kept.maxsize:
                self._kept[location, state, number] = block


class RangeFile(io.RawIOBase):
    """A remote file that fetches only the byte ranges that are read. Not for concurrent readers."""

    def __init__(
        self, location: str, state: FileState, fetch: Fetch, blocks: Blocks, allowance: Allowance
    ) -> None:
        self._location, self._state = location, state
        self._fetch, self._blocks, self._allowance = fetch, blocks, allowance
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._state.bytes}[whence]
        self._place = max(0, start + offset)
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        start, end = self._place, self._state.bytes
        if size is not None and size >= 0:
            end = min(end, start + size)
        if start >= end:
            return b""
        found = self._between(start, end)
        self._place = end
        return found

    def _between(self, start: int, end: int) -> bytes:
        numbers = range(start // BLOCK_BYTES, (end - 1) // BLOCK_BYTES + 1)
        blocks = {number: self._blocks.get(self._location, self._state, number) for number in numbers}
        for first, count in _runs([number for number, block in blocks.items() if block is None]):
            length = min(count * BLOCK_BYTES, self._state.bytes - first * BLOCK_BYTES)
            self._allowance.take(length)
            fetched = memoryview(self._fetch(first * BLOCK_BYTES, length, self._allowance))
            for number in range(first, first + count):
                block = bytes(fetched[(number - first) * BLOCK_BYTES : (number - first + 1) * BLOCK_BYTES])
                blocks[number] = block
                self._blocks.put(self._location, self._state, number, block)
        skipped = start - numbers[0] * BLOCK_BYTES
        return b"".join(block or b"" for block in blocks.values())[skipped : skipped + end - start]


def _runs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The first and the length of each run of consecutive numbers."""
    start = 0
    for place in range(1, len(numbers) + 1):
        if place == len(numbers) or numbers[place] != numbers[place - 1] + 1:
            yield numbers[start], place - start
            start = place
