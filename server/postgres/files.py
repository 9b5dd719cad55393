"""Files of a private cluster other than its data, and their owner."""

from __future__ import annotations

import contextlib
import os
import pwd
import tempfile
from io import TextIOWrapper
from pathlib import Path

from server.postgres.problem import DatabaseProblem


class ClusterFailed(DatabaseProblem):
    """The cluster cannot be created or started; the message is for the user."""


def owner_of_cluster() -> pwd.struct_passwd | None:
    """The user that PostgreSQL runs as: None for the user of this process; for root, which PostgreSQL refuses, an
    unprivileged user."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            return pwd.getpwnam(name)
    raise ClusterFailed("PostgreSQL does not run as root and there is no user postgres or nobody here.")


SUPERVISOR_LOG = "supervisor.log"
SUPERVISOR_LOCK = "keeper"
"""The lock of the one supervisor of a cluster. The name is that of the first version: under another one, two versions
would supervise one cluster at the same time."""


def open_lock(path: Path) -> TextIOWrapper:
    """A file to lock. Only its owner may open it, so no other user can hold the lock."""
    return open(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600), "a")


def write_private(path: Path, content: str) -> None:
    """Write a file atomically, readable by its owner only."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}-")
    with os.fdopen(descriptor, "w") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    Path(name).replace(path)
