"""The supervisor process of one private cluster: creates it, runs `postgres` as its child, restarts it, stops it.

Started by `server.postgres.cluster` in a new session, so that Ctrl-C in a terminal reaches the server only. Every
server that uses the cluster holds a shared lock on the file `users`; the supervisor waits for the exclusive one. It
gets that when the last server has ended, for any reason, and then stops PostgreSQL. One supervisor at a time: the
lock `SUPERVISOR_LOCK`. Standard library only, and as a parent it reaps PostgreSQL, so that no zombie's pid file blocks
a restart."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from server.postgres.address import Address
from server.postgres.files import SUPERVISOR_LOCK, ClusterFailed, open_lock, owner_of_cluster, write_private
from server.postgres.installation import Installation, find
from server.postgres.processes import head_of, living_on, pid_file

START_TIMEOUT_S = 60.0
STOP_TIMEOUT_S = 60.0
MAX_LOG_BYTES = 10_000_000
EXIT_ALREADY_SUPERVISED = 3
"""Exit status: another supervisor has this cluster already."""

CONFIGURATION = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_permissions": "0700",
    "password_encryption": "scram-sha-256",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "work_mem": "32MB",
    "maintenance_work_mem": "128MB",
    "random_page_cost": "1.1",
    "jit": "off",
    # With PostgreSQL's default of 8, a few questions about a large table would occupy a small machine.
    "max_parallel_workers": str(os.cpu_count() or 1),
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %u@%d ",
    "logging_collector": "off",
}


def main() -> int:
    """Run the supervisor process; returns its exit code."""
    parser = argparse.ArgumentParser(description="Keep one private PostgreSQL cluster. Started by GeoAgent.")
    parser.add_argument("home", type=Path)
    parser.add_argument("--unpacked", type=Path)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    options = parser.parse_args()
    with open_lock(options.home / SUPERVISOR_LOCK) as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return EXIT_ALREADY_SUPERVISED
        supervisor = Supervisor(
            options.home, options.unpacked, dict(pair.split("=", 1) for pair in options.set)
        )
        try:
            supervisor.run()
        except ClusterFailed as error:
            print(error, flush=True)
            return 1
    return 0


class Supervisor:
    """The process that runs PostgreSQL, restarts it, and ends it with the last server that uses it."""

    def __init__(self, home: Path, unpacked: Path | None, extra: dict[str, str]) -> None:
        self.home = home
        self.data = home / "data"
        self.log = home / "postgres.log"
        self.record = home / "cluster.json"
        self._unpacked = unpacked
        self._configuration = CONFIGURATION | _shared_memory() | extra
        self._stopping = threading.Event()
        self._child: subprocess.Popen[bytes] | None = None
        self._swap = threading.RLock()  # a signal may come while this very thread holds it
        self._users: TextIOWrapper | None = None

    def run(self) -> None:
        """Returns when the last server has ended and PostgreSQL has stopped."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._begin_stop())
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        self.record.unlink(missing_ok=True)
        installation = self._installation()
        if not (self.data / "PG_VERSION").exists():
            self._make(installation)
        self._clear_old_run()  # first, because it may hold the known port
        address = Address.choose(self.home)
        threading.Thread(target=self._wait_for_last_user, daemon=True).start()
        short_lives = 0
        while not self._stopping.is_set():
            started = time.monotonic()
            self._start(installation, address)
            if self._stopping.is_set():
                self._begin_stop()  # a signal may have come in the very moment of the start
            if self._child is not None:
                self._child.wait()
            short_lives = short_lives + 1 if time.monotonic() - started < 5 else 0
            if short_lives >= 5 and not self._stopping.is_set():
                self.record.unlink(missing_ok=True)
                raise ClusterFailed(f"PostgreSQL stopped again and again:\n{_tail(self.log)}")
            self._stopping.wait(0.05 * 2**short_lives - 0.05)
        self.record.unlink(missing_ok=True)
        address.leave()

    def _installation(self) -> Installation:
        made_by = self.data / "PG_VERSION"
        major = int(made_by.read_text().split(".")[0]) if made_by.exists() else None
        installation = find(self._unpacked, major)
        if installation is None:
            other = find(self._unpacked)
            if major is None or other is None:
                raise ClusterFailed("There is no PostgreSQL with PostGIS on this machine any more.")
            raise ClusterFailed(
                f"The data in {self.data} was made by PostgreSQL {major}, but the one with PostGIS here is "
                f"{other.major}. Install PostgreSQL {major} with PostGIS again, bring the data over with "
                f"pg_dumpall or pg_upgrade, or, if you can do without the data, delete {self.data}."
            )
        return installation

    def _make(self, installation: Installation) -> None:
        """Run initdb next to the final folder, then rename: a cluster exists completely or not at all."""
        for left in self.home.glob("initdb-*"):
            shutil.rmtree(
                left, ignore_errors=True
            )  # an initdb whose supervisor was killed may still be writing there
        if self.data.exists():
            self.data.rename(self.home / f"data-incomplete-{time.time_ns()}")  # not ours to throw away
        password = _password(self.home)
        workshop = Path(tempfile.mkdtemp(prefix="initdb-", dir=self.home))
        secret = workshop / "password"
        secret.write_text(password)
        owner = owner_of_cluster()
        if owner is not None:
            for path in (workshop, secret):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        made = subprocess.run(  # noqa: S603 - our own arguments
            [
                *(installation.program("initdb"), "-D", str(workshop / "data"), "-U", "postgres"),
                *("--encoding=UTF8", f"--locale={_locale()}", "--auth=scram-sha-256", f"--pwfile={secret}"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            **self._as_owner(installation),
        )
        if made.returncode:
            raise ClusterFailed(f"initdb could not make a cluster in {self.home}:\n{made.stdout.strip()}")
        (workshop / "data").rename(self.data)
        shutil.rmtree(workshop)

    def _start(self, installation: Installation, address: Address) -> None:
        """Start PostgreSQL and wait until it takes connections; what makes a start fail for a moment is retried."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            self._clear_old_run()
            address.clear()
            if self._launch(installation, address) and self._becomes_ready(deadline):
                self._write_record(installation, address)
                return
            if self._stopping.is_set():
                return
            tail = _tail(self.log)
            if time.monotonic() > deadline:
                raise ClusterFailed(f"PostgreSQL did not start within {START_TIMEOUT_S:.0f} s:\n{tail}")
            if "could not bind" in tail or "Address already in use" in tail:
                address.renew()
            elif "shared memory block" not in tail and "lock file" not in tail:
                raise ClusterFailed(f"PostgreSQL did not start:\n{tail}")
            time.sleep(0.2)

    def _launch(self, installation: Installation, address: Address) -> bool:
        if self.log.exists() and self.log.stat().st_size > MAX_LOG_BYTES:
            self.log.replace(self.log.with_suffix(".log.old"))
        settings = {
            **self._configuration,
            "port": str(address.port),
            "unix_socket_directories": str(address.socket),
        }
        arguments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        with self._swap, self.log.open("ab") as log:
            if self._stopping.is_set():
                return False
            os.chmod(self.log, 0o600)
            log.write(b"GeoAgent starts PostgreSQL\n")
            self._child = subprocess.Popen(  # noqa: S603 - our own arguments
                [installation.program("postgres"), "-D", str(self.data), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                **self._as_owner(installation),
            )
        return True

    def _becomes_ready(self, deadline: float) -> bool:
        """PostgreSQL writes `ready` into the eighth line of its pid file; pg_ctl looks there too."""
        child = self._child
        assert child is not None  # noqa: S101 - set by _launch
        while child.poll() is None and time.monotonic() < deadline:
            lines = pid_file(self.data)
            if len(lines) >= 8 and lines[0].strip() == str(child.pid) and lines[7].strip() == "ready":
                return True
            time.sleep(0.02)
        return False

    def _write_record(self, installation: Installation, address: Address) -> None:
        assert self._child is not None  # noqa: S101 - it was just found ready
        write_private(
            self.record,
            json.dumps(
                {
                    "port": address.port,
                    "socket": str(address.socket),
                    "major": installation.major,
                    "postgres": self._child.pid,
                    "keeper": os.getpid(),
                }
            ),
        )

    def _wait_for_last_user(self) -> None:
        """Stop when no server is left. The lock is held until this process ends, so a new server waits for that."""
        self._users = open_lock(self.home / "users")
        fcntl.flock(self._users, fcntl.LOCK_EX)
        self.record.unlink(missing_ok=True)
        with self._swap:
            self._begin_stop()

    def _begin_stop(self) -> None:
        self._stopping.set()
        child = self._child
        if child is not None and child.poll() is None:
            child.send_signal(signal.SIGINT)  # PostgreSQL's fast shutdown

    def _clear_old_run(self) -> None:
        """Stop the remaining processes of a PostgreSQL that lost its supervisor or its postmaster, after which its
        pid file is obsolete. The pid file alone is no proof: its process may be a zombie, or the pid may be reused.

        It must not be removed while an old backend runs, because PostgreSQL uses it to detect that its shared memory
        is still in use."""
        deadline = time.monotonic() + STOP_TIMEOUT_S
        head = head_of(self.data)
        while left := list(living_on(self.data, head)):
            late = time.monotonic() > deadline - STOP_TIMEOUT_S / 2
            for pid in left:
                gentle = signal.SIGINT if pid == head else signal.SIGTERM
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGQUIT if late else gentle)
            if time.monotonic() > deadline:
                raise ClusterFailed(f"An earlier PostgreSQL does not stop (processes {left}).")
            time.sleep(0.1)
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _as_owner(self, installation: Installation) -> dict[str, Any]:
        """Options for starting PostgreSQL's programs: never as root, in a folder that they can enter, with a
        minimal environment."""
        kept = ("PATH", "HOME", "TZ", "TMPDIR", "DYLD_LIBRARY_PATH")
        environment = {name: os.environ[name] for name in kept if name in os.environ}
        environment |= {"LC_ALL": _locale(), **installation.environment}
        owner = owner_of_cluster()
        if owner is None:
            return {"env": environment, "cwd": "/"}
        environment["HOME"] = owner.pw_dir
        return {
            "env": environment,
            "cwd": "/",
            "user": owner.pw_uid,
            "group": owner.pw_gid,
            "extra_groups": [],
        }


def _password(home: Path) -> str:
    path = home / "password"
    if not path.exists():
        write_private(path, secrets.token_urlsafe(24))
    return path.read_text()


def _locale() -> str:
    """A UTF-8 locale if the system has one."""
    try:
        known = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=False).stdout.split()  # noqa: S607
    except OSError:
        return "C"
    spelled = {name.lower().replace("-", ""): name for name in known}
    return next((spelled[name] for name in ("c.utf8", "en_us.utf8") if name in spelled), "C")


def _shared_memory() -> dict[str, str]:
    """Containers often have a tiny /dev/shm, in which parallel queries fail; files do instead."""
    try:
        room = os.statvfs("/dev/shm")  # noqa: S108 - only asked for its size
    except OSError:
        return {}
    small = room.f_blocks * room.f_frsize < 512_000_000
    return {"dynamic_shared_memory_type": "mmap"} if small else {}


def _tail(log: Path) -> str:
    try:
        text = log.read_text(errors="replace")
    except OSError:
        return ""
    return "\n".join(text.rpartition("GeoAgent starts PostgreSQL\n")[2].splitlines()[-12:])


if __name__ == "__main__":
    sys.exit(main())
