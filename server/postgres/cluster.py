"""Use of a private cluster: `acquire()` returns its URL and starts it if necessary, `release()` ends the use. Any
number of servers may use one cluster at once.

Its supervisor (`server.postgres.supervisor`) stops it when the last one has ended. If PostgreSQL is killed the
supervisor restarts it; if the supervisor is killed `revive()` starts another."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from io import TextIOWrapper
from pathlib import Path
from typing import Any
from urllib.parse import quote

from server.postgres import supervisor
from server.postgres.files import SUPERVISOR_LOCK, SUPERVISOR_LOG, ClusterFailed, open_lock, owner_of_cluster

DATABASE = "geoagent"
READY_TIMEOUT_S = 120.0
STOP_TIMEOUT_S = 30.0
PROJECT = Path(__file__).resolve().parents[2]


@contextlib.contextmanager
def one_at_a_time(home: Path) -> Iterator[None]:
    """A lock against two starts, of one clone or of two, that install packages at once. Makes the folder."""
    try:
        home.mkdir(mode=0o755 if os.geteuid() == 0 else 0o700, parents=True, exist_ok=True)
        lock = open_lock(home / "installing")
    except OSError as error:
        raise ClusterFailed(
            f"The folder {home} cannot be made ({error.strerror}). Set GEOAGENT_HOME to one that can."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def is_used_by_others(users: TextIOWrapper) -> bool:
    """Whether another server holds the shared lock on the file `users`. The lock that was held through it is lost."""
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        pass
    try:
        fcntl.flock(users, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:  # the supervisor has it alone: it stops the cluster
        return False
    return True


class PrivateCluster:
    """One cluster under `home`. `configuration` adds PostgreSQL settings, if this use is the one that starts it."""

    def __init__(
        self, home: Path, unpacked: Path | None = None, configuration: Mapping[str, str] | None = None
    ) -> None:
        self.home = home
        self._unpacked = unpacked
        self._configuration = dict(configuration or {})
        self._users: TextIOWrapper | None = None
        self._supervisor: subprocess.Popen[str] | None = None

    def acquire(self, database: str = DATABASE) -> str:
        """The URL of a database of this name, which need not exist yet. Blocks until PostgreSQL answers."""
        self._prepare_home()
        self._users = open_lock(self.home / "users")
        fcntl.flock(self._users, fcntl.LOCK_SH)  # waits while a supervisor stops the cluster
        try:
            self._await_record()
        except BaseException:
            self.release()
            raise
        return self.url(database)

    def url(self, database: str = DATABASE) -> str:
        """The URL of a database by socket, as the superuser."""
        record = self._record()
        if record is None:
            raise ClusterFailed("The private cluster is not running.")
        password = (self.home / "password").read_text()
        return (
            f"postgresql://postgres:{quote(password, safe='')}@/{quote(database, safe='')}"
            f"?host={quote(str(record['socket']), safe='')}&port={record['port']}"
        )

    def revive(self) -> bool:
        """Start a supervisor if none is running; returns whether none was."""
        if self._is_kept():
            return False
        self._await_record()
        return True

    def release(self) -> None:
        """End this server's use; if it was the last user, return when the cluster has stopped."""
        if self._users is None:
            return
        users, self._users = self._users, None
        with users:
            if is_used_by_others(users):
                return
        deadline = time.monotonic() + 0.5  # the supervisor removes the record at once, if we were the last
        while self._record() is not None and time.monotonic() < deadline:
            time.sleep(0.02)
        deadline = time.monotonic() + STOP_TIMEOUT_S
        while self._record() is None and self._is_kept() and time.monotonic() < deadline:
            time.sleep(0.02)
        if self._supervisor is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._supervisor.wait(0.1)

    def _prepare_home(self) -> None:
        root = os.geteuid() == 0
        self.home.mkdir(mode=0o755 if root else 0o700, parents=True, exist_ok=True)
        owner = owner_of_cluster()
        if owner is None:
            return
        # The owner of the cluster must be able to pass; secret files in it have their own rights.
        self.home.chmod(0o755)
        reached = subprocess.run(  # noqa: S603
            ["test", "-x", str(self.home)],  # noqa: S607
            user=owner.pw_uid,
            group=owner.pw_gid,
            extra_groups=[],
            cwd="/",
            check=False,
        )
        if reached.returncode:
            raise ClusterFailed(
                f"PostgreSQL does not run as root, and the user {owner.pw_name} cannot enter {self.home}. "
                "Set GEOAGENT_HOME to a folder that everyone may enter, for example /var/lib/geoagent."
            )

    def _await_record(self) -> None:
        deadline = time.monotonic() + READY_TIMEOUT_S
        while time.monotonic() < deadline:
            if self._users is None:  # released while we waited
                return
            self._raise_if_failed()
            if not self._is_kept():
                self._start_supervisor()
            elif self._record() is not None:
                return
            time.sleep(0.02)
        raise ClusterFailed(
            f"PostgreSQL was not ready within {READY_TIMEOUT_S:.0f} s; see {self.home}/postgres.log."
        )

    def _raise_if_failed(self) -> None:
        """Raise the reason that a supervisor which gave up has written; one that was killed has not."""
        if self._supervisor is None or self._supervisor.poll() is None:
            return
        over, self._supervisor = self._supervisor, None
        assert over.stdout is not None  # noqa: S101 - opened as a pipe
        with over.stdout:
            output = over.stdout.read().strip()
        if over.returncode == 1:
            raise ClusterFailed(
                output or f"The supervisor of PostgreSQL failed; see {self.home}/{SUPERVISOR_LOG}."
            )

    def _start_supervisor(self) -> None:
        if self._supervisor is not None and self._supervisor.poll() is None:
            return
        command = [sys.executable, "-m", supervisor.__name__, str(self.home)]
        if self._unpacked is not None:
            command += ["--unpacked", str(self._unpacked)]
        for name, value in self._configuration.items():
            command += ["--set", f"{name}={value}"]
        with (self.home / SUPERVISOR_LOG).open("a") as log:
            self._supervisor = subprocess.Popen(  # noqa: S603 - our own module
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd="/",
                env={**os.environ, "PYTHONPATH": str(PROJECT)},
                start_new_session=True,
            )

    def _is_kept(self) -> bool:
        with open_lock(self.home / SUPERVISOR_LOCK) as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
        return False

    def _record(self) -> dict[str, Any] | None:
        """What the supervisor wrote when PostgreSQL was ready; not what a killed one left behind."""
        try:
            record: dict[str, Any] = json.loads((self.home / "cluster.json").read_text())
            os.kill(record["keeper"], 0)
        except (FileNotFoundError, ProcessLookupError):
            return None
        return record
