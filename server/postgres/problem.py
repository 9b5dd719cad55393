"""What keeps GeoAgent from its database, in words for the person who starts it. Shown without a traceback."""

from __future__ import annotations


class DatabaseProblem(Exception):
    """There is no PostGIS to work on, or not the right one. The message tells why and what to do."""
