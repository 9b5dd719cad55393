"""A file becomes a table in one transaction: all of it is there, indexed, described and analysed, or nothing is."""

from __future__ import annotations

import asyncio
import datetime
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import structlog
from pydantic import BaseModel
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from server.database import Database, is_unavailable
from server.gis.errors import UNAVAILABLE, DataUnavailable, GisError
from server.gis.ingest.archive import data_set
from server.gis.ingest.crs import Place, shaped
from server.gis.ingest.limits import CannotLoad, FileTooLarge, IngestLimits, TableExists
from server.gis.ingest.process import Reading, reading
from server.gis.ingest.table import TablePlan, copy_rows, planned, quoted
from server.gis.statements import join_id

log = structlog.get_logger(__name__)


class IngestReport(BaseModel):
    """What came of a file. `table` is the id of the new table."""

    table: str
    rows: int
    skipped: int = 0
    problems: list[str] = []
    """The first of the rows that were skipped, each with the reason."""
    remarks: list[str] = []
    """What was assumed or changed on the way."""
    geometry_type: str | None = None
    srid: int | None = None
    columns: list[str] = []
    seconds: float = 0.0


async def load_file(
    database: Database,
    path: Path,
    table_name: str | None = None,
    *,
    schema: str = "data",
    layer: str | None = None,
    srid: int | None = None,
    encoding: str | None = None,
    limits: IngestLimits | None = None,
) -> IngestReport:
    """Load `path` into a new table, named as the file unless `table_name` says else.

    `layer` chooses one of several in the file; `srid` and `encoding` say what the file does not. Raises CannotLoad,
    TableExists, FileTooLarge or DataUnavailable, and then nothing has changed.
    """
    limits = limits or IngestLimits()
    name = table_name if table_name is not None else path.stem
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="geoagent-load-") as temporary:
        folder = Path(temporary)
        source = await asyncio.to_thread(data_set, path, folder, limits)
        async with reading(source, folder, limits, layer, encoding) as opened:
            plan = planned(schema, name, opened.schema, opened.layout.geometry)
            try:
                async with database.owner.begin() as connection:
                    report = await _load(connection, opened, plan, srid, path.name, limits)
            except (DBAPIError, asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
                raise _fault(error, plan) from error
    report.seconds = round(time.monotonic() - started, 3)
    return report


async def _load(
    connection: AsyncConnection,
    opened: Reading,
    plan: TablePlan,
    srid: int | None,
    file: str,
    limits: IngestLimits,
) -> IngestReport:
    await connection.exec_driver_sql(plan.create())
    counted = Counted()
    await _copy(connection, opened, plan, counted, limits)
    notes = await opened.notes()
    if counted.rows == 0:
        skipped = (
            f" {notes.skipped} rows were not usable: {'; '.join(notes.problems[:3])}."
            if notes.skipped
            else ""
        )
        raise CannotLoad(f"{file} has no rows to load.{skipped}")
    remarks = list(notes.remarks)
    if opened.layout.encoding not in (None, "UTF-8", "utf-8-sig"):
        remarks.append(f"Texts were read as {opened.layout.encoding}.")
    if counted.nul:
        remarks.append(f"{counted.nul} NUL characters were left out of texts.")
    remarks += [f"Column {old!r} is named {new!r}." for new, old in plan.renamed.items()]
    place = Place(None, None)
    if plan.geometry is not None:
        place = await shaped(connection, plan, opened.layout, srid, file, remarks)
    await _keyed(connection, plan)
    if plan.geometry is not None:
        await connection.exec_driver_sql(
            f"CREATE INDEX ON {plan.relation} USING gist ({quoted(plan.geometry)})"
        )
    await _described(connection, plan, file, counted.rows)
    await connection.exec_driver_sql(f"ANALYZE {plan.relation}")
    return IngestReport(
        table=join_id(plan.schema, plan.name),
        rows=counted.rows,
        skipped=notes.skipped,
        problems=notes.problems,
        remarks=remarks,
        geometry_type=place.geometry_type,
        srid=place.srid,
        columns=[name for name, _ in plan.columns],
    )


class Counted:
    """Kept while rows go by."""

    def __init__(self) -> None:
        self.rows = 0
        self.nul = 0


async def _copy(
    connection: AsyncConnection, opened: Reading, plan: TablePlan, counted: Counted, limits: IngestLimits
) -> None:
    geometry = None if plan.geometry is None else [name for name, _ in plan.columns].index(plan.geometry)

    async def source() -> AsyncIterator[bytes]:
        async for batch in opened.batches():
            counted.rows += len(batch)
            if counted.rows > limits.rows:
                raise FileTooLarge(f"The file has more than {limits.rows:,} rows.")
            data, nul = await asyncio.to_thread(copy_rows, batch, geometry)
            counted.nul += nul
            yield data

    raw: Any = (await connection.get_raw_connection()).driver_connection
    await raw.copy_to_table(
        plan.name,
        schema_name=plan.schema,
        columns=[name for name, _ in plan.columns],
        source=source(),
        format="csv",
    )


async def _keyed(connection: AsyncConnection, plan: TablePlan) -> None:
    """A column of the file that is a key becomes it; else a column is added: features need an id to be pointed at."""
    for name in plan.key_candidates():
        column = quoted(name)
        unique = await connection.exec_driver_sql(
            f"SELECT count(*) = count(DISTINCT {column}) FROM {plan.relation}"  # noqa: S608 - quoted names
        )
        if unique.scalar_one():
            await connection.exec_driver_sql(f"ALTER TABLE {plan.relation} ADD PRIMARY KEY ({column})")
            return
    key = plan.free_name("id", "gid", "row_id")
    await connection.exec_driver_sql(
        f"ALTER TABLE {plan.relation} ADD COLUMN {quoted(key)} bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    )


async def _described(connection: AsyncConnection, plan: TablePlan, file: str, rows: int) -> None:
    """COMMENT takes no parameters, so PostgreSQL itself quotes the text."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    comments = {"TABLE": (plan.relation, f"{rows} rows loaded from {file} on {today}.")}
    for new, old in plan.renamed.items():
        comments[f"COLUMN {new}"] = (f"{plan.relation}.{quoted(new)}", f"Named {old} in {file}.")
    for target, (relation, text) in comments.items():
        literal = (await connection.exec_driver_sql("SELECT quote_literal($1::text)", (text,))).scalar_one()
        await connection.exec_driver_sql(f"COMMENT ON {target.split()[0]} {relation} IS {literal}")


def _fault(error: Exception, plan: TablePlan) -> GisError:
    if is_unavailable(error):
        return DataUnavailable(UNAVAILABLE)
    original = error.orig if isinstance(error, DBAPIError) else error
    state = getattr(original, "sqlstate", None)
    if state == "42P07":
        return TableExists(f"There is a table {plan.name!r} in {plan.schema} already. Take another name.")
    if state == "3F000":
        return CannotLoad(f"There is no schema {plan.schema!r}.")
    log.error("a file could not be loaded", table=plan.relation, sqlstate=state, error=str(error)[:500])
    if state and state[:2] in ("22", "XX"):
        detail = str(original).split("\n")[0][:200]
        return CannotLoad(f"PostgreSQL refused the rows: {detail}.")
    if state and state[:2] == "53":
        return FileTooLarge("The database has no room for this file.")
    return GisError("The file could not be loaded. The log of the server says why.")
