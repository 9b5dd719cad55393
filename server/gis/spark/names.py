"""Names in Spark's SQL."""

from __future__ import annotations

ROW = "geoagent_row"
"""The column of a staged table that tells its rows apart."""

BUFFER = "GEOAGENT_BUFFER"
"""A function of a shape (EPSG:4326) and metres in statements for Spark, which the translation writes out."""

CENTRE = "GEOAGENT_CENTRE"
"""A function of a valid shape (EPSG:4326): its centre of gravity."""

REACH = "GEOAGENT_REACH"
"""A function of a point (EPSG:4326) and metres: an area that holds all points within that distance."""


def backticked(name: str) -> str:
    """A quoted identifier."""
    return "`" + name.replace("`", "``") + "`"
