"""The data sets of an upload, and the layers in them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class DataSet:
    """A file, or a File Geodatabase, that GDAL or pyarrow can open."""

    path: Path
    """The path at which it is opened, with a generated name."""
    name: str
    """The file name for messages."""
    label: str = ""
    """Its name without the suffix, with folders of the archive if needed to make it unique."""


@dataclass(frozen=True)
class SourceLayer:
    """One layer of a data set."""

    found: DataSet
    inner: str | None
    """Its name in the data set; None where the format has no layers."""
    name: str
    """Its displayed name, unique in the upload."""
    is_spatial: bool = True
    """False for a table that has no geometry column."""
    is_computed: bool = False
    """A view, or a table with computed columns: known, and never read."""
