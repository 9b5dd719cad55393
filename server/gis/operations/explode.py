"""Take multi-part features apart: one row for each part."""

from __future__ import annotations

from sqlalchemy import select, true

from server.gis.operations.base import (
    GEOMETRY,
    Arguments,
    Operation,
    Step,
    Workspace,
    table_argument,
)
from server.gis.operations.columns import carried, free_name
from server.gis.operations.geodesy import geometry
from server.gis.operations.shapes import parts_of

_SINGLE = {"MULTIPOINT": "Point", "MULTILINESTRING": "LineString", "MULTIPOLYGON": "Polygon"}


class ExplodeArguments(Arguments):
    source: str = table_argument("The table whose multi-part features are taken apart.")


class Explode(Operation[ExplodeArguments]):
    name = "explode"
    summary = "One row for each part of multi-part features; attributes repeat, `part` numbers the parts."
    arguments = ExplodeArguments

    async def build(self, arguments: ExplodeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        parts = parts_of(geometry(source), "parts")
        own = carried(source)
        name = free_name("part", {label.name for label in own})
        statement = select(*own, parts.c.part.label(name), parts.c["shape"].label(GEOMETRY)).select_from(
            source.rows.join(parts, true())
        )
        return Step(
            statement,
            geometry_type=_SINGLE.get((source.table.geometry_type or "").upper(), "Geometry"),
            srid=source.table.srid,
            partition=source,
            comments={name: "Number of the part within its feature, from 1."},
        )
