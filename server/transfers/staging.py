"""Uploads in two steps: a file is read into a table that no map sees, and then becomes a new table, or its rows are
appended to an upload or take the place of one.

The second step is one transaction, so a table is never seen half changed, and what does not fit leaves the staged
rows where they are, for another decision. Files without a decision are dropped after an hour."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Row, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.worded import Template, stored_wordings
from server import fault_texts
from server.database.engines import single_reads
from server.database.quoting import quoted
from server.database.sqlstates import DUPLICATE_TABLE, sqlstate
from server.gis.errors import InvalidQuestion, UnknownTable
from server.gis.expressions.identifiers import join_id
from server.gis.ingest.fault_texts import TABLE_EXISTS
from server.gis.ingest.limits import TableExists
from server.gis.ingest.merge import merge, merge_fault, relation
from server.gis.ingest.table import check_name
from server.transfers.uploads import (
    LOCK,
    SCHEMA,
    TAKE_LOCK,
    Reservation,
    Uploads,
    drop_orphan,
    still_known,
    uninterrupted,
    uploads_of,
)

NOT_UPLOADED_HERE = Template(
    "file_not_uploaded_here", "{table} was not uploaded here, so no file can change it. Make a new table."
)

Mode = Literal["new", "append", "replace"]
MODES: tuple[Mode, ...] = ("new", "append", "replace")


@dataclass(frozen=True)
class Decision:
    """A decision about a staged upload. `table` is the name of a new table, else the id of an upload of the map."""

    mode: Mode
    table: str


class StagedUploads:
    """`loading_s` is how long moving the rows may take."""

    def __init__(self, owner: AsyncEngine, uploads: Uploads, loading_s: float) -> None:
        self._owner = owner
        self._uploads = uploads
        self._loading_s = loading_s

    async def stage(self, reservation: Reservation) -> None:
        """Record that the table is complete and waits for `finish` or `discard`. Raises QuotaExceeded."""
        await uninterrupted(self._stage(reservation))

    async def _stage(self, reservation: Reservation) -> None:
        async with self._owner.begin() as connection:
            await connection.execute(TAKE_LOCK, {"key": LOCK})
            await self._uploads.count_table(connection, reservation.number, reservation.address)
            await still_known(
                connection,
                "UPDATE geoagent.upload SET staged_at = now() WHERE id = :id RETURNING true",
                reservation.number,
            )

    async def targets(self, map_id: str | None) -> Sequence[str]:
        """The ids of the tables that the map's uploads may be appended to, or may replace; the latest first."""
        async with single_reads(self._owner) as connection:
            return [join_id(SCHEMA, each.table_name) for each in await uploads_of(connection, map_id)]

    async def finish(
        self, map_id: str | None, number: int, decision: Decision, shared: bool
    ) -> dict[str, Any]:
        """Carry a decision out; returns `table`, its `rows` now, and `remarks` with their `wordings`. Raises GisError,
        and then nothing has changed."""
        try:
            async with self._owner.begin() as connection:
                await connection.exec_driver_sql(f"SET LOCAL statement_timeout = '{int(self._loading_s)}s'")
                staged, address = await self._staged(connection, map_id, number)
                counted = (number, address)
                if decision.mode == "new":
                    name, remarks = await self._name(connection, number, staged, decision.table, shared), []
                else:
                    target = await _target(connection, map_id, decision.table)
                    # The rows now count as the table's, independent of the sender.
                    name, counted = target.table_name, (target.id, target.address)
                    remarks = await merge(connection, staged, name, decision.mode)
                    await connection.execute(
                        text("DELETE FROM geoagent.upload WHERE id = :id"), {"id": number}
                    )
                rows = await connection.exec_driver_sql(f"SELECT count(*) FROM {relation(name)}")  # noqa: S608 - quoted
                await connection.execute(TAKE_LOCK, {"key": LOCK})
                await self._uploads.count_table(connection, *counted)
                return {
                    "table": join_id(SCHEMA, name),
                    "rows": rows.scalar(),
                    "remarks": remarks,
                    "wordings": stored_wordings(remarks),
                }
        except DBAPIError as error:
            fault = merge_fault(error)
            if fault is None:
                raise
            raise fault from error

    async def discard(self, map_id: str | None, number: int) -> None:
        """Drop a staged table, if it still exists."""
        async with self._owner.begin() as connection:
            gone = await connection.scalar(
                text(
                    "DELETE FROM geoagent.upload WHERE id = :id AND map_id IS NOT DISTINCT FROM :map_id"
                    " AND loaded_at IS NULL AND staged_at IS NOT NULL RETURNING table_name"
                ),
                {"id": number, "map_id": map_id},
            )
            if gone is not None:
                await drop_orphan(connection, gone)

    async def _staged(self, connection: AsyncConnection, map_id: str | None, number: int) -> tuple[str, str]:
        """The table and the address of a staged upload, locked against other decisions."""
        found = await connection.execute(
            text(
                "SELECT table_name, address FROM geoagent.upload WHERE id = :id AND loaded_at IS NULL"
                " AND staged_at IS NOT NULL AND map_id IS NOT DISTINCT FROM :map_id FOR UPDATE"
            ),
            {"id": number, "map_id": map_id},
        )
        row = found.one_or_none()
        if row is None:
            raise UnknownTable(fault_texts.NOT_WAITING())
        return str(row.table_name), str(row.address)

    async def _name(
        self, connection: AsyncConnection, number: int, staged: str, name: str, shared: bool
    ) -> str:
        check_name(name)
        try:
            async with connection.begin_nested():
                await connection.exec_driver_sql(f"ALTER TABLE {relation(staged)} RENAME TO {quoted(name)}")
        except DBAPIError as error:
            if sqlstate(error) != DUPLICATE_TABLE:
                raise
            raise TableExists(TABLE_EXISTS(table=repr(name), schema=SCHEMA)) from error
        if shared:
            await connection.exec_driver_sql(f"ALTER TABLE {relation(name)} OWNER TO CURRENT_USER")
        await connection.execute(
            text("DELETE FROM geoagent.upload WHERE table_name = :name AND loaded_at IS NOT NULL"),
            {"name": name},
        )
        await connection.execute(
            text("UPDATE geoagent.upload SET table_name = :name, loaded_at = now() WHERE id = :id"),
            {"name": name, "id": number},
        )
        return name


def decision_of(mode: object, table: object) -> Decision:
    """The decision with these fields. Raises InvalidQuestion."""
    if mode not in MODES:
        raise InvalidQuestion(f"`mode` is one of {', '.join(MODES)}.")
    if not isinstance(table, str) or not table.strip() or "\0" in table:
        raise InvalidQuestion("`table` names the new table, or the upload to append to or to replace.")
    return Decision(mode, table.strip())


async def _target(connection: AsyncConnection, map_id: str | None, table: str) -> Row[Any]:
    """The upload with the table of this id or name. Others' tables are never changed by an upload."""
    for upload in await uploads_of(connection, map_id):
        if table in (upload.table_name, join_id(SCHEMA, upload.table_name)):
            return upload
    raise UnknownTable(NOT_UPLOADED_HERE(table=repr(table)))
