"""The reader's process seen from the server: started with nothing but a path, read as an Arrow stream, and
ended with us."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyogrio
import structlog

from server.gis.ingest.limits import CannotLoad, FileTooLarge, IngestLimits
from server.gis.reading.notes import REFUSED, Layout, Notes

log = structlog.get_logger(__name__)

READABLE = ("GeoJSON", "GPKG", "FlatGeobuf", "ESRI Shapefile", "LIBKML", "KML")
"""GDAL's drivers that the reader has; with others, a file could have the server open other files or addresses."""
ROOT = Path(__file__).resolve().parents[3]
NOTES = "notes.json"
LOG = "reader.log"


@dataclass
class Reading:
    """A file that is being read: its columns first, then its rows, then what there is to say of them."""

    schema: pa.Schema
    layout: Layout
    stream: pa.ipc.RecordBatchStreamReader
    process: subprocess.Popen[bytes]
    folder: Path
    name: str

    async def batches(self) -> AsyncIterator[pa.RecordBatch]:
        while True:
            try:
                batch = await asyncio.to_thread(next, self._batches, None)
            except (pa.ArrowException, OSError) as error:
                raise await self.failure() from error
            if batch is None:
                break
            yield batch

    async def notes(self) -> Notes:
        """After the last row. Raises CannotLoad when the reader did not come to a good end."""
        if await asyncio.to_thread(self.process.wait) != 0:
            raise await self.failure()
        return Notes(**json.loads((self.folder / NOTES).read_text(encoding="utf-8")))

    async def failure(self) -> CannotLoad:
        return await asyncio.to_thread(_failure, self.process, self.folder, self.name)

    def __post_init__(self) -> None:
        self._batches: Iterator[pa.RecordBatch] = iter(self.stream)


@asynccontextmanager
async def reading(
    path: Path, folder: Path, limits: IngestLimits, layer: str | None, encoding: str | None
) -> AsyncIterator[Reading]:
    """Raises CannotLoad with what the reader says of the file."""
    order = {"path": str(path), "notes": str(folder / NOTES), "layer": layer, "encoding": encoding}
    process = await asyncio.to_thread(_start, order, folder, limits)
    try:
        stream = await asyncio.to_thread(_opened, process)
        if stream is None:
            raise await asyncio.to_thread(_failure, process, folder, path.name)
        yield Reading(stream.schema, Layout.of(stream.schema.metadata), stream, process, folder, path.name)
    finally:
        await asyncio.shield(asyncio.to_thread(_end, process))


def _start(order: dict[str, Any], folder: Path, limits: IngestLimits) -> subprocess.Popen[bytes]:
    """Without the server's environment: the reader has no business with its secrets."""
    environment = {
        "PATH": os.environ.get("PATH", ""),
        "PYTHONPATH": str(ROOT),
        "LANG": "C.UTF-8",
        "TMPDIR": str(folder),
        "GDAL_SKIP": ",".join(unreadable()),
        "CPL_VSIL_CURL_ALLOWED_EXTENSIONS": ".none",
        "OGR_GEOJSON_MAX_OBJ_SIZE": "500",
    }
    command = [sys.executable, "-c", _LIMITED.format(seconds=int(limits.seconds)), json.dumps(order)]
    with (folder / LOG).open("wb") as said:
        return subprocess.Popen(  # noqa: S603 - our own interpreter and module; the path is an argument, no shell
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            env=environment,
            cwd=folder,
        )


_LIMITED = """
import runpy, sys
try:
    import resource
    resource.setrlimit(resource.RLIMIT_CPU, ({seconds}, {seconds}))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
except ImportError:
    pass
runpy.run_module("server.gis.reading.reader", run_name="__main__", alter_sys=False)
"""


@cache
def unreadable() -> tuple[str, ...]:
    return tuple(sorted(set(pyogrio.list_drivers()) - set(READABLE)))


def _opened(process: subprocess.Popen[bytes]) -> pa.ipc.RecordBatchStreamReader | None:
    try:
        return pa.ipc.open_stream(pa.PythonFile(process.stdout, "r"))
    except (pa.ArrowException, OSError):
        return None


def _failure(process: subprocess.Popen[bytes], folder: Path, name: str) -> CannotLoad:
    """What the reader said, if it was meant for people; else what its end means."""
    process.kill()
    status = process.wait()
    said = (folder / LOG).read_text(encoding="utf-8", errors="replace").strip()
    if status == REFUSED:
        return CannotLoad(said)
    log.error("the reader of a file failed", file=name, status=status, said=said[-2000:])
    if status == -signal.SIGXCPU:
        return FileTooLarge(f"{name} takes too long to read.")
    return CannotLoad(f"{name} could not be read: it is damaged, or not what its name says.")


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()
    process.wait()
    if process.stdout is not None:
        process.stdout.close()
