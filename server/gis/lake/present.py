"""Whether the files of a dataset are still those that were registered, and may still be read."""

from __future__ import annotations

from server.gis.lake.dataset import Dataset
from server.gis.lake.errors import NoLakeTable, PathRefused
from server.gis.lake.paths import LakePaths


def check_present(dataset: Dataset, paths: LakePaths, table: str) -> None:
    """Raises PathRefused or NoLakeTable, saying what to do."""
    changed = NoLakeTable(
        f"The files of {table} have changed since it was registered. Register them again: geoagent lake refresh {table}"
    )
    try:
        root = paths.resolve(dataset.root)
        if dataset.items_changed_ns is None:
            files = paths.files(root)
        else:
            files = [paths.resolve(file.path) for file in dataset.files]
    except PathRefused:
        raise PathRefused(f"The files of {table} may not be read any more (GEOAGENT_LAKE_PATHS).") from None
    except NoLakeTable:
        raise NoLakeTable(f"The files of {table} are not there any more.") from None
    known = {dataset.path_of(file): (file.bytes, file.changed_ns) for file in dataset.files}
    if set(files) != known.keys() or dataset.items_changed_ns not in (None, root.stat().st_mtime_ns):
        raise changed
    for file in files:
        state = file.stat()
        if known[file] != (state.st_size, state.st_mtime_ns):
            raise changed
