"""Repair invalid geometries, and say what was wrong with them."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, Text, case, cast, func, null

from server.gis.operations.support.attributes.columns import free_name
from server.gis.operations.support.base import Arguments, Geometry, Operation, Step, Workspace, table_argument
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.geometry.repairs import kept, repair_notes
from server.gis.operations.support.geometry.shapes import reshaped


class MakeValidArguments(Arguments):
    source: str = table_argument("The table to repair.")


class MakeValid(Operation[MakeValidArguments]):
    """Shapes that PostGIS calls invalid, repaired (ST_MakeValid), with the reason in `was_wrong`."""

    summary = (
        "Repair self-crossing and otherwise invalid geometries; column `was_wrong` says what the fault was."
    )
    phrases = ("(repair|make valid|fix) {source}", "make {source} valid")

    async def build(self, arguments: MakeValidArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        shape = geometry(source)
        notes = await repair_notes(source, workspace, "stored")
        valid = func.ST_IsValid(shape)
        name = free_name("was_wrong", {column.name for column in source.attributes})
        mended = kept(func.ST_MakeValid(shape, type_=Geometry()), source)
        repaired: ColumnElement[Any] = case((valid, shape), (func.ST_IsEmpty(mended), None), else_=mended)
        reason = case((valid, None), else_=func.ST_IsValidReason(shape)).label(name)
        kind = source.declared_type("Geometry")
        if not notes and source.table.lake is None:
            # No shape is invalid, so none has to be tested again. (Of a lake table, only a sample was tested.)
            repaired, reason, kind = shape, cast(null(), Text()).label(name), source.declared_type()
        return reshaped(
            source,
            repaired,
            kind or "Geometry",
            source.declared_srid,
            notes=notes,
            columns=[reason],
            comments={name: "What was invalid before the repair; empty where nothing was."},
        )
