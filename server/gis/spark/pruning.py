"""Where the shapes of a lake table must lie to matter to a step: files and row groups elsewhere are not read."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from server.gis.expressions.identifiers import Expression, geometry_of, relation
from server.gis.filters.places import required_places
from server.gis.lake.ranges import Box

MARGIN = 0.001
"""Share of the width and height of a box: engines differ by less in what a transformation gives."""

Needs = Callable[[Any], Mapping[str, str]]
"""Names of arguments: of the table under each key, only rows near the table under its value matter."""


def _both(first: str, second: str) -> Needs:
    return lambda arguments: {
        getattr(arguments, first): getattr(arguments, second),
        getattr(arguments, second): getattr(arguments, first),
    }


def _joined(arguments: Any) -> Mapping[str, str]:
    if arguments.distance is not None:
        return {}
    found = {arguments.other: arguments.source}
    return found | {arguments.source: arguments.other} if arguments.rows == "matched" else found


def _selected(arguments: Any) -> Mapping[str, str]:
    if arguments.distance is not None:
        return {}
    found = {arguments.other: arguments.source}
    return found if arguments.invert else found | {arguments.source: arguments.other}


NEEDS: Mapping[str, Needs] = {
    "clip": _both("source", "mask"),
    "difference": lambda arguments: {arguments.other: arguments.source},
    "intersection": _both("source", "other"),
    "select_by_location": _selected,
    "spatial_join": _joined,
}


async def needed_box(
    connection: AsyncConnection, operation: str, arguments: Any, name: str, tables: Mapping[str, Table]
) -> Box | None:
    """The box that matters, in the reference system of the table that the arguments call `name`; None where all
    of it does."""
    table = tables[name]
    if table.geometry_column is None:
        return None
    if operation == "filter":
        places = [select(shape.label("shape")) for shape in required_places(table, arguments.filter)]
        return _shared([await _box_of(connection, each) for each in places])
    needs = NEEDS.get(operation)
    near = needs(arguments).get(name) if needs is not None else None
    if near is None or near == name:
        return None
    other = tables[near]
    if other.lake is not None or other.geometry_column is None:
        return None
    shape: Expression = geometry_of(other)
    if other.srid != table.srid:
        shape = func.ST_Transform(shape, table.srid)
    return await _box_of(connection, select(shape.label("shape")).select_from(relation(other)))


async def _box_of(connection: AsyncConnection, shapes: Select[Any]) -> Box | None:
    """Around all shapes, and a little more."""
    rows = shapes.subquery("rows")
    made = select(func.ST_Extent(rows.c["shape"]).label("box")).subquery("made")
    sides = (func.ST_XMin, func.ST_YMin, func.ST_XMax, func.ST_YMax)
    row = (await connection.execute(select(*(side(made.c.box) for side in sides)))).one()
    if any(side is None or not math.isfinite(side) for side in row):
        return None
    west, south, east, north = map(float, row)
    across, up = (east - west) * MARGIN + 1e-6, (north - south) * MARGIN + 1e-6
    return west - across, south - up, east + across, north + up


def _shared(boxes: Sequence[Box | None]) -> Box | None:
    """What all boxes share, as far as they are known; a degenerate box where they share nothing, as no row passes."""
    known = [box for box in boxes if box is not None]
    if not known:
        return None
    west, south = max(box[0] for box in known), max(box[1] for box in known)
    east, north = min(box[2] for box in known), min(box[3] for box in known)
    return west, south, max(west, east), max(south, north)
