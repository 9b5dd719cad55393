"""Gives memory back to the system after much of it was needed at once.

The C library keeps what was freed, and Python collects garbage rarely (`server.cli.serve`): a server that has once held
hundreds of megabytes of answers would keep them for ever.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import os
import sys
import time
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

CHECK_INTERVAL_S = 10.0
MAX_PAUSE_S = 600.0
"""Longest pause between attempts; pauses grow while little is freed, because a full collection holds up the loop."""
MUCH_BYTES = 128 * 2**20
"""Bytes above this process's minimum from which giving memory back is worth an attempt."""


async def give_back_memory() -> None:
    """Watch the memory of this process until cancelled. Does nothing but on Linux."""
    if sys.platform != "linux":
        return
    least = settled = resident_bytes()
    pause = due = 0.0
    while True:
        await asyncio.sleep(CHECK_INTERVAL_S)
        now = resident_bytes()
        if now > settled + MUCH_BYTES:
            pause = due = 0.0
        if now <= least + MUCH_BYTES or time.monotonic() < due:
            continue
        began = time.monotonic()
        gc.collect()
        trim()
        settled = resident_bytes()
        least = min(least, settled)
        ended = time.monotonic()
        log.debug("memory was given back", before=now, after=settled, seconds=ended - began)
        pause = min(MAX_PAUSE_S, max(CHECK_INTERVAL_S, 2 * pause))
        due = ended + pause


def resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def trim() -> None:
    """Return freed memory to the system, where the C library is glibc."""
    trim_heaps = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim_heaps is not None:
        trim_heaps(0)
