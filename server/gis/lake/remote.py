"""Datasets at addresses (`s3://`, `gs://`, `https://`): their files are copied into a folder of this server.

Only addresses below those of GEOAGENT_LAKE_ADDRESSES are asked, without following redirects: a person who may register
datasets cannot make the server reach other hosts. Credentials are those of the environment, never part of an address.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import BinaryIO
from urllib.parse import urlsplit

import pyarrow as pa
from pyarrow import fs

from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.paths import ENDINGS, MAX_FILES

SCHEMES = ("s3", "gs", "https", "http")
BUCKETS = ("s3", "gs")
SECONDS = 30.0
"""Without an answer or a further piece."""
PIECE = 4 * 1024**2
ABANDONED_S = 24 * 3600.0
"""After which copies that no lake table uses are removed."""
_PLAIN = re.compile(r"[A-Za-z0-9._~=+@,()-]+")
"""A part of a path. What would be read differently by different programs (`%2e`, `//`, `\\`) is refused."""
CREDENTIALS = (
    "AWS_ACCESS_KEY_ID",
    "AWS_PROFILE",
    "AWS_ROLE_ARN",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
)


@dataclass(frozen=True)
class Address:
    """Scheme, host (with port; of `s3` and `gs` the bucket) and the parts of the path."""

    scheme: str
    host: str
    parts: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Address:
        """Raises NoLakeTable for what is not plainly an address of a dataset."""
        try:
            found = urlsplit(text)
            port = found.port
        except ValueError:
            raise NoLakeTable(f"{text!r} is not an address.") from None
        if found.scheme not in SCHEMES:
            raise NoLakeTable(f"{found.scheme}:// is not supported: only {', '.join(SCHEMES)}, and folders.")
        if found.query or found.fragment or "?" in text or "#" in text or "@" in found.netloc:
            raise NoLakeTable("An address has no user, password, question mark or fragment here.")
        parts = tuple(found.path.strip("/").split("/")) if found.path.strip("/") else ()
        if not found.hostname or any(not _PLAIN.fullmatch(each) or each in (".", "..") for each in parts):
            raise NoLakeTable(
                f"{text!r} is not a plain address such as https://data.example.org/open/pings.parquet."
            )
        return cls(found.scheme, found.hostname + (f":{port}" if port else ""), parts)

    def is_below(self, other: Address) -> bool:
        """Whether it is the other address, or within it."""
        return (self.scheme, self.host, self.parts[: len(other.parts)]) == (
            other.scheme,
            other.host,
            other.parts,
        )

    def __str__(self) -> str:
        return f"{self.scheme}://{'/'.join((self.host, *self.parts))}"


@dataclass(frozen=True)
class _File:
    """`path` is relative to the dataset; empty where that is one file."""

    path: str
    bytes: int
    changed_ns: int | None


class _Source:
    """What an address offers."""

    def files(self) -> Sequence[_File]:
        raise NotImplementedError

    def pieces(self, file: _File) -> Iterator[bytes]:
        raise NotImplementedError


class RemoteDatasets:
    """Copies datasets into `folder`, all together at most `space` bytes."""

    def __init__(self, allowed: Sequence[str], folder: Path, space: int) -> None:
        self._allowed = [Address.read(each) for each in allowed]
        self._folder, self._space = folder, space

    def fetch(self, address: str, used: Sequence[str], stopped: threading.Event) -> Path:
        """The file or folder with the copies. Files that are there already and have not changed are kept; copies of
        which no root is `used` any more are removed. Raises PathRefused or NoLakeTable."""
        wanted = Address.read(address)
        if not any(wanted.is_below(each) for each in self._allowed):
            raise PathRefused(f"{address!r} is not below an address of GEOAGENT_LAKE_ADDRESSES.")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._remove_abandoned(used)
        source: _Source = _Bucket(wanted) if wanted.scheme in BUCKETS else _Web(wanted)
        name = f"{hashlib.sha256(str(wanted).encode()).hexdigest()[:20]}"
        root = self._folder / name
        try:
            files = source.files()
            self._check_room(root, files)
            for file in files:
                self._copy(source, file, _place(root, wanted, file), stopped)
        except (OSError, http.client.HTTPException, pa.ArrowException) as error:
            raise NoLakeTable(f"{address} cannot be read: {_said(error)}.") from error
        wanted_files = {_place(root, wanted, file) for file in files}
        for path in [each for each in root.rglob("*") if each.is_file() and each not in wanted_files]:
            path.unlink()
        return _place(root, wanted, files[0]) if files[0].path == "" else root

    def _copy(self, source: _Source, file: _File, target: Path, stopped: threading.Event) -> None:
        if target.exists() and file.changed_ns is not None:
            state = target.stat()
            if (state.st_size, state.st_mtime_ns) == (file.bytes, file.changed_ns):
                return
        target.parent.mkdir(parents=True, exist_ok=True)
        partial = target.with_name(f"_{target.name}.{os.getpid()}-{threading.get_ident()}")
        try:
            with partial.open("wb") as output:
                self._write(source, file, output, stopped)
            if file.changed_ns is not None:
                os.utime(partial, ns=(file.changed_ns, file.changed_ns))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)

    def _write(self, source: _Source, file: _File, output: BinaryIO, stopped: threading.Event) -> None:
        written = 0
        for piece in source.pieces(file):
            if stopped.is_set():
                raise NoLakeTable("Reading the dataset was stopped.")
            written += len(piece)
            if written > file.bytes:
                break
            output.write(piece)
        if written != file.bytes:
            raise NoLakeTable(f"A file has another size than was said: {file.path or 'the dataset'}.")

    def _check_room(self, root: Path, files: Sequence[_File]) -> None:
        own = _size(root)
        others = _size(self._folder) - own
        size = sum(file.bytes for file in files)
        if others + size > self._space:
            raise NoLakeTable(
                f"The dataset has {size / 1e6:,.0f} MB, and copies may take {self._space / 1e6:,.0f} MB in all "
                "(GEOAGENT_LAKE_SPACE)."
            )

    def _remove_abandoned(self, used: Sequence[str]) -> None:
        for folder in self._folder.iterdir():
            in_use = any(Path(each).is_relative_to(folder) for each in used)
            if not in_use and folder.is_dir() and time.time() - folder.stat().st_mtime > ABANDONED_S:
                shutil.rmtree(folder, ignore_errors=True)


def is_address(location: str) -> bool:
    """Whether a location is an address, and no path or `file:` URL."""
    found = re.match(r"([A-Za-z][A-Za-z0-9+.-]*)://", location)
    return found is not None and found[1].lower() != "file"


def _place(root: Path, address: Address, file: _File) -> Path:
    return root / (file.path or address.parts[-1])


def _size(folder: Path) -> int:
    return sum(each.stat().st_size for each in folder.rglob("*") if each.is_file()) if folder.exists() else 0


def _said(error: Exception) -> str:
    return re.sub(r"\s+", " ", str(error))[:200].rstrip(".") or type(error).__name__


class _Bucket(_Source):
    """A file, or all Parquet files below a prefix, of an S3 store or of Google Cloud Storage. Where the environment has
    no credentials, it is asked without."""

    def __init__(self, address: Address) -> None:
        if not address.parts:
            raise NoLakeTable(f"Name a file or a folder of the bucket: {address.scheme}://bucket/folder.")
        self._address = address
        self._path = "/".join((address.host, *address.parts))
        self._store: fs.FileSystem = (
            fs.S3FileSystem(**_s3_options(os.environ))
            if address.scheme == "s3"
            else fs.GcsFileSystem(**_gs_options(os.environ))
        )

    def files(self) -> Sequence[_File]:
        found = self._store.get_file_info(self._path)
        if found.type == fs.FileType.File:
            return [_File("", found.size, found.mtime_ns)]
        listed = self._store.get_file_info(fs.FileSelector(self._path, allow_not_found=True, recursive=True))
        files = [
            _File(each.path.removeprefix(f"{self._path}/"), each.size, each.mtime_ns)
            for each in listed
            if each.type == fs.FileType.File and each.path.lower().endswith(ENDINGS)
        ]
        files = [each for each in files if _is_plain(each.path)]
        if not files or len(files) > MAX_FILES:
            raise NoLakeTable(
                f"There are {len(files):,} Parquet files at {self._address}; 1 to {MAX_FILES:,} may be."
            )
        return sorted(files, key=lambda each: each.path)

    def pieces(self, file: _File) -> Iterator[bytes]:
        with self._store.open_input_stream(
            f"{self._path}/{file.path}" if file.path else self._path
        ) as opened:
            while piece := opened.read(PIECE):
                yield piece


def _is_plain(path: str) -> bool:
    parts = path.split("/")
    return all(_PLAIN.fullmatch(each) and not each.startswith(("_", ".")) for each in parts)


def _s3_options(environment: Mapping[str, str]) -> dict[str, object]:
    """AWS_ENDPOINT_URL names another store than Amazon's."""
    options: dict[str, object] = {"request_timeout": SECONDS, "connect_timeout": SECONDS}
    if not any(environment.get(name) for name in CREDENTIALS):
        options["anonymous"] = True
    endpoint = environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL")
    if endpoint:
        found = urlsplit(endpoint)
        options |= {"endpoint_override": found.netloc, "scheme": found.scheme}
    return options


def _gs_options(environment: Mapping[str, str]) -> dict[str, object]:
    """STORAGE_EMULATOR_HOST names another store than Google's, as for Google's own clients."""
    options: dict[str, object] = {"retry_time_limit": timedelta(seconds=SECONDS)}
    if not environment.get("GOOGLE_APPLICATION_CREDENTIALS"):
        options["anonymous"] = True
    if endpoint := environment.get("STORAGE_EMULATOR_HOST"):
        found = urlsplit(endpoint if "://" in endpoint else f"http://{endpoint}")
        options |= {"endpoint_override": found.netloc, "scheme": found.scheme}
    return options


class _Web(_Source):
    """One file of a web server."""

    def __init__(self, address: Address) -> None:
        if not address.parts or not address.parts[-1].lower().endswith(ENDINGS):
            raise NoLakeTable(f"A web server gives one file, whose name ends in {', '.join(ENDINGS)}.")
        self._address = address

    def files(self) -> Sequence[_File]:
        connection, answer = self._ask("HEAD")
        connection.close()
        size, changed = answer.headers.get("Content-Length", ""), answer.headers.get("Last-Modified")
        if not size.isdecimal():
            raise NoLakeTable("The server does not say how large the file is.")
        try:
            moment = None if changed is None else int(parsedate_to_datetime(changed).timestamp() * 1e9)
        except ValueError:
            moment = None
        return [_File("", int(size), moment)]

    def pieces(self, _file: _File) -> Iterator[bytes]:
        connection, answer = self._ask("GET")
        try:
            while piece := answer.read(PIECE):
                yield piece
        finally:
            connection.close()

    def _ask(self, method: str) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        make: Callable[..., http.client.HTTPConnection] = (
            http.client.HTTPSConnection if self._address.scheme == "https" else http.client.HTTPConnection
        )
        connection = make(self._address.host, timeout=SECONDS)
        connection.request(
            method, "/" + "/".join(self._address.parts), headers={"Accept-Encoding": "identity"}
        )
        answer = connection.getresponse()
        if answer.status != 200:
            connection.close()
            raise NoLakeTable(f"{self._address.host} answers {answer.status} {answer.reason}.")
        return connection, answer
