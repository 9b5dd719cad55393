"""Take multi-part features apart: one row for each part."""

from __future__ import annotations

from sqlalchemy import select, true

from agents.worded import Template
from server.gis.operations.support.attributes.columns import attribute_columns, free_name
from server.gis.operations.support.base import (
    GEOMETRY,
    Arguments,
    Operation,
    Source,
    Step,
    Workspace,
    count_rows,
    table_argument,
)
from server.gis.operations.support.earth.geodesy import geometry
from server.gis.operations.support.geometry.shapes import parts_of
from server.gis.operations.support.geometry.validity import has_no_shape

WITHOUT_SHAPE = Template("op_without_shape", "{n|one=# row was|other=# rows were} left out, having no shape.")

_SINGLE = {"multipoint": "Point", "multilinestring": "LineString", "multipolygon": "Polygon"}


class ExplodeArguments(Arguments):
    source: str = table_argument("The table whose multi-part features are taken apart.")


class Explode(Operation[ExplodeArguments]):
    """A row for each part of a multi-part feature, in the stored reference system."""

    summary = "One row for each part of multi-part features; attributes repeat, `part` numbers the parts."
    traits = frozenset({"keeps_geometry", "makes_areas"})
    phrases = ("(explode|split|take apart) {source} [into [single|their] parts|apart]",)

    async def build(self, arguments: ExplodeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        parts = parts_of(geometry(source), "parts")
        own = attribute_columns(source)
        name = free_name("part", {label.name for label in own})
        statement = select(*own, parts.c.part.label(name), parts.c["shape"].label(GEOMETRY)).select_from(
            source.rows.join(parts, true())
        )
        missing = await count_rows(source.rows, workspace, has_no_shape(geometry(source)))
        return Step(
            statement,
            notes=(WITHOUT_SHAPE(n=missing),) if missing else (),
            geometry_type=source.declared_type(_single(source)),
            srid=source.declared_srid,
            portion_source=source,
            comments={name: "Number of the part within its feature, from 1."},
        )


def _single(source: Source) -> str:
    """The kind of the parts; a single shape is its own only part."""
    kind = source.declared[0] if source.declared else "Geometry"
    if kind.lower() in ("point", "linestring", "polygon"):
        return kind
    return _SINGLE.get(kind.lower(), "Geometry")
