"""Processes of the command line as forks of one that has imported the server.

Imports are most of what a short process costs: two to three seconds of processor time for `geoagent serve`. A fork
differs from a process that is started in nothing else: it has its own arguments, environment, folder and streams, and
ends when it likes. That `python -m server` starts is tested by those who start it so: `tests/integration/setup` and
`tests/integration/cli/test_imports.py`."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

from tests.support.children import Ran, leash

ROOT = Path(__file__).resolve().parents[2]
MAX_MESSAGE = 200_000
"""Bytes of a request: the arguments and the environment of a process."""
MAX_LINE = 64 * 1024
"""Bytes of a line of standard output."""


class Forked:
    """A process that was forked, with what tests use of `asyncio.subprocess.Process`."""

    def __init__(self, pid: int, ended: asyncio.Future[int], stdout: asyncio.StreamReader) -> None:
        self.pid = pid
        self.stdout = stdout
        self._ended = ended

    @property
    def returncode(self) -> int | None:
        return self._ended.result() if self._ended.done() else None

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    def send_signal(self, number: signal.Signals) -> None:
        if self._ended.done():
            raise ProcessLookupError
        os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


class Forks:
    """A process that forks, and those that it has forked; for one event loop.

    `program` is the module whose `main` that process runs, with these arguments; `env` its environment, else ours."""

    def __init__(self, program: str, arguments: Sequence[str], env: Mapping[str, str] | None) -> None:
        self._loop = asyncio.get_running_loop()
        self._ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._waiting: deque[asyncio.Future[tuple[int, asyncio.Future[int]]]] = deque()
        self._ended: dict[int, asyncio.Future[int]] = {}
        self._process = subprocess.Popen(
            [sys.executable, "-c", f"from {program} import main; main()", str(theirs.fileno()), *arguments],
            cwd=ROOT,
            env=env,
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            preexec_fn=leash(signal.SIGKILL),
        )
        theirs.close()
        self._ours.setblocking(False)
        self._loop.add_reader(self._ours, self._hear)

    _current: dict[str, Forks] = {}
    """By program."""

    @classmethod
    def here(cls, program: str = __name__, *arguments: str, env: Mapping[str, str] | None = None) -> Forks:
        """That of this process and event loop."""
        forks = cls._current.get(program)
        if forks is None or forks._loop is not asyncio.get_running_loop():
            cls._end(program)
            forks = cls._current[program] = cls(program, arguments, env)
        return forks

    @classmethod
    def end(cls) -> None:
        """End the processes that fork."""
        for program in list(cls._current):
            cls._end(program)

    @classmethod
    def _end(cls, program: str) -> None:
        if (forks := cls._current.pop(program, None)) is not None:
            with suppress(RuntimeError):  # its loop is closed
                forks._loop.remove_reader(forks._ours)
            forks._ours.close()
            forks._process.wait()

    async def start(
        self,
        *arguments: str,
        env: Mapping[str, str],
        cwd: Path = ROOT,
        stdin: int | None = None,
        stderr: int | None = None,
        limit: int = MAX_LINE,
    ) -> Forked:
        """A fork with these arguments. Its standard output is read; streams that are not given are ours."""
        out, theirs = os.pipe()
        request = json.dumps({"arguments": arguments, "cwd": str(cwd), "env": dict(env)}).encode()
        assert len(request) < MAX_MESSAGE
        try:
            streams = [0 if stdin is None else stdin, theirs, 2 if stderr is None else stderr]
            started: asyncio.Future[tuple[int, asyncio.Future[int]]] = self._loop.create_future()
            self._waiting.append(started)
            socket.send_fds(self._ours, [request], streams)
        finally:
            os.close(theirs)
        return Forked(*await started, await _reader(out, limit))

    def _hear(self) -> None:
        """Take in that a process was started, or has ended."""
        message = b""
        with suppress(ConnectionResetError):
            message = self._ours.recv(MAX_MESSAGE)
        if not message:
            self._loop.remove_reader(self._ours)
            for started in self._waiting:
                started.set_exception(RuntimeError("The process that forks has ended."))
            return
        pid, status = json.loads(message)
        if status is None:
            self._ended[pid] = self._loop.create_future()
            if (started := self._waiting.popleft()).cancelled():
                os.kill(pid, signal.SIGKILL)
            else:
                started.set_result((pid, self._ended[pid]))
        else:
            self._ended.pop(pid).set_result(status)


async def _reader(pipe: int, limit: int) -> asyncio.StreamReader:
    """The reading end of a pipe as a stream."""
    stream = asyncio.StreamReader(limit)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(pipe, "rb", buffering=0)
    )
    return stream


async def ran(
    *arguments: str, env: Mapping[str, str], cwd: Path = ROOT, stdin: str = "", seconds: float = 90
) -> Ran:
    """Runs `geoagent` with these arguments to its end."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(stdin.encode())
        given.seek(0)
        process = await Forks.here().start(
            *arguments, env=env, cwd=cwd, stdin=given.fileno(), stderr=errors.fileno()
        )
        try:
            async with asyncio.timeout(seconds):
                out = await process.stdout.read()
                status = await process.wait()
        finally:
            with suppress(ProcessLookupError):
                process.kill()
        return Ran(status, out.decode(), _content(errors))


def _content(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode()


def _next_request(requests: socket.socket) -> tuple[Sequence[str], list[int]] | None:
    """Fork for each request, and report who was started and who has ended. Returns in a child, or at the end."""
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    while True:
        ready, _, _ = select.select([requests, woken], [], [])
        if woken in ready:
            os.read(woken, 1000)
            _report_ended(requests)
        if requests not in ready:
            continue
        message, streams, _, _ = socket.recv_fds(requests, MAX_MESSAGE, 3)
        if not message:
            return None
        forker = os.getpid()
        if (pid := os.fork()) == 0:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            os.close(woken)
            os.close(wake)
            leash()()
            if os.getppid() != forker:
                os._exit(1)
            return _become(json.loads(message)), streams
        for stream in streams:
            os.close(stream)
        requests.send(json.dumps([pid, None]).encode())


def _report_ended(requests: socket.socket) -> None:
    with suppress(ChildProcessError, BrokenPipeError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            requests.send(json.dumps([ended[0], os.waitstatus_to_exitcode(ended[1])]).encode())


def _become(request: dict[str, object]) -> list[str]:
    """Take the folder and the environment of the request; returns its arguments."""
    os.environ.clear()
    os.environ.update(request["env"])  # type: ignore[arg-type]
    os.chdir(str(request["cwd"]))
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:0] = [str(request["cwd"]), *filter(None, named)]
    tempfile.tempdir = None
    return request["arguments"]  # type: ignore[return-value]


def forked() -> list[str] | None:
    """In the process that forks: fork until the other end closes, then None. In a fork: its arguments."""
    gc.collect()
    gc.freeze()
    requests = socket.socket(fileno=int(sys.argv[1]))
    fork = _next_request(requests)
    requests.close()
    if fork is None:
        return None
    arguments, streams = fork
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    return list(arguments)


def main() -> None:
    """Fork; each fork is `geoagent`."""
    import server.app
    import server.cli.evaluate
    import server.gis.ingest

    if (arguments := forked()) is not None:
        sys.argv = ["geoagent", *arguments]
        server.cli.main()
