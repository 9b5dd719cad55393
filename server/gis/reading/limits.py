"""How much a file may bring. The reader's process checks what it reads; the server limits that process."""

from __future__ import annotations

from dataclasses import dataclass

MB = 1024 * 1024
SMALLEST_EXPANSION_BYTES = 256 * MB
"""What any file may become, however small it is."""
LARGEST_EXPANSION = 100
"""How many times its own size a larger file may become."""

TEXT_TO_TABLE = 4
"""How many times as large rows are as CSV than in a table, at most."""


@dataclass(frozen=True)
class IngestLimits:
    bytes: int = 512 * MB
    """Of the file itself."""
    entries: int = 2000
    """Of an archive."""
    unpacked: int = 4096 * MB
    """What an archive may unpack to, all in all."""
    rows: int = 20_000_000
    value_bytes: int = MB
    """Of one value of a column."""
    geometry_bytes: int = 64 * MB
    """Of one geometry, as WKB."""
    vertices: int = 1_000_000
    """Of one geometry."""
    subdivide: bool = False
    """Cut geometries with more vertices into pieces, instead of refusing them."""
    row_bytes: int = 128 * MB
    table_bytes: int = 4096 * MB
    """Of all rows, as they are sent to the database."""
    space: int = 1 << 62
    """Of the table in the database, with its indexes."""
    memory: int = 2048 * MB
    """Of the process that reads the file."""
    processor_seconds: int = 600
    """For reading the file."""
    seconds: float = 900.0
    """For everything, from the complete file to the complete table."""

    @property
    def copied_bytes(self) -> int:
        """Of rows that a table of `space` could come from: as text they are at most so much larger."""
        return min(self.table_bytes, TEXT_TO_TABLE * self.space)

    def expanded(self, size: int, most: int) -> int:
        """What a file of `size` bytes may become, and at most `most`."""
        return min(most, max(SMALLEST_EXPANSION_BYTES, LARGEST_EXPANSION * size))
