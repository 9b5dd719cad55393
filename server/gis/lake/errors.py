"""Errors of registering and reading lake tables."""

from __future__ import annotations

from server.gis.errors import GisError
from server.gis.ingest.limits import CannotLoad


class NoLakeTable(CannotLoad):
    """The dataset cannot become a lake table, or is no longer what was registered. The message says what to do."""

    code = "invalid_payload"


class Unreachable(NoLakeTable):
    """An address gives no answer, or another one than was asked for. The message names it."""


class PathRefused(GisError):
    """The path lies outside of the folders that may be read."""

    code = "forbidden"


class LakeTableExists(CannotLoad):
    """The name is taken."""

    code = "conflict"


class FilesChanged(OSError):
    """A file is not what was registered, or changed while it was read. An OSError, as Arrow passes it on."""


class OutOfAllowance(OSError):
    """Reading would take more bytes or time than a question may take of an address. `is_final` where it would again."""

    def __init__(self, message: str, *, is_final: bool = True) -> None:
        super().__init__(message)
        self.is_final = is_final
