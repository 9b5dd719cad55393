"""How much a file may bring, and the faults of loading it."""

from __future__ import annotations

from dataclasses import dataclass

from server.gis.errors import GisError

MB = 1024 * 1024


class CannotLoad(GisError):
    """The file cannot become a table; the message says why, and what would help."""

    code = "invalid_payload"


class FileTooLarge(CannotLoad):
    code = "too_large"


class TableExists(CannotLoad):
    code = "conflict"


@dataclass(frozen=True)
class IngestLimits:
    bytes: int = 512 * MB
    """Of the file itself."""
    entries: int = 2000
    """Of an archive."""
    unpacked: int = 4096 * MB
    """What an archive may unpack to, all in all."""
    rows: int = 20_000_000
    seconds: float = 1800.0
    """Of the processor, for reading the file."""
    reported: int = 20
    """Bad rows that are told one by one."""
