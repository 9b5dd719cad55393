"""Samples of a table's pages, for numbers that are estimated."""

from __future__ import annotations

from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.sql.util import ClauseAdapter

from agents.domain import Table
from server.gis.expressions.identifiers import relation


def can_be_sampled(table: Table) -> bool:
    """Whether PostgreSQL can read some of its pages only."""
    return table.kind in ("table", "materialized view")


def sampled_share(table: Table, rows: int) -> float:
    """The part of its pages, 0 to 1, on which about so many rows are."""
    return min(1.0, rows / max(1, table.stored_rows))


def sample_of(table: Table, share: float) -> sa.FromClause:
    """The same pages each time."""
    return sa.tablesample(
        relation(table), sa.func.system(share * 100), name="sample", seed=sa.literal_column("1")
    )


def within(query: sa.Select[*tuple[Any, ...]], sample: sa.FromClause | None) -> sa.Select[*tuple[Any, ...]]:
    """A query of the table as one of its sample; None stands for all rows."""
    if sample is None:
        return query
    return cast("sa.Select[*tuple[Any, ...]]", ClauseAdapter(sample).traverse(cast("Any", query)))
