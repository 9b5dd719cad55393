"""The geometry column of a result declares what it holds: one type, and the multi one where there are both."""

from __future__ import annotations

from sqlalchemy import column, func, select, table
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database.quoting import quoted
from server.gis.operations.support.base import GEOMETRY, Step

DIMENSIONS = {0: "", 1: "M", 2: "Z", 3: "ZM"}
"""Of `ST_ZMFlag`."""
SINGLE = frozenset({"POINT", "LINESTRING", "POLYGON"})


async def narrowed(connection: AsyncConnection, schema: str, name: str, step: Step) -> str | None:
    """The statement that gives a column of mixed declaration the type of its rows; None where it has one already, or
    the rows differ in dimension, or in their reference system."""
    declares_nothing = not step.srid or (step.geometry_type or "").upper().startswith("GEOMETRY")
    if step.geometry_type is None or not declares_nothing:
        return None
    stored = table(name, column(GEOMETRY), schema=schema)
    shape = stored.c[GEOMETRY]
    kinds, flags, srids = (
        await connection.execute(
            select(
                func.array_agg(func.GeometryType(shape).distinct()),
                func.array_agg(func.ST_ZMFlag(shape).distinct()),
                func.array_agg(func.ST_SRID(shape).distinct()),
            ).where(shape.is_not(None))
        )
    ).one()
    if not kinds or len(flags) != 1 or len(srids) != 1 or srids[0] <= 0:
        return None
    singles = {kind.removeprefix("MULTI").removesuffix("M") for kind in kinds}
    if len(singles) != 1 or not singles <= SINGLE:
        return None
    kind = kinds[0].removesuffix("M") if len(kinds) == 1 else f"MULTI{singles.pop()}"
    value = f"ST_Multi({GEOMETRY})" if len(kinds) > 1 else GEOMETRY
    declared = f"geometry({kind}{DIMENSIONS[flags[0]]}, {srids[0]})"
    return f"ALTER TABLE {schema}.{quoted(name)} ALTER COLUMN {GEOMETRY} TYPE {declared} USING {value}::{declared}"
