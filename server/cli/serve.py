"""`geoagent serve`: one server in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from typing import Any

from server import logs
from server.app import serving
from server.settings import Settings


def run(host: str | None, port: int | None) -> None:
    given: dict[str, Any] = {
        name: value for name, value in (("host", host), ("port", port)) if value is not None
    }
    settings = Settings(**given)
    logs.set_up(settings.log_level)
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(until_signal(settings))


def fast_loop() -> Any:
    """uvloop's where there is one."""
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


async def until_signal(settings: Settings) -> None:
    """Serve. SIGTERM and SIGINT end it in order: running turns are interrupted, all is closed."""
    ended = asyncio.Event()
    starting = asyncio.current_task()
    assert starting is not None  # noqa: S101 - a coroutine that runs is in a task

    def end() -> None:
        if not ended.is_set():
            ended.set()
            if not is_ready:
                starting.cancel()

    is_ready = False
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, end)
    try:
        async with serving(settings) as server:
            is_ready = True
            gc.freeze()
            print(f"GeoAgent is ready: {server.url}", flush=True)
            await ended.wait()
    except asyncio.CancelledError:
        if not ended.is_set():
            raise
