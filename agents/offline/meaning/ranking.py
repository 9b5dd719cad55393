"""The first rows of a table by a column, for a list and for the map alike."""

from __future__ import annotations

from typing import Any

from agents.domain import Column, Cql2, Table
from agents.offline.meaning.columns import top_column
from agents.offline.meaning.intents import Top
from agents.offline.meaning.resolver import combined
from agents.offline.meaning.scene import Scene
from agents.offline.meaning.values import property_of


async def first_rows(
    scene: Scene, table: Table, where: Cql2 | None, top: Top, limit: int
) -> tuple[Column, dict[str, Any]]:
    """The column that ranks, and the arguments of `query_features`, without its columns.

    Where one row is asked for, all that share the first place are: none of them is the one.
    """
    column = top_column(scene, table, top)
    known: Cql2 = {"op": "not", "args": [{"op": "isNull", "args": [property_of(column.name)]}]}
    filters = combined("and", where, known)
    if limit == 1:
        limit = await _sharing_first_place(scene, table, column, filters, top)
    sorting = {"sort": column.name, "descending": top.descending}
    return column, {"table": table.id, "filters": filters, **sorting, "limit": limit}


MAX_SHARING = 100


async def _sharing_first_place(scene: Scene, table: Table, column: Column, filters: Cql2, top: Top) -> int:
    best = await scene.data.query(
        table.id, [column.name], filters, sort=column.name, descending=top.descending, limit=1
    )
    rows = best.get("rows") or ()
    if not rows:
        return 1
    no_worse: Cql2 = {
        "op": ">=" if top.descending else "<=",
        "args": [property_of(column.name), _literal(column, rows[0][column.name])],
    }
    count = await scene.data.count(table.id, combined("and", filters, no_worse))
    return min(max(count, 1), MAX_SHARING)


def _literal(column: Column, value: Any) -> Any:
    """A value of a column as it stands in CQL2."""
    if column.kind in ("date", "timestamp"):
        return {column.kind: str(value)}
    return value
