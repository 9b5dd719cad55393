"""A PostgreSQL that a test may stop, kill and start again at the same address."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from server.postgres import packages, say
from server.postgres.files import owner_of_cluster
from server.postgres.homes import homes
from tests.support.children import leash, temporary_folder
from tests.support.looking import PATIENCE
from tests.support.ports import reserved_port
from tests.support.postgis import Postgis


class Postmaster:
    """A bare cluster with PostGIS on a port of the loopback; `url` is all that `Postgis` asks of a cluster."""

    def __init__(self, home: Path, port: int, **settings: str) -> None:
        """`settings` are PostgreSQL's."""
        self._installation = packages.require(homes(None).unpacked, say)
        self._data = home / "data"
        self._port = port
        owner = owner_of_cluster()
        self._as_owner: dict[str, Any] = {"cwd": "/", "env": {**os.environ, **self._installation.environment}}
        if owner is not None:
            os.chown(home, owner.pw_uid, owner.pw_gid)
            self._as_owner |= {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        self._home = home
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        self._run("initdb", "-D", str(self._data), "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8")

    @property
    def pid(self) -> int:
        """Of the main process."""
        assert self._process is not None, "PostgreSQL does not run"
        return self._process.pid

    def url(self, database: str) -> str:
        return f"postgresql://postgres@127.0.0.1:{self._port}/{database}"

    def start(self) -> None:
        settings = [f"port={self._port}", f"unix_socket_directories={self._home}", "fsync=off", "jit=off"]
        settings += [f"{name}={value}" for name, value in self._settings.items()]
        self._process = subprocess.Popen(
            [self._program("postgres"), "-D", str(self._data), *(f"--{each}" for each in settings)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=leash(signal.SIGQUIT),
            **self._as_owner,
        )
        deadline = time.monotonic() + PATIENCE
        while not self._answers():
            assert time.monotonic() < deadline, "PostgreSQL did not start"
            time.sleep(0.05)

    def stop(self) -> None:
        """At once: connections are cut, nothing is tidied up."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)
            self._process.wait(PATIENCE)
            self._process = None

    @contextmanager
    def away(self) -> Iterator[None]:
        self.stop()
        try:
            yield
        finally:
            self.start()

    def _answers(self) -> bool:
        command = [self._program("pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self._port)]
        return subprocess.run(command, check=False, env=self._as_owner["env"]).returncode == 0

    def _program(self, name: str) -> str:
        return self._installation.program(name)

    def _run(self, name: str, *arguments: str) -> None:
        subprocess.run(
            [self._program(name), *arguments], check=True, stdout=subprocess.DEVNULL, **self._as_owner
        )


@contextmanager
def postmaster() -> Iterator[tuple[Postmaster, Postgis]]:
    """A cluster of one's own, and its databases."""
    with temporary_folder("postmaster") as home, reserved_port() as port:
        one = Postmaster(home, port)
        try:
            one.start()
            yield one, Postgis(one)
        finally:
            one.stop()
