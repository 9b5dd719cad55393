"""Finds a PostgreSQL with PostGIS on this machine, wherever the system or GeoAgent put it.

Standard library only: the supervisor of the cluster imports this and should stay small."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

PLACES = (
    "/usr/lib/postgresql/*/bin",  # Debian, Ubuntu
    "/usr/pgsql-*/bin",  # Fedora and its kin, from PostgreSQL's own packages
    "/opt/homebrew/opt/postgresql@*/bin",
    "/usr/local/opt/postgresql@*/bin",
    "/Applications/Postgres.app/Contents/Versions/*/bin",
)


@dataclass(frozen=True)
class Installation:
    """The programs of one PostgreSQL, and what their environment needs so that they find their libraries."""

    bin: Path
    major: int
    environment: Mapping[str, str] = field(default_factory=dict)

    def program(self, name: str) -> str:
        """The path of one of its programs."""
        return str(self.bin / name)


def find(unpacked: Path | None = None, major: int | None = None) -> Installation | None:
    """The newest one with PostGIS; of version `major` where that is given. System packages before unpacked ones."""
    found = [candidate for candidate in _all(unpacked) if major in (None, candidate.major)]
    return max(found, key=lambda one: (not one.environment, one.major), default=None)


def server_majors() -> list[int]:
    """Major versions of Debian's PostgreSQL that are installed, with PostGIS or without."""
    return sorted(int(path.parent.parent.name) for path in Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def unpacked_environment(root: Path) -> dict[str, str]:
    """Variables by which programs unpacked under `root` find their libraries and projections; for those programs
    only."""
    folders = [
        str(path) for base in ("usr/lib", "lib") for path in sorted((root / base).glob("*-linux-gnu*"))
    ]
    projections = str(root / "usr/share/proj")
    return {"LD_LIBRARY_PATH": os.pathsep.join(folders), "PROJ_LIB": projections, "PROJ_DATA": projections}


def _all(unpacked: Path | None) -> Iterator[Installation]:
    if unpacked is not None:
        for folder in sorted(unpacked.glob("usr/lib/postgresql/*/bin")):
            yield from _usable(folder, unpacked_environment(unpacked))
    for pattern in PLACES:
        for folder in sorted(Path("/").glob(pattern[1:])):
            yield from _usable(folder, {})
    for program in ("postgres", "pg_ctl"):
        on_path = shutil.which(program)
        if on_path:
            yield from _usable(Path(on_path).resolve().parent, {})


def _usable(folder: Path, environment: dict[str, str]) -> Iterator[Installation]:
    if not all((folder / name).exists() for name in ("postgres", "initdb")):
        return
    if not any((share / "extension/postgis.control").exists() for share in _shares(folder)):
        return
    major = _major(folder, environment)
    if major is not None:
        yield Installation(folder, major, environment)


def _shares(folder: Path) -> list[Path]:
    prefix = folder.parent
    shares = [prefix / "share/postgresql", prefix / "share/pgsql", prefix / "share"]
    if prefix.parent.name == "postgresql":  # <prefix>/lib/postgresql/15/bin
        shares.insert(0, prefix.parent.parent.parent / "share/postgresql" / prefix.name)
    shares.extend(sorted((prefix / "share").glob("postgresql@*")) if (prefix / "share").is_dir() else [])
    return shares


def _major(folder: Path, environment: Mapping[str, str]) -> int | None:
    try:
        output = subprocess.run(  # noqa: S603 - a program that was found on this machine
            [str(folder / "postgres"), "--version"],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, **environment},
            cwd="/",
        ).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    version = re.search(r"(\d+)(\.|devel|beta|rc)", output)
    return int(version[1]) if version else None
