"""Loads a file as a table in one transaction: it is complete, indexed, commented and analysed, or does not exist.

The transaction uses a separate connection, as a role that may only create tables in `data`. The connection is always
closed, so that nothing waits for a file whose reader has ended."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

import asyncpg
import structlog
from pydantic import BaseModel
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from agents.worded import formatted, stored_wordings
from server.background import end_tasks
from server.database.engines import Database, is_unavailable
from server.database.quoting import quoted
from server.database.sqlstates import (
    DUPLICATE_TABLE,
    LOCK_NOT_AVAILABLE,
    QUERY_CANCELED,
    UNDEFINED_SCHEMA,
    sqlstate,
)
from server.gis.errors import UNAVAILABLE, DataBusy, DataUnavailable, GisError, too_wide
from server.gis.expressions.identifiers import SYSTEM_COLUMNS, exported_as, join_id
from server.gis.ingest import fault_texts
from server.gis.ingest.crs import GeometryDeclaration, declare_geometry
from server.gis.ingest.limits import (
    MB,
    CannotLoad,
    ChooseLayer,
    FileTooLarge,
    IngestLimits,
    NoDiskSpace,
    TableExists,
)
from server.gis.ingest.process import FileReading, reading
from server.gis.ingest.scratch import LOADING, scratch_folder
from server.gis.ingest.table import TablePlan, fitting_name, plan_table
from server.gis.reading.notes import Notes

log = structlog.get_logger(__name__)

T = TypeVar("T")

SCHEMA = "data"
SHARE_WAIT_S = 2
"""Wait for readers of a table that is to be shared; new readers wait meanwhile."""


class IngestReport(BaseModel):
    """The result of loading a file. `table` is the id of the new table."""

    table: str
    rows: int
    skipped: int = 0
    problems: list[str] = []
    """The first skipped rows, each with the reason."""
    remarks: list[str] = []
    """Assumptions and changes that were made."""
    wordings: dict[str, Any] = {}
    """How problems and remarks were made, to say them in another language: the parts of each, by its text."""
    geometry_type: str | None = None
    srid: int | None = None
    columns: list[str] = []
    seconds: float = 0.0


async def load_file(
    database: Database,
    path: Path,
    table_name: str | None = None,
    *,
    file: str | None = None,
    layer: str | None = None,
    unite: bool = False,
    srid: int | None = None,
    encoding: str | None = None,
    limits: IngestLimits | None = None,
    shared: bool = True,
    folder: Path | None = None,
) -> IngestReport:
    """Load `path` into a new table, named after the file unless `table_name` is given; `file` is its name for messages.

    `layer` chooses one of several, `unite` makes one table of all; `srid` (EPSG) and `encoding` apply where the
    file has none. A table that is not `shared` belongs to one map. Temporary files are created in `folder`. Raises
    CannotLoad, TableExists, FileTooLarge or DataUnavailable, and then nothing has changed."""
    limits = limits or IngestLimits()
    file = file or path.name
    name = table_name if table_name is not None else Path(file).stem
    started = time.monotonic()
    remaining_bytes = limits.expanded((await asyncio.to_thread(path.stat)).st_size, limits.copied_bytes)
    try:
        with scratch_folder(LOADING, folder) as temporary:
            async with (
                asyncio.timeout(limits.seconds),
                reading(
                    path, file, temporary, limits, layer, encoding, "united" if unite else "one"
                ) as opened,
            ):
                plan = plan_table(SCHEMA, name, opened.fields, opened.layout.geometry)
                async with _transaction(database, plan, limits) as connection:
                    report = await _load(connection, opened, plan, srid, file, remaining_bytes)
                    await _check_space(connection, plan, file, limits)
                if shared:
                    await share(database.owner, plan.relation)
    except TimeoutError as error:
        raise FileTooLarge(
            fault_texts.LOAD_SECONDS(file=file, seconds=formatted(limits.seconds, "g"))
        ) from error
    report.seconds = round(time.monotonic() - started, 3)
    return report


async def layer_names(
    path: Path,
    *,
    file: str | None = None,
    encoding: str | None = None,
    limits: IngestLimits | None = None,
    folder: Path | None = None,
) -> list[str]:
    """The layers that a file has, as `load_file` takes them. Raises CannotLoad or FileTooLarge."""
    limits, file = limits or IngestLimits(), file or path.name
    try:
        with scratch_folder(LOADING, folder) as temporary:
            async with (
                asyncio.timeout(limits.seconds),
                reading(path, file, temporary, limits, None, encoding, "names"),
            ):
                raise CannotLoad(fault_texts.NOT_READ(file=file))
    except ChooseLayer as choice:
        return list(choice.details["layers"])
    except TimeoutError as error:
        raise FileTooLarge(
            fault_texts.READ_SECONDS(file=file, seconds=formatted(limits.seconds, "g"))
        ) from error


def table_for(stem: str, layer: str) -> str:
    """The name of the table of one of several layers: `parks_trees`, cut to what PostgreSQL can have."""
    name = stem if layer == stem else f"{stem}_{layer.replace('/', '_')}"
    return fitting_name(name, set())


async def share(owner: AsyncEngine, relation: str) -> None:
    """Make a map's uploaded table readable for every map by giving it to the owner role. Raises DataBusy while
    it is being read."""
    try:
        async with owner.begin() as connection:
            await connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{SHARE_WAIT_S}s'")
            await connection.exec_driver_sql(f"ALTER TABLE {relation} OWNER TO CURRENT_USER")
    except DBAPIError as error:
        if sqlstate(error) != LOCK_NOT_AVAILABLE:
            raise
        raise DataBusy(fault_texts.BEING_READ(), SHARE_WAIT_S) from error


@asynccontextmanager
async def _transaction(
    database: Database, plan: TablePlan, limits: IngestLimits
) -> AsyncIterator[asyncpg.Connection]:
    timeout = str(int(limits.seconds * 1000))
    try:
        async with (
            database.loader_session({"statement_timeout": timeout}) as connection,
            connection.transaction(),
        ):
            yield connection
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError) as error:
        raise _fault(error, plan) from error


async def _load(
    connection: asyncpg.Connection,
    opened: FileReading,
    plan: TablePlan,
    srid: int | None,
    file: str,
    remaining_bytes: int,
) -> IngestReport:
    await connection.execute(plan.create())
    copied = await _copy(connection, opened, plan, remaining_bytes)
    notes = await opened.notes()
    if copied != notes.rows:
        raise await opened.failure()
    if copied == 0:
        skipped = (
            fault_texts.UNUSABLE_ROWS(n=notes.skipped, problems="; ".join(notes.problems[:3]))
            if notes.skipped
            else ""
        )
        raise CannotLoad(fault_texts.NO_ROWS(file=file, skipped=skipped))
    remarks = _remarks(opened, plan, notes)
    place = GeometryDeclaration(None, None)
    if plan.geometry is not None:
        place = await declare_geometry(connection, plan, opened.layout, srid, file, remarks)
        remarks += _geometry_remarks(notes)
    await _add_key(connection, plan)
    if plan.geometry is not None:
        await connection.execute(f"CREATE INDEX ON {plan.relation} USING gist ({quoted(plan.geometry)})")
    await _comment(connection, plan, file, copied)
    await connection.execute(f"ANALYZE {plan.relation}")
    return IngestReport(
        table=join_id(plan.schema, plan.name),
        rows=copied,
        skipped=notes.skipped,
        problems=notes.problems,
        remarks=remarks,
        wordings=stored_wordings([*notes.problems, *remarks]),
        geometry_type=place.geometry_type,
        srid=place.srid,
        columns=[name for name, _ in plan.columns],
    )


async def _check_space(
    connection: asyncpg.Connection, plan: TablePlan, file: str, limits: IngestLimits
) -> None:
    size = await connection.fetchval("SELECT pg_total_relation_size($1::text::regclass)", plan.relation)
    if size > limits.space:
        raise FileTooLarge(
            fault_texts.NO_ROOM(
                file=file, size=formatted(size / MB, ",.0f"), left=formatted(limits.space / MB, ",.0f")
            )
        )


async def _copy(
    connection: asyncpg.Connection, opened: FileReading, plan: TablePlan, remaining_bytes: int
) -> int:
    """Copy the rows; returns their number. One COPY per frame: a refused row stops loading at that frame, and a
    lost connection at once, which asyncpg's own COPY would wait for."""
    lost: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def on_loss(_connection: object) -> None:
        if not lost.done():
            lost.set_result(None)

    connection.add_termination_listener(on_loss)
    rows = 0
    try:
        while (length := await opened.next_frame()) is not None:
            remaining_bytes -= length
            if remaining_bytes < 0:
                raise FileTooLarge(fault_texts.TABLE_TOO_LARGE(file=opened.name))
            copied = connection.copy_to_table(
                plan.name,
                schema_name=plan.schema,
                columns=[name for name, _ in plan.columns],
                source=opened.pieces(length),
                format="csv",
            )
            rows += int((await _unless_lost(copied, lost)).split()[-1])
    finally:
        connection.remove_termination_listener(on_loss)
        lost.cancel()
    return rows


async def _unless_lost(work: Coroutine[Any, Any, T], lost: asyncio.Future[None]) -> T:
    """The work's result. Raises ConnectionResetError if its connection is lost meanwhile."""
    task = asyncio.create_task(work)
    try:
        waiting: set[asyncio.Future[Any]] = {task, lost}
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ConnectionResetError("the database closed the connection")
        return task.result()
    finally:
        await end_tasks(task)


def _remarks(opened: FileReading, plan: TablePlan, notes: Notes) -> list[str]:
    remarks = list(notes.remarks)
    if opened.layout.encoding not in (None, "UTF-8", "utf-8-sig"):
        remarks.append(fault_texts.READ_AS(encoding=opened.layout.encoding))
    if notes.nul:
        remarks.append(fault_texts.NUL(n=notes.nul))
    return remarks + [
        fault_texts.COLUMN_RENAMED(old=repr(old), new=repr(new)) for new, old in plan.renamed.items()
    ]


def _geometry_remarks(notes: Notes) -> list[str]:
    remarks: list[str] = []
    if notes.no_geometry:
        remarks.append(fault_texts.WITHOUT_GEOMETRY(n=notes.no_geometry))
    if notes.invalid:
        remarks.append(fault_texts.INVALID(n=notes.invalid))
    if notes.subdivided:
        remarks.append(fault_texts.CUT(n=notes.subdivided, pieces=notes.pieces))
    if notes.unchecked:
        remarks.append(fault_texts.UNCHECKED(n=notes.unchecked))
    return remarks


async def _add_key(connection: asyncpg.Connection, plan: TablePlan) -> None:
    """Make a unique column of the file the primary key, else add one: features need an id."""
    for name in plan.key_candidates():
        column = quoted(name)
        unique = await connection.fetchval(
            f"SELECT count(*) = count(DISTINCT {column}) FROM {plan.relation}"  # noqa: S608 - quoted names
        )
        if unique:
            await connection.execute(f"ALTER TABLE {plan.relation} ADD PRIMARY KEY ({column})")
            return
    await connection.execute(plan.add_key(plan.free_name("id", "gid", "row_id")))


async def _comment(connection: asyncpg.Connection, plan: TablePlan, file: str, rows: int) -> None:
    """Comment table and renamed columns. COMMENT takes no parameters, so PostgreSQL quotes the text."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    comments = {"TABLE": (plan.relation, f"{rows} rows loaded from {file} on {today}.")}
    for new, old in plan.renamed.items():
        comments[f"COLUMN {new}"] = (f"{plan.relation}.{quoted(new)}", _origin(old, file))
    for target, (relation, text) in comments.items():
        literal = await connection.fetchval("SELECT quote_literal($1::text)", text.replace("\0", ""))
        await connection.execute(f"COMMENT ON {target.split()[0]} {relation} IS {literal}")


def _origin(name: str, file: str) -> str:
    """The comment on a column that has another name in the file."""
    return f"Named {name} in {file}. {exported_as(name) if name in SYSTEM_COLUMNS else ''}".strip()


def _fault(error: Exception, plan: TablePlan) -> GisError:
    state = sqlstate(error)
    if state == QUERY_CANCELED:
        return FileTooLarge(fault_texts.DATABASE_SLOW())
    if is_unavailable(error):
        return DataUnavailable(UNAVAILABLE)
    if state == DUPLICATE_TABLE:
        return TableExists(fault_texts.TABLE_EXISTS(table=repr(plan.name), schema=plan.schema))
    if state == UNDEFINED_SCHEMA:
        return CannotLoad(fault_texts.NO_SCHEMA(schema=repr(plan.schema)))
    if state == "22021":
        return CannotLoad(fault_texts.NO_UTF8())
    detail = str(error).split("\n")[0][:200]
    if state.startswith("22"):
        return CannotLoad(fault_texts.ROWS_REFUSED(why=detail))
    log.error("a file could not be loaded", table=plan.relation, sqlstate=state, error=str(error)[:500])
    if state.startswith("XX"):
        return CannotLoad(fault_texts.ROWS_REFUSED(why=detail))
    if state == "53100":
        return NoDiskSpace(fault_texts.NO_DATABASE_SPACE())
    if wide := too_wide(detail):
        return FileTooLarge(fault_texts.ROW_TOO_WIDE(why=wide, n=len(plan.columns)))
    if state and state[:2] in ("53", "54"):
        return FileTooLarge(fault_texts.DATABASE_MEMORY())
    return GisError(fault_texts.NOT_LOADED())
