"""Pages of the rows of a dataset, filtered and sorted, from the files.

Without a filter and an order only the row groups of the page are read; else the columns of both, of all rows."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import shapely
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.domain import Cql2, Table
from server.gis.lake.answers.answer_queue import REMOTE_BYTES, TIMEOUT_S, AnswerQueue
from server.gis.lake.answers.conditions import Condition, NotInFiles, compares_as_in_the_database
from server.gis.lake.dataset import LakeFile
from server.gis.lake.storage import DatasetReader, LakeStorage

MAX_SORTED_ROWS = 200_000
"""Rows before and on a page that are kept while all are sorted."""
FILE, GROUP, PLACE, BY = "geoagent_file", "geoagent_group", "geoagent_place", "geoagent_by"


@dataclass(frozen=True)
class Page:
    """Which rows, in which order. Without `sort` in that of the files."""

    filter: Cql2 | None
    sort: str | None
    descending: bool
    limit: int
    offset: int


@dataclass(frozen=True)
class LakePage:
    """Rows with all columns under their names in PostGIS, and how many there are before and after, too."""

    rows: pa.Table
    total: int


class LakePages:
    """Reads pages of lake tables. Safe for concurrent use; one page is read at a time."""

    def __init__(self, owner: AsyncEngine, storage: LakeStorage) -> None:
        self._queue = AnswerQueue(owner, storage, TIMEOUT_S)

    async def page(self, table: Table, asked: Page) -> LakePage | None:
        """A page of a table's rows; None where the files cannot answer, or not in time."""
        if asked.offset + asked.limit > MAX_SORTED_ROWS and (
            asked.filter is not None or asked.sort is not None
        ):
            return None
        return await self._queue.answer(
            table, lambda reader, deadline: _read(reader, asked, table.geometry_column, deadline)
        )


def _read(reader: DatasetReader, asked: Page, geometry: str | None, deadline: float) -> LakePage:
    if asked.filter is None and asked.sort is None:
        places, total = _in_order(reader, asked), reader.dataset.rows
    else:
        places, total = _found(reader, asked, geometry, deadline)
    return LakePage(_rows_at(reader, places), total)


Place = tuple[int, int, int]
"""Numbers of a file, of a row group of it and of a row there."""


def _in_order(reader: DatasetReader, asked: Page) -> list[Place]:
    places: list[Place] = []
    before = 0
    for number, file in enumerate(reader.dataset.files):
        first, last = asked.offset + len(places) - before, asked.offset + asked.limit - before
        if first < file.rows and last > 0 and len(places) < asked.limit:
            metadata, start = reader.footer(file), 0
            for group in range(metadata.num_row_groups):
                rows = metadata.row_group(group).num_rows
                some = range(max(first, start) - start, min(last, start + rows) - start)
                places += [(number, group, row) for row in some]
                start += rows
        before += file.rows
    return places


def _found(
    reader: DatasetReader, asked: Page, geometry: str | None, deadline: float
) -> tuple[list[Place], int]:
    condition = None if asked.filter is None else Condition.read(asked.filter, reader.dataset, geometry)
    wanted, total = asked.offset + asked.limit, 0
    best: pa.Table | None = None
    for part in _passing(reader, condition, asked.sort, deadline):
        total += len(part)
        best = part if best is None else pa.concat_tables([best, part])
        if asked.sort is not None and len(best) > 2 * wanted:
            best = _first(best, asked.descending, wanted)
        elif asked.sort is None and len(best) > wanted:
            best = best.slice(0, wanted)
    if best is None:
        return [], 0
    page = _first(best, asked.descending, wanted) if asked.sort is not None else best.slice(0, wanted)
    columns = [page.slice(asked.offset)[name].to_pylist() for name in (FILE, GROUP, PLACE)]
    return list(zip(*columns, strict=True)), total


def _first(rows: pa.Table, descending: bool, count: int) -> pa.Table:
    order = [(BY, "descending" if descending else "ascending")]
    order += [(name, "ascending") for name in (FILE, GROUP, PLACE)]
    return rows.take(pc.sort_indices(rows, order)[:count])


def _passing(
    reader: DatasetReader, condition: Condition | None, sort: str | None, deadline: float
) -> Iterator[pa.Table]:
    """By row group, where the passing rows are and what they are sorted by."""
    by = None if sort is None else reader.dataset.column(sort)
    if sort is not None and (by is None or by.sql == "text" or not compares_as_in_the_database(by)):
        raise NotInFiles("this column is sorted by the database")
    read = set() if condition is None else condition.columns
    read |= set() if by is None or by.is_partition else {by.source}
    for number, group in list(_candidates(reader, condition, read, deadline)):
        if time.monotonic() > deadline:
            raise NotInFiles("it takes too long")
        file = reader.dataset.files[number]
        count = reader.footer(file).row_group(group).num_rows
        kept = _where(reader.read(file, group, sorted(read)), count, file, condition)
        place = {
            FILE: pa.array(np.full(len(kept), number)),
            GROUP: pa.array(np.full(len(kept), group)),
            PLACE: kept[PLACE],
        }
        yield pa.table(place | ({} if by is None else {BY: _order(kept, by, file)}))


def _candidates(
    reader: DatasetReader, condition: Condition | None, columns: set[str], deadline: float
) -> Iterator[tuple[int, int]]:
    """Numbers of files and of their row groups that may have rows which pass. Raises NotInFiles before anything is read
    of these, where that is too much."""
    size = 0
    for number, file in enumerate(reader.dataset.files):
        if not file.rows or (condition is not None and not condition.may_hold(file)):
            continue
        if time.monotonic() > deadline:
            raise NotInFiles("it takes too long")
        for group in reader.groups(file, None if condition is None else condition.expression(file)):
            size += reader.bytes_of(file, group, columns) if reader.is_remote else 0
            if size > REMOTE_BYTES:
                raise NotInFiles("it is too much to read from an address")
            yield number, group


def _where(rows: pa.Table, count: int, file: LakeFile, condition: Condition | None) -> pa.Table:
    numbered = rows.append_column(PLACE, pa.array(np.arange(count)))
    if condition is None:
        return numbered
    expression = condition.expression(file)
    kept = numbered if expression is None else numbered.filter(expression)
    if not condition.places or condition.dataset.geometry is None:
        return kept
    shapes = shapely.from_wkb(kept[condition.dataset.geometry.name].to_numpy())
    return kept.filter(pa.array(condition.holds(shapes)))


def _order(rows: pa.Table, by: Any, file: LakeFile) -> Any:
    if by.is_partition:
        kind = {"bigint": pa.int64(), "date": pa.date32()}[by.sql]
        return pa.array([file.parts[by.source]] * len(rows), pa.string()).cast(kind)
    values = rows[by.source]
    # PostgreSQL treats NaN as greater than all numbers.
    return pc.if_else(pc.is_nan(values), np.inf, values) if pa.types.is_floating(values.type) else values


def _rows_at(reader: DatasetReader, places: Sequence[Place]) -> pa.Table:
    """The rows at places, in their order."""
    tables, order = [], []
    numbered = sorted((place, n) for n, place in enumerate(places))
    for (file_number, group), some in groupby(numbered, key=lambda each: each[0][:2]):
        chosen = list(some)
        file = reader.dataset.files[file_number]
        tables.append(reader.rows(file, group, np.array([place[2] for place, _ in chosen])))
        order += [n for _, n in chosen]
    if not tables:
        return pa.table({column.name: pa.array([], pa.string()) for column in reader.dataset.columns})
    return pa.concat_tables(tables).take(pa.array(np.argsort(order)))
