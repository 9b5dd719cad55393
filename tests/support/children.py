"""Processes and folders of tests: nothing outlives the test that made it, however that ends.

Whoever starts a process ends it in `finally`. For a pytest that is killed there is the leash, by which the kernel
ends the children (on Linux), and folders named after their maker, which the next one sweeps away."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import signal
import sys
import tempfile
import time
from asyncio.subprocess import PIPE
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None
"""Loaded before any fork: a forked child of a process with threads must not load libraries."""


def leash(ending: signal.Signals = signal.SIGTERM) -> Callable[[], object]:
    """A `preexec_fn`: the child gets this signal when the process that started it is gone."""
    return lambda: LIBC and LIBC.prctl(PR_SET_PDEATHSIG, ending)


@dataclass(frozen=True)
class Ran:
    status: int
    out: str
    err: str


async def ran(*command: str, stdin: str = "", seconds: float = 90, **options: Any) -> Ran:
    """Runs a program to its end."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, preexec_fn=leash(), **options
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(stdin.encode()), seconds)
    finally:
        if process.returncode is None:
            process.kill()
            await asyncio.wait_for(process.wait(), 30)
    return Ran(process.returncode or 0, out.decode(), err.decode())


def processes_in(folder: Path) -> list[psutil.Process]:
    """All that run in a folder or below, or have a path there among their arguments."""
    inside = (str(folder), f"{folder}/")
    found = []
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
                continue
            places = (process.cwd(), *process.cmdline())
            if any(place == inside[0] or place.startswith(inside[1]) for place in places):
                found.append(process)
    return found


def signal_all(processes: Iterable[psutil.Process], number: signal.Signals) -> None:
    """Signal each; a process that has ended since it was listed is not an error."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.send_signal(number)


def kill(*processes: psutil.Process) -> None:
    """Kill all of them; a process that has ended since it was listed is not an error."""
    signal_all(processes, signal.SIGKILL)


def kill_all_in(folder: Path) -> None:
    """Kill what runs in a folder, and what those processes start before they end."""
    while running := processes_in(folder):
        kill(*running)
        time.sleep(0.02)


@contextmanager
def temporary_folder(kind: str, place: Path | None = None) -> Iterator[Path]:
    """A folder that everybody may enter; at its end all that runs in it is killed, and it is gone."""
    for left in (place or Path(tempfile.gettempdir())).glob(f"geoagent-{kind}-*-*"):
        maker = left.name.split("-")[-2]
        if maker.isdecimal() and not psutil.pid_exists(int(maker)):
            _remove(left)
    folder = Path(tempfile.mkdtemp(prefix=f"geoagent-{kind}-{os.getpid()}-", dir=place))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        _remove(folder)


def _remove(folder: Path) -> None:
    kill_all_in(folder)
    shutil.rmtree(folder, ignore_errors=True)
