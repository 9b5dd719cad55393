"""Keeps `/healthz` available while a long computation or C code blocks this process: starts `health_child.py`
on the listening sockets, takes over the connections that it passes on, and restarts it if it ends."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import structlog

log = structlog.get_logger(__name__)

CHILD = Path(__file__).with_name("health_child.py")
RESTART_DELAY_S = 5.0
STOP_TIMEOUT_S = 1.0

Protocols = Callable[[], asyncio.BaseProtocol]
"""Makes the protocol of a new connection, as `loop.create_server` takes it."""


@asynccontextmanager
async def health_process(listening: Sequence[int], protocols: Protocols) -> AsyncIterator[None]:
    """Run the process for the duration of the context; `listening` are file descriptors. Does nothing on Windows."""
    if sys.platform == "win32":
        yield
        return
    process = HealthProcess(listening, protocols)
    process.start()
    try:
        yield
    finally:
        await process.stop()


class HealthProcess:
    """The child process and the Unix socket to it."""

    def __init__(self, listening: Sequence[int], protocols: Protocols) -> None:
        self._listening = tuple(listening)
        self._protocols = protocols
        self._loop = asyncio.get_running_loop()
        self._process: subprocess.Popen[bytes] | None = None
        self._line: socket.socket | None = None
        self._restart: asyncio.TimerHandle | None = None
        self._arriving: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        """Start the child on the listening sockets, and restart it whenever it ends."""
        self._line, theirs = socket.socketpair()
        self._line.setblocking(False)
        descriptors = (theirs.fileno(), *self._listening)
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own file, by our own interpreter
                [sys.executable, "-I", "-S", str(CHILD), *map(str, descriptors)],
                pass_fds=descriptors,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                cwd="/",
            )
        except OSError as error:
            log.warning("the health process cannot be started", error=str(error))
            self._line.close()
            return
        finally:
            theirs.close()
        self._loop.add_reader(self._line, self._receive)

    async def stop(self) -> None:
        """End the child and all that waits for it."""
        if self._restart is not None:
            self._restart.cancel()
        self._hang_up()
        for task in self._arriving:
            task.cancel()
        if self._process is not None:
            await asyncio.to_thread(end, self._process)

    def _receive(self) -> None:
        assert self._line is not None  # noqa: S101 - it is read only while it is open
        try:
            data, descriptors, _flags, _address = socket.recv_fds(self._line, 1, 1)
        except BlockingIOError:
            return
        except OSError:
            data, descriptors = b"", []
        for descriptor in descriptors:
            self._take(socket.socket(fileno=descriptor))
        if data:
            with suppress(OSError):
                self._line.send(data)
        else:
            self._hang_up()
            if self._process is not None:
                self._process.kill()
                self._process.wait()
            log.warning("the health process has ended; it is started again", seconds=RESTART_DELAY_S)
            self._restart = self._loop.call_later(RESTART_DELAY_S, self.start)

    def _take(self, connection: socket.socket) -> None:
        connection.setblocking(False)
        task = self._loop.create_task(self._serve(connection))
        self._arriving.add(task)
        task.add_done_callback(self._arriving.discard)

    async def _serve(self, connection: socket.socket) -> None:
        try:
            await self._loop.connect_accepted_socket(self._protocols, connection)
        except (OSError, asyncio.CancelledError):
            connection.close()

    def _hang_up(self) -> None:
        if self._line is not None:
            self._loop.remove_reader(self._line)
            self._line.close()
            self._line = None


def end(process: subprocess.Popen[bytes]) -> None:
    """Wait up to `STOP_TIMEOUT_S` for the process to end, then kill it."""
    try:
        process.wait(STOP_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
