"""The cells of a lake table's overviews, computed by Spark from all rows of its files.

What a cell is, which row represents it and what it keeps is as in PostGIS (`server.gis.overviews`); of rows that are
equally important, a hash of the file and of the place in it chooses."""

from __future__ import annotations

import asyncio
from pathlib import Path

import asyncpg
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.core.errors import ToolFailed
from agents.domain import Table
from server.gis.expressions.declared_types import declared_type
from server.gis.lake.dataset import KEY
from server.gis.lake.storage import LakeStorage
from server.gis.lake.store import dataset_of
from server.gis.overviews.files import PLACE_X, PLACE_Y, WantedCells, make_table
from server.gis.overviews.ladder import SCHEMA, WEIGHT
from server.gis.overviews.placing import PI, from_degrees, from_metres
from server.gis.overviews.summaries import Need, Summary, summary_columns
from server.gis.spark.client import SparkClient
from server.gis.spark.local_files import in_folders
from server.gis.spark.names import backticked
from server.gis.spark.staging import load, outgoing_rows, scratch
from server.gis.spark.translation import spark_sql
from server.gis.spark.views import lake_view
from server.gis.tiles.grid import WORLD, Box, Tile
from server.gis.tiles.projection import MERCATOR, Crs, SearchBoxes, read_crs

VIEW = "files"


class CellsOnSpark:
    """Implements `server.gis.overviews.files.CellsOfFiles`."""

    def __init__(
        self, owner: AsyncEngine, client: SparkClient, folder: Path, seconds: float, lake: LakeStorage
    ) -> None:
        """`folder` is seen under the same path by this server and all of Spark."""
        self._owner, self._client = owner, client
        self._folder, self._seconds, self._lake = folder, seconds, lake

    def can_compute(self, table: Table, need: Need) -> bool:
        """Whether Spark can evaluate the filter."""
        try:
            _condition(table, need)
        except ToolFailed:
            return False
        return True

    async def load(self, session: asyncpg.Connection, table: Table, wanted: WantedCells, name: str) -> None:
        """Compute the cells of all files on Spark, and load them into the table `name`."""
        async with self._owner.connect() as connection:
            dataset = await dataset_of(connection, table)
        self._lake.check_background_copies(dataset)
        await asyncio.to_thread(self._lake.check_present, dataset, table.id)
        local, _copied = await in_folders(self._lake, dataset, dataset.files, table, self._seconds)
        crs = await read_crs(session, table.srid, table.id)
        box = await SearchBoxes().of(session, crs, Tile(0, 0, 0))
        types = wanted.types(table)
        statement = outgoing_rows(cells_statement(table, crs, wanted, box), types)
        async with scratch(self._folder) as folder:
            made = folder / "cells"
            await self._client.write_in_background(
                {VIEW: lake_view(local)}, statement, str(made), self._seconds
            )
            # Files that were rewritten in the meantime may have been read in part.
            await asyncio.to_thread(self._lake.check_present, dataset, table.id)
            await make_table(session, table, wanted, name)
            await load(session, made, SCHEMA, name, list(types))


def cells_statement(table: Table, crs: Crs, wanted: WantedCells, box: Box | None) -> str:
    """SELECT over the view of the files, with a row for each cell. `box` is the world in the reference system of the
    table."""
    is_point = table.geometry_family == "point"
    g = f"t.{backticked(table.geometry_column or '')}"
    kept = [PLACE_X, PLACE_Y, *([] if is_point else [table.geometry_column or ""]), *wanted.columns]
    chosen = ", ".join(f"t.{backticked(each)}" for each in kept)
    names = ", ".join(f"`@chosen`.{backticked(each)}" for each in kept)
    x, y = _middle(g, table)
    placed_x, placed_y = _place(crs)
    sums = _sums(table, wanted)
    passing = "" if wanted.rows_of is None else f" AND ({_condition(table, wanted.rows_of)})"
    return f"""SELECT `@x`, `@y`, `{WEIGHT}`, `@area`, `@rank`, {names}{"".join(f", {each}" for each in sums)} FROM (
  SELECT `@x`, `@y`, count(*) AS `{WEIGHT}`, sum(`@area`) AS `@area`, max(`@rank`) AS `@rank`,
    max_by(struct({chosen}), `@rank`) AS `@chosen`{"".join(f", {value} AS {each}" for each, value in sums.items())}
  FROM (SELECT t.*, CAST(floor(`{PLACE_X}` * {wanted.cells}) AS INT) AS `@x`,
      CAST(floor(`{PLACE_Y}` * {wanted.cells}) AS INT) AS `@y`, {_area(g, table, crs)} AS `@area`,
      {_rank(g, is_point)} AS `@rank`
    FROM (SELECT t.*, {placed_x} AS `{PLACE_X}`, {placed_y} AS `{PLACE_Y}`
      FROM (SELECT t.*, {_moved(crs)} AS `@moved`
        FROM (SELECT t.*, {x} AS `@mx`, {y} AS `@my` FROM {VIEW} AS t WHERE {_is_there(g)}{passing}) AS t
        WHERE {_is_placed(g, is_point, crs, box)}) AS t) AS t) AS t
  GROUP BY `@x`, `@y`) AS cells"""  # noqa: S608 - expressions, and names of the registry


def _is_there(g: str) -> str:
    return f"{g} IS NOT NULL AND NOT ST_IsEmpty({g})"


def _middle(g: str, table: Table) -> tuple[str, str]:
    """The middle of a shape; NULL for missing ones, which Spark may evaluate nevertheless."""
    if declared_type(table)[0] == "POINT":
        x, y = f"ST_X({g})", f"ST_Y({g})"
    elif table.geometry_family == "point":
        x, y = f"ST_X(ST_GeometryN({g}, 0))", f"ST_Y(ST_GeometryN({g}, 0))"
    else:
        x, y = f"(ST_XMin({g}) + ST_XMax({g})) / 2D", f"(ST_YMin({g}) + ST_YMax({g})) / 2D"
    return f"CASE WHEN {_is_there(g)} THEN {x} END", f"CASE WHEN {_is_there(g)} THEN {y} END"


def _is_placed(g: str, is_point: bool, crs: Crs, box: Box | None) -> str:
    """Whether coordinates are finite and within limits, as `geometry_checks.reasonable` has them, and the shape meets
    the box of a projected system. NaN is the greatest number for Spark."""
    limit = "1e12D"
    sides = ("`@mx`", "`@mx`", "`@my`", "`@my`")
    parts = [f"abs(`@mx`) <= {limit}", f"abs(`@my`) <= {limit}"]
    if not is_point:
        sides = (f"ST_XMin({g})", f"ST_XMax({g})", f"ST_YMin({g})", f"ST_YMax({g})")
        parts = [f"abs({each}) <= {limit}" for each in sides]
        parts.append(f"ST_Length({g}) <= 1e18D")
    if crs.kind == "projected" and box is not None:
        west, south, east, north = (f"{side!r}D" for side in box)
        parts += [f"{sides[0]} <= {east}", f"{sides[1]} >= {west}", f"{sides[2]} <= {north}"]
        parts.append(f"{sides[3]} >= {south}")
    return " AND ".join(parts)


def _moved(crs: Crs) -> str:
    if crs.kind != "projected":
        return "NULL"
    return f"ST_Transform(ST_Point(`@mx`, `@my`), 'EPSG:{crs.srid}', 'EPSG:{MERCATOR}')"


def _place(crs: Crs) -> tuple[str, str]:
    if crs.kind == "lonlat":
        return from_degrees("`@mx`", "`@my`")
    if crs.kind == "mercator":
        return from_metres("`@mx`", "`@my`")
    return from_metres("ST_X(`@moved`)", "ST_Y(`@moved`)")


def _rank(g: str, is_point: bool) -> str:
    low = f"(t.{backticked(KEY)} & 4294967295)"
    if is_point:
        return low
    size = f"(ST_XMax({g}) - ST_XMin({g}) + ST_YMax({g}) - ST_YMin({g}))"
    return f"CAST(ln(greatest(1e-12D, least(1e12D, {size}))) * 1000000 AS BIGINT) * 4294967296 + {low}"


def _area(g: str, table: Table, crs: Crs) -> str:
    """The area in square metres of Mercator, as in `Placing.area`."""
    if table.geometry_family in ("point", "line"):
        return "0D"
    stretched = f"cosh({PI}D - 2D * {PI}D * `{PLACE_Y}`)"
    if crs.kind == "mercator":
        return f"ST_Area({g})"
    if crs.kind == "lonlat":
        return f"ST_Area({g}) * {(WORLD / 360) ** 2!r}D * {stretched}"
    return f"ST_Area({g}) * {crs.unit**2!r}D * power({stretched}, 2)"


def _sums(table: Table, wanted: WantedCells) -> dict[str, str]:
    """The columns of summaries, and what each is."""
    found = {}
    for index, summary in enumerate(wanted.summed):
        value = "*"
        if summary.column is not None:
            number = f"CAST(t.{backticked(summary.column)} AS DOUBLE)"
            # All other numbers are between the infinities; NaN is greater.
            value = f"CASE WHEN abs({number}) < double('Infinity') THEN {number} END"
        functions = ("count", "sum", "min", "max")
        for name, function in zip(summary_columns(index, summary), functions, strict=False):
            found[backticked(name.strip('"'))] = f"{function}({value}){_passing(table, summary)}"
    return found


def _passing(table: Table, summary: Summary) -> str:
    return "" if summary.filter is None else f" FILTER (WHERE {_condition(table, summary)})"


def _condition(table: Table, need: Need) -> str:
    """Whether a row passes the filter of a need. Raises a ToolFailed where Spark cannot test it."""
    return spark_sql(need.condition(table), {}, "a filter of overviews")
