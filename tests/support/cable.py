"""A cable between the code under test and PostgreSQL that can be pulled and plugged in again."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from urllib.parse import parse_qs, unquote, urlsplit


class Cable:
    """A TCP port that leads to the Unix socket of a database URL."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        options = {name: values[0] for name, values in parse_qs(parts.query).items()}
        self._socket = f"{unquote(options['host'])}/.s.PGSQL.{options['port']}"
        self._login, self._path = parts.netloc.rpartition("@")[0], parts.path
        self._server: asyncio.Server | None = None
        self._port = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._silenced = 0
        """Connections up to this number carry nothing any more, while later ones do."""
        self._ends: set[asyncio.StreamWriter] = set()
        self._programs: set[asyncio.StreamWriter] = set()
        self.silent = False
        """A silent cable stays connected and carries nothing: a network that drops packets."""
        self.overhear: Callable[[int, bytes], None] | None = None
        """Called with the number of a connection and what the program said on it."""
        self._newest = 0

    @property
    def url(self) -> str:
        return f"postgresql://{self._login}@127.0.0.1:{self._port}{self._path}"

    async def plug(self) -> None:
        self._server = await asyncio.start_server(self._joined, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]

    async def pull(self) -> None:
        """Everything that is connected is cut off, and nothing can connect."""
        if self._server is not None:
            self._server.close()
        for task in tuple(self._tasks):
            task.cancel()
        for end in tuple(self._ends):
            end.transport.abort()
        self._ends.clear()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def say(self, data: bytes) -> None:
        """Send something to every program, as if PostgreSQL had."""
        for program in self._programs & self._ends:
            program.write(data)

    def forget(self) -> None:
        """Every connection that there is falls silent without an end, as when a router forgets it."""
        self._silenced = self._newest

    async def _joined(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_unix_connection(self._socket)
        self._newest += 1
        self._programs.add(writer)
        for source, target, hears in ((reader, there_writer, True), (there_reader, writer, False)):
            self._ends.add(target)
            task = asyncio.create_task(self._carried(source, target, self._newest, hears))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _carried(
        self, source: asyncio.StreamReader, target: asyncio.StreamWriter, number: int, hears: bool
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                if self.overhear is not None and hears:
                    self.overhear(number, data)
                if not self.silent and number > self._silenced:
                    target.write(data)
                    await target.drain()
        target.transport.abort()
        self._ends.discard(target)


@asynccontextmanager
async def cable(url: str) -> AsyncIterator[Cable]:
    made = Cable(url)
    await made.plug()
    try:
        yield made
    finally:
        await made.pull()
