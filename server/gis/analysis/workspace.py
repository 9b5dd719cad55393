"""Resolves table names while an analysis runs: tables of the registry, and results of earlier steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, FromClause, Integer, Select, case, func, literal_column, select, text
from sqlalchemy.ext.asyncio import AsyncConnection

from agents.domain import Table
from agents.ports import TableRegistry
from agents.worded import Template
from server.gis.expressions.declared_types import common_type, declared_type
from server.gis.expressions.extents import WITHOUT_PARTS, box_columns
from server.gis.expressions.geometry_checks import MAX_COORDINATE, computable, has_empty_parts, reasonable
from server.gis.expressions.identifiers import WGS84, exact, geometry_of, is_geography, relation
from server.gis.expressions.indexed_extents import indexed_extent
from server.gis.operations.support.base import Arguments, Operation, Source

MISPLACED = Template(
    "op_misplaced",
    "{n|one=# row|other=# rows} of {table} {n|one=has|other=have} coordinates that are not numbers, infinite or beyond "
    "any place, and {n|one=is|other=are} treated as having no geometry.",
)

_INDEXED_EXTENT = text(indexed_extent(":schema", ":table", ":column"))
NO_FAULT, NOWHERE, GAPS = range(3)
"""What is wrong with a shape: nothing, its coordinates, or that it has empty parts."""


class StepWorkspace:
    """The workspace of one step; remembers which tables it read and which temporary tables it named."""

    def __init__(
        self, registry: TableRegistry, results: Mapping[str, Table], connection: AsyncConnection, result: str
    ) -> None:
        """`result` is the name of the table that the step makes."""
        self._registry = registry
        self._results = results
        self._connection = connection
        self._result = result
        self._temporaries = 0
        self._read: list[Table] = []
        self._unsound: dict[str, bool] = {}
        self._typed: dict[str, str] = {}
        self._extents: dict[str, Sequence[Any]] = {}
        self._exact_extents: set[str] = set()
        self.notes: list[str] = []

    @property
    def tables_read(self) -> list[Table]:
        """The tables that the step read, in the order of first use."""
        return list({table.id: table for table in self._read}.values())

    @property
    def names_read(self) -> list[str]:
        """The ids of the tables that were used as sources, in order."""
        return [table.id for table in self.tables_read]

    def source(self, name: str) -> Source:
        """The table or earlier step of this name as a source with a new alias. Invalid shapes are repaired in it.
        Raises UnknownTable."""
        table = self._named(name)
        self._read.append(table)
        alias = f"s{len(self._read)}"
        rows: FromClause = (
            _mended(table, alias) if self._unsound.get(table.id) else relation(table).alias(alias)
        )
        return Source(table, rows, alias)

    def stored(self, name: str) -> tuple[Table, FromClause]:
        """A table and its rows, to be copied; shapes that must not be computed with are left out."""
        table = self._named(name)
        mended = self._unsound.get(table.id)
        return table, (_mended(table, "stored") if mended else relation(table).alias("stored"))

    def trust(self) -> None:
        """Use shapes unchanged from now on, because the step already repaired them."""
        self._unsound.clear()

    async def examine(self, operation: Operation[Any], arguments: Arguments) -> None:
        """Find the tables with shapes that must not be computed with; their sources leave these out. Also the
        geometry types of tables whose columns do not declare one.

        In the transaction of the step, so that nothing changes in between. Raises UnknownTable."""
        for name in operation.tables(arguments) if operation.checks_geometries else ():
            table = self._named(name)
            if table.geometry_column is None or table.id in self._unsound:
                continue
            shape, kind = geometry_of(table), declared_type(table)[0]
            if kind == "POINT" and (extent := await self._indexed_extent(table)) is not None:
                self._unsound[table.id], self._extents[table.id] = False, extent
                continue
            misplaced = reasonable(shape, kind).is_(False)
            if kind in WITHOUT_PARTS:
                sides = box_columns(func.ST_Extent(shape), WGS84) if operation.reads_extent else ()
                found = select(func.count().filter(misplaced), *sides).select_from(relation(table))
                misplaced_rows, *extent = (await self._connection.execute(found)).one()
                self._unsound[table.id] = misplaced_rows > 0
                if extent and not misplaced_rows:
                    self._extents[table.id] = extent
                    self._exact_extents.add(table.id)
            else:
                misplaced_rows = await self._examine_parts(table, shape, kind, misplaced)
            if misplaced_rows:
                self.notes.append(MISPLACED(n=misplaced_rows, table=table.id))

    async def _indexed_extent(self, table: Table) -> Sequence[float] | None:
        """The extent of a table of points, if its spatial index proves that the coordinates of all are reasonable."""
        column = table.column(table.geometry_column or "")
        if table.kind not in ("table", "materialized view") or column is None or is_geography(column):
            return None
        names = {"schema": table.schema_name, "table": table.name, "column": column.name}
        sides = (await self._connection.execute(_INDEXED_EXTENT, names)).one()
        known = all(side is not None and abs(side) < float(MAX_COORDINATE) for side in sides)
        return tuple(sides) if known else None

    async def _examine_parts(
        self, table: Table, shape: ColumnElement[Any], kind: str, misplaced: ColumnElement[bool]
    ) -> int:
        """The same for shapes that may have parts, or be of any type; how many are misplaced."""
        none, nowhere, gaps = (literal_column(str(each), Integer()) for each in (NO_FAULT, NOWHERE, GAPS))
        fault = case((misplaced, nowhere), (has_empty_parts(shape, kind), gaps), else_=none)
        # Grouped, so that each shape is looked at once.
        by: list[ColumnElement[Any]] = [fault, *([func.GeometryType(shape)] if kind == "GEOMETRY" else [])]
        statement = select(func.count(), *by).select_from(relation(table)).group_by(*by)
        counts: Sequence[Any] = (await self._connection.execute(statement)).all()
        self._unsound[table.id] = any(row[1] != NO_FAULT for row in counts)
        found = [row[2] for row in counts if row[2:] and row[2]]
        if found:
            # The registry has read the first rows only.
            self._typed[table.id] = common_type(found)
        return sum(row[0] for row in counts if row[1] == NOWHERE)

    def extent(self, source: Source) -> Sequence[Any] | None:
        """West, south, east and north of the source, in degrees; None if unknown."""
        return self._extents.get(source.table.id)

    def is_exact_extent(self, source: Source) -> bool:
        """Whether `extent` of the source was computed from all rows."""
        return source.table.id in self._exact_extents

    def _named(self, name: str) -> Table:
        table = self._results.get(name) or self._registry.get(name)
        if table.id in self._typed:
            return table.model_copy(update={"geometry_type": self._typed[table.id]})
        return table

    def srid_of(self, operation: Operation[Any], arguments: Arguments) -> int:
        """The reference system that the result belongs in: that of the first table named that has geometries; 0 where
        it stays in that of the step."""
        tables = (self._named(name) for name in operation.tables(arguments) if operation.keeps_source_crs)
        return next((each.srid for each in tables if each.geometry_column), 0)

    def temporary(self, stem: str) -> str:
        """A new name for a temporary table of this step, which begins with `stem`."""
        self._temporaries += 1
        return f"{stem}_{self._temporaries}_{self._result[-44:]}"

    async def row(self, select: Select[*tuple[Any, ...]]) -> Sequence[Any]:
        """Run a query that gives one row."""
        return tuple((await self._connection.execute(select)).one())


def _mended(table: Table, alias: str) -> FromClause:
    """The rows of a table under an alias, with shapes that can be computed with, and with their addresses."""
    stored = relation(table)
    kind = declared_type(table)[0]
    columns = [
        computable(geometry_of(table), kind).label(exact(each.name))
        if each.name == table.geometry_column
        else stored.c[each.name].label(exact(each.name))
        for each in table.columns
    ]
    if table.kind in ("table", "materialized view"):
        columns += [literal_column(name).label(name) for name in ("ctid", "tableoid")]
    return select(*columns).select_from(stored).subquery(alias)
