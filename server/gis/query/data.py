"""Queries of the data: counts, extents, statistics, rows and places. Read-only and bounded.

Implements `agents.ports.DataSource` on PostGIS as the reader role. PostgreSQL computes every number from the
rows as they are now, and what exceeds the limits raises TooExpensive. Nothing is estimated, except of lake tables, of
which PostGIS holds a sample (lake_samples.py), and histograms of large tables."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.observe import receipts
from agents.domain import Bounds, Column, Count, Cql2, FoundPlaces, Table
from agents.ports import Filter, TableRegistry
from agents.text_search import TextSearch
from agents.worded import Template
from server.gis.errors import InvalidQuestion, existing_column
from server.gis.expressions import extents
from server.gis.expressions.identifiers import (
    WGS84,
    column_of,
    geometry_of,
    lonlat_of,
    relation,
    sql_type,
    srid_of,
)
from server.gis.filters import Condition, both, compile_filter, compile_normalized, normalize
from server.gis.lake.answers.pages import Page
from server.gis.profiles.estimates import LARGE_ROWS
from server.gis.profiles.profile import TableProfile
from server.gis.query import places, texts
from server.gis.query.distribution import frequent_values, histogram, sampled_histogram
from server.gis.query.joins import Join, possible_joins
from server.gis.query.lake_files import LakeFiles
from server.gis.query.lake_samples import (
    lake_bounds,
    lake_of,
    sampled_from,
    scaled_count,
    scaled_statistics,
    scaled_values,
)
from server.gis.query.quality import COUNTED_ROWS, table_quality
from server.gis.query.statistics import column_statistics
from server.gis.query.table_bounds import LONLAT_NAME, crs_name, table_bounds
from server.gis.query.together import is_asked_together
from server.gis.query.values import json_value, selected, text_length
from server.gis.statements.guard import Guard, Query
from server.gis.statements.recorded_queries import RecordingGuard

NOT_SORTABLE = Template("data_not_sortable", "Rows cannot be sorted by {column}, which is of type {type}.")
LIMIT = Template("data_limit", "limit is at least 1.")

ProfileLookup = Callable[[Table], Awaitable[TableProfile | None]]
KEYS_FIRST_OFFSET = 5_000
"""From this offset on, the keys of a page are selected before its rows."""
MAX_ROWS = 1_000
MAX_CHEAP_FILTER_CHARS = 2_000
COST_OF_SMALL = 20_000_000.0
"""No question to a small table, with a filter of so many characters, can be estimated higher: that has 50 relations of
shapes at most, each of which costs a row 13 units."""
SORTABLE = ("text", "integer", "number", "boolean", "date", "timestamp")


class PostgisData:
    """`seconds` limits the time of each statement and `cost` the planner's estimate; histograms of tables of
    `large_rows` or more are estimated. `profile_of` returns the profile of a table. `files` answers questions about
    lake tables from all of their rows. Methods raise GisError."""

    def __init__(
        self,
        engine: AsyncEngine,
        registry: TableRegistry,
        *,
        seconds: float = 15.0,
        cost: float = 20_000_000.0,
        large_rows: int = LARGE_ROWS,
        profile_of: ProfileLookup | None = None,
        files: LakeFiles | None = None,
    ) -> None:
        self._files = files
        self._registry = registry
        self._profile_of = profile_of
        self._large_rows = large_rows
        self._guard = Guard(engine, seconds, cost)

    async def count(self, table: str, filter: Filter = None, within: Mapping[str, Any] | None = None) -> int:
        """Rows that pass the filter and, with `within` (GeoJSON in EPSG:4326), intersect it."""
        return (await self.counted(table, filter, within)).rows

    async def counted(
        self, table: str, filter: Filter = None, within: Mapping[str, Any] | None = None
    ) -> Count:
        """The same, and whether it is exact: of lake tables it may be estimated from the sample."""
        entry = self._registry.get(table)
        asked = self._recording_guard(entry, filter)
        if entry.lake is not None and filter is None and within is None:
            asked.note(entry.id, None, {"count": entry.lake.rows}, rows=entry.lake.rows)
            return Count(rows=entry.lake.rows)
        wanted = both(normalize(entry, filter), _inside(entry, within))
        exact = await self._in_files(entry, wanted)
        if exact is not None:
            asked.note(entry.id, wanted, {"count": exact}, rows=exact)
            return Count(rows=exact)
        count = scaled_count(entry, await asked.count(_passing(entry, filter, within), entry.id))
        asked.note(entry.id, wanted, {"count": count}, rows=count)
        return Count(rows=count, exact=lake_of(entry) is None)

    async def placed(self, table: str, filter: Filter = None) -> Count:
        """Rows that pass the filter and have a place on the map."""
        entry = self._registry.get(table)
        if entry.lake is not None:
            return await self.counted(table, filter)
        profile = await self._profile(entry, filter)
        if profile is not None and profile.is_sound and profile.empty_geometries is not None:
            return Count(rows=sum(profile.geometry_types.values()) - profile.empty_geometries)
        geometry = geometry_of(entry)
        has_place = sa.and_(geometry.is_not(None), sa.not_(sa.func.ST_IsEmpty(geometry)))
        return Count(rows=await self._guard.count(_passing(entry, filter).where(has_place), entry.id))

    async def _profile(self, table: Table, filter: Filter = None) -> TableProfile | None:
        """The profile of a table; None for a part of its rows."""
        return None if filter is not None or self._profile_of is None else await self._profile_of(table)

    async def _in_files(self, table: Table, filter: Cql2 | None) -> int | None:
        """How many rows of the files of a lake table pass, if PostGIS holds a sample only and they can be counted."""
        if self._files is None or filter is None or lake_of(table) is None:
            return None
        return await self._files.count(table, filter)

    async def extent(self, table: str, filter: Filter = None) -> Bounds | None:
        """The bounds in EPSG:4326 of the rows that pass the filter; None if there are none."""
        entry = self._registry.get(table)
        if entry.lake is not None and filter is None:
            return entry.bounds
        passing = _passing(entry, filter)
        box = extents.extent_of(passing, geometry_of(entry), entry.srid)
        found = extents.bounds(await self._recording_guard(entry, filter).row(box, entry.id))
        if found is not None and extents.spans_the_world(found):
            parts = extents.parts_of(passing, lonlat_of(entry), entry.geometry_type)
            # The same rows were priced and read a moment ago, and the planner can only guess the cost of their parts.
            turned = await self._guard.rows(parts, entry.id, gate=False)
            return extents.across(found, turned[0])
        return found

    async def bounds(self, table: str) -> Mapping[str, Any]:
        """The exact bounds in the table's own reference system and in EPSG:4326."""
        entry = self._registry.get(table)
        return await table_bounds(self._guard, entry) if lake_of(entry) is None else lake_bounds(entry)

    async def quality(self, table: str) -> Mapping[str, Any]:
        """Missing, empty, invalid and repeated values; see `table_quality`."""
        entry = self._registry.get(table)
        profile = None if entry.row_estimate <= COUNTED_ROWS else await self._profile(entry)
        return await table_quality(self._guard, entry, profile)

    async def joins(self, table: str) -> list[Join]:
        """Tables with geometry that have a column with the same values; see `possible_joins`."""
        return await possible_joins(self._guard, self._registry.get(table), self._registry.tables())

    async def stats(self, table: str, column: str, filter: Filter = None) -> Mapping[str, Any]:
        """Statistics of a column, as `agents.ports.DataSource` describes; of lake tables scaled from the sample."""
        entry = self._registry.get(table)
        asked = self._recording_guard(entry, filter)
        found = await column_statistics(asked, entry, existing_column(entry, column), _passing(entry, filter))
        found = scaled_statistics(entry, column, found, whole=filter is None)
        asked.note(entry.id, normalize(entry, filter), found, rows=found.get("count"), column=column)
        return found

    async def histogram(
        self, table: str, column: str, filter: Filter = None, bins: int = 40
    ) -> Mapping[str, Any]:
        """Counts in `bins` classes of equal width; from a sample for large tables."""
        entry = self._registry.get(table)
        asked, passing = existing_column(entry, column), _passing(entry, filter)
        if entry.lake is None and entry.row_estimate >= self._large_rows:
            profile = await self._profile(entry, filter)
            known = None if profile is None else profile.columns.get(column)
            found = await sampled_histogram(self._guard, entry, asked, passing, bins, known)
            if found is not None:
                return found
        found = await histogram(self._guard, entry, asked, passing, bins)
        counts = [scaled_count(entry, count) for count in found["counts"]]
        nulls = scaled_count(entry, found["nulls"])
        return {**found, "counts": counts, "nulls": nulls, **sampled_from(entry)}

    async def values(
        self, table: str, column: str, filter: Filter = None, text: str = "", limit: int = 20
    ) -> Sequence[Mapping[str, Any]]:
        """The most frequent values, of those that contain `text`."""
        entry = self._registry.get(table)
        passing = _passing(entry, filter)
        found = await frequent_values(
            self._guard, entry, existing_column(entry, column), passing, text, limit
        )
        return scaled_values(entry, found)

    def sampled_from(self, table: str) -> Mapping[str, str]:
        """What counts of values of a table are estimated from; empty where they are exact."""
        return sampled_from(self._registry.get(table))

    async def query(
        self,
        table: str,
        columns: Sequence[str] | None = None,
        filter: Filter = None,
        sort: str | None = None,
        descending: bool = False,
        limit: int = 20,
        offset: int = 0,
        total: int | None = None,
        *,
        lonlat: bool = False,
    ) -> Mapping[str, Any]:
        """Rows as mappings from column to value, sorted with missing values last, without the first `offset` rows.

        Geometries are in the table's reference system, or in EPSG:4326 with `lonlat`; `geometry_crs` names it.
        Texts are cut so that the answer is bounded. `total` counts all rows; callers that know it from an earlier page
        pass it, which avoids counting and lets pages of the second half be read from the end."""
        entry = self._registry.get(table)
        if limit < 1:
            raise InvalidQuestion(LIMIT())
        condition, normalized = compile_normalized(entry, filter)
        page = Page(normalized, sort, descending, min(limit, MAX_ROWS), offset)
        wanted, order = _wanted(entry, columns), _order(entry, sort, descending)
        if lake_of(entry) is not None:
            if (answer := await self._page_in_files(entry, wanted, page)) is not None:
                return answer
            total = None  # It may be the total of all rows, of which the sample has fewer.
        passing = _rows_that_meet(entry, condition)
        most = text_length(page.limit * len(wanted))
        shown = [selected(entry, each, lonlat, most).label(f"c{n}") for n, each in enumerate(wanted)]
        # Without a column, as of a table of shapes alone, PostgreSQL would return no rows to count.
        statement = passing.add_columns(*(shown or [sa.true().label("row")]))
        key = entry.key[0] if len(entry.key) == 1 and receipts.wanted() else None
        statement = statement if key is None else statement.add_columns(column_of(entry, key).label("key"))
        asked = self._recording_guard(entry, filter)
        found = await asked.rows(_page(statement, entry, order, page.limit, offset, total), entry.id)
        if _is_nearer_to_the_end(entry, offset, total):
            found = found[::-1]
        if total is None:
            total = offset + len(found)
            if len(found) >= page.limit or (offset and not found):
                total = await asked.count(passing, entry.id)
        rows = [
            {each.name: json_value(each, value, most) for each, value in zip(wanted, row, strict=False)}
            for row in found
        ]
        keys = [row[-1] for row in found] if key is not None else [None] * len(rows)
        cells = list(zip(keys, rows, strict=True))
        asked.note(entry.id, page.filter, {"total": total}, rows=total, key=key, cells=cells)
        crs = await self._crs_of_geometries(entry, wanted, lonlat)
        return {
            "columns": [each.name for each in wanted],
            **({"geometry_crs": crs} if crs else {}),
            "rows": rows,
            "total": total,
            "truncated": total > offset + len(found),
            **sampled_from(entry),
        }

    async def _page_in_files(
        self, table: Table, columns: Sequence[Column], page: Page
    ) -> Mapping[str, Any] | None:
        """The answer of `query` from all rows of a lake table, if its files give one."""
        answer = None if self._files is None else await self._files.page(table, columns, page)
        if answer is not None:
            total, cells = answer["total"], [(None, row) for row in answer["rows"]]
            self._recording_guard(table, page.filter).note(
                table.id, page.filter, {"total": total}, rows=total, cells=cells
            )
        return answer

    async def _crs_of_geometries(
        self, table: Table, columns: Sequence[Column], lonlat: bool
    ) -> Mapping[str, str]:
        srids = {each.name: srid_of(table, each.name) for each in columns if each.kind == "geometry"}
        return {
            name: LONLAT_NAME if lonlat or srid in (0, WGS84) else await crs_name(self._guard, srid)
            for name, srid in srids.items()
        }

    def _recording_guard(self, table: Table, filter: Filter) -> RecordingGuard:
        """A guard that prices statements first, unless a question with such a filter cannot cost too much."""
        is_cheap = self._guard.cost >= COST_OF_SMALL and is_asked_together(table)
        is_cheap = is_cheap and len(str(filter)) <= MAX_CHEAP_FILTER_CHARS
        return RecordingGuard(
            self._guard.engine, self._guard.seconds, math.inf if is_cheap else self._guard.cost
        )

    async def find_texts(self, search: TextSearch) -> Mapping[str, Sequence[Mapping[str, Any]]]:
        """Rows that hold the texts, by table, as `agents.ports.DataSource` describes."""
        return await texts.find_texts(self._guard, self._registry, search)

    async def find_place(self, text: str, limit: int = 5) -> FoundPlaces:
        """Up to `limit` places of this name in all readable tables, best first."""
        return await places.find(self._guard, self._registry.tables(), text, limit)


def _passing(table: Table, filter: Filter, within: Mapping[str, Any] | None = None) -> sa.Select[tuple[()]]:
    """The rows that pass, without columns yet."""
    area = compile_filter(table, _inside(table, within))
    return _rows_that_meet(table, compile_filter(table, filter), area)


def _rows_that_meet(table: Table, *conditions: Condition | None) -> sa.Select[tuple[()]]:
    rows: sa.Select[tuple[()]] = sa.select().select_from(relation(table))
    return rows.where(*(condition for condition in conditions if condition is not None))


def _inside(table: Table, area: Mapping[str, Any] | None) -> Cql2 | None:
    if area is None:
        return None
    return {"op": "s_intersects", "args": [{"property": table.geometry_column or "geometry"}, dict(area)]}


def _wanted(table: Table, names: Sequence[str] | None) -> list[Column]:
    if not names:
        return [column for column in table.columns if column.kind != "geometry"]
    return [existing_column(table, name) for name in dict.fromkeys(names)]


def _page(
    statement: Query, table: Table, order: Sequence[_By], limit: int, offset: int, total: int | None
) -> Query:
    """The rows of a page, read in reverse order if that is shorter. Far from both ends the keys are selected
    first, because an index alone skips rows faster than whole rows."""
    sorted_by = [each.sql() for each in order]
    if total is not None and _is_nearer_to_the_end(table, offset, total):
        limit = min(limit, total - offset)
        offset = total - offset - limit
        sorted_by = [_backwards(each) for each in order]
    if offset < KEYS_FIRST_OFFSET or len(table.key) != 1:
        page = statement.order_by(*sorted_by).limit(limit)
        return page.offset(offset) if offset else page
    key = column_of(table, table.key[0])
    keys = statement.with_only_columns(key).order_by(*sorted_by).limit(limit).offset(offset).correlate(None)
    return statement.where(key.in_(keys)).order_by(*sorted_by)


def _is_nearer_to_the_end(table: Table, offset: int, total: int | None) -> bool:
    """Whether to read from the end; only an order made unique by a key can be reversed."""
    return total is not None and bool(table.key) and total / 2 < offset < total


@dataclass(frozen=True)
class _By:
    """One thing that rows are sorted by; those without it come last, or first when all is read backwards."""

    expression: sa.ColumnElement[Any]
    descending: bool = False
    nullable: bool = False
    nulls_first: bool = False

    def sql(self) -> sa.ColumnElement[Any]:
        ordered = self.expression.desc() if self.descending else self.expression.asc()
        if not self.nullable:
            return ordered
        return ordered.nulls_first() if self.nulls_first else ordered.nulls_last()


def _backwards(by: _By) -> sa.ColumnElement[Any]:
    return replace(by, descending=not by.descending, nulls_first=not by.nulls_first).sql()


def _order(table: Table, sort: str | None, descending: bool) -> list[_By]:
    """The order by the requested column, then by key, so that it is reproducible."""
    keys = [_By(column_of(table, name)) for name in table.key]
    if sort is None:
        return keys
    column = existing_column(table, sort)
    if column.kind not in SORTABLE:
        raise InvalidQuestion(NOT_SORTABLE(column=repr(sort), type=column.sql_type))
    expression = column_of(table, sort)
    if column.kind == "number":
        # PostgreSQL sorts NaN above all numbers; users expect it among missing values.
        expression = sa.func.nullif(expression, sa.cast(sa.literal("NaN", sa.Text), sql_type(column)))
    return [_By(expression, descending, nullable=True), *keys]
