"""What is asked of geometries themselves: `with invalid geometries`, `whose shape is empty`, `without geometry`."""

from __future__ import annotations

from typing import Literal

from agents.offline.language.cursor import Cursor
from agents.offline.meaning.conditions import GeometryFact

_SHAPES = ("geometry", "geometries", "shape", "shapes")
_FACTS: dict[str, Literal["valid", "invalid", "empty"]] = {
    "invalid": "invalid",
    "broken": "invalid",
    "valid": "valid",
    "empty": "empty",
}


def take_shape_fact(cursor: Cursor) -> GeometryFact | None:
    """A condition on the geometry. Returns None and leaves the cursor in place if no such words follow."""
    start = cursor.at
    if cursor.take(
        "without", "with no", "that have no", "which have no", "have no", "has no", "with missing"
    ):
        cursor.take("a", "any")
        if cursor.take(*_SHAPES):
            return GeometryFact("missing")
        cursor.at = start
    if cursor.take("whose"):
        if cursor.take(*_SHAPES) and cursor.take("is", "are"):
            taken = cursor.take(*_FACTS)
            if taken is not None:
                return GeometryFact(_FACTS[taken])
        cursor.at = start
    cursor.take("with", "having", "that have", "which have")
    cursor.take("an", "a")
    taken = cursor.take(*_FACTS)
    if taken is not None and cursor.take(*_SHAPES):
        return GeometryFact(_FACTS[taken])
    cursor.at = start
    return None
