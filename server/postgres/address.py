"""Addresses of databases: how a URL is written, and where a private cluster listens (a free port on loopback, and a
Unix socket on a short path)."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path

from server.postgres.files import owner_of_cluster, write_private


def plain_url(url: str) -> str:
    """`postgresql://...` whatever spelling it came in. Raises ValueError for another scheme."""
    scheme, separator, rest = url.partition("://")
    if not separator or scheme.split("+")[0] not in ("postgresql", "postgres"):
        raise ValueError("DATABASE_URL must begin with postgresql://")
    return f"postgresql://{rest}"


class Address:
    """A free port on loopback, kept from the last time where possible, and a folder for the socket."""

    def __init__(self, home: Path, port: int, folder: Path) -> None:
        self._home = home
        self.port = port
        self.socket = folder

    @classmethod
    def choose(cls, home: Path) -> Address:
        """The remembered port if it is free, else a new one; the socket's path is short enough for the
        system."""
        folder = home / "run"
        if len(os.fsencode(folder)) > 80:  # a socket's path may have 107 bytes, on macOS 103
            folder = Path(tempfile.mkdtemp(prefix="geoagent-", dir="/tmp"))
        folder.mkdir(mode=0o700, exist_ok=True)
        owner = owner_of_cluster()
        if owner is not None:
            os.chown(folder, owner.pw_uid, owner.pw_gid)
        remembered = home / "port"
        port = int(remembered.read_text()) if remembered.exists() else 0
        address = cls(home, port, folder)
        if not port or not _is_free(port):
            address.renew()
        return address

    def clear(self) -> None:
        """Remove what a killed PostgreSQL left: the lock of a socket, too, may name an unrelated process by now."""
        for left in self.socket.glob(".s.PGSQL.*"):
            left.unlink(missing_ok=True)

    def leave(self) -> None:
        """Remove the socket and its temporary folder, after PostgreSQL has stopped."""
        self.clear()
        if self.socket.parent != self._home:
            self.socket.rmdir()

    def renew(self) -> None:
        """Take another free port and remember it."""
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        write_private(self._home / "port", str(self.port))


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
