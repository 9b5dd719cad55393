"""What cannot be drawn. The message says what could be drawn instead, or what to do first."""

from __future__ import annotations

from agents.worded import Template
from server.gis.errors import GisError

NO_SYSTEM = Template(
    "style_no_system",
    "The geometries of {subject} have no spatial reference system (SRID 0) or several, so nothing says where on earth "
    "they are. Bring all into one, by ST_Transform where they have several; if all are longitudes and latitudes "
    "without one: SELECT UpdateGeometrySRID(schema, table, column, 4326).",
)


class InvalidStyle(GisError):
    """A style that this table cannot have."""

    code = "invalid_style"


class NoReferenceSystem(InvalidStyle):
    """Geometries without a known reference system, so that nothing says where they are."""


def require_srid(srid: int, subject: str) -> None:
    """Raise NoReferenceSystem where the reference system of a geometry is unknown."""
    if srid <= 0:
        raise NoReferenceSystem(NO_SYSTEM(subject=subject))
