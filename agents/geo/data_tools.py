"""Tools that read data without changing anything, and `cannot_do`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from agents.core import Param, Result, ToolFailed, tool
from agents.domain import Column, Table
from agents.geo import choices
from agents.geo.tools import FILTERS_SCHEMA, GeoTools, read_filter, unsearched
from agents.geo.wording.phrases import count_of, filter_words, number
from agents.geo.wording.texts import ABOUT, CANNOT_BE_DONE, NO_COLUMN, ROWS_OF, TITLED, WHERE
from agents.worded import Template

TABLES_FOR = Template("tool_tables_for", "{count} for “{text}”")
COUNTED_IN = Template("tool_counted", "{count} in {table}{where}")
OF_ROWS = Template("tool_of_rows", "{n} of {total|one=# row|other=# rows}")
STATISTICS = Template("tool_statistics", "Statistics of {table}.{column}")
PLACES_CALLED = Template("tool_places_called", "{count} called “{text}”")

DescribedTable = Annotated[str, Param(enum=choices.described_tables, shown=choices.NAME)]
_MAX_TABLES_LISTED = 100
_MAX_COLUMNS_DESCRIBED = 80
"""Columns that are described individually; further ones are only named."""


class DataTools(GeoTools):
    """Tools that read data; a mixin of GeoAgent."""

    @tool
    async def list_tables(self) -> Result:
        """All tables (the first hundred of many)."""
        tables = self.registry.tables()
        shown = tables[:_MAX_TABLES_LISTED]
        self.remember_tables(shown)
        facts = {"total": len(tables), "tables": [_brief(table) for table in shown]}
        return Result(facts, summary=count_of(len(tables), "table"))

    @tool
    async def search_tables(
        self, text: str, limit: Annotated[int, Param(minimum=1, maximum=50)] = 10
    ) -> Result:
        """Find tables by words in their names, columns and comments."""
        tables = list(await self.registry.search(text, limit=limit))
        self.remember_tables(tables)
        facts = {"found": len(tables), "tables": [_brief(table) for table in tables]}
        return Result(facts, summary=TABLES_FOR(count=count_of(len(tables), "table"), text=text))

    @tool
    async def describe_table(self, table: DescribedTable) -> Result:
        """Columns with types, samples and ranges; bounds; counts of flaws (none where left out)."""
        found = self.table(table)
        self.remember_tables([found])
        quality = await self.data.quality(found.id)
        facts: dict[str, Any] = {
            **_brief(found),
            **({"rows": quality["rows"]} if quality["exact"] else {}),
            "key": list(found.key),
            "srid": found.srid,
            **await self.data.bounds(found.id),
            "quality": _quality(quality),
            "columns": [_column(column) for column in found.columns[:_MAX_COLUMNS_DESCRIBED]],
        }
        if "rows" in facts:
            facts.pop("about_rows", None)
        if len(found.columns) > _MAX_COLUMNS_DESCRIBED:
            facts["more_columns"] = [column.name for column in found.columns[_MAX_COLUMNS_DESCRIBED:]]
        if self.info_store is not None:
            notes = await self.info_store.query(found.name, k=2)
            new = [note for note in notes if note not in self.sent_notes]
            self.sent_notes.update(new)
            facts.update({"notes": new} if new else {})
        return Result(facts, summary=TITLED(title=found.name, count=count_of(len(found.columns), "column")))

    @tool(params={"filters": FILTERS_SCHEMA})
    async def column_stats(
        self,
        table: str,
        column: Annotated[str, Param(resolve=choices.only_numeric_column)],
        filters: dict[str, Any] | str | None = None,
    ) -> Result:
        """Count, nulls, distinct, minimum, maximum, mean, median, sum and common values of a column, exactly."""
        found = self._with_columns(table, [column])
        wanted = read_filter(filters)
        stats = dict(await self.data.stats(found.id, column, wanted))
        facts = {"table": found.id, "column": column, **_filter_facts(wanted), "stats": stats}
        return Result(facts, summary=STATISTICS(table=found.name, column=column))

    @tool(params={"filters": FILTERS_SCHEMA})
    async def count_features(self, table: str, filters: dict[str, Any] | str | None = None) -> Result:
        """How many rows of a table pass a filter."""
        found = self.table(table)
        wanted = read_filter(filters)
        counted = await self.data.counted(found.id, wanted)
        where = WHERE(condition=filter_words(wanted)) if wanted else ""
        sampled = {} if counted.exact else _sampled(found)
        count = number(counted.rows)
        return Result(
            {"table": found.id, **_filter_facts(wanted), "count": counted.rows, **sampled},
            summary=COUNTED_IN(
                count=count if counted.exact else ABOUT(count=count), table=found.name, where=where
            ),
        )

    @tool(params={"filters": FILTERS_SCHEMA})
    async def query_features(
        self,
        table: str,
        columns: list[str] | None = None,
        filters: dict[str, Any] | str | None = None,
        sort: str | None = None,
        descending: bool = False,
        limit: Annotated[int, Param(minimum=1, maximum=100)] = 20,
        lonlat: bool = False,
    ) -> Result:
        """Rows of a table: filtered, sorted, at most 100.

        Args:
            columns: All but geometry when left out.
            sort: A column.
            lonlat: Geometry in degrees, not in the table's own reference system.
        """
        found = self._with_columns(table, [*(columns or ()), *([sort] if sort else [])])
        wanted = read_filter(filters)
        answer = dict(
            await self.data.query(
                found.id,
                columns=columns,
                filter=wanted,
                sort=sort,
                descending=descending,
                limit=limit,
                lonlat=lonlat,
            )
        )
        facts = {"table": found.id, **_filter_facts(wanted), **answer}
        shown, total = len(answer.get("rows", ())), answer.get("total")
        rows = (
            OF_ROWS(n=shown, total=total)
            if isinstance(total, int) and total > shown
            else count_of(shown, "row")
        )
        return Result(facts, summary=ROWS_OF(rows=rows, table=found.name))

    @tool
    async def find_place(self, text: str) -> Result:
        """Where a place is, by its name in the user's own tables."""
        found = await self.data.find_place(text, limit=5)
        facts = {
            "found": len(found.places),
            "places": [place.model_dump() for place in found.places],
            **unsearched(found),
        }
        return Result(facts, summary=PLACES_CALLED(count=count_of(len(found.places), "place"), text=text))

    @tool
    async def cannot_do(self, reason: str, alternative: str | None = None) -> Result:
        """Refuse what the data or the tools cannot give.

        Args:
            reason: Why, for the user.
            alternative: The nearest thing that can be done.
        """
        facts = {"reason": reason, **({"alternative": alternative} if alternative else {})}
        return Result(facts, summary=CANNOT_BE_DONE(why=reason))

    def _with_columns(self, table_id: str, columns: list[str]) -> Table:
        """The table, if it has all of these columns."""
        table = self.table(table_id)
        for name in columns:
            if table.column(name) is None:
                there = ", ".join(column.name for column in table.columns[:40])
                raise ToolFailed(NO_COLUMN(table=table.id, column=repr(name), names=there))
        return table


def _brief(table: Table) -> dict[str, Any]:
    geometry = {} if table.geometry_column is None else {"geometry": table.geometry_type or "GEOMETRY"}
    comment = {"comment": table.comment} if table.comment else {}
    lake = {} if table.lake is None else {"lake_table": f"PostGIS holds {table.lake.words}"}
    rows = {"about_rows" if table.lake is None else "rows": table.row_estimate}
    return {"id": table.id, **geometry, **rows, **comment, **lake}


def _sampled(table: Table) -> dict[str, Any]:
    """What estimates of a lake table rest on."""
    lake = table.lake
    return {"sampled_from": lake.words} if lake is not None and lake.is_sampled else {}


def _column(column: Column) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": column.name, "type": column.kind}
    if column.comment:
        facts["comment"] = column.comment
    if column.minimum is not None:
        facts["range"] = [column.minimum, column.maximum]
    if column.samples:
        facts["samples"] = list(column.samples[:8])
    return facts


def _quality(found: Mapping[str, Any]) -> dict[str, Any]:
    """The counts that are not zero, in few tokens; what was not counted is named."""
    shapes = dict(found.get("geometries", {}))
    counts: dict[str, Any] = {"types": shapes.pop("types")} if "types" in shapes else {}
    by_column = {name: found[name] for name in ("nulls", "empty_texts", "duplicate_keys") if found.get(name)}
    not_counted = {} if "duplicate_keys" in found else {"not_counted": "duplicates"}
    return {
        "exact": found["exact"], **counts, **{name: n for name, n in shapes.items() if n}, **by_column, **not_counted
    }  # fmt: skip


def _filter_facts(wanted: Any) -> dict[str, Any]:
    return {"filter": wanted} if wanted else {}
