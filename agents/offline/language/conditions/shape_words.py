"""What is asked of geometries themselves: `with invalid geometries`, `whose shape is empty`, `without geometry`."""

from __future__ import annotations

from agents.offline.language import phrasebook as p
from agents.offline.language.cursor import Cursor
from agents.offline.meaning.conditions import GeometryFact

_FACTS = (
    (p.WITHOUT_SHAPE, GeometryFact("missing")),
    (p.INVALID_SHAPE, GeometryFact("invalid")),
    (p.VALID_SHAPE, GeometryFact("valid")),
    (p.EMPTY_SHAPE, GeometryFact("empty")),
)


def take_shape_fact(cursor: Cursor) -> GeometryFact | None:
    """A condition on the geometry. Returns None and leaves the cursor in place if no such words follow."""
    return next((fact for phrases, fact in _FACTS if cursor.take(phrases)), None)
