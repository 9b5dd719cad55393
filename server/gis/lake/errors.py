"""Errors of registering and reading lake tables."""

from __future__ import annotations

from server.gis.errors import GisError
from server.gis.ingest.limits import CannotLoad


class NoLakeTable(CannotLoad):
    """The dataset cannot become a lake table, or is no longer what was registered. The message says what to do."""

    code = "invalid_payload"


class PathRefused(GisError):
    """The path lies outside of the folders that may be read."""

    code = "forbidden"


class LakeTableExists(CannotLoad):
    """The name is taken."""

    code = "conflict"
