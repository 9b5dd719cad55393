"""What a column's value is in a vector tile, as SQL. Styles are computed over the very same expression,
so that the value a class was made from is the value the browser compares."""

from __future__ import annotations

import sqlalchemy as sa

from agents.domain import Column, Table
from server.gis.expressions.identifiers import Expression, base_type, relation

TIME = "@time"
"""The attribute of a tile that holds the value of the style's `time` column as a number: what a time slider compares.
A column of that name gives way to it."""

ID = "@id"
"""The attribute of a tile that identifies a feature whose key is no number from 0 to `MAX_FEATURE_ID`, as text. A
column of that name gives way to it."""

MAX_FEATURE_ID = 2**53 - 1
"""The ids of a tile's features are whole numbers that are not negative; browsers round greater ones."""

MAX_TEXT_CHARS = 256
"""Limit for a text in a tile: more than labels and tooltips show. Documents would make tiles of megabytes."""

_UNDRAWABLE = ("bytea", "tsvector", "raster")


def tile_value(table: Table, column: Column) -> Expression | None:
    """Whole numbers, finite numbers and booleans as they are, all else as text, of which the beginning; None for what
    has no place in a tile (geometries, binary data)."""
    value = relation(table).c[column.name]
    if column.kind in ("integer", "boolean"):
        return value
    if column.kind == "number":
        return finite(value)
    if column.kind == "geometry" or base_type(column.sql_type) in _UNDRAWABLE:
        return None
    return sa.func.left(sa.cast(value, sa.Text), sa.literal_column(str(MAX_TEXT_CHARS)), type_=sa.Text())


def as_number(table: Table, column: Column) -> Expression | None:
    """Finite numbers as they are, dates and times as seconds since 1970 (UTC); None for what is neither."""
    value = relation(table).c[column.name]
    if column.kind in ("integer", "number"):
        return finite(value)
    if column.kind in ("date", "timestamp"):
        return finite(seconds(value))
    return None


def seconds(moment: Expression) -> Expression:
    """Since 1970 (UTC). EXTRACT would compute a numeric, which takes twice as long."""
    return sa.func.date_part(sa.literal_column("'epoch'"), moment, type_=sa.Double())


def finite(value: Expression) -> Expression:
    """A number as double precision; NaN and the infinities, which no legend can show, become NULL."""
    number: Expression = sa.cast(value, sa.Double)
    for strange in ("NaN", "Infinity", "-Infinity"):
        number = sa.func.nullif(number, sa.literal_column(f"'{strange}'::float8"), type_=sa.Double())
    return number
