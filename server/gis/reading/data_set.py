"""The one data set of an upload."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataSet:
    """A file that GDAL or pyarrow can open."""

    path: Path
    """Where it is opened, under a plain name."""
    name: str
    """What people call it."""
