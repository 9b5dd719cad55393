"""The geometry type that a column's declaration guarantees for every row; sampled rows guarantee nothing."""

from __future__ import annotations

import re

from agents.domain import Column, Table

SIMPLE = frozenset({"POINT", "MULTIPOINT", "LINESTRING", "MULTILINESTRING", "POLYGON", "MULTIPOLYGON"})


def declared_type(table: Table) -> tuple[str, str]:
    """`("MULTIPOLYGON", "Z")` for `geometry(MultiPolygonZ,4326)`; `("GEOMETRY", "")` without a declaration."""
    return declared_kind(table.column(table.geometry_column or ""))


def declared_kind(column: Column | None) -> tuple[str, str]:
    """The same for one geometry column."""
    found = re.search(r"\((\w+?)(ZM|Z|M)?[,)]", column.sql_type if column else "")
    if found is None:
        return "GEOMETRY", ""
    return found.group(1).upper(), found.group(2) or ""


def may_be_curved(table: Table) -> bool:
    """Whether rows may be curves or triangulated surfaces, which most formats cannot represent."""
    return declared_type(table)[0] not in SIMPLE
