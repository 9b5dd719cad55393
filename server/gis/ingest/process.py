"""Runs the reader's process: started with nothing but a path, limited by the kernel, and ended with the server.

Its output is passed on in pieces; the server never holds a whole file in memory."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import structlog

from agents.worded import Template, unpacked
from server.gis.errors import GisError
from server.gis.ingest.limits import (
    MB,
    CannotLoad,
    ChooseLayer,
    FileTooLarge,
    IngestLimits,
    NoDiskSpace,
    TooManyVertices,
)
from server.gis.reading.notes import (
    MEMORY,
    REFUSAL,
    REFUSED,
    REFUSED_AS_TOO_LARGE,
    REFUSED_FOR_A_CHOICE,
    REFUSED_FOR_VERTICES,
    SMALLER,
    Extent,
    Layout,
    Notes,
)

NO_READER_SPACE = Template(
    "file_no_reader_space",
    "The server's disk has no space left to read this file. Try again once the operator of the server has made room.",
)
TOO_SLOW = Template("file_too_slow", "{file} takes too long to read. {smaller}")
NOT_AS_NAMED = Template(
    "file_not_as_named", "{file} could not be read: it is damaged, or not what its name says."
)

log = structlog.get_logger(__name__)

READABLE = (
    "GeoJSON", "GeoJSONSeq", "GPKG", "FlatGeobuf", "ESRI Shapefile", "LIBKML", "KML", "GPX", "XLSX", "OpenFileGDB",
)  # fmt: skip
"""The reader's GDAL drivers; others could let a file open further files or addresses."""
ROOT = Path(__file__).resolve().parents[3]
NOTES = "notes.json"
LOG = "reader.log"
MAX_LOG_BYTES = 512 * 1024
"""Read from its end; a refusal is shorter."""
MAX_NOTES_BYTES = MB
MIN_FREE_BYTES = 64 * 1024
"""The reader writes its log and its notes; with less, its disk counts as full."""
MAX_HEADER_BYTES = MB
READ_CHUNK_BYTES = 256 * 1024
MAX_FRAME_BYTES = 1024 * MB
FRAME_LENGTH = struct.Struct(">Q")
ARROW_BATCH_BYTES = 64 * MB
MAX_GEOJSON_FEATURE_MB = 200
start_process = asyncio.create_subprocess_exec
"""Starts a reader. Tests put a fork of one that has loaded its libraries in its place."""


@dataclass
class FileReading:
    """A file that is being read: first its columns, then its rows, then the reader's notes."""

    fields: list[tuple[str, str]]
    """Names and SQL types."""
    layout: Layout
    process: Process
    folder: Path
    name: str

    async def next_frame(self) -> int | None:
        """Size in bytes of the next frame, which holds whole rows; None after the last. Raises CannotLoad."""
        assert self.process.stdout is not None  # noqa: S101
        try:
            (length,) = FRAME_LENGTH.unpack(await self.process.stdout.readexactly(FRAME_LENGTH.size))
        except asyncio.IncompleteReadError as error:
            if error.partial:
                raise await self.failure() from error
            return None
        if length > MAX_FRAME_BYTES:
            raise await self.failure()
        return int(length)

    async def pieces(self, length: int) -> AsyncIterator[bytes]:
        """The bytes of the frame announced by `next_frame`. Raises CannotLoad."""
        assert self.process.stdout is not None  # noqa: S101
        while length:
            piece = await self.process.stdout.read(min(length, READ_CHUNK_BYTES))
            if not piece:
                raise await self.failure()
            length -= len(piece)
            yield piece

    async def notes(self) -> Notes:
        """The reader's notes, available after the last row. Raises CannotLoad if the reader failed."""
        if await self.process.wait() != 0:
            raise await self.failure()
        written = await asyncio.to_thread(_read, self.folder / NOTES, MAX_NOTES_BYTES)
        return Notes.of(json.loads(written))

    async def failure(self) -> GisError:
        """The reader's refusal, or an error that fits the way the process ended."""
        return await _failure(self.process, self.folder, self.name)


@asynccontextmanager
async def reading(
    path: Path,
    name: str,
    folder: Path,
    limits: IngestLimits,
    layer: str | None,
    encoding: str | None,
    extent: Extent = "one",
) -> AsyncIterator[FileReading]:
    """Start reading `path`, called `name` in messages; archives are unpacked into `folder`. Raises CannotLoad,
    ChooseLayer where only the names of the layers are wanted."""
    order = {
        "path": str(path),
        "name": name,
        "folder": str(folder),
        "notes": NOTES,
        "layer": layer,
        "extent": extent,
        "encoding": encoding,
        "limits": asdict(limits),
    }
    process = await start_reader(order, folder, limits)
    try:
        assert process.stdout is not None  # noqa: S101
        try:
            header = json.loads(await process.stdout.readuntil(b"\n"))
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ValueError) as error:
            raise await _failure(process, folder, name) from error
        fields = [(str(column), str(kind)) for column, kind in header["fields"]]
        yield FileReading(fields, Layout(**header["layout"]), process, folder, name)
    finally:
        await asyncio.shield(_end(process))


async def start_reader(order: dict[str, Any], folder: Path, limits: IngestLimits) -> Process:
    """Start the reader without the server's environment, so that it has no secrets."""
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "TMPDIR": str(folder),
        "GDAL_SKIP": ",".join(skipped_drivers()),
        "GDAL_NUM_THREADS": "1",
        "OGR_XLSX_HEADERS": "FORCE",
        # An index that was left out of an archive is made from the shapes.
        "SHAPE_RESTORE_SHX": "YES",
        "OGR_GPKG_NUM_THREADS": "1",
        "OGR_ARROW_MEM_LIMIT": str(ARROW_BATCH_BYTES),
        "OGR_GEOJSON_MAX_OBJ_SIZE": str(MAX_GEOJSON_FEATURE_MB),
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".none",
        # Threads reserve address space, which is limited.
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MALLOC_ARENA_MAX": "2",
        "ARROW_DEFAULT_MEMORY_POOL": "system",
    }
    bootstrap = LIMITED.format(
        root=str(ROOT), seconds=limits.processor_seconds, memory=limits.memory, output=limits.unpacked
    )
    with (folder / LOG).open("wb") as log_text:
        starting = asyncio.ensure_future(
            start_process(
                sys.executable,
                "-W",
                "ignore",
                "-c",
                bootstrap,
                json.dumps(order),
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=log_text,
                env=environment,
                cwd=folder,
                limit=MAX_HEADER_BYTES,
            )
        )
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            # A start that is cancelled would kill the process without waiting until it has ended.
            await asyncio.shield(_end_started(starting))
            raise


LIMITED = """
import os, runpy, sys, types
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, ({memory}, {memory}))
    resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
    resource.setrlimit(resource.RLIMIT_FSIZE, ({output}, {output}))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:
    pass
if sys.platform == "linux":
    import ctypes, signal
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: ends when the server does
class NotNeeded:
    # Pyogrio loads these if it can, which takes half of the start of a reader.
    def find_spec(self, name, *_):
        if name in ("certifi", "geopandas", "pandas", "pyproj"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, NotNeeded())
for name in ("agents", "agents.core"):
    # Reading needs some of their modules, and not what the packages themselves import.
    package = sys.modules[name] = types.ModuleType(name)
    package.__path__ = [os.path.join({root!r}, *name.split("."))]
runpy.run_module("server.gis.reading.reader", run_name="__main__", alter_sys=False)
"""


@cache
def skipped_drivers() -> tuple[str, ...]:
    """GDAL's drivers that the reader may not use."""
    import pyogrio  # loads GeoPandas where it is installed, which would delay every start

    return tuple(sorted(set(pyogrio.list_drivers()) - set(READABLE)))


async def _failure(process: Process, folder: Path, name: str) -> GisError:
    await _end(process)
    status = process.returncode
    written = await asyncio.to_thread(_read_end, folder / LOG, MAX_LOG_BYTES)
    log_text = written.decode(errors="replace").strip()
    refusal = _refusal(log_text)
    if refusal is not None:
        message = unpacked(refusal["message"])
        if status == REFUSED:
            return CannotLoad(message)
        if status == REFUSED_FOR_A_CHOICE:
            return ChooseLayer(message, refusal["layers"])
        if status == REFUSED_AS_TOO_LARGE:
            return FileTooLarge(message)
        if status == REFUSED_FOR_VERTICES:
            return TooManyVertices(message)
    if await asyncio.to_thread(_is_full, folder):
        log.error("the reader of a file had no disk space", status=status)
        return NoDiskSpace(NO_READER_SPACE())
    log.error("the reader of a file failed", status=status, log_text=log_text[-2000:])
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return FileTooLarge(TOO_SLOW(file=name, smaller=SMALLER))
    if "MemoryError" in log_text or "bad_alloc" in log_text or "annot allocate memory" in log_text:
        return FileTooLarge(MEMORY(file=name, smaller=SMALLER))
    return CannotLoad(NOT_AS_NAMED(file=name))


def _is_full(folder: Path) -> bool:
    """Whether the disk of this folder takes no more files."""
    return shutil.disk_usage(folder).free < MIN_FREE_BYTES


def _refusal(output: str) -> dict[str, Any] | None:
    """The reader's message for the user, among the output of libraries."""
    for line in reversed(output.splitlines()):
        if line.startswith(REFUSAL):
            return dict(json.loads(line.removeprefix(REFUSAL)))
    return None


def _read_end(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - most))
        return file.read(most)


def _read(path: Path, most: int) -> bytes:
    with path.open("rb") as file:
        return file.read(most)


async def _end_started(starting: asyncio.Future[Process]) -> None:
    with suppress(OSError):
        await _end(await starting)


async def _end(process: Process) -> None:
    """End the process; a reader that has written everything gets a second to exit by itself."""
    if process.returncode is None and process.stdout is not None and process.stdout.at_eof():
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), 1)
    if process.returncode is None:
        process.kill()
    # asyncio reports the end of a process only after its output has ended, which a full buffer prevents.
    while process.stdout is not None and await process.stdout.read(READ_CHUNK_BYTES):
        pass
    await process.wait()
