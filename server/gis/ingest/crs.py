"""Finds the SRID of a new table from its file, and the geometry type from its rows."""

from __future__ import annotations

import re
from dataclasses import dataclass

import asyncpg

from agents.worded import Template
from server.database.quoting import quoted
from server.gis.expressions.declared_types import DIMENSIONS, common_type
from server.gis.ingest.limits import CannotLoad
from server.gis.ingest.table import TablePlan
from server.gis.reading.notes import Layout

SYSTEM_TRANSFORMED = Template(
    "file_system_transformed",
    "The reference system of the file has no number in this database: the geometries were transformed to EPSG:4326.",
)
MIXED_HEIGHTS = Template(
    "file_mixed_heights", "Some geometries have heights and some have none; the heights were left out."
)
NOT_TRANSFORMABLE = Template(
    "file_not_transformable",
    "PostGIS cannot transform {file} from the reference system that it describes: {why}. Give its EPSG code as srid.",
)
UNKNOWN_SRID = Template("file_unknown_srid", "SRID {srid} is not known to this database (spatial_ref_sys).")
ASSUMED_DEGREES = Template(
    "file_assumed_degrees",
    "Coordinates were assumed to be longitude and latitude (EPSG:4326), by the names of their columns.",
)
NO_SYSTEM = Template(
    "file_no_system",
    "{file} does not say in which reference system its coordinates are, and they are not longitudes and "
    "latitudes. Give its EPSG code as srid.",
)
NOT_DEGREES = Template(
    "file_not_degrees",
    "The coordinates of {file} should be longitudes and latitudes, and most of them cannot be. Give the EPSG code of "
    "their reference system as srid.",
)
TAKEN_FOR_DEGREES = Template(
    "file_taken_for_degrees",
    "{file} names no reference system; its coordinates were assumed to be EPSG:4326.",
)

LONLAT = 4326
MAX_SHAPES_LOOKED_AT = 1000
"""Shapes that are read to decide whether coordinates are degrees."""


@dataclass(frozen=True)
class GeometryDeclaration:
    """The declared geometry type and SRID of a new table; None without geometry."""

    geometry_type: str | None
    srid: int | None


async def declare_geometry(
    connection: asyncpg.Connection,
    plan: TablePlan,
    layout: Layout,
    asked: int | None,
    file: str,
    remarks: list[str],
) -> GeometryDeclaration:
    """Declare type and SRID of the geometry column. Raises CannotLoad if the reference system cannot be determined."""
    column = quoted(plan.geometry or "")
    srid, definition = await find_srid(connection, plan, layout, asked, file, remarks)
    kind, dimensions = await _kind(connection, plan, column)
    value = f"ST_SetSRID({column}, {srid})"
    if definition is not None:
        text = await connection.fetchval("SELECT quote_literal($1::text)", definition)
        value = f"ST_SetSRID(ST_Transform(ST_SetSRID({column}, 0), {text}, {srid}), {srid})"
        remarks.append(SYSTEM_TRANSFORMED())
    if dimensions == "mixed":
        value, dimensions = f"ST_Force2D({value})", ""
        remarks.append(MIXED_HEIGHTS())
    if kind.startswith("MULTI"):
        value = f"ST_Multi({value})"
    declared = f"geometry({kind}{dimensions}, {srid})"
    try:
        await connection.execute(
            f"ALTER TABLE {plan.relation} ALTER COLUMN {column} TYPE {declared} USING {value}"
        )
    except asyncpg.InternalServerError as error:
        if definition is None:
            raise
        raise CannotLoad(NOT_TRANSFORMABLE(file=file, why=str(error)[:200])) from error
    return GeometryDeclaration(kind, srid)


async def find_srid(
    connection: asyncpg.Connection,
    plan: TablePlan,
    layout: Layout,
    asked: int | None,
    file: str,
    remarks: list[str],
) -> tuple[int, str | None]:
    """The SRID, and a definition to transform from if the file's system has no SRID in this database."""
    if asked is not None:
        if not await _known(connection, asked):
            raise CannotLoad(UNKNOWN_SRID(srid=str(asked)))
        return asked, None
    if layout.assumed:
        remarks.append(ASSUMED_DEGREES())
        return LONLAT, None
    if layout.crs is None:
        if not await _looks_like_degrees(connection, plan):
            raise CannotLoad(NO_SYSTEM(file=file))
        remarks.append(TAKEN_FOR_DEGREES(file=file))
        return LONLAT, None
    code = re.fullmatch(r"(EPSG|ESRI|IGNF|OGC):(\w+)", layout.crs)
    if code and code.group(0) in ("OGC:CRS84", f"EPSG:{LONLAT}"):
        # GeoJSON is in degrees by definition, but many programs write metres into it.
        if await _is_elsewhere(connection, plan):
            raise CannotLoad(NOT_DEGREES(file=file))
        return LONLAT, None
    if code and code.group(2).isdecimal() and await _known(connection, int(code.group(2))):
        return int(code.group(2)), None
    srid = await connection.fetchval("SELECT srid FROM spatial_ref_sys WHERE srtext = $1 LIMIT 1", layout.crs)
    return (int(srid), None) if srid is not None else (LONLAT, layout.crs)


async def _known(connection: asyncpg.Connection, srid: int) -> bool:
    return bool(await connection.fetchval("SELECT count(*) FROM spatial_ref_sys WHERE srid = $1", srid))


async def _looks_like_degrees(connection: asyncpg.Connection, plan: TablePlan) -> bool:
    column = quoted(plan.geometry or "")
    box = await connection.fetchrow(
        f"SELECT ST_XMin(b), ST_YMin(b), ST_XMax(b), ST_YMax(b) "  # noqa: S608 - quoted names
        f"FROM (SELECT ST_Extent({column}) AS b FROM {plan.relation}) AS e"
    )
    west, south, east, north = tuple(box)
    if west is None:
        return True
    return bool(-180 <= west <= east <= 180 and -90 <= south <= north <= 90)


async def _is_elsewhere(connection: asyncpg.Connection, plan: TablePlan) -> bool:
    """Whether most of the first shapes cannot be in degrees."""
    column = quoted(plan.geometry or "")
    return bool(
        await connection.fetchval(
            f"SELECT count(*) FILTER (WHERE ST_XMin(g) < -360 OR ST_XMax(g) > 360 OR ST_YMin(g) < -90 "  # noqa: S608
            f"OR ST_YMax(g) > 90) > count(*) / 2 FROM (SELECT {column} AS g FROM {plan.relation} "
            f"WHERE NOT ST_IsEmpty({column}) LIMIT {MAX_SHAPES_LOOKED_AT}) AS first_shapes"
        )
    )


async def _kind(connection: asyncpg.Connection, plan: TablePlan, column: str) -> tuple[str, str]:
    """The narrowest type for all rows, and its dimensions (`mixed` if they differ)."""
    rows = await connection.fetch(
        f"SELECT DISTINCT GeometryType({column}), ST_ZMFlag({column}) FROM {plan.relation} "  # noqa: S608 - quoted
        f"WHERE {column} IS NOT NULL"
    )
    if not rows:
        return "GEOMETRY", ""
    flags = {flag for _, flag in rows}
    dimensions = DIMENSIONS[flags.pop()] if len(flags) == 1 else "mixed"
    return common_type(kind.removesuffix("M") for kind, _ in rows), dimensions
