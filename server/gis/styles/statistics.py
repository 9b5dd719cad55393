"""The statistics of a column that a style needs, each in one query over the rows that pass the layer's filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Column, Cql2, Table
from agents.worded import Template
from server.gis.errors import faults_about
from server.gis.expressions.identifiers import Expression, relation
from server.gis.filters import compile_filter
from server.gis.statements.recorded_queries import note_answer
from server.gis.styles.attributes import finite, tile_value
from server.gis.styles.errors import InvalidStyle

NO_CATEGORIES = Template("style_no_categories", "{column} holds no values that could be shown as categories.")

SAMPLE_STEPS = 1000
"""Steps of the even sample that breaks are computed from: every value of a small table, quantiles of a large one."""

Category = str | float | bool


@dataclass(frozen=True)
class Distribution:
    """A numeric column. `sample` is sorted and even, from the least to the greatest value; empty without values."""

    rows: int
    values: int
    minimum: float | None
    maximum: float | None
    sample: tuple[float, ...]

    @property
    def nulls(self) -> int:
        """Rows without a value."""
        return self.rows - self.values


@dataclass(frozen=True)
class Frequencies:
    """A column's most frequent values, each with its count, most frequent first."""

    top: tuple[tuple[Category, int], ...]
    other_rows: int
    other_values: int
    nulls: int


class ColumnStatistics:
    """Asks about one column of one table under one filter."""

    def __init__(self, reader: AsyncEngine, table: Table, filter: Cql2 | None, column: Column) -> None:
        self._reader = reader
        self._table = table
        self._filter = filter
        self._column = column
        self._from = relation(table)
        condition = compile_filter(table, filter)
        self._where: Expression = sa.true() if condition is None else condition

    async def distribution(self) -> Distribution:
        """Counts, range and a sample of the finite values at equal steps of their order."""
        number = finite(self._from.c[self._column.name])
        steps = sa.cast([step / SAMPLE_STEPS for step in range(SAMPLE_STEPS + 1)], ARRAY(sa.Double))
        query = (
            sa.select(
                sa.func.count(),
                sa.func.count(number),
                sa.func.min(number),
                sa.func.max(number),
                sa.func.percentile_disc(steps).within_group(number),
            )
            .select_from(self._from)
            .where(self._where)
        )
        ((rows, values, minimum, maximum, sample),) = await self._all(query)
        self._note(query, {"rows": rows, "nulls": rows - values, "minimum": minimum, "maximum": maximum})
        return Distribution(rows, values, minimum, maximum, tuple(x for x in sample or () if x is not None))

    async def class_counts(self, breaks: Sequence[float]) -> list[int]:
        """Rows per class, by the same half-open intervals as MapLibre's `step`."""
        number = finite(self._from.c[self._column.name])
        bucket: Expression = sa.literal(0)
        if breaks:
            bucket = sa.func.width_bucket(number, sa.cast(list(breaks), ARRAY(sa.Double)))
        query = (
            sa.select(bucket.label("class"), sa.func.count())
            .select_from(self._from)
            .where(self._where, number.is_not(None))
            .group_by(sa.literal_column("1"))
        )
        counts = [0] * (len(breaks) + 1)
        for index, count in await self._all(query):
            counts[index] = count
        return counts

    async def frequencies(self, limit: int) -> Frequencies:
        """The `limit` most frequent values with counts. Raises InvalidStyle for a column that cannot be a category."""
        value = tile_value(self._table, self._column)
        if value is None:
            raise InvalidStyle(NO_CATEGORIES(column=repr(self._column.name)))
        value = value.label("value")
        count = sa.func.count().label("count")
        query = (
            sa.select(
                value,
                count,
                sa.func.sum(count).filter(value.element.is_not(None)).over(),
                sa.func.count(value.element).over(),
            )
            .select_from(self._from)
            .where(self._where)
            .group_by(value)
            .order_by(value.element.is_(None).desc(), count.desc(), value)
            .limit(limit + 1)
        )
        rows = await self._all(query)
        nulls = sum(row[1] for row in rows if row[0] is None)
        top = tuple((row[0], row[1]) for row in rows if row[0] is not None)[:limit]
        total = int(rows[0][2] or 0) if rows else 0
        different = rows[0][3] if rows else 0
        self._note(query, {"rows": total + nulls, "distinct": different, "nulls": nulls})
        return Frequencies(top, total - sum(count for _, count in top), different - len(top), nulls)

    async def counted(self, values: Sequence[Category]) -> Frequencies:
        """How often each of these values is there, in their order, and how many rows hold another."""
        value = tile_value(self._table, self._column)
        if value is None:
            raise InvalidStyle(NO_CATEGORIES(column=repr(self._column.name)))
        each = [sa.func.count().filter(value == wanted) for wanted in values]
        query = (
            sa.select(sa.func.count(), sa.func.count(value), *each).select_from(self._from).where(self._where)
        )
        ((rows, present, *counts),) = await self._all(query)
        return Frequencies(tuple(zip(values, counts, strict=True)), present - sum(counts), 0, rows - present)

    def _note(self, query: sa.Select[*tuple[Any, ...]], values: dict[str, Any]) -> None:
        """Note the source of the legend's numbers in the receipts of the running call."""
        note_answer([query], self._table.id, self._filter, values, column=self._column.name)

    async def _all(self, query: sa.Select[*tuple[Any, ...]]) -> Sequence[Any]:
        with faults_about(self._table.id):
            async with self._reader.connect() as connection:
                return (await connection.execute(query)).all()
