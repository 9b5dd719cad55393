"""Layers that cannot come back to a map, because the table that they showed is gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from agents.domain import Layer
from server.gis.analysis.storage import SCHEMA
from server.gis.errors import is_undefined
from server.gis.expressions.identifiers import split_id
from server.maps.log.events import Change
from server.maps.log.writer import MapWriter

EXISTS = text(
    "SELECT EXISTS (SELECT FROM pg_class WHERE relname = :name"
    " AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :schema))"
)

FOREIGN = ("42501", "42809")
"""What the owner may not lock, or what cannot be locked, was made there by hand; nobody here drops it."""


async def without_table(writer: MapWriter, changes: Sequence[Change]) -> list[Change]:
    """Of the changes, those that would add a layer without data."""
    added = [change for change in changes if change.name == "layer_added"]
    tables = sorted({added_layer(change).table for change in added})
    missing = {table for table in tables if not await held(writer, table)}
    return [change for change in added if added_layer(change).table in missing]


def named(changes: Iterable[Change]) -> str:
    return ", ".join(f"“{added_layer(change).name}”" for change in changes)


def added_layer(change: Change) -> Layer:
    return Layer.model_validate(change.payload["layer"])


async def held(writer: MapWriter, table: str) -> bool:
    """Whether the table is there. A result of an analysis stays so until this transaction ends: who drops one locks
    it, then looks once more for layers that show it.
    """
    schema, name = split_id(table)
    if schema == SCHEMA:
        quoted = name.replace('"', '""')
        try:
            async with writer.connection.begin_nested():
                await writer.connection.exec_driver_sql(
                    f'LOCK TABLE {SCHEMA}."{quoted}" IN ACCESS SHARE MODE'
                )
        except DBAPIError as error:
            if not is_undefined(error) and getattr(error.orig, "sqlstate", "") not in FOREIGN:
                raise
    return bool((await writer.connection.execute(EXISTS, {"schema": schema, "name": name})).scalar_one())
