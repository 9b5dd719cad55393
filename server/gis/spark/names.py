"""Names in Spark's SQL."""

from __future__ import annotations

SEDONA = "1.7.1"
"""The version of Sedona that the SQL is written for."""

ROW = "geoagent_row"
"""The column of a staged table that tells its rows apart."""

BUFFER = "GEOAGENT_BUFFER"
"""A function of a shape (EPSG:4326) and metres in statements for Spark, which the translation writes out."""

CENTRE = "GEOAGENT_CENTRE"
"""A function of a valid shape (EPSG:4326): its centre of gravity."""

REACH = "GEOAGENT_REACH"
"""A function of a point (EPSG:4326) and metres: an area that holds all points within that distance."""

VECTOR, PARTS = "GEOAGENT_VECTOR", "GEOAGENT_PARTS"
"""Functions of a point, and of any shape (EPSG:4326): what DISTANCE measures between."""

DISTANCE = "GEOAGENT_DISTANCE"
"""A function of the VECTOR of a point and the PARTS of a shape: metres on the spheroid."""

BETWEEN = "GEOAGENT_BETWEEN"
"""A function of the PARTS of two shapes: metres on the spheroid."""

BOX, RADIUS, CORNER = "GEOAGENT_BOX", "GEOAGENT_RADIUS", "GEOAGENT_CORNER"
"""Functions of a shape (EPSG:4326): an area that holds it, its first corner, and metres from there that hold it."""


WHOLE = "GEOAGENT_WHOLE"
"""A function of a shape (EPSG:4326): the same, or an error of its row if it reaches the antimeridian."""


def backticked(name: str) -> str:
    """A quoted identifier."""
    return "`" + name.replace("`", "``") + "`"
