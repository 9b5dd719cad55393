"""The state of a file when it was read: another state means another content."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class FileState:
    """`changed_ns` is the time of the last change; of a file whose web server names its versions (ETag), a number
    made from the version."""

    bytes: int
    changed_ns: int

    @classmethod
    def of(cls, path: Path) -> FileState:
        """The state of a file on disk. Raises OSError."""
        state = path.stat()
        return cls(state.st_size, state.st_mtime_ns)
