"""Keep the rows that pass a CQL2 filter."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from agents.domain import Cql2
from server.gis.filters import compile_filter
from server.gis.operations.support.attributes.columns import attribute_columns, geometry_out
from server.gis.operations.support.base import Arguments, Operation, Step, Workspace, table_argument


class FilterArguments(Arguments):
    source: str = table_argument("The table to filter.")
    filter: Cql2 | str
    """The condition that rows must meet, as CQL2: JSON, or text such as population > 1000000 AND country = 'Peru', or
    geometry_type(geom) = 'Polygon', is_valid(geom), is_empty(geom)."""


class Filter(Operation[FilterArguments]):
    """The rows that pass a CQL2 filter. Raises InvalidFilter."""

    summary = "Keep the rows of a table that pass a filter on its columns (CQL2)."
    traits = frozenset({"keeps_geometry", "tabular"})
    checks_geometries = False

    async def build(self, arguments: FilterArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        condition: Any = compile_filter(source.table, arguments.filter, source.rows)
        return Step.keeping(
            source,
            select(*attribute_columns(source), *geometry_out(source))
            .select_from(source.rows)
            .where(condition),
            portion_source=source,
        )
