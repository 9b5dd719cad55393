"""`geoagent serve`: one server in this process until a signal ends it."""

from __future__ import annotations

import asyncio
import gc
import signal
import sys
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any

from server import logs
from server.cli.memory import give_back_memory
from server.settings import Settings

MAX_OPEN_FILES = 65_536
"""More than the sockets that a server can serve."""


def run(host: str | None, port: int | None) -> None:
    """Serve with the settings of the environment; `host` and `port` override them."""
    given: dict[str, Any] = {
        name: value for name, value in (("host", host), ("port", port)) if value is not None
    }
    settings = Settings(**given)
    logs.set_up(settings.log_level)
    allow_open_files()
    with asyncio.Runner(loop_factory=fast_loop()) as runner:
        runner.run(until_signal(settings))


def allow_open_files() -> None:
    """Let this process open as many files and sockets as it is entitled to: many systems start it with 1,024, which as
    many browsers would use up."""
    if sys.platform == "win32":
        return
    import resource

    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, MAX_OPEN_FILES)
    with suppress(ValueError, OSError):  # some systems have a lower limit that they do not report
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def fast_loop() -> Any:
    """uvloop's event loop, or None where uvloop does not exist."""
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop


async def until_signal(settings: Settings) -> None:
    """Serve until a signal. SIGTERM waits until running turns end or the grace period is over; SIGINT (Ctrl-C)
    or a second signal interrupts them at once.
    """
    # Importing creates many objects and no garbage: collecting would only cost time.
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
            # With thousands of sockets each full collection takes as long as some hundred joins.
            gc.set_threshold(20_000, 20, 50)
            gc.enable()
            print(f"GeoAgent is ready: {server.url}", flush=True)
            watching = asyncio.create_task(give_back_memory())
            await ended.wait()
            watching.cancel()
            await first_of(server.maps.runner.drain(settings.grace), hurried.wait())
    except asyncio.CancelledError:
        if not ended.is_set():
            raise


async def first_of(*waiting: Coroutine[Any, Any, object]) -> None:
    """Return when one of them is done; cancel the others."""
    tasks = [asyncio.create_task(each) for each in waiting]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
