"""Answers about lake tables from all rows of their files; without one, those of the sample are used."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, Cql2, Table
from server.gis.expressions.identifiers import base_type
from server.gis.lake.answers.counting import LakeCounter
from server.gis.lake.answers.pages import LakePages, Page
from server.gis.lake.storage import LakeStorage
from server.gis.query.values import json_value


class LakeFiles:
    """Safe for concurrent use."""

    def __init__(self, owner: AsyncEngine, storage: LakeStorage) -> None:
        self._counter, self._pages = LakeCounter(owner, storage), LakePages(owner, storage)

    async def count(self, table: Table, filter: Cql2) -> int | None:
        """How many rows pass a normalized filter; None where that is not known."""
        return await self._counter.count(table, filter)

    async def page(self, table: Table, columns: Sequence[Column], page: Page) -> Mapping[str, Any] | None:
        """The answer of `PostgisData.query`; None where the files do not have it."""
        if any(each.kind == "geometry" for each in columns):
            return None
        found = await self._pages.page(table, page)
        if found is None:
            return None
        # Rows of files have no key, which the rows of the sample got.
        nothing: list[None] = [None] * len(found.rows)
        stored = set(found.rows.column_names)
        values = [found.rows[each.name].to_pylist() if each.name in stored else nothing for each in columns]
        rows = [
            {
                each.name: json_value(each, _plain(each, value))
                for each, value in zip(columns, row, strict=True)
            }
            for row in zip(*values, strict=True)
        ]
        return {
            "columns": [each.name for each in columns],
            "rows": rows,
            "total": found.total,
            "truncated": found.total > page.offset + len(rows),
            "key": [],
        }


def _plain(column: Column, value: Any) -> Any:
    """The value in the form in which the database returns it."""
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, str) and column.kind == "integer":
        return int(value)
    if isinstance(value, bytes) and base_type(column.sql_type) == "bytea":
        return len(value)
    return value
