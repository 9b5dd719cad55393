"""What a store of files at addresses offers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping

from server.gis.lake.errors import NoLakeTable
from server.gis.lake.parquet import ParquetSource
from server.gis.lake.remote.addresses import Address
from server.gis.lake.remote.ranges import Allowance, Fetch
from server.gis.lake.states import FileState

TIMEOUT_S = 30.0
"""Seconds to wait for an answer, or for its next piece."""
PIECE_BYTES = 4 * 1024**2


class NoRanges(NoLakeTable):
    """The store gives only whole files; this one has `state`."""

    def __init__(self, message: str, state: FileState) -> None:
        super().__init__(f"{message}, so it has to be copied: set GEOAGENT_LAKE_COPIES to a folder for that.")
        self.state = state


class Source(ABC):
    """A store of files at addresses. Safe for concurrent use. All methods raise NoLakeTable, OSError or Arrow's
    errors."""

    @abstractmethod
    def files(self, address: Address, allowance: Allowance) -> Mapping[str, FileState]:
        """The Parquet files of a dataset by their paths below it; `""` where it is one file."""

    @abstractmethod
    def state(self, address: Address, allowance: Allowance) -> FileState:
        """The state of one file now."""

    def known_to_arrow(self, address: Address) -> ParquetSource | None:
        """The file for Arrow to read by itself, in place of `reader`; None if it cannot."""
        return None

    @abstractmethod
    def reader(self, address: Address, state: FileState) -> Fetch:
        """Reads parts of one file, for one thread at a time. It raises FilesChanged where it sees that the file has
        another state."""

    @abstractmethod
    def stream(self, address: Address, state: FileState) -> Iterator[bytes]:
        """A whole file, piece by piece. Raises FilesChanged, as the reader does."""
