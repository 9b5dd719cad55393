"""The area that contains all rows which pass a filter, for readers that can skip whole files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agents.domain import Table
from agents.ports import Filter
from server.gis.expressions.identifiers import Expression
from server.gis.filters.compiler import normalize
from server.gis.filters.spatial import RELATIONS, geometry_literal, in_system, is_geometry


def required_places(table: Table, filter: Filter) -> list[Expression]:
    """Shapes in the reference system of the table's geometry: a row that passes the filter meets the bounding box of
    each. Empty where rows anywhere may pass. Raises InvalidFilter."""
    return list(_required(normalize(table, filter), table))


def _required(node: Any, table: Table) -> Iterator[Expression]:
    if not isinstance(node, dict):
        return
    op, args = node.get("op"), node.get("args") or []
    if op == "and":
        for each in args:
            yield from _required(each, table)
    elif op in RELATIONS and op != "s_disjoint":
        literals = [each for each in args if isinstance(each, dict) and is_geometry(each)]
        if literals and {"property": table.geometry_column} in args:
            yield in_system(geometry_literal(literals[0]), table.srid)
