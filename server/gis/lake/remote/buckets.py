"""Files of S3 stores and of Google Cloud Storage, with the credentials of the environment, or with none."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from datetime import timedelta
from functools import cached_property
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from agents.worded import Template
from server.gis.lake.errors import FilesChanged, NoLakeTable
from server.gis.lake.parquet import ParquetSource
from server.gis.lake.paths import ENDINGS, MAX_FILES
from server.gis.lake.remote.addresses import Address, is_plain
from server.gis.lake.remote.ranges import Allowance, Fetch
from server.gis.lake.remote.sources import PIECE_BYTES, TIMEOUT_S, Source
from server.gis.lake.states import FileState

NAME_FOLDER = Template("lake_name_folder", "Name a file or a folder of the bucket: {scheme}://bucket/folder.")
FILES_THERE = Template(
    "lake_files_there", "There are {n} Parquet files at {address}; 1 to {most} are allowed."
)


CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
)


class Buckets(Source):
    """The buckets of one kind of store, `s3` or `gs`."""

    def __init__(self, scheme: str) -> None:
        self._scheme = scheme

    def files(self, address: Address, allowance: Allowance) -> Mapping[str, FileState]:
        """The Parquet files at or below the address, by their path from there, with size and version. Raises
        NoLakeTable."""
        path = _path(address)
        found = self._store.get_file_info(path)
        if found.type == fs.FileType.File:
            return {"": _state(found)}
        listed = self._store.get_file_info(fs.FileSelector(path, allow_not_found=True, recursive=True))
        files = {
            each.path.removeprefix(f"{path}/"): _state(each)
            for each in listed
            if each.type == fs.FileType.File and each.path.lower().endswith(ENDINGS)
        }
        plain = {name: files[name] for name in sorted(files) if is_plain(name)}
        if not plain or len(plain) > MAX_FILES:
            raise NoLakeTable(FILES_THERE(n=len(plain), address=str(address), most=MAX_FILES))
        return plain

    def state(self, address: Address, allowance: Allowance) -> FileState:
        """Size and version of one file. Raises FilesChanged if it does not exist."""
        found = self._store.get_file_info(_path(address))
        if found.type != fs.FileType.File:
            raise FilesChanged(f"{address.parts[-1]} is not there")
        return _state(found)

    def known_to_arrow(self, address: Address) -> ParquetSource | None:
        # `pyarrow.NativeFile` of a file there waits for the store in `closed`, which each read asks, and holds the GIL.
        """The file for reading by pyarrow itself; None where that would block other threads."""
        return None if self._scheme == "s3" else ParquetSource(_path(address), self._store)

    def reader(self, address: Address, state: FileState) -> Fetch:
        """A function that reads ranges of bytes. It raises FilesChanged if the file differs from `state`."""
        opened: pa.NativeFile | None = None

        def fetch(start: int, length: int, allowance: Allowance) -> bytes:
            nonlocal opened
            if opened is None:
                opened = self._store.open_input_file(_path(address))
            if opened.size() != state.bytes:
                raise FilesChanged(f"{address.parts[-1]} has changed")
            pieces = []
            for place in range(start, start + length, PIECE_BYTES):
                allowance.check()
                pieces.append(opened.read_at(min(PIECE_BYTES, start + length - place), place))
            return b"".join(pieces)

        return fetch

    def stream(self, address: Address, state: FileState) -> Iterator[bytes]:
        """The whole file in pieces."""
        with self._store.open_input_stream(_path(address)) as opened:
            while piece := opened.read(PIECE_BYTES):
                yield piece

    @cached_property
    def _store(self) -> fs.FileSystem:
        if self._scheme == "s3":
            return fs.S3FileSystem(**_s3_options(os.environ))
        return fs.GcsFileSystem(**_gs_options(os.environ))


def _path(address: Address) -> str:
    if not address.parts:
        raise NoLakeTable(NAME_FOLDER(scheme=address.scheme))
    return "/".join((address.host, *address.parts))


def _state(found: fs.FileInfo) -> FileState:
    # Some stores list times with fractions of seconds, but report single files without.
    return FileState(found.size, (found.mtime_ns or 0) // 10**9 * 10**9)


def _s3_options(environment: Mapping[str, str]) -> dict[str, object]:
    """AWS_ENDPOINT_URL names another store than Amazon's."""
    options: dict[str, object] = {"request_timeout": TIMEOUT_S, "connect_timeout": TIMEOUT_S}
    if not any(environment.get(name) for name in CREDENTIALS):
        options["anonymous"] = True
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    if endpoint:
        found = urlsplit(endpoint)
        options |= {"endpoint_override": found.netloc, "scheme": found.scheme}
    return options


def _gs_options(environment: Mapping[str, str]) -> dict[str, object]:
    """STORAGE_EMULATOR_HOST names another store than Google's, as for Google's own clients."""
    options: dict[str, object] = {"retry_time_limit": timedelta(seconds=TIMEOUT_S)}
    if not environment.get("GOOGLE_APPLICATION_CREDENTIALS"):
        options["anonymous"] = True
    if endpoint := environment.get("STORAGE_EMULATOR_HOST"):
        found = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        options |= {"endpoint_override": found.netloc, "scheme": found.scheme}
    return options
