"""Where the files of datasets are, in folders of this server or at addresses, and how they are read there.

All that reads a dataset goes through here: what may not be read (any more) is refused, and of files at addresses only
the parts that are needed are fetched, within what a question may read."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import structlog
from cachetools import LRUCache, cachedmethod

from agents.worded import Template
from server.gis.lake.dataset import Dataset, FoundDataset, FoundFile, LakeFile, read_dataset
from server.gis.lake.errors import FilesChanged, NoLakeTable, PathRefused, Unreachable
from server.gis.lake.parquet import ParquetSource
from server.gis.lake.paths import LakePaths
from server.gis.lake.ranges import Box
from server.gis.lake.remote.addresses import is_address
from server.gis.lake.remote.copies import ToCopy
from server.gis.lake.remote.files import RemoteFiles
from server.gis.lake.remote.ranges import Allowance
from server.gis.lake.remote.sources import NoRanges
from server.gis.lake.stac import parquet_assets
from server.gis.lake.states import FileState

NOT_A_FILE = Template("lake_not_a_file", "The items name {path}, which is not a file.")
TO_BE_COPIED = Template(
    "lake_to_be_copied",
    "The files of a table are at an address, which Spark does not read: they have to be copied. Set "
    "GEOAGENT_LAKE_COPIES to a folder that this server and all of Spark's machines see.",
)
NO_LONGER_ALLOWED = Template(
    "lake_no_longer_allowed",
    "The files of {table} may not be read any more (GEOAGENT_LAKE_PATHS, GEOAGENT_LAKE_ADDRESSES).",
)
GONE_OR_AWAY = Template(
    "lake_gone_or_away", "The files of {table} are not there any more, or cannot be reached."
)
HAVE_CHANGED = Template(
    "lake_have_changed",
    "The files of {table} have changed since it was registered. Register them again: geoagent lake refresh {table}",
)
GONE = Template("lake_gone", "The files of {table} are not there any more.")


log = structlog.get_logger(__name__)

FILES_AT_ONCE = 8
NO_ADDRESSES = (
    "No address may be read for lake tables. Set GEOAGENT_LAKE_ADDRESSES, or mount the data as a folder."
)
FOOTER_BYTES = 64 * 1024**2
"""Size of all footers in memory."""


class LakeStorage:
    """Safe for concurrent use. Raises PathRefused or NoLakeTable."""

    def __init__(self, folders: Sequence[Path] = (), remote: RemoteFiles | None = None) -> None:
        """`folders` may be read, and so may the copies of `remote`."""
        self.remote = remote
        copies = remote.copies if remote is not None else None
        self._paths = LakePaths([*folders, *([copies.folder] if copies is not None else [])])
        self._footers: LRUCache[tuple[str, FileState], pq.FileMetaData] = LRUCache(
            FOOTER_BYTES, getsizeof=lambda each: each.serialized_size
        )
        self._lock = threading.Lock()

    def find(self, location: str, allowance: Allowance | None = None) -> FoundDataset:
        """The files of a dataset at a path or an address, of those of STAC items the files that they name."""
        location = location.rstrip("/") if is_address(location) else location
        allowance = allowance or Allowance()
        root, files = self._listed(location, allowance)
        if len(files) > 1 or files[0].path:
            return FoundDataset(root, files)
        (only,) = files
        address = location if is_address(location) and root != location else None
        try:
            source = self.opened(only.location, only.state, allowance)
            assets = parquet_assets(source, address or only.location)
        except OSError:
            assets = []  # Reading it as a dataset reports what is wrong.
        if not assets:
            return FoundDataset(root, files, address=address)
        with ThreadPoolExecutor(FILES_AT_ONCE) as pool:
            named = list(pool.map(lambda each: self._named(each.location, each.box, allowance), assets))
        return FoundDataset(root, named, only.state.changed_ns, address)

    def _listed(self, location: str, allowance: Allowance) -> tuple[str, Sequence[FoundFile]]:
        """The root of a dataset, and its files."""
        if not is_address(location):
            root = self._paths.resolve(location)
            return str(root), [
                FoundFile(
                    "" if path == root else path.relative_to(root).as_posix(), str(path), FileState.of(path)
                )
                for path in self._paths.files(root)
            ]
        if self.remote is None:
            raise PathRefused(NO_ADDRESSES)
        try:
            found = self.remote.files(location, allowance)
        except NoRanges as whole:
            path = self._whole(location, whole, allowance)
            return str(path), [FoundFile("", str(path), FileState.of(path))]
        return location, [
            FoundFile(path, f"{location}/{path}" if path else location, state)
            for path, state in found.items()
        ]

    def _whole(self, location: str, whole: NoRanges, allowance: Allowance) -> Path:
        """A copy of a file of which the server gives no parts."""
        if self.remote is None or self.remote.copies is None:
            raise whole
        file = ToCopy(location, "", whole.state)
        self.remote.copy([file], allowance.stopped, kept=True)
        return self.remote.copies.place(file, kept=True)

    def _named(self, location: str, box: Box | None, allowance: Allowance) -> FoundFile:
        """A file that an item names."""
        root, files = self._listed(location, allowance)
        if len(files) > 1 or files[0].path:
            raise NoLakeTable(NOT_A_FILE(path=repr(location)))
        return FoundFile(root, root, files[0].state, box)

    def reader(self, dataset: Dataset, allowance: Allowance | None = None) -> DatasetReader:
        """Reads a dataset for one question, which may read so much from addresses."""
        return DatasetReader(self, dataset, allowance or Allowance())

    def dataset(self, found: FoundDataset, allowance: Allowance | None = None) -> Dataset:
        """The dataset as the metadata of its files describe it."""
        return read_dataset(found, lambda file: self.footer(file.location, file.state, allowance))

    @cachedmethod(
        lambda self: self._footers,
        key=lambda _, location, state, allowance=None: (location, state),
        lock=lambda self: self._lock,
    )
    def footer(self, location: str, state: FileState, allowance: Allowance | None = None) -> pq.FileMetaData:
        """The metadata of a file. Raises pyarrow's errors and OSError, too."""
        return self.opened(location, state, allowance).footer()

    def state(self, location: str, allowance: Allowance | None = None) -> FileState:
        """Size and version of a file now; of one at an address, as it was some seconds ago at most."""
        if not is_address(location):
            return FileState.of(self._paths.resolve(location))
        if self.remote is None:
            raise PathRefused(NO_ADDRESSES)
        return self.remote.state(location, allowance or Allowance())

    def check_present(self, dataset: Dataset, table: str, allowance: Allowance | None = None) -> None:
        """Raise PathRefused or NoLakeTable where the files are not those that were registered, saying what to do.
        Files at addresses that STAC items name are not asked for here: that is done where each is read."""
        allowance = allowance or Allowance()
        try:
            if dataset.items_changed_ns is None:
                known = {file.path: file.state for file in dataset.files}
                is_same = self._states(dataset.root, allowance) == known
            else:
                named = [file for file in dataset.files if not is_address(file.path)]
                is_same = self.state(dataset.root, allowance).changed_ns == dataset.items_changed_ns and all(
                    self.state(file.path) == file.state for file in named
                )
        except PathRefused:
            raise PathRefused(NO_LONGER_ALLOWED(table=table)) from None
        except FilesChanged:
            is_same = False
        except Unreachable as error:
            log.warning("files of a lake table cannot be reached", table=table, error=str(error)[:300])
            raise NoLakeTable(GONE_OR_AWAY(table=table)) from None
        except NoLakeTable:
            raise NoLakeTable(GONE(table=table)) from None
        if not is_same:
            raise NoLakeTable(HAVE_CHANGED(table=table))

    def _states(self, root: str, allowance: Allowance) -> Mapping[str, FileState]:
        """The states of the files of a dataset, by path."""
        if is_address(root) and self.remote is not None:
            return self.remote.files(root, allowance, is_fresh=False)
        return {file.path: file.state for file in self._listed(root, allowance)[1]}

    def in_folders(
        self,
        dataset: Dataset,
        files: Sequence[LakeFile],
        stopped: threading.Event,
        on_progress: Callable[[float], None],
    ) -> tuple[Dataset, int | None]:
        """The dataset with only these files, all in folders: those at addresses are copied. And how many bytes that
        took, None where none are at addresses. Raises FilesChanged, too."""
        remote = [file for file in files if is_address(dataset.location_of(file))]
        if not remote:
            return dataset.model_copy(update={"files": tuple(files)}), None
        if self.remote is None or self.remote.copies is None:
            raise NoLakeTable(TO_BE_COPIED())
        for file in remote:
            if self.state(dataset.location_of(file)) != file.state:
                raise FilesChanged(f"{file.path or dataset.root} has changed")
        copies = self.remote.copies
        wanted = {
            file.path: ToCopy(file.path, "", file.state)
            if is_address(file.path)
            else ToCopy(dataset.root, file.path, file.state)
            for file in remote
        }
        size = self.remote.copy(list(wanted.values()), stopped, on_progress)
        # A path below the root stays as it is, and the root becomes another; others are absolute.
        root = dataset.root if not is_address(dataset.root) else str(copies.root(dataset.root))
        if "" in wanted:
            root = str(copies.place(wanted[""]))
        here = [
            file.model_copy(update={"path": str(copies.place(wanted[file.path]))})
            if is_address(file.path)
            else file
            for file in files
        ]
        return dataset.model_copy(update={"root": root, "files": tuple(here)}), size

    def check_background_copies(self, dataset: Dataset) -> None:
        """Raise NoLakeTable where the files at addresses are too large to be copied without a person who waits."""
        size = sum(file.state.bytes for file in dataset.files if is_address(dataset.location_of(file)))
        copies = self.remote.copies if self.remote is not None else None
        most = copies.background_bytes if copies is not None else 0
        if size > most:
            raise NoLakeTable(
                f"Spark reads no files at addresses, and of the {size / 1e6:,.1f} MB of these at most "
                f"{most / 1e6:,.1f} MB, a quarter of GEOAGENT_LAKE_SPACE, are copied for overviews."
                if copies is not None
                else "Spark reads no files at addresses, and GEOAGENT_LAKE_COPIES names no folder for copies of them."
            )

    def opened(self, location: str, state: FileState, allowance: Allowance | None = None) -> ParquetSource:
        """A file of this state. Raises FilesChanged where one at an address has another."""
        if not is_address(location):
            return ParquetSource(str(self._paths.resolve(location)))
        if self.remote is None:
            raise PathRefused(NO_ADDRESSES)
        return self.remote.open(location, state, allowance or Allowance())


class DatasetReader:
    """The files of one dataset. All raise pyarrow's errors and OSError: FilesChanged and OutOfAllowance are such."""

    def __init__(self, storage: LakeStorage, dataset: Dataset, allowance: Allowance) -> None:
        self.dataset = dataset
        self._storage, self._allowance = storage, allowance

    @cached_property
    def is_remote(self) -> bool:
        """Whether files are at addresses."""
        return any(is_address(self.dataset.location_of(file)) for file in self.dataset.files)

    def footer(self, file: LakeFile) -> pq.FileMetaData:
        """The metadata of a file."""
        return self._storage.footer(self.dataset.location_of(file), file.state, self._allowance)

    def read(self, file: LakeFile, group: int, columns: Sequence[str]) -> pa.Table:
        """Columns of a row group."""
        source = self._opened(file)
        if source.system is not None:
            self._allowance.take(self.bytes_of(file, group, set(columns)))
        return source.read(columns, group, self.footer(file))

    def rows(self, file: LakeFile, group: int, chosen: np.ndarray) -> pa.Table:
        """The rows of a row group with the numbers `chosen`: all columns of the dataset in their order, under their
        names in PostGIS, shapes as WKB."""
        table = self.read(file, group, self.dataset.stored).take(pa.array(chosen))
        arrays: list[Any] = []
        for column in self.dataset.columns:
            if column.is_partition:
                arrays.append(pa.array([file.parts[column.source]] * len(table), pa.string()))
            else:
                values = table.column(column.source)
                arrays.append(values.cast(pa.binary()) if column.is_geometry else values)
        return pa.table(arrays, names=[column.name for column in self.dataset.columns])

    def fragment(self, file: LakeFile) -> Any:
        """A file, for Arrow to leave out row groups by their statistics."""
        return self._opened(file).fragment

    def groups(self, file: LakeFile, condition: Any = None) -> Sequence[int]:
        """Numbers of the row groups with rows that may pass a condition of Arrow, by their statistics."""
        if condition is None:
            return range(self.footer(file).num_row_groups)
        return [part.row_groups[0].id for part in self.fragment(file).split_by_row_group(condition)]

    def bytes_of(self, file: LakeFile, group: int, columns: Collection[str]) -> int:
        """How many bytes columns of a row group take in the file."""
        found = self.footer(file).row_group(group)
        chunks = (found.column(number) for number in range(found.num_columns))
        return sum(
            chunk.total_compressed_size
            for chunk in chunks
            if chunk.path_in_schema.partition(".")[0] in columns or chunk.path_in_schema in columns
        )

    def check_state(self, file: LakeFile) -> None:
        """Raise FilesChanged where a file is not what was registered."""
        if self._storage.state(self.dataset.location_of(file), self._allowance) != file.state:
            raise FilesChanged(f"{file.path or self.dataset.root} has changed")

    def _opened(self, file: LakeFile) -> ParquetSource:
        return self._storage.opened(self.dataset.location_of(file), file.state, self._allowance)
