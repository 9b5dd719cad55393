"""Converts column values to JSON that every client can read.

Numbers, texts and booleans are read as they are, everything else as PostgreSQL's own JSON, because a Python
date cannot represent 'infinity' or 44 BC, and an interval of a month is not 30 days."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB

from agents.domain import Column, Table
from server.gis.expressions.identifiers import Expression, base_type, column_of, geometry_of, lonlat_of

MAX_TEXT_CHARS = 2_000
MIN_TEXT_CHARS = 20
MAX_ANSWER_CHARS = 10_000_000
"""Limit for the texts of one answer, which is held in memory and written in the loop that serves all clients."""
JSON_FACTOR = 10
"""Factor by which a JSON value may be longer than a text before it is cut, after which it is not JSON any more."""
MAX_SAFE_INTEGER = 2**53
COORDINATE_DIGITS = 15


def text_length(cells: int) -> int:
    """How many characters of each text an answer of so many values may have."""
    return max(MIN_TEXT_CHARS, min(MAX_TEXT_CHARS, MAX_ANSWER_CHARS // max(1, cells)))


def selected(
    table: Table, column: Column, lonlat: bool = False, max_chars: int = MAX_TEXT_CHARS
) -> Expression:
    """The column as selected: limited in size, a geometry as GeoJSON with all digits, in the table's reference
    system or, with `lonlat`, in EPSG:4326."""
    expression = column_of(table, column.name)
    declared = base_type(column.sql_type)
    if column.kind == "geometry":
        geometry = lonlat_of(table, column.name) if lonlat else geometry_of(table, column.name)
        geojson = sa.func.ST_AsGeoJSON(geometry, COORDINATE_DIGITS, sa.literal_column("0"))
        return sa.cast(geojson, JSONB)
    if column.kind in ("integer", "number", "boolean"):
        return expression
    if column.kind == "text":
        return sa.func.left(sa.cast(expression, sa.Text), max_chars + 1, type_=sa.Text())
    if declared == "bytea":
        return sa.func.octet_length(expression, type_=sa.Integer())
    as_json = sa.func.to_jsonb(expression, type_=JSONB())
    too_large = sa.func.length(sa.cast(expression, sa.Text)) > max_chars * JSON_FACTOR
    if column.kind in ("date", "timestamp"):
        return as_json
    cut = sa.func.to_jsonb(sa.func.left(sa.cast(expression, sa.Text), max_chars + 1), type_=JSONB())
    return sa.case((too_large, cut), else_=as_json)


def shortened(text: Expression) -> Expression:
    """The part of a text that `plain` needs, so that no long one comes from the database."""
    return sa.func.left(text, MAX_TEXT_CHARS + 1, type_=sa.Text())


def json_value(column: Column, value: Any, max_chars: int = MAX_TEXT_CHARS) -> Any:
    """A value of `selected` as plain JSON."""
    if value is None:
        return None
    if base_type(column.sql_type) == "bytea":
        return f"{value:,} bytes"
    return plain(value, max_chars)


def plain(value: Any, max_chars: int = MAX_TEXT_CHARS) -> Any:
    """The value as JSON: no NaN, no Decimal, no integer that JavaScript would round, no long text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, Decimal):
        return _decimal(value)
    if isinstance(value, int):
        return value if abs(value) <= MAX_SAFE_INTEGER else str(value)
    if isinstance(value, float):
        return value if math.isfinite(value) else _infinite(value)
    if isinstance(value, str):
        return value if len(value) <= max_chars else value[:max_chars] + "…"
    if isinstance(value, list | tuple):
        return [plain(each, max_chars) for each in value]
    if isinstance(value, dict):
        return {str(key): plain(each, max_chars) for key, each in value.items()}
    return str(value)


def as_json(value: Any) -> Any:
    """A result of `to_jsonb`, whether the driver parsed it or not."""
    return json.loads(value) if isinstance(value, str | bytes) else value


def _decimal(value: Decimal) -> Any:
    if not value.is_finite():
        return _infinite(float(value))
    if value == value.to_integral_value():
        return plain(int(value)) if abs(value) < Decimal(10) ** 60 else str(value)
    return float(value)


def _infinite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"
