"""Keep the rows that share a value with rows of another table, or those that do not."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field
from sqlalchemy import exists, not_, select

from server.gis.operations.support.attributes.columns import attribute_columns, geometry_out
from server.gis.operations.support.base import (
    Arguments,
    Operation,
    Step,
    Workspace,
    column_argument,
    table_argument,
)
from server.gis.operations.support.matching.keys import key_pair


class SelectByAttributeArguments(Arguments):
    source: str = table_argument("The table whose rows are selected.")
    other: str = table_argument("The table that they are compared with.")
    key: str = column_argument("The column of the source that must agree.")
    other_key: str = column_argument("The column of the other table that must agree.", of="other")
    invert: Annotated[bool, Field(description="Keep those without a match, and those with an empty key.")] = (
        False
    )


class SelectByAttribute(Operation[SelectByAttributeArguments]):
    """Rows whose key occurs among the keys of another table; each row once, with its own columns only."""

    summary = (
        "Keep rows whose key occurs (or, inverted, does not occur) in another table: streets without trees."
    )
    traits = frozenset({"keeps_geometry", "matches", "tabular"})
    checks_geometries = False

    async def build(self, arguments: SelectByAttributeArguments, workspace: Workspace) -> Step:
        source = workspace.source(arguments.source)
        other = workspace.source(arguments.other)
        keys = key_pair(source, arguments.key, other, arguments.other_key)
        partner = exists(
            select(1).select_from(other.rows).where(keys.mine == keys.theirs).correlate(source.rows)
        )
        return Step.keeping(
            source,
            select(*attribute_columns(source), *geometry_out(source))
            .select_from(source.rows)
            .where(not_(partner) if arguments.invert else partner),
            notes=keys.notes,
        )
