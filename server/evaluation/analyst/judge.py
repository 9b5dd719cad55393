"""Compares an exported file with what a case expects. Pure functions; each fault is a sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

import shapely

from server.evaluation.analyst.cases import ExpectedContent, ExpectedFile
from server.evaluation.analyst.files import Content, ReadFile

RELATIVE_TOLERANCE = 1e-6
MEASURE_TOLERANCE = 1e-3
"""Relative error that is accepted in areas and lengths."""


def file_faults(expected: ExpectedFile, name: str, found: ReadFile) -> Iterator[str]:
    """Faults of a file of this name."""
    if expected.name is not None and name != expected.name:
        yield f"the file is called {name}, not {expected.name}"
    for entry in expected.entries:
        if entry not in found.entries:
            yield f"the zip has no {entry}: {', '.join(found.entries)}"
    for member, value in expected.members.items():
        if found.members.get(member) != value:
            yield f"its member {member} is {found.members.get(member)!r}, not {value!r}"
    if len(expected.layers) != len(found.contents):
        names = ", ".join(content.name for content in found.contents)
        yield f"it has {len(found.contents)} layers ({names}), not {len(expected.layers)}"
    for number, (wanted, content) in enumerate(zip(expected.layers, found.contents, strict=False), 1):
        yield from (f"layer {number}: {fault}" for fault in content_faults(wanted, content))


def content_faults(expected: ExpectedContent, found: Content) -> Iterator[str]:
    """Faults of one layer: its schema, its rows, its shapes."""
    actual = {
        "name": found.name,
        "crs": found.crs,
        "rows": len(found.rows),
        "columns": found.columns,
        "kinds": tuple(sorted({shape.geom_type for shape in found.shapes if shape is not None})),
    }
    for field, value in actual.items():
        wanted = getattr(expected, field)
        if wanted is not None and wanted != value:
            yield f"its {field} is {value!r}, not {wanted!r}"
    for column, kind in expected.types.items():
        if found.types.get(column) != kind:
            yield f"the column {column} is {found.types.get(column)}, not {kind}"
    for row in expected.values:
        if not any(_holds(each, row) for each in found.rows):
            yield f"no row has {row!r}; the first is {dict(found.rows[0]) if found.rows else None!r}"
    for column, total in expected.sums.items():
        numbers = [_number(row.get(column)) for row in found.rows]
        given = sum(number for number in numbers if number is not None)
        if not math.isclose(given, total, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-9):
            yield f"the sum of {column} is {given}, not {total}"
    yield from _shape_faults(expected, found)


def _shape_faults(expected: ExpectedContent, found: Content) -> Iterator[str]:
    shapes = [shape for shape in found.shapes if shape is not None]
    if expected.bounds is not None:
        box = shapely.total_bounds(shapes).tolist()
        if not all(
            abs(one - other) <= expected.tolerance for one, other in zip(box, expected.bounds, strict=True)
        ):
            yield f"its bounds are {box}, not {list(expected.bounds)}"
    for word, wanted, given in (
        ("area", expected.area, sum(shape.area for shape in shapes)),
        ("length", expected.length, sum(shape.length for shape in shapes)),
    ):
        if wanted is not None and not math.isclose(given, wanted, rel_tol=MEASURE_TOLERANCE):
            yield f"its {word} is {given}, not {wanted}"
    if expected.decimals is not None:
        numbers = shapely.get_coordinates(shapes).ravel().tolist()
        if any(
            abs(number - round(number, expected.decimals)) > 1e-12 * max(1, abs(number)) for number in numbers
        ):
            yield f"coordinates have more than {expected.decimals} decimals"


def _holds(row: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(column in row and _same(row[column], value) for column, value in wanted.items())


def _same(given: Any, wanted: Any) -> bool:
    if isinstance(wanted, bool) or isinstance(given, bool):
        return str(given).lower() == str(wanted).lower()
    if isinstance(wanted, int | float):
        number = _number(given)
        return number is not None and math.isclose(number, wanted, rel_tol=RELATIVE_TOLERANCE, abs_tol=1e-9)
    if wanted == "null":
        return given in (None, "")
    return str(given) == str(wanted)


def _number(value: Any) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+(\.\d*)?([eE][+-]?\d+)?", value.strip()):
        return float(value)
    try:
        return None if value is None or isinstance(value, str) else float(value)
    except (TypeError, ValueError):
        return None
