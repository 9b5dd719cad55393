"""Errors of loading a file, and the limits of one."""

from __future__ import annotations

from server.gis.errors import GisError
from server.gis.reading.limits import MB, IngestLimits

__all__ = [
    "MB", "CannotLoad", "ChooseLayer", "FileTooLarge", "IngestLimits", "NoDiskSpace", "TableExists",
    "TooManyVertices",
]  # fmt: skip


class CannotLoad(GisError):
    """The file cannot become a table; the message says why and what would help."""

    code = "invalid_payload"


class FileTooLarge(CannotLoad):
    """The file, or its table, is above a limit."""

    code = "too_large"


class NoDiskSpace(GisError):
    """The database's disk is full, whatever the file is."""

    code = "no_space"


class ChooseLayer(CannotLoad):
    """The file has several layers, and one must be named."""

    def __init__(self, message: str, layers: list[str]) -> None:
        super().__init__(message)
        self.details = {"layers": layers}


class TooManyVertices(FileTooLarge):
    """A geometry has too many vertices; it could be cut into pieces."""

    code = "too_many_vertices"


class TableExists(CannotLoad):
    """The name of the new table is taken."""

    code = "conflict"
