"""Layers that cannot come back to a map, because the table that they showed is gone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from sqlalchemy import text

from agents.domain import Layer
from server.gis.statements import split_id
from server.maps.events import Change
from server.maps.writer import MapWriter

EXISTS = text(
    "SELECT EXISTS (SELECT FROM pg_class WHERE relname = :name"
    " AND relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = :schema))"
)


async def without_table(writer: MapWriter, changes: Sequence[Change]) -> list[Change]:
    """Of the changes, those that would add a layer without data."""
    added = [change for change in changes if change.name == "layer_added"]
    tables = {added_layer(change).table for change in added}
    missing = {table for table in tables if not await _exists(writer, table)}
    return [change for change in added if added_layer(change).table in missing]


def named(changes: Iterable[Change]) -> str:
    return ", ".join(f"“{added_layer(change).name}”" for change in changes)


def added_layer(change: Change) -> Layer:
    return Layer.model_validate(change.payload["layer"])


async def _exists(writer: MapWriter, table: str) -> bool:
    schema, name = split_id(table)
    return bool((await writer.connection.execute(EXISTS, {"schema": schema, "name": name})).scalar_one())
