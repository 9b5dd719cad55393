"""Limits of uploaded files. The reader's process checks what it reads; the server limits that process."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024
MIN_EXPANSION_BYTES = 256 * MB
"""Any file may expand to this size, however small it is."""
MAX_EXPANSION_FACTOR = 100
"""A larger file may expand to its size times this."""

TEXT_TO_TABLE = 4
"""Factor by which rows may be larger as CSV than in a table."""


@dataclass(frozen=True)
class IngestLimits:
    """Limits of one upload, in bytes unless noted."""

    bytes: int = 512 * MB
    """Size of the file."""
    entries: int = 2000
    """Entries of an archive."""
    unpacked: int = 4096 * MB
    """What an archive may unpack to, all in all."""
    rows: int = 20_000_000
    value_bytes: int = MB
    """Size of one value of a column."""
    geometry_bytes: int = 64 * MB
    """Size of one geometry as WKB."""
    vertices: int = 1_000_000
    """Vertices of one geometry."""
    subdivide: bool = False
    """Cut geometries with more vertices into pieces, instead of refusing them."""
    quoted_text: bool = False
    """Values in quotes stay text in a CSV file that puts all values in quotes."""
    row_bytes: int = 128 * MB
    table_bytes: int = 4096 * MB
    """Size of all rows as they are sent to the database."""
    space: int = 1 << 62
    """Disk space of the table with its indexes."""
    memory: int = 2048 * MB
    """Memory of the process that reads the file."""
    processor_seconds: int = 600
    """Processor time for reading the file."""
    seconds: float = 900.0
    """Time for everything, from the complete file to the complete table."""

    @property
    def copied_bytes(self) -> int:
        """The bytes of CSV rows that a table of at most `space` bytes may come from."""
        return min(self.table_bytes, TEXT_TO_TABLE * self.space)

    def expanded(self, size: int, most: int) -> int:
        """The size that a file of `size` bytes may expand to, at most `most`."""
        return min(most, max(MIN_EXPANSION_BYTES, MAX_EXPANSION_FACTOR * size))
