"""The faults of loading a file, and how much it may bring."""

from __future__ import annotations

from server.gis.errors import GisError
from server.gis.reading.limits import MB, IngestLimits

__all__ = [
    "MB",
    "CannotLoad",
    "ChooseLayer",
    "FileTooLarge",
    "IngestLimits",
    "NoDiskSpace",
    "TableExists",
    "TooManyVertices",
]


class CannotLoad(GisError):
    """The file cannot become a table; the message says why, and what would help."""

    code = "invalid_payload"


class FileTooLarge(CannotLoad):
    code = "too_large"


class NoDiskSpace(GisError):
    """It is not the file's fault: the database's disk is full."""

    code = "no_space"


class ChooseLayer(CannotLoad):
    """The file has several layers, of which one must be named."""

    def __init__(self, message: str, layers: list[str]) -> None:
        super().__init__(message)
        self.details = {"layers": layers}


class TooManyVertices(FileTooLarge):
    """A shape is too large; it may be cut into pieces."""

    code = "too_many_vertices"


class TableExists(CannotLoad):
    code = "conflict"
