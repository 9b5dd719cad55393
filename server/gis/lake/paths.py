"""Which files lake tables may be read from: those in the folders of GEOAGENT_LAKE_PATHS, links resolved."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from urllib.parse import urlsplit

from agents.worded import Template
from server.gis.lake.errors import NoLakeTable, PathRefused

NUL = Template("lake_nul", "A path must not contain a NUL character.")
MOUNT = Template(
    "lake_mount", "{scheme}:// is not supported: mount the data as a folder of this machine, and of Spark's."
)
NO_HOST = Template("lake_no_host", "A file: URL must not name a host: file:///folder/file.parquet.")
NOT_ABSOLUTE = Template("lake_not_absolute", "{path} is not an absolute path such as /srv/lake/pings.")
NO_PATH = Template("lake_no_path", "There is no file or folder {path}.")
OUTSIDE = Template(
    "lake_outside",
    "{path} is outside of the folders that lake tables may be read from (GEOAGENT_LAKE_PATHS).",
)
NO_PARQUET = Template("lake_no_parquet", "There is no Parquet file ({endings}) in {path}.")
MANY_FILES = Template("lake_many_files", "{path} has more than {most} Parquet files.")


ENDINGS = (".parquet", ".geoparquet", ".parq", ".pq")
MAX_FILES = 20_000
NO_FOLDERS = "No folder may be read for lake tables. Set GEOAGENT_LAKE_PATHS to those that may."


class LakePaths:
    """The folders that may be read, everything below them included."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self._folders = [Path(os.path.realpath(folder)) for folder in folders]

    def resolve(self, location: str) -> Path:
        """The file or folder at a path or `file:` URL. Raises PathRefused, or NoLakeTable where nothing is there.

        A path outside is refused before the disk is read, so that its contents are not revealed."""
        if "\0" in location:
            raise NoLakeTable(NUL())
        parts = urlsplit(location)
        if parts.scheme not in ("", "file"):
            raise NoLakeTable(MOUNT(scheme=parts.scheme))
        if parts.scheme == "file" and parts.netloc not in ("", "localhost"):
            raise NoLakeTable(NO_HOST())
        plain = Path(parts.path if parts.scheme else location)
        if not plain.is_absolute():
            raise NoLakeTable(NOT_ABSOLUTE(path=repr(location)))
        if not self._folders:
            raise PathRefused(NO_FOLDERS)
        path = Path(os.path.realpath(plain))
        self._check(path, location)
        if not path.exists():
            raise NoLakeTable(NO_PATH(path=repr(location)))
        return path

    def _check(self, path: Path, named: str) -> None:
        """Raise PathRefused for a real path outside of the folders; where a link leads is not part of the message."""
        if not any(path.is_relative_to(folder) for folder in self._folders):
            raise PathRefused(OUTSIDE(path=repr(named)))

    def files(self, root: Path) -> list[Path]:
        """The Parquet files of a dataset, sorted: `root` itself, or those below it whose names and folders do not begin
        with `_` or `.`, as Spark has it. Raises NoLakeTable or PathRefused."""
        if root.is_file():
            return [root]
        found = sorted(self._below(root))
        if not found:
            raise NoLakeTable(NO_PARQUET(endings=", ".join(ENDINGS), path=repr(str(root))))
        return found

    def _below(self, root: Path) -> Iterator[Path]:
        count = 0
        for folder, folders, names in os.walk(root):
            folders[:] = [each for each in folders if not each.startswith(("_", "."))]
            for name in names:
                if name.startswith(("_", ".")) or not name.lower().endswith(ENDINGS):
                    continue
                count += 1
                if count > MAX_FILES:
                    raise NoLakeTable(MANY_FILES(path=repr(str(root)), most=MAX_FILES))
                file = Path(folder, name)
                self._check(Path(os.path.realpath(file)), str(file))
                yield file
