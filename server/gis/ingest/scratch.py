"""Temporary folders that can be attributed to a running process: it holds a lock on a file in its folder, which the
kernel releases when the process ends for any reason."""

from __future__ import annotations

import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

LOADING = "geoagent-load-"
"""Prefix of the folders in which files are unpacked and read."""
LOCK = "lock"
WORK = "work"
MAX_AGE_WITHOUT_LOCK_S = 86_400.0
"""A folder without a lock was left by an earlier version, or is about to get its lock."""


@contextmanager
def scratch_folder(prefix: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder in a new, locked one in `parent`, or in the system's temporary folder; both are removed afterwards."""
    with (
        tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True) as made,
        locked(Path(made)),
    ):
        work = Path(made) / WORK
        work.mkdir()
        yield work


def locked(folder: Path) -> IO[bytes]:
    """The open lock of a new folder. It has its name only once it is held: others would take it for abandoned."""
    unnamed = folder / f"{LOCK}.new"
    lock = unnamed.open("wb")
    fcntl.flock(lock, fcntl.LOCK_EX)
    unnamed.rename(folder / LOCK)
    return lock


def remove_abandoned(prefix: str, parent: Path | None = None) -> None:
    """Remove the folders of processes that have ended."""
    for folder in (parent or Path(tempfile.gettempdir())).glob(f"{prefix}*"):
        with suppress(OSError):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """Whether no process holds the lock of a folder. Raises OSError if it is not such a folder or does not exist."""
    try:
        lock = (folder / LOCK).open("rb")
    except FileNotFoundError:
        return time.time() - folder.stat().st_mtime > MAX_AGE_WITHOUT_LOCK_S
    with lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True
