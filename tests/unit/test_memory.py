"""Memory that a server needed for a moment goes back to the system."""

from __future__ import annotations

import sys

import pytest

from tests.support.children import ran

PROGRAM = """
import asyncio, gc
from server.cli import memory

MB = 2**20
memory.CHECK_INTERVAL_S = 0.05
memory.MUCH_BYTES = 30 * MB
gc.disable()


async def main():
    watching = asyncio.create_task(memory.give_back_memory())
    await asyncio.sleep(0.01)
    before = memory.resident_bytes()
    held = [bytes(2_000) for _ in range(50_000)]
    held.append(held)
    await asyncio.sleep(0.3)
    assert memory.resident_bytes() > before + 80 * MB, "what is in use stays"
    del held
    while memory.resident_bytes() > before + 40 * MB:
        await asyncio.sleep(0.05)


asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
async def test_garbage_that_nothing_collects_goes_back_to_the_system() -> None:
    """In a process of its own: that of the tests has freed memory of other tests, too."""
    program = await ran(sys.executable, "-c", PROGRAM)
    assert program.status == 0, program.err
