"""Columns of results: which attributes travel, and names that never clash."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import ColumnElement, Label

from agents.domain import Column
from server.gis.errors import InvalidQuestion, listed, unknown_column
from server.gis.operations.base import GEOMETRY, ROW_ID, Source
from server.gis.operations.geodesy import geometry
from server.gis.statements import exact

NUMERIC = ("integer", "number")


def carried(source: Source, taken: Iterable[str] = (), prefix: str = "") -> list[Label[Any]]:
    """All attributes of a source, renamed (`name_2`) where a name is taken or reserved."""
    used = {*taken, GEOMETRY, ROW_ID}
    labels: list[Label[Any]] = []
    for column in source.attributes:
        name = free_name(prefix + column.name, used)
        used.add(name)
        labels.append(source.column(column.name).label(exact(name)))
    return labels


def geometry_out(source: Source) -> list[Label[Any]]:
    """The geometry under its name in results; none for a table without."""
    return [geometry(source).label(GEOMETRY)] if source.table.geometry_column else []


def free_name(wanted: str, used: Iterable[str]) -> str:
    """`wanted`, or `wanted_2`, `wanted_3` ... PostgreSQL cuts names at 63 bytes, so they are cut here first."""
    taken = set(used)
    stem = wanted.encode()[:58].decode(errors="ignore")
    name, number = stem, 1
    while name in taken:
        number += 1
        name = f"{stem}_{number}"
    return name


def attribute(source: Source, name: str) -> Column:
    """The named attribute. Raises UnknownColumn with the nearest names."""
    column = source.table.column(name)
    if column is None:
        raise unknown_column(source.table, name)
    return column


def number(source: Source, name: str) -> ColumnElement[Any]:
    """The named column, which must hold numbers. Raises InvalidQuestion naming the columns that do."""
    column = attribute(source, name)
    if column.kind not in NUMERIC:
        numeric = [other.name for other in source.attributes if other.kind in NUMERIC]
        raise InvalidQuestion(
            f"{name!r} of {source.table.id} holds {column.kind}, not numbers. "
            f"Its numeric columns: {listed(numeric) or 'none'}."
        )
    return source.column(name)
