"""Finds PostgreSQL processes that use a data folder. The pid file is not sufficient: it outlives the process."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path


def living_on(data: Path, head: int | None) -> Iterator[int]:
    """Processes of PostgreSQL on this data folder, which all have it as working directory. Neither zombies nor
    unrelated processes."""
    if not Path("/proc/self/cwd").exists():
        if head is not None and _is_postgres(head):
            yield head
        return
    place = data.resolve()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, IndexError):
            state = (process / "stat").read_text().rsplit(")", 1)[1].split()[0]
            if state not in "ZX" and Path(os.readlink(process / "cwd")) == place:
                yield int(process.name)


def head_of(data: Path) -> int | None:
    """The process id of the postmaster of a data folder; None if none is recorded."""
    lines = pid_file(data)
    number = lines[0].strip().lstrip("-") if lines else ""
    return int(number) if number.isdigit() else None


def pid_file(data: Path) -> list[str]:
    """The lines of `postmaster.pid`; none if there is no such file."""
    try:
        return (data / "postmaster.pid").read_text().splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def _is_postgres(pid: int) -> bool:
    state = subprocess.run(  # noqa: S603
        ["ps", "-o", "stat=,command=", "-p", str(pid)],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    return "postgres" in state and not state.lstrip().startswith("Z")
