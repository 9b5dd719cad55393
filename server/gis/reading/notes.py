"""What a reader tells of a file besides its rows: where they are, what was left out, what was assumed."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from server.gis.reading.data_set import DataSet

REPORTED = 20
"""Bad rows that are described one by one."""
REFUSAL = "refusal: "
"""What the line of the reader's standard error begins with that is for the person; JSON follows. Other lines come
from libraries."""
REFUSED = 3
"""The reader's exit code when it wrote a refusal."""
REFUSED_AS_TOO_LARGE = 4
"""The same, when the file is larger than is allowed, or becomes so when it is read."""
REFUSED_FOR_A_CHOICE = 5
"""The same, when one of several layers must be chosen."""
REFUSED_FOR_VERTICES = 6
"""The same, when a shape has too many vertices, and might be cut."""

SMALLER = "Split it, or save it as GeoPackage or FlatGeobuf, which are read piece by piece."


class Unreadable(Exception):
    """The file cannot be read; the message is for the person who brought it."""

    exit_code = REFUSED
    layers: tuple[str, ...] = ()
    """To choose from."""


class SeveralLayers(Unreadable):
    """One of the layers must be chosen."""

    exit_code = REFUSED_FOR_A_CHOICE

    def __init__(self, file: str, layers: list[str]) -> None:
        super().__init__(f"{file} has several layers: {', '.join(layers)}. Say which one to load.")
        self.layers = tuple(layers)


class TooLarge(Unreadable):
    exit_code = REFUSED_AS_TOO_LARGE


class TooManyVertices(Unreadable):
    exit_code = REFUSED_FOR_VERTICES


@dataclass
class Layout:
    """What must be known before the first row."""

    geometry: str | None
    """The column that holds WKB."""
    crs: str | None
    """`EPSG:25832`, or WKT; None where the file does not say."""
    assumed: bool = False
    """The file does not say, but longitude and latitude were seen."""
    encoding: str | None = None

    def metadata(self) -> dict[bytes, bytes]:
        return {b"geoagent": json.dumps(vars(self)).encode()}

    @classmethod
    def of(cls, metadata: dict[bytes, bytes] | None) -> Layout:
        return cls(**json.loads((metadata or {})[b"geoagent"]))


@dataclass
class Notes:
    """What is known after the last row."""

    rows: int = 0
    skipped: int = 0
    problems: list[str] = field(default_factory=list)
    """The first of the rows that were skipped, each with the reason."""
    remarks: list[str] = field(default_factory=list)
    nul: int = 0
    """NUL characters that were left out of texts."""
    no_geometry: int = 0
    """Rows without a geometry, or with an empty one."""
    invalid: int = 0
    """Polygons that are not valid."""
    unchecked: int = 0
    """Polygons with too many vertices to check."""
    subdivided: int = 0
    """Shapes with too many vertices that were cut."""
    pieces: int = 0
    """What they were cut into."""

    def skip(self, problem: str) -> None:
        self.skipped += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)


def summary(error: BaseException, found: DataSet) -> str:
    """What a library says of a file, in one sentence and under the name that people know."""
    text = " ".join(str(error).replace(str(found.path), found.name).split()).partition("; It might help")[0]
    return (text[:200] or type(error).__name__).rstrip(".") + "."
