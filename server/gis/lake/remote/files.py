"""Files at the addresses of GEOAGENT_LAKE_ADDRESSES, and at no others: a person who may register datasets cannot make
the server reach other hosts. Credentials are those of the environment, never part of an address."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyarrow as pa
from cachetools import LRUCache, TTLCache

from agents.worded import Template
from server.gis.lake.errors import FilesChanged, NoLakeTable, OutOfAllowance, PathRefused, Unreachable
from server.gis.lake.parquet import ParquetSource
from server.gis.lake.remote.addresses import BUCKETS, Address
from server.gis.lake.remote.buckets import Buckets
from server.gis.lake.remote.copies import Copies, ToCopy
from server.gis.lake.remote.ranges import Allowance, Blocks, RangeFile
from server.gis.lake.remote.sources import Source
from server.gis.lake.remote.web import Web
from server.gis.lake.states import FileState

NO_COPIES = Template(
    "lake_no_copies", "There is no folder for copies of files at addresses (GEOAGENT_LAKE_COPIES)."
)
NOT_ALLOWED = Template("lake_not_allowed", "{address} is not below an address of GEOAGENT_LAKE_ADDRESSES.")
UNREADABLE = Template("lake_unreadable", "{address} cannot be read: {why}.")


STATE_CACHE_S = 10.0
"""Seconds during which a file is assumed to be unchanged."""

MAX_CACHED_FILES = 64
"""Files that Arrow reads by itself, whose metadata it keeps."""


class RemoteFiles:
    """Safe for concurrent use. What fails raises PathRefused or NoLakeTable."""

    def __init__(self, allowed: Sequence[str], copies: Copies | None = None) -> None:
        """`copies` keeps copies of files for readers that need them in a folder; without it nothing is copied."""
        self._allowed = [Address.read(each) for each in allowed]
        self.copies = copies
        self._web = Web()
        self._buckets = {scheme: Buckets(scheme) for scheme in BUCKETS}
        self._blocks = Blocks()
        self._states: TTLCache[str, FileState] = TTLCache(100_000, STATE_CACHE_S)
        self._listed: TTLCache[str, Mapping[str, FileState]] = TTLCache(100, STATE_CACHE_S)
        self._known_to_arrow: LRUCache[tuple[str, FileState], ParquetSource] = LRUCache(MAX_CACHED_FILES)
        self._lock = threading.Lock()

    def files(self, location: str, allowance: Allowance, *, is_fresh: bool = True) -> Mapping[str, FileState]:
        """The Parquet files of a dataset by their paths below it, `""` where it is one file: as they are now, or were
        some seconds ago. Raises NoRanges where it has to be copied."""
        address = self._checked(location)
        with self._lock:
            known = None if is_fresh else self._listed.get(location)
        if known is not None:
            return known
        with _readable(location):
            found = self._source(address).files(address, allowance)
        with self._lock:
            self._listed[location] = found
            for path, state in found.items():
                self._states[f"{location}/{path}" if path else location] = state
        return found

    def state(self, location: str, allowance: Allowance) -> FileState:
        """The state of one file, at most some seconds old."""
        address = self._checked(location)
        with self._lock:
            known = self._states.get(location)
        if known is None:
            with _readable(location):
                known = self._source(address).state(address, allowance)
            with self._lock:
                self._states[location] = known
        return known

    def open(self, location: str, state: FileState, allowance: Allowance) -> ParquetSource:
        """A file of this state. Raises FilesChanged where it has another."""
        if self.state(location, allowance) != state:
            raise FilesChanged(f"{location.rpartition('/')[2]} has changed")
        allowance.check()
        with self._lock:
            known = self._known_to_arrow.get((location, state))
        if known is not None:
            return known
        address = self._checked(location)
        source = self._source(address)
        if (known := source.known_to_arrow(address)) is not None:
            with self._lock:
                self._known_to_arrow[location, state] = known
            return known
        return ParquetSource(
            RangeFile(location, state, source.reader(address, state), self._blocks, allowance)
        )

    def copy(
        self,
        files: Sequence[ToCopy],
        stopped: threading.Event,
        on_progress: Callable[[float], None] = lambda share: None,
        *,
        kept: bool = False,
    ) -> int:
        """Make sure that there are copies of files; returns how many bytes were copied now. `on_progress` is called
        with the share that is done. Copies that are `kept` stay until `Copies.remove_abandoned`."""
        if self.copies is None:
            raise NoLakeTable(NO_COPIES())
        addresses = {file.location: self._checked(file.location) for file in files}

        def pieces(file: ToCopy) -> Iterator[bytes]:
            address = addresses[file.location]
            return self._source(address).stream(address, file.state)

        with _readable("The dataset"):
            return self.copies.make(files, pieces, stopped, on_progress, kept=kept)

    def _checked(self, location: str) -> Address:
        address = Address.read(location)
        if not any(address.is_below(each) for each in self._allowed):
            raise PathRefused(NOT_ALLOWED(address=repr(location)))
        return address

    def _source(self, address: Address) -> Source:
        return self._buckets[address.scheme] if address.scheme in BUCKETS else self._web


@contextmanager
def _readable(named: str) -> Iterator[None]:
    try:
        yield
    except (FilesChanged, OutOfAllowance):
        raise
    except (OSError, pa.ArrowException) as error:
        reason = re.sub(r"\s+", " ", str(error))[:200].rstrip(".") or type(error).__name__
        raise Unreachable(UNREADABLE(address=named, why=reason)) from error
