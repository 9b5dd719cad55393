"""What a reader tells of a file besides its rows: where they are, what was left out, what was assumed."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import Any

REPORTED = 20
REFUSED = 3
"""The reader's exit code when what it wrote to standard error is for the person."""


class Unreadable(Exception):
    """The file cannot be read; the message is for the person who brought it."""


@dataclass
class Layout:
    """What must be known before the first row: travels as metadata of the Arrow schema."""

    geometry: str | None
    """The column that holds WKB."""
    crs: str | None
    """`EPSG:25832`, or WKT; None where the file does not say."""
    assumed: bool = False
    """The file does not say, but longitude and latitude were seen."""
    encoding: str | None = None

    def metadata(self) -> dict[bytes, bytes]:
        return {b"geoagent": json.dumps(asdict(self)).encode()}

    @classmethod
    def of(cls, metadata: dict[bytes, bytes] | None) -> Layout:
        known: dict[str, Any] = json.loads((metadata or {})[b"geoagent"])
        return cls(**known)


@dataclass
class Notes:
    """What is known after the last row."""

    skipped: int = 0
    problems: list[str] = field(default_factory=list)
    """The first of the rows that were skipped, each with the reason."""
    remarks: list[str] = field(default_factory=list)

    def skip(self, problem: str) -> None:
        self.skipped += 1
        if len(self.problems) < REPORTED:
            self.problems.append(problem)
