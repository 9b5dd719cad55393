"""Whether two tables hold the same rows in any order: the results of two engines for the same step."""

from __future__ import annotations

import asyncio
import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import shapely
import sqlalchemy as sa
from shapely import affinity
from shapely.geometry.base import BaseGeometry
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from agents.worded import Template
from server.gis.expressions.identifiers import base_type, exact
from server.gis.operations.support.base import ROW_ID
from server.gis.operations.support.earth.geodesy import LONGEST_DEGREE_M
from server.gis.operations.support.earth.units import length_text

OTHER_NAMES = Template("engine_other_names", " (columns have other names)")
SHAPES_WITHIN = Template("engine_shapes_within", "shapes within about 10 cm")
AREAS_WITHIN = Template("engine_areas_within", "areas within {distance}")
SIX_DIGITS = Template("engine_six_digits", "numbers to six digits, {shapes}")
FOR_EXAMPLE = Template("engine_for_example", " (for example {values})")


MAX_ROWS = 100_000
"""Larger tables are compared by their numbers of rows only."""
RELATIVE_TOLERANCE = 1e-6
ABSOLUTE_TOLERANCE = 1e-9
"""Accepted differences of numbers."""
DEGREES, METRES = 1e-6, 0.1
"""Accepted differences of shapes, in geographic systems and in others."""
MAX_CANDIDATE_ROWS = 50
"""Candidate rows that are compared where rows differ only in numbers and shapes."""
_NUMBERS = ("real", "double precision", "numeric")

Row = tuple[tuple[str | None, ...], tuple[float | None, ...], tuple[BaseGeometry | None, ...]]
"""Values that must be equal, as texts; numbers; and shapes."""
SameShape = Callable[[BaseGeometry, BaseGeometry], bool]
"""Whether two shapes that are not empty count as the same."""


@dataclass(frozen=True)
class Comparison:
    """`different` rows of the first table have no equal in the second; `example` describes one."""

    rows: int
    other_rows: int
    different: int = 0
    example: str = ""
    counted_only: bool = False
    tolerance: str = ""
    """The accepted difference between rows that count as the same, as a text for users."""

    @property
    def agrees(self) -> bool:
        """Whether both tables have the same rows."""
        return self.rows == self.other_rows and not self.different


async def compare_tables(
    connection: AsyncConnection, one: Table, two: Table, reach: float | None = None
) -> Comparison:
    """All columns but the key, which only numbers the rows. With `reach`, shapes in longitude and latitude are the
    same where they cover the same places to that many metres; else where their outlines are the same."""
    counts = [
        int(await connection.scalar(sa.select(sa.func.count()).select_from(_relation(each))) or 0)
        for each in (one, two)
    ]
    if counts[0] != counts[1] or counts[0] > MAX_ROWS:
        return Comparison(counts[0], counts[1], counted_only=True)
    if [column.name for column in one.columns] != [column.name for column in two.columns]:
        return Comparison(counts[0], counts[1], counts[0], OTHER_NAMES())
    rows = [await _rows(connection, each, one) for each in (one, two)]
    names = [
        column.name for column in one.columns if _kind(column.sql_type) == "text" and column.name != ROW_ID
    ]
    same = same_outline(DEGREES if one.srid in (0, 4326) else METRES) if reach is None else same_places(reach)
    shapes = SHAPES_WITHIN() if reach is None else AREAS_WITHIN(distance=length_text(reach))
    found = await asyncio.to_thread(compare_rows, rows[0], rows[1], names, same)
    return replace(found, tolerance=SIX_DIGITS(shapes=shapes))


def same_outline(tolerance: float) -> SameShape:
    """Shapes of one type whose outlines are nowhere farther apart than the tolerance, in units of the shapes."""

    def same(one: BaseGeometry, two: BaseGeometry) -> bool:
        if one.geom_type != two.geom_type:
            return False
        return bool(one.equals_exact(two, tolerance) or one.hausdorff_distance(two) <= tolerance)

    return same


def same_places(metres: float) -> SameShape:
    """Areas in longitude and latitude of which no place is farther than that from the other area.

    Outlines may be farther apart: where parts of an area nearly touch, there is a gap between them, or none."""

    def same(one: BaseGeometry, two: BaseGeometry) -> bool:
        south, north = min(one.bounds[1], two.bounds[1]), max(one.bounds[3], two.bounds[3])
        nearest = 0.0 if south <= 0.0 <= north else min(abs(south), abs(north))
        degrees = metres / LONGEST_DEGREE_M
        # Degrees of longitude are nowhere longer than at the latitude that is nearest to the equator.
        flat = [
            affinity.scale(each, xfact=math.cos(math.radians(nearest)), origin=(0, 0)) for each in (one, two)
        ]
        # Boxes are compared first, because that is fast.
        if any(abs(a - b) > degrees for a, b in zip(flat[0].bounds, flat[1].bounds, strict=True)):
            return False
        return max(_beyond(*flat), _beyond(*reversed(flat))) <= degrees

    return same


def _beyond(area: BaseGeometry, other: BaseGeometry) -> float:
    """The greatest distance of a place in one area from the other area."""
    places = shapely.points(shapely.get_coordinates(shapely.difference(area, other)))
    return float(max(shapely.distance(places, other), default=0.0))


def compare_rows(
    one: Sequence[Row], two: Sequence[Row], names: Sequence[str], same_shape: SameShape | None = None
) -> Comparison:
    """Compare rows in any order; `names` are those of the values that must be equal."""
    left, right = _grouped(one), _grouped(two)
    same = same_shape or same_outline(DEGREES)
    lonely: list[Row] = []
    for key, rows in left.items():
        lonely += _without_equal(rows, right.get(key, []), same)
    example = ""
    if lonely:
        examples = [
            f"{name} = {value}" for name, value in zip(names, lonely[0][0], strict=True) if value is not None
        ]
        example = FOR_EXAMPLE(values=", ".join(examples[:3])[:200]) if examples else ""
    return Comparison(len(one), len(two), len(lonely), example)


def _without_equal(rows: Sequence[Row], others: Sequence[Row], same_shape: SameShape) -> list[Row]:
    left = sorted(others, key=_order)
    lonely = []
    for row in sorted(rows, key=_order):
        place = next(
            (n for n, each in enumerate(left[:MAX_CANDIDATE_ROWS]) if _same(row, each, same_shape)), None
        )
        if place is None:
            lonely.append(row)
        else:
            del left[place]
    return lonely


def _grouped(rows: Sequence[Row]) -> Mapping[tuple[str | None, ...], list[Row]]:
    found: dict[tuple[str | None, ...], list[Row]] = defaultdict(list)
    for row in rows:
        found[row[0]].append(row)
    return found


def _order(row: Row) -> tuple[float, ...]:
    numbers = [-math.inf if value is None or math.isnan(value) else value for value in row[1]]
    for shape in row[2]:
        place = (-math.inf, -math.inf) if shape is None or shape.is_empty else shape.bounds[:2]
        numbers += [round(side, 5) for side in place]
    return tuple(numbers)


def _same(one: Row, two: Row, same_shape: SameShape) -> bool:
    return all(map(_same_number, one[1], two[1])) and all(
        _same_shape(a, b, same_shape) for a, b in zip(one[2], two[2], strict=True)
    )


def _same_number(one: float | None, two: float | None) -> bool:
    if one is None or two is None:
        return one is two
    return math.isclose(one, two, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE) or (
        math.isnan(one) and math.isnan(two)
    )


def _same_shape(one: BaseGeometry | None, two: BaseGeometry | None, same: SameShape) -> bool:
    if one is None or two is None:
        return one is two
    if one.is_empty or two.is_empty:
        return bool(one.is_empty and two.is_empty)
    return same(one, two)


def _kind(sql_type: str) -> str:
    kind = base_type(sql_type)
    return "geometry" if kind == "geometry" else "number" if kind in _NUMBERS else "text"


def _relation(table: Table) -> Any:
    return sa.table(exact(table.name), schema=exact(table.schema_name))


async def _rows(connection: AsyncConnection, table: Table, like: Table) -> list[Row]:
    """The rows of a table with the columns of another."""
    kinds = [(each.name, _kind(each.sql_type)) for each in like.columns if each.name != ROW_ID]
    values: list[sa.ColumnElement[Any]] = []
    for name, kind in kinds:
        column: sa.ColumnElement[Any] = sa.column(exact(name))
        if kind == "geometry":
            values.append(sa.func.ST_AsBinary(column))
        else:
            values.append(sa.cast(column, sa.Double() if kind == "number" else sa.Text()))
    found = await connection.execute(sa.select(*values).select_from(_relation(table)))
    places = {
        kind: [n for n, (_, each) in enumerate(kinds) if each == kind]
        for kind in ("text", "number", "geometry")
    }
    return [
        (
            tuple(row[n] for n in places["text"]),
            tuple(row[n] for n in places["number"]),
            tuple(None if row[n] is None else shapely.from_wkb(bytes(row[n])) for n in places["geometry"]),
        )
        for row in found.all()
    ]
