"""Single or multi-part geometries in the result of a step, as asked, and the type of column that holds them."""

from __future__ import annotations

import re
from dataclasses import replace

from sqlalchemy import func, select, true

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.operations.support.base import GEOMETRY, Geometry, Parts, Step
from server.gis.operations.support.geometry.shapes import parts_of

NO_PARTS = Template(
    "step_no_parts", "The result has no geometry, so it cannot have parts={parts}. Leave parts out."
)

_TYPE = re.compile(r"(?:multi)?(point|linestring|polygon)(zm|z|m)?", re.IGNORECASE)
_NAMES = {"point": "Point", "linestring": "LineString", "polygon": "Polygon"}


def with_parts(step: Step, parts: Parts) -> Step:
    """The step with each geometry as a multi-part one, or with a row for each part. Rows without a geometry stay.

    Raises InvalidQuestion for a step without geometry."""
    if parts == "as_is":
        return step
    geometry_type = step.geometry_type
    if geometry_type is None:
        raise InvalidQuestion(NO_PARTS(parts=repr(parts)))
    if parts == "single" and step.counted is not None and step.counted.compares_rows:
        step = step.without_counting()
    made = step.select.subquery("made")
    others = [each for each in made.c if each.name != GEOMETRY]
    if parts == "multi":
        statement = select(*others, func.ST_Multi(made.c[GEOMETRY], type_=Geometry()).label(GEOMETRY))
    else:
        one = parts_of(made.c[GEOMETRY], "single")
        joined = made.outerjoin(one, true())
        statement = select(*others, one.c.shape.label(GEOMETRY)).select_from(joined)
    # Portions need a source in the step's own select, which is now a subquery.
    return replace(step, select=statement, geometry_type=_typed(geometry_type, parts), portion_source=None)


def _typed(declared: str, parts: Parts) -> str:
    found = _TYPE.fullmatch(declared)
    if found is None:
        return declared
    prefix = "Multi" if parts == "multi" else ""
    return f"{prefix}{_NAMES[found[1].lower()]}{(found[2] or '').upper()}"
