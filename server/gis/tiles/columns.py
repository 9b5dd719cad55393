"""Selects the columns that the tiles of a layer carry, and the one that identifies its features."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from agents.domain import Column, Layer, Table
from server.gis.expressions.identifiers import Expression, base_type, key_column, relation
from server.gis.styles.attributes import ID, MAX_FEATURE_ID, TIME, as_number, tile_value
from server.gis.styles.expressions import columns_of

_NAMES = ("name", "title", "label")


def needed_columns(table: Table, layer: Layer) -> tuple[Column, ...]:
    """What a tile carries at low zoom: `required_columns`, and those that the pointer shows."""
    wanted = {column.name for column in required_columns(table, layer)} | {*layer.style.tooltip}
    return tuple(column for column in table.columns if column.name in wanted)


def all_columns(table: Table, layer: Layer) -> tuple[Column, ...]:
    """What a tile carries close up: all but the column whose values are the features' ids, unless it is needed."""
    key = feature_key(table)
    needed = needed_columns(table, layer)
    return tuple(column for column in table.columns if column is not key or column in needed)


def required_columns(table: Table, layer: Layer) -> tuple[Column, ...]:
    """What the style and the filter read, a name, and the key where that is not the feature's id."""
    wanted = {*drawn_columns(layer), *_filtered(layer.filter)}
    wanted.update(table.key if feature_key(table) is None else ())
    texts = [column.name for column in table.columns if column.kind == "text"]
    named = [name for name in texts if any(word in name.lower() for word in _NAMES)]
    wanted.update((named or texts)[:1])
    return tuple(column for column in table.columns if column.name in wanted)


def feature_key(table: Table) -> Column | None:
    """The column that is a feature's id: only one whole number can be that in a tile."""
    key = key_column(table)
    return key if key is not None and key.kind == "integer" else None


def feature_id(table: Table) -> Expression:
    """The id of a feature; null where the table has no `feature_key`."""
    key = feature_key(table)
    return sa.null() if key is None else sa.cast(relation(table).c[key.name], sa.BigInteger)


def drawn_columns(layer: Layer) -> set[str]:
    """The columns that the paint, layout and filters of a layer's style read."""
    parts = [part for drawn in layer.style.layers for part in (drawn.paint, drawn.layout, drawn.filter)]
    return {name for part in parts for name in columns_of(part)}


def has_points(layer: Layer) -> bool:
    """Whether the style draws a point on each feature."""
    return any(drawn.source_layer == "points" for drawn in layer.style.layers)


def extra_attributes(table: Table, layer: Layer) -> list[tuple[str, sa.ColumnElement[Any]]]:
    """Attributes that no column has: `@time` and `@id`."""
    return [*_instants(table, layer), *_identities(table)]


def _instants(table: Table, layer: Layer) -> list[tuple[str, sa.ColumnElement[Any]]]:
    """The attribute that a time slider compares, where the style names a column for it."""
    column = table.column(layer.style.time or "")
    value = None if column is None else as_number(table, column)
    return [] if value is None else [(TIME, value)]


def _identities(table: Table) -> list[tuple[str, sa.ColumnElement[Any]]]:
    """The attribute that identifies the features whose key cannot be their id in a tile."""
    column = key_column(table)
    if column is None:
        return []
    if column.kind == "integer":
        value = relation(table).c[column.name]
        is_id = value.between(sa.literal_column("0"), sa.literal_column(str(MAX_FEATURE_ID)))
        return [(ID, sa.case((~is_id, sa.cast(value, sa.Text))))]
    text = (
        tile_value(table, column) if column.kind == "text" or base_type(column.sql_type) == "uuid" else None
    )
    return [] if text is None else [(ID, text)]


def _filtered(filter: Any) -> set[str]:
    if isinstance(filter, dict):
        own = {filter["property"]} if isinstance(filter.get("property"), str) else set()
        return own | {name for part in filter.values() for name in _filtered(part)}
    if isinstance(filter, list | tuple):
        return {name for part in filter for name in _filtered(part)}
    return set()
