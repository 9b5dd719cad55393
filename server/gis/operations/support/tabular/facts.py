"""Facts about the geometry of each row as values: coordinates, kind, size and validity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Boolean, ColumnElement, Double, Integer, Text, case, column, func, select, table

from agents.domain import ColumnKind
from agents.geo.wording.phrases import count_of
from agents.worded import Template
from server.gis.errors import InvalidQuestion
from server.gis.expressions.area_of_use import area_of_use, within
from server.gis.expressions.identifiers import WGS84
from server.gis.operations.support.base import Geometry
from server.gis.operations.support.earth.geodesy import (
    area,
    centre,
    centre_in_own_system,
    geometry,
    in_srid,
    is_of_points,
    length,
    lonlat,
    perimeter,
)
from server.gis.operations.support.earth.outlines import measured_by
from server.gis.operations.support.geometry.repairs import repaired
from server.gis.operations.support.tabular.sheet import Cell, Sheet

OUTSIDE_EMPTY = Template(
    "op_outside_empty",
    "{features} outside of the area of use of EPSG:{srid} ({area}): {fact} is empty there.",
)


UNKNOWN_SRID = Template(
    "op_unknown_srid",
    "PostGIS knows no reference system with the EPSG code {srid}. 4326 is longitude and latitude.",
)

Expression = ColumnElement[Any]

_COORDINATES = {
    "x": "ST_X",
    "y": "ST_Y",
    "lon": "ST_X",
    "lat": "ST_Y",
    "xmin": "ST_XMin",
    "ymin": "ST_YMin",
    "xmax": "ST_XMax",
    "ymax": "ST_YMax",
}
_CENTRES = ("x", "y", "lon", "lat")
_MEASURES = {"area_m2": area, "length_m": length, "perimeter_m": perimeter}


@dataclass(frozen=True)
class _Plain:
    """A fact that needs no coordinates: its SQL function, and what kind of value it gives."""

    function: str
    kind: ColumnKind
    declared: str
    about: str


_PLAIN = {
    "type": _Plain("GeometryType", "text", "text", "Type of the geometry."),
    "parts": _Plain("ST_NumGeometries", "integer", "integer", "Number of parts."),
    "points": _Plain("ST_NPoints", "integer", "integer", "Number of corners and points."),
    "is_empty": _Plain("ST_IsEmpty", "boolean", "boolean", "Whether the geometry is empty."),
    "is_valid": _Plain("ST_IsValid", "boolean", "boolean", "Whether the geometry is valid."),
}
_TYPES = {"text": Text(), "integer": Integer(), "boolean": Boolean()}


async def fact(sheet: Sheet, what: str, srid: int | None) -> Cell:
    """The fact about each row's geometry. Raises InvalidQuestion for a table without geometry, and for an unknown
    reference system."""
    shape = geometry(sheet.source)
    if what in _PLAIN:
        plain = _PLAIN[what]
        value = getattr(func, plain.function)(shape, type_=_TYPES[plain.declared])
        return Cell(value, plain.kind, plain.declared, plain.about, calculated=True)
    if what == "invalid_reason":
        reason = case((func.ST_IsValid(shape), None), else_=func.ST_IsValidReason(shape, type_=Text()))
        return Cell(
            reason, "text", "text", "Why the geometry is invalid; empty where it is not.", calculated=True
        )
    if what in _MEASURES:
        source, notes = await repaired(sheet.source, sheet.workspace, "measured")
        sheet.notes.extend(note for note in notes if note not in sheet.notes)
        value = measured_by(source, _MEASURES[what])
        return Cell(value, "number", "double precision", "Geodesic.", calculated=True)
    return await _coordinate(sheet, what, srid)


async def _coordinate(sheet: Sheet, what: str, srid: int | None) -> Cell:
    source = sheet.source
    own = source.table.srid
    target = WGS84 if what in ("lon", "lat") else srid or own
    shape = await _shape(sheet, what, target)
    named = f"EPSG:{target}" if target else "the table's own coordinates"
    if what == "wkt":
        return Cell(func.ST_AsText(shape, type_=Text()), "text", "text", f"In {named}.", calculated=True)
    value = getattr(func, _COORDINATES[what])(shape, type_=Double())
    middle = " of the centre" if what in _CENTRES and not is_of_points(source) else ""
    return Cell(value, "number", "double precision", f"{what}{middle} in {named}.", calculated=True)


async def _shape(sheet: Sheet, what: str, target: int) -> Expression:
    """The geometry or its centre in a reference system; null outside of the system's area of use."""
    source = sheet.source
    own = source.table.srid
    centred = what in _CENTRES and not is_of_points(source)
    if centred and target == own:
        return centre_in_own_system(source)
    shape, here = (centre(source), WGS84) if centred else (geometry(source), own)
    if target == here:
        return shape
    if own == 0:
        lonlat(source)  # Refuses a table without a reference system, with advice.
    await _known(sheet, target)
    moved = func.ST_Transform(shape, target, type_=Geometry()) if centred else in_srid(source, shape, target)
    bounds = area_of_use(target)
    if bounds is None or target == own:
        return moved
    inside = within(bounds, shape, here)
    outside = await sheet.count(inside.is_(False))
    if not outside:
        return moved
    sheet.notes.append(
        OUTSIDE_EMPTY(features=count_of(outside), srid=str(target), area=bounds.description, fact=what)
    )
    return case((inside, moved))


async def _known(sheet: Sheet, srid: int) -> None:
    systems = table("spatial_ref_sys", column("srid"))
    (found,) = await sheet.workspace.row(select(func.count()).where(systems.c.srid == srid))
    if not found:
        raise InvalidQuestion(UNKNOWN_SRID(srid=str(srid)))
