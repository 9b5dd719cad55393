"""`geoagent serve`: one server in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import sys
from collections.abc import Coroutine
from typing import Any

from server import logs
from server.settings import Settings


def run(host: str | None, port: int | None) -> None:
    given: dict[str, Any] = {
        name: value for name, value in (("host", host), ("port", port)) if value is not None
    }
    settings = Settings(**given)
    logs.set_up(settings.log_level)
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # modules that GEOAGENT_TOOLS names may be in the current folder
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(until_signal(settings))


def fast_loop() -> Any:
    """uvloop's where there is one."""
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


async def until_signal(settings: Settings) -> None:
    """Serve. SIGTERM ends it when the turns that run have ended or their grace is over, SIGINT (Ctrl-C) and a second
    signal at once: what still runs is interrupted, and all is closed."""
    # Importing makes many objects and no garbage: the collector would only look through them again and again.
    gc.disable()
    from server.app import serving

    ended, hurried = asyncio.Event(), asyncio.Event()
    starting = asyncio.current_task()
    assert starting is not None  # noqa: S101 - a coroutine that runs is in a task

    def end(at_once: bool) -> None:
        if at_once or ended.is_set():
            hurried.set()
        if not ended.is_set():
            ended.set()
            if not is_ready:
                starting.cancel()

    is_ready = False
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, end, False)
    loop.add_signal_handler(signal.SIGINT, end, True)
    try:
        async with serving(settings) as server:
            is_ready = True
            gc.freeze()
            gc.enable()
            print(f"GeoAgent is ready: {server.url}", flush=True)
            await ended.wait()
            await first_of(server.maps.runner.drain(settings.grace), hurried.wait())
    except asyncio.CancelledError:
        if not ended.is_set():
            raise


async def first_of(*waiting: Coroutine[Any, Any, object]) -> None:
    """Return when one of them is done; the others are cancelled."""
    tasks = [asyncio.create_task(each) for each in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
