"""Where a private cluster and unpacked packages live on this machine. Each clone of GeoAgent has its own cluster."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Homes:
    """Where a private cluster keeps its data, and where packages of PostgreSQL are unpacked."""

    cluster: Path
    unpacked: Path


def homes(chosen: Path | None) -> Homes:
    """Under GEOAGENT_HOME where that is set; as root where PostgreSQL's user can enter; else the user's own folders."""
    if chosen is not None:
        folder = chosen.expanduser().absolute()
        return Homes(folder / "postgres", folder / "packages")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        return Homes(Path("/var/lib/geoagent") / clone_name(), Path("/var/lib/geoagent/packages"))
    return Homes(
        _user_folder("XDG_DATA_HOME", ".local/share") / "geoagent" / clone_name(),
        _user_folder("XDG_CACHE_HOME", ".cache") / "geoagent" / "packages",
    )


def clone_name() -> str:
    """The folder's name, to be recognisable, and a hash of the path, to be unique."""
    return f"{PROJECT.name}-{hashlib.sha256(os.fsencode(PROJECT)).hexdigest()[:8]}"


def _user_folder(variable: str, default: str) -> Path:
    named = os.environ.get(variable, "")
    return Path(named) if named.startswith("/") else Path.home() / default
