"""Operations whose rows Spark counts and PostGIS lays out: the many rows are read there, the few are shaped here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import FromClause, Select
from sqlalchemy.ext.asyncio import AsyncConnection


@dataclass(frozen=True)
class Halves:
    """`spark` gives rows of groups. `keys` are those of its columns that the result does not have, with their types in
    PostgreSQL; the others have the names and types of columns of the result. `layout` makes the result of such rows in
    PostGIS."""

    spark: Select[Any]
    keys: Mapping[str, str]
    layout: Callable[[FromClause], Select[Any]]
    prepare: Callable[[AsyncConnection, str], Awaitable[None]] | None = None
    """Runs before the layout; is given the name of the temporary table with Spark's rows."""

    def types(self, declared: Mapping[str, str]) -> Mapping[str, str]:
        """The types of the columns of Spark's rows, given those of the result."""
        names = [column.name for column in self.spark.selected_columns]
        return {name: self.keys.get(name) or declared[name] for name in names}
