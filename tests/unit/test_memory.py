"""Memory that a server needed for a moment goes back to the system."""

from __future__ import annotations

import asyncio
import gc
import sys

import pytest

from server.cli import memory
from tests.support.looking import until

MB = 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no /proc")
async def test_garbage_that_nothing_collects_goes_back_to_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "CHECK_INTERVAL_S", 0.05)
    monkeypatch.setattr(memory, "MUCH_BYTES", 30 * MB)
    gc.disable()
    watching = asyncio.create_task(memory.give_back_memory())
    try:
        await asyncio.sleep(0.01)
        before = memory.resident_bytes()
        held: list[object] = [bytes(2_000) for _ in range(50_000)]
        held.append(held)
        await asyncio.sleep(0.3)
        assert memory.resident_bytes() > before + 80 * MB, "what is in use stays"
        del held
        await until(lambda: memory.resident_bytes() < before + 40 * MB)
    finally:
        watching.cancel()
        gc.enable()
