"""A reader's report on a file besides its rows: layout, skipped rows, assumptions, refusals."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from agents.worded import Template, packed, unpacked
from server.gis.reading.data_set import DataSet

SEVERAL_LAYERS = Template(
    "file_several_layers", "{file} has several layers: {names}. Say which one to load, or load them all."
)
DAMAGED = Template("file_damaged", "{file} is damaged: {why}")
SAME_COLUMNS = Template("file_same_columns", "{file} has several columns of the name {names}. Rename them.")
MEMORY = Template("file_memory", "{file} needs more memory to be read than is allowed. {smaller}")
FILE_SMALLER = Template(
    "file_smaller", "Split it, or save it as GeoPackage or FlatGeobuf, which are read piece by piece."
)

PLACE_IN_LIBRARY = re.compile(r"Error occurred in \S+ at line \d+")
"""GDAL's message about a damaged File Geodatabase."""
MAX_PROBLEMS_REPORTED = 20
"""Number of bad rows that are described individually."""
REFUSAL = "refusal: "
"""Prefix of the line on the reader's standard error that is meant for the user; JSON follows. Other lines are from
libraries."""
REFUSED = 3
"""Exit code of the reader after writing a refusal."""
REFUSED_AS_TOO_LARGE = 4
"""Exit code if the file is too large, or becomes so when it is read."""
REFUSED_FOR_A_CHOICE = 5
"""Exit code if one of several layers must be chosen."""
REFUSED_FOR_VERTICES = 6
"""Exit code if a geometry has too many vertices and could be cut."""

Extent = Literal["one", "united", "names"]
"""What is wanted of a file: one layer, all layers as one table, or only the names of its layers."""

SMALLER = FILE_SMALLER()


class Unreadable(Exception):
    """The file cannot be read; the message is for the uploader."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message

    exit_code = REFUSED
    layers: tuple[str, ...] = ()
    """The names to choose from."""


class SeveralLayers(Unreadable):
    """The file has several layers, and one must be chosen."""

    exit_code = REFUSED_FOR_A_CHOICE

    def __init__(self, file: str, layers: list[str]) -> None:
        super().__init__(SEVERAL_LAYERS(file=file, names=", ".join(layers)))
        self.layers = tuple(layers)


class TooLarge(Unreadable):
    """The file, or what it expands to, is above a limit."""

    exit_code = REFUSED_AS_TOO_LARGE


class TooManyVertices(Unreadable):
    """A geometry has too many vertices; the file could be loaded with `subdivide`."""

    exit_code = REFUSED_FOR_VERTICES


@dataclass
class Layout:
    """Facts that must be known before the first row."""

    geometry: str | None
    """The column that holds WKB."""
    crs: str | None
    """`EPSG:25832`, or WKT; None if the file has none."""
    assumed: bool = False
    """The file has no CRS, but columns named longitude and latitude."""
    encoding: str | None = None

    def metadata(self) -> dict[bytes, bytes]:
        """The layout as metadata of an Arrow schema."""
        return {b"geoagent": json.dumps(vars(self)).encode()}

    @classmethod
    def of(cls, metadata: dict[bytes, bytes] | None) -> Layout:
        """The layout in the metadata of an Arrow schema. Raises KeyError if there is none."""
        return cls(**json.loads((metadata or {})[b"geoagent"]))


@dataclass
class Notes:
    """Facts that are known after the last row."""

    rows: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)
    """The first skipped rows, each with the reason."""
    remarks: list[str] = field(default_factory=list)
    nul: int = 0
    """NUL characters that were removed from texts."""
    no_geometry: int = 0
    """Rows without a geometry, or with an empty one."""
    invalid: int = 0
    """Polygons that are not valid."""
    unchecked: int = 0
    """Polygons with too many vertices to check."""
    subdivided: int = 0
    """Shapes with too many vertices that were cut."""
    pieces: int = 0
    """Number of pieces of these."""

    def to_json(self) -> dict[str, Any]:
        """The notes as JSON values that `of` reads."""
        return {
            **asdict(self),
            "problems": [*map(packed, self.problems)],
            "remarks": [*map(packed, self.remarks)],
        }

    @classmethod
    def of(cls, stored: dict[str, Any]) -> Notes:
        """The notes that `to_json` wrote."""
        texts = {name: [*map(unpacked, stored[name])] for name in ("problems", "remarks")}
        return cls(**{**stored, **texts})

    def skip(self, problem: str) -> None:
        """Count a row that was left out, and keep the first reasons."""
        self.skipped += 1
        if len(self.problems) < MAX_PROBLEMS_REPORTED:
            self.problems.append(problem)


def check_names(file: str, names: Sequence[str]) -> None:
    """Raise Unreadable for a file with several columns of a name."""
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise Unreadable(SAME_COLUMNS(file=file, names=", ".join(map(repr, twice))))


def summary(error: BaseException, found: DataSet) -> str:
    """A library's error message in one sentence, with the name of the uploaded file."""
    text = " ".join(str(error).replace(str(found.path), found.name).split()).partition("; It might help")[0]
    text = PLACE_IN_LIBRARY.sub("a part of it is damaged", text)
    return (text[:200] or type(error).__name__).rstrip(".") + "."
