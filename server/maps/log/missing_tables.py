"""Finds layers that cannot be restored because their table was dropped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from agents.domain import Layer
from server.database.quoting import quoted
from server.database.sqlstates import INSUFFICIENT_PRIVILEGE, sqlstate
from server.gis.analysis.storage import SCHEMA
from server.gis.errors import is_undefined
from server.gis.expressions.identifiers import split_id
from server.maps.log.events import Change
from server.maps.log.writer import MapWriter

EXISTS = text(
    "SELECT EXISTS (SELECT FROM pg_class WHERE relname = :name"
    " AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :schema))"
)

NOT_LOCKABLE_SQLSTATES = (INSUFFICIENT_PRIVILEGE, "42809")
"""The owner cannot lock it, so a user created it in the database, and the server never drops it."""


async def changes_without_table(writer: MapWriter, changes: Sequence[Change]) -> list[Change]:
    """Those of the changes that would add a layer whose table does not exist."""
    added = [change for change in changes if change.name == "layer_added"]
    tables = sorted({added_layer(change).table for change in added})
    missing = {table for table in tables if not await is_present(writer, table)}
    return [change for change in added if added_layer(change).table in missing]


def layer_names(changes: Iterable[Change]) -> str:
    """The names of the added layers, quoted, for users."""
    return ", ".join(f"“{added_layer(change).name}”" for change in changes)


def added_layer(change: Change) -> Layer:
    """The layer of a `layer_added` change."""
    return Layer.model_validate(change.payload["layer"], extra="ignore")


async def is_present(writer: MapWriter, table: str) -> bool:
    """Whether the table exists. The table of an analysis result then exists until this transaction ends: it is
    locked in ACCESS SHARE mode, and code that drops one locks it and checks again for layers that show it."""
    schema, name = split_id(table)
    if schema == SCHEMA:
        try:
            async with writer.connection.begin_nested():
                await writer.connection.exec_driver_sql(
                    f"LOCK TABLE {quoted(SCHEMA, name)} IN ACCESS SHARE MODE"
                )
        except DBAPIError as error:
            if not is_undefined(error) and sqlstate(error) not in NOT_LOCKABLE_SQLSTATES:
                raise
    return bool((await writer.connection.execute(EXISTS, {"schema": schema, "name": name})).scalar_one())
