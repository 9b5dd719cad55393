"""Cells of a lake table, computed from all rows of its files outside of PostgreSQL, and their way into it.

Each cell arrives as one row with its representative: `bands` makes the rest from these, as it does for other tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import asyncpg

from agents.domain import Table
from server.database.quoting import quoted
from server.gis.overviews import bands, summaries
from server.gis.overviews.ladder import SCHEMA, WEIGHT
from server.gis.overviews.placing import Placing
from server.gis.overviews.stored import replace_table
from server.gis.overviews.summaries import FilteredRows, Need, Summary

PLACE_X, PLACE_Y = "@px", "@py"
"""Columns with the place of the representative, from 0 to 1, southwards."""


@dataclass(frozen=True)
class WantedCells:
    """`cells` along the world's edge, with these columns of their representatives and summaries of their rows."""

    cells: int
    columns: Sequence[str]
    summed: Sequence[Summary]
    rows_of: FilteredRows | None = None
    """The rows that are counted; None for all."""

    def types(self, table: Table) -> dict[str, str]:
        """The columns in which cells arrive, and their types."""
        found = {
            "@x": "int",
            "@y": "int",
            WEIGHT: "bigint",
            "@area": "double precision",
            "@rank": "bigint",
            PLACE_X: "double precision",
            PLACE_Y: "double precision",
        }
        if table.geometry_family != "point":
            found[table.geometry_column or ""] = f"geometry(Geometry,{table.srid})"
        for name in self.columns:
            column = table.column(name)
            assert column is not None  # noqa: S101 - the caller chose among them
            found[name] = column.sql_type
        for index, summary in enumerate(self.summed):
            for name in summaries.summary_columns(index, summary):
                found[name.strip('"')] = "bigint" if name.startswith('"@n') else "double precision"
        return found


class CellsOfFiles(Protocol):
    """Reads the files of lake tables."""

    def can_compute(self, table: Table, need: Need) -> bool:
        """Whether it can test the filter of a need."""

    async def load(self, session: asyncpg.Connection, table: Table, wanted: WantedCells, name: str) -> None:
        """Compute the cells, and keep them in a new table `name` (`make_table`). Raises a GisError where the files have
        changed or cannot be read."""


async def make_table(session: asyncpg.Connection, table: Table, wanted: WantedCells, name: str) -> None:
    """Make the table `name`, in which the cells arrive."""
    columns = ", ".join(f"{quoted(each)} {declared}" for each, declared in wanted.types(table).items())
    await session.execute(f"DROP TABLE IF EXISTS {SCHEMA}.{name}")
    await session.execute(f"CREATE UNLOGGED TABLE {SCHEMA}.{name} ({columns})")


async def choose(
    session: asyncpg.Connection,
    table: Table,
    placing: Placing,
    wanted: WantedCells,
    name: str,
    work: str,
    most: int,
) -> tuple[int, int]:
    """Make the table of each cell's representative, as `bands.representatives` does, of the cells in `name`,
    coarser until there are few enough. Cells along the world's edge, and the rows in them."""
    shape = placing.shape.replace("@x", f"t.{quoted(PLACE_X)}").replace("@y", f"t.{quoted(PLACE_Y)}")
    names = "".join(f", t.{quoted(each)}" for each in wanted.columns)
    await session.execute(
        f"""CREATE UNLOGGED TABLE {work} AS
        SELECT t."@x", t."@y", t."{WEIGHT}", t."@area", t."@rank", {shape} AS "@shape"{names}
          {summaries.kept(wanted.summed, "t.")}
        FROM {SCHEMA}.{name} AS t"""  # noqa: S608 - expressions and names of the registry
    )
    await session.execute(f"DROP TABLE {SCHEMA}.{name}")
    cells = wanted.cells
    while await session.fetchval(f"SELECT count(*) FROM {work}") > most:  # noqa: S608 - our own name
        cells //= 2
        await session.execute(bands.coarser(wanted.columns, wanted.summed, work, f"{work}_c", shift=1))
        await replace_table(session, work, f"{work}_c")
    rows = await session.fetchval(f'SELECT coalesce(sum("{WEIGHT}"), 0)::bigint FROM {work}')  # noqa: S608
    return cells, int(rows)
