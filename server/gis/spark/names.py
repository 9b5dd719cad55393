"""Names in Spark's SQL."""

from __future__ import annotations

ROW = "geoagent_row"
"""The column of a staged table that tells its rows apart."""


def backticked(name: str) -> str:
    """A quoted identifier."""
    return "`" + name.replace("`", "``") + "`"
