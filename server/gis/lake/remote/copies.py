"""Copies of files at addresses, in a folder of this server: for Spark, which asks no address, and of servers that give
no parts of files."""

from __future__ import annotations

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from agents.worded import Template
from server.gis.lake.errors import NoLakeTable
from server.gis.lake.states import FileState

OTHER_SIZE = Template("lake_other_size", "A file has a different size than stated: {file}.")
NO_ROOM = Template(
    "lake_no_room",
    "{size} MB of files must be copied, but copies may take {most} MB in total, of which {others} MB are in use "
    "(GEOAGENT_LAKE_SPACE).",
)
THE_DATASET = Template("lake_the_dataset", "the dataset")
STOPPED = Template("lake_stopped", "Reading the dataset was stopped.")


ABANDONED_S = 24 * 3600.0
"""Seconds after which copies that are not used are removed."""
IN_USE_S = 3600.0
"""A step may still read copies that were used this long ago; older ones make room for others."""
PASSING = "for-steps"
"""Folder of copies that were made for a step of an analysis."""


@dataclass(frozen=True)
class ToCopy:
    """A file at an address; `path` is its path below the address `root`, empty where that is the file itself."""

    root: str
    path: str
    state: FileState

    @property
    def location(self) -> str:
        """Where the file is."""
        return f"{self.root}/{self.path}" if self.path else self.root


Pieces = Callable[[ToCopy], Iterator[bytes]]


class Copies:
    """All together take at most `space` bytes. Safe for concurrent use, by several servers too."""

    def __init__(self, folder: Path, space: int) -> None:
        self.folder, self._space = folder, space
        self.background_bytes = space // 4
        """Limit for a dataset that is copied while no person waits for it: others need the room."""

    def root(self, root: str, *, kept: bool = False) -> Path:
        """Folder of the files that were copied from below an address."""
        name = hashlib.sha256(root.encode()).hexdigest()[:20]
        return (self.folder if kept else self.folder / PASSING) / name

    def place(self, file: ToCopy, *, kept: bool = False) -> Path:
        """Where the copy of a file is."""
        return self.root(file.root, kept=kept) / (file.path or file.root.rpartition("/")[2])

    def make(
        self,
        files: Sequence[ToCopy],
        pieces: Pieces,
        stopped: threading.Event,
        on_progress: Callable[[float], None],
        *,
        kept: bool,
    ) -> int:
        """Copy the files that are not there yet, or are there in another state; returns how many bytes that were.
        Raises NoLakeTable where there is no room, and OSError."""
        roots = {self.root(file.root, kept=kept) for file in files}
        for root in roots:
            root.mkdir(parents=True, exist_ok=True)
            os.utime(root)
        _remove_unused(self.folder / PASSING, ABANDONED_S)
        missing = [file for file in files if not _is_there(self.place(file, kept=kept), file.state)]
        size = sum(file.state.bytes for file in missing)
        self._make_room(size)
        done = 0
        for file in missing:
            before = done

            def written(count: int, before: int = before) -> None:
                on_progress((before + count) / size)

            _copy(file, self.place(file, kept=kept), pieces, stopped, written)
            done += file.state.bytes
        return size

    def remove_abandoned(self, used: Sequence[str]) -> None:
        """Remove kept copies of which no path is `used` any more."""
        if not self.folder.is_dir():
            return
        for folder in self.folder.iterdir():
            in_use = folder.name == PASSING or any(Path(each).is_relative_to(folder) for each in used)
            if not in_use and folder.is_dir() and _age(folder) > ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)

    def _make_room(self, size: int) -> None:
        if size + _size(self.folder) > self._space:
            _remove_unused(self.folder / PASSING, IN_USE_S)
        others = _size(self.folder)
        if size + others > self._space:
            raise NoLakeTable(
                NO_ROOM(size=round(size / 1e6), others=round(others / 1e6), most=round(self._space / 1e6))
            )


def _copy(
    file: ToCopy, target: Path, pieces: Pieces, stopped: threading.Event, on_progress: Callable[[int], None]
) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(f"_{target.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        with partial.open("wb") as output:
            _write(file, pieces(file), output, stopped, on_progress)
        if file.state.changed_ns:
            os.utime(partial, ns=(file.state.changed_ns, file.state.changed_ns))
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def _write(
    file: ToCopy,
    pieces: Iterator[bytes],
    output: BinaryIO,
    stopped: threading.Event,
    on_progress: Callable[[int], None],
) -> None:
    written = 0
    for piece in pieces:
        if stopped.is_set():
            raise NoLakeTable(STOPPED())
        written += len(piece)
        if written > file.state.bytes:
            break
        output.write(piece)
        on_progress(written)
    if written != file.state.bytes:
        raise NoLakeTable(OTHER_SIZE(file=file.path or THE_DATASET()))


def _is_there(path: Path, state: FileState) -> bool:
    try:
        return FileState.of(path) == state
    except OSError:
        return False


def _remove_unused(folder: Path, seconds: float) -> None:
    for each in folder.iterdir() if folder.is_dir() else ():
        with suppress(FileNotFoundError):
            if _age(each) > seconds:
                shutil.rmtree(each, ignore_errors=True)


def _age(folder: Path) -> float:
    return time.time() - FileState.of(folder).changed_ns / 1e9


def _size(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with suppress(FileNotFoundError):  # Other servers copy and remove, too.
            size += path.stat().st_size if path.is_file() else 0
    return size
