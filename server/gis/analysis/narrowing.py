"""Declares the geometry type of a result's column: one type, or the multi type where both occur; in the reference
system of the step's first table."""

from __future__ import annotations

from sqlalchemy import column, func, literal, or_, select, table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database.quoting import quoted
from server.database.sqlstates import INTERNAL_ERROR, sqlstate
from server.gis.expressions.declared_types import DIMENSIONS, SIMPLE, common_type
from server.gis.operations.support.base import GEOMETRY, Step


async def narrowed(connection: AsyncConnection, schema: str, name: str, step: Step) -> str | None:
    """The statement that gives a column of mixed declaration the type of its rows; None where it has one already, or
    the rows differ in dimension, or in their reference system."""
    declares_nothing = not step.srid or (step.geometry_type or "").upper().startswith("GEOMETRY")
    if step.geometry_type is None or not declares_nothing:
        return None
    stored = table(name, column(GEOMETRY), schema=schema)
    shape = stored.c[GEOMETRY]
    # Grouped, not as distinct aggregates, for which PostgreSQL would sort all rows in one process.
    found = select(func.GeometryType(shape), func.ST_ZMFlag(shape), func.ST_SRID(shape)).distinct()
    rows = (await connection.execute(found.where(shape.is_not(None)))).all()
    kinds, flags, srids = ({row[place] for row in rows} for place in range(3))
    if not kinds or len(flags) != 1 or len(srids) != 1 or min(srids) <= 0:
        return None
    kind = common_type(each.removesuffix("M") for each in kinds)
    if kind not in SIMPLE:
        return None
    value = f"ST_Multi({GEOMETRY})" if len(kinds) > 1 else GEOMETRY
    declared = f"geometry({kind}{DIMENSIONS[min(flags)]}, {min(srids)})"
    return f"ALTER TABLE {schema}.{quoted(name)} ALTER COLUMN {GEOMETRY} TYPE {declared} USING {value}::{declared}"


async def in_srid(connection: AsyncConnection, schema: str, name: str, step: Step, srid: int) -> str | None:
    """Transform a result in longitude and latitude to `srid`; the statement that did, None where a shape of it has no
    place there, so that all stay where they are."""
    declared = f"geometry({step.geometry_type}, {srid})"
    moved = f"ST_Transform({GEOMETRY}, {srid})"
    if (step.geometry_type or "").upper() == "MULTIPOLYGON":
        # A shape that was cut at the antimeridian or encloses a pole may touch itself in another projection.
        whole = f"ST_Multi(ST_CollectionExtract(ST_MakeValid({moved}), 3))"
        moved = f"CASE WHEN ST_IsValid({moved}) THEN {moved} ELSE {whole} END"
    qualified = f"{schema}.{quoted(name)}"
    statement = f"ALTER TABLE {qualified} ALTER COLUMN {GEOMETRY} TYPE {declared} USING ({moved})::{declared}"
    shape = table(name, column(GEOMETRY), schema=schema).c[GEOMETRY]
    edges = (func.ST_XMax(shape) - func.ST_XMin(shape), func.ST_YMax(shape) - func.ST_YMin(shape))
    endless = or_(*(each.in_([literal(float("inf")), literal(float("nan"))]) for each in edges))
    try:
        async with connection.begin_nested():
            await connection.exec_driver_sql(statement)
            if await connection.scalar(select(func.count().filter(endless))):
                raise _NoPlace
    except _NoPlace:
        return None
    except DBAPIError as error:
        if sqlstate(error) != INTERNAL_ERROR:
            raise
        return None
    return statement


class _NoPlace(Exception):
    """A shape has no finite coordinates in the reference system."""
