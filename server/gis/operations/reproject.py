"""The same features in another coordinate reference system."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field
from sqlalchemy import ColumnElement, case, cast, column, func, literal, or_, select, table

from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.antimeridian import crosses_antimeridian, cut_note, lonlat_apart
from server.gis.expressions.area_of_use import Area, area_of_use, found_outside, joins_antimeridian, within
from server.gis.expressions.extents import HALF, extent_of
from server.gis.expressions.geometry_checks import ALL_AROUND, transformed
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import (
    Arguments,
    Geometry,
    Operation,
    Source,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import flat, geometry, lonlat
from server.gis.operations.support.geometry.overlays import multi_type
from server.gis.operations.support.geometry.repairs import multi
from server.gis.operations.support.geometry.shapes import reshaped

TRANSFORMED_TO = Template("op_transformed_to", "Transformed from EPSG:{old} to EPSG:{new} ({name}).")
NEAR_OUTSIDE = Template(
    "op_near_outside",
    "{n} of {total|one=# feature|other=# features} {n|one=is|other=are} outside of the area of use of "
    "EPSG:{srid} ({area}), though near it: measures are less exact there.",
)
DONE_DROP = Template("op_done_drop", "they were left out")
DONE_NULL = Template("op_done_null", "their rows have no shape")
DONE_KEEP = Template("op_done_keep", "they were transformed anyway, and may not be drawn")
FOUND_AND_DONE = Template("op_found_and_done", "{finding}; {done}.")
OTHERS_OUTSIDE = Template(
    "op_others_outside",
    "Of the others {n} {n|one=is|other=are} outside of it as well, but near: measures are less exact there.",
)

UNKNOWN_EPSG = Template(
    "op_unknown_epsg",
    "PostGIS knows no reference system with the EPSG code {srid}. 4326 is longitude and latitude; a UTM "
    "zone on the northern half is 32600 + its number.",
)
OUTSIDE = Template(
    "op_outside",
    "{finding}. There it has no meaningful coordinates. Transform without those outside "
    "(outside='drop'), keep their rows without shapes outside (outside='null'), or choose a system that "
    "covers them, such as EPSG:8857 for the world.",
)


class ReprojectArguments(Arguments):
    source: str = table_argument("The table to transform.")
    srid: Annotated[int, Field(ge=1, le=998_999, description="EPSG code of the new reference system.")]
    outside: Literal["refuse", "drop", "null", "keep"] = "refuse"
    """For features far outside of the system's area of use: `drop` leaves them out, `null` keeps their rows without a
    shape, `keep` transforms them all the same."""


class Reproject(Operation[ReprojectArguments]):
    """Geometries in another reference system (ST_Transform). Raises InvalidQuestion for unknown SRIDs."""

    summary = "Transform features into another coordinate reference system, by its EPSG code."
    keeps_source_crs = False
    phrases = (
        *(
            f"(reproject|transform|project|convert) {{source}} (to|into) {{srid:system}} {ending}"
            for ending in (
                "",
                "[and] (without|leave out|leaving out|drop) (those|what is|the ones|features) outside -> outside=drop",
                "[and] (without shapes|without a shape|keep the rows of those) outside -> outside=null",
                "[and] (with|including|also) (those|what is|the ones|features) outside -> outside=keep",
            )
        ),
    )

    async def build(self, arguments: ReprojectArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        lonlat(source)  # Refuses a table without a reference system, with advice.
        systems = table("spatial_ref_sys", column("srid"), column("srtext"))
        found = select(func.max(func.split_part(systems.c.srtext, '"', 2))).where(
            systems.c.srid == arguments.srid
        )
        (name,) = await workspace.row(found)
        if name is None:
            raise InvalidQuestion(UNKNOWN_EPSG(srid=str(arguments.srid)))
        area = area_of_use(arguments.srid)
        is_narrow, is_inside = await _seen_in_extent(source, area, arguments.srid, workspace)
        shape: ColumnElement[Any] = (
            func.ST_Transform(geometry(source), arguments.srid)
            if is_narrow
            else transformed(geometry(source), source.table, arguments.srid)
        )
        kind = source.declared_type() or "Geometry"
        notes: list[str] = [TRANSFORMED_TO(old=str(source.table.srid), new=str(arguments.srid), name=name)]
        if arguments.srid == WGS84 and (cut := await crossing(source, workspace)):
            shape = multi(lonlat_apart(flat(source), source.declared_srid), source)
            kind = multi_type(source)
            notes.append(cut_note(cut, source.table.id))
        inside = None
        if area is not None and not is_inside:
            inside, notes_outside = await _inside(arguments, area, source, workspace)
            notes += notes_outside
        if inside is not None and arguments.outside == "null":
            shape = case((inside, shape))
        step = reshaped(source, shape, kind, arguments.srid if source.declared else 0, notes=notes)
        if inside is not None and arguments.outside == "drop":
            step = replace(step, select=step.select.where(or_(geometry(source).is_(None), inside)))
        return step


async def _seen_in_extent(
    source: Source, area: Area | None, srid: int, workspace: Workspace
) -> tuple[bool, bool]:
    """Whether the extent of longitudes and latitudes shows that no shape goes around the earth, and that all are inside
    of the area: in a tenth of the time that looking at each shape takes. It is not read where neither matters."""
    if source.declared_srid != WGS84 or (area is None and not joins_antimeridian(srid)):
        return False, False
    extent = cast(func.ST_Extent(geometry(source)), Geometry())
    inside = literal(value=False) if area is None else within(area, extent, WGS84, strictly=True)
    is_narrow = func.ST_XMax(extent) - func.ST_XMin(extent) < ALL_AROUND
    seen = await workspace.row(select(is_narrow, inside).select_from(source.rows))
    return bool(seen[0]), bool(seen[1])


async def _inside(
    arguments: ReprojectArguments, area: Area, source: Source, workspace: Workspace
) -> tuple[ColumnElement[bool] | None, list[str]]:
    """A condition that keeps to the area of use where a feature is outside of it, and a note that says so."""
    shape, srid = geometry(source), source.table.srid
    condition = within(area, shape, srid)
    strictly = within(area, shape, srid, strictly=True)
    counts = (func.count(shape), func.count().filter(condition), func.count().filter(strictly))
    total, near, inside = await workspace.row(select(*counts).select_from(source.rows))
    outside = total - near
    if not outside:
        if inside == total:
            return None, []
        return None, [
            NEAR_OUTSIDE(n=total - inside, total=total, srid=str(arguments.srid), area=area.description)
        ]
    finding = found_outside(outside, total, source.table.id, f"EPSG:{arguments.srid}", area)
    if arguments.outside == "refuse":
        raise InvalidQuestion(OUTSIDE(finding=finding))
    done = {"drop": DONE_DROP(), "null": DONE_NULL(), "keep": DONE_KEEP()}
    notes: list[str] = [FOUND_AND_DONE(finding=finding, done=done[arguments.outside])]
    if near > inside:
        notes.append(OTHERS_OUTSIDE(n=near - inside))
    return condition, notes


async def crossing(source: Source, workspace: Workspace) -> int:
    """How many shapes cross the antimeridian or surround a pole, where they become longitudes and latitudes. Their box
    shows whether there can be any."""
    if source.declared_srid in (0, WGS84) or source.family == "point":
        return 0
    rows = select().select_from(source.rows)
    west, _south, east, _north = await workspace.row(extent_of(rows, geometry(source), source.declared_srid))
    if west is None or 0 <= east - west < HALF:
        return 0
    counted = func.count().filter(crosses_antimeridian(flat(source)))
    (cut,) = await workspace.row(select(counted).select_from(source.rows))
    return int(cut)
