"""The data set of an upload."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataSet:
    """A file that GDAL or pyarrow can open."""

    path: Path
    """The path at which it is opened, with a generated name."""
    name: str
    """The file name for messages."""
