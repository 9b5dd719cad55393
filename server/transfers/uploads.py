"""The uploads: which map each table came from, and how much of the quota each address has used.

A row is written before a file is loaded and completed after it, when its table counts instead of the file, so that
several servers count the same. A staged upload (`server.transfers.staging`) is between the two. The table of an upload
that is not shared belongs to the loading role, and only its map sees it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection, Coroutine, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from agents.worded import Template, formatted
from server.database.engines import single_reads
from server.database.quoting import quoted
from server.gis.errors import GisError
from server.gis.expressions.identifiers import join_id
from server.gis.ingest import share
from server.maps.faults import unknown_map
from server.maps.live.liveness import ALIVE, server_name

ABANDONED = Template(
    "upload_abandoned", "The database could not be reached for too long, so the upload was ended. Try again."
)
QUOTA = Template(
    "upload_quota",
    "Uploads from this address take {used} MB of the {most} MB allowed, and this file has {size} MB. "
    "Ask who runs the server to remove tables or to raise GEOAGENT_UPLOAD_QUOTA.",
)
SPACE = Template(
    "upload_space",
    "All uploads together take {used} MB of the {most} MB allowed on this server. Ask who runs it to "
    "remove tables or to raise GEOAGENT_UPLOAD_SPACE.",
)


log = structlog.get_logger(__name__)

MB = 1024 * 1024
SCHEMA = "data"
STALE_S = 90_000.0
"""Longer than a load may take: one that began earlier belongs to a server that has ended."""
SWEEP_INTERVAL_S = 60.0
STAGED_S = 3600.0
"""Time for the person to decide what a file that was read becomes."""
UNLIMITED = 1 << 62
LOCK = 0x6E0A9EAD


class QuotaExceeded(GisError):
    """The uploads of an address, or of all, take as much space as is allowed."""

    code = "quota"


class Abandoned(GisError):
    """Another server took this one for dead while it loaded a file, and has removed the upload."""

    code = "unavailable"


@dataclass(frozen=True)
class Quota:
    """Bytes that uploads may take in the database; 0 means no limit."""

    per_address: int = 0
    total: int = 0


TAKE_LOCK = text("SELECT pg_advisory_xact_lock(:key)")
_MEASURE = text(
    "UPDATE geoagent.upload SET bytes = coalesce(pg_total_relation_size(to_regclass(format('data.%I', table_name))), 0)"
    " WHERE id = :id RETURNING bytes"
)
_UNKNOWN = """
    SELECT tablename FROM pg_tables WHERE schemaname = 'data' AND tableowner = geoagent.role_name('loader')
    AND NOT EXISTS (SELECT FROM geoagent.upload WHERE table_name = tablename)
"""
_MAP = text("SELECT true FROM geoagent.map WHERE id = :map_id")
_FORGET_DROPPED = text(
    "DELETE FROM geoagent.upload WHERE loaded_at IS NOT NULL"
    " AND to_regclass(format('data.%I', table_name)) IS NULL"
)
_USED = text(
    "SELECT coalesce(sum(bytes) FILTER (WHERE address = :address), 0), coalesce(sum(bytes), 0) FROM geoagent.upload"
)
"""Sums the stored sizes: measuring the tables would wait for a transaction that locks one of them."""


class Uploads:
    """`loading_s` is how long a loading may take."""

    def __init__(self, owner: AsyncEngine, quota: Quota | None = None, loading_s: float = STALE_S) -> None:
        self._owner = owner
        self._quota = quota or Quota()
        self._stale_s = loading_s * 2
        self._changed = asyncio.Event()
        self._suspects: frozenset[str] = frozenset()
        """Tables of the loading role that no upload knew at the last sweep: `geoagent load` has one for a moment."""
        self._abandoned: frozenset[int] = frozenset()
        """Uploads under way whose server was gone at the last sweep: its connection may have been lost for a moment."""
        self.server: str | None = None
        """The id of this server, where other servers can see whether it is alive."""

    async def check(self, map_id: str | None, address: str, size: int) -> None:
        """To be called before a file waits to be loaded. Raises QuotaExceeded, or a fault for a map that is not
        there."""
        async with single_reads(self._owner) as connection:
            await self._left(connection, map_id, address, size)

    @asynccontextmanager
    async def reserved(
        self, table: str, map_id: str | None, address: str, size: int
    ) -> AsyncIterator[Reservation]:
        """Counts `size` bytes for the address while a file is loaded. Raises QuotaExceeded. Of what is not completed
        in the block, neither the row nor a table stays."""
        async with self._owner.begin() as connection:
            await connection.execute(TAKE_LOCK, {"key": LOCK})
            left = await self._left(connection, map_id, address, size)
            number = await connection.scalar(
                text(
                    "INSERT INTO geoagent.upload (table_name, map_id, address, bytes, server)"
                    " VALUES (:table, :map_id, :address, :size, :server) RETURNING id"
                ),
                {"table": table, "map_id": map_id, "address": address, "size": size, "server": self.server},
            )
        try:
            yield Reservation(int(number or 0), table, address, size, left)
        finally:
            await uninterrupted(self._undo(int(number or 0), table))

    async def _left(self, connection: AsyncConnection, map_id: str | None, address: str, size: int) -> int:
        if map_id is not None and not await connection.scalar(_MAP, {"map_id": map_id}):
            raise unknown_map(map_id)
        own, everybody = await self.counted(connection, address)
        return self.check_left(own, everybody, size)

    async def complete(self, reservation: Reservation, shared: bool) -> None:
        """Record that the table is loaded: from now on its map reads it, or every map. Raises QuotaExceeded where
        it is larger than what other uploads have left meanwhile."""
        await uninterrupted(self._complete(reservation, shared))

    async def _complete(self, reservation: Reservation, shared: bool) -> None:
        number, table = reservation.number, reservation.table
        async with self._owner.begin() as connection:
            await connection.execute(TAKE_LOCK, {"key": LOCK})
            await connection.execute(
                text(
                    "DELETE FROM geoagent.upload WHERE table_name = :table AND loaded_at IS NOT NULL AND id <> :id"
                ),
                {"table": table, "id": number},
            )
            await self.count_table(connection, number, reservation.address)
            await still_known(
                connection,
                "UPDATE geoagent.upload SET loaded_at = now() WHERE id = :id RETURNING true",
                number,
            )
            if shared:
                await connection.exec_driver_sql(f"ALTER TABLE {quoted(SCHEMA, table)} OWNER TO CURRENT_USER")

    async def _undo(self, number: int, table: str) -> None:
        """Forget an upload that was not completed, with its table if it has made one."""
        async with self._owner.begin() as connection:
            gone = await connection.scalar(
                text(
                    "DELETE FROM geoagent.upload WHERE id = :id AND loaded_at IS NULL AND staged_at IS NULL"
                    " RETURNING true"
                ),
                {"id": number},
            )
            if gone:
                await drop_orphan(connection, table)

    async def count_table(self, connection: AsyncConnection, number: int, address: str) -> None:
        """Count the table of an upload as large as it is now, while `LOCK` is held. Raises QuotaExceeded where other
        uploads have left less."""
        size = int(await connection.scalar(_MEASURE, {"id": number}) or 0)
        own, everybody = await self.counted(connection, address)
        self.check_left(own - size, everybody - size, size)

    async def counted(self, connection: AsyncConnection, address: str) -> tuple[int, int]:
        """Bytes of the address's uploads, and of all."""
        own, everybody = (await connection.execute(_USED, {"address": address})).one()
        return int(own), int(everybody)

    async def share(self, map_id: str, table_id: str) -> bool:
        """Let every map see a table that was uploaded to this one; False where there is none."""
        async with single_reads(self._owner) as connection:
            known = await uploads_of(connection, map_id)
        for upload in known:
            if join_id(SCHEMA, upload.table_name) == table_id:
                if upload.is_private:
                    await share(self._owner, quoted(SCHEMA, upload.table_name))
                return True
        return False

    def tables_changed(self, _changed: Collection[str]) -> None:
        """To be called when tables were created, changed or dropped."""
        self._changed.set()

    async def keep_forgetting(self) -> None:
        """Forget the uploads of tables that somebody drops by hand, as soon as it is known, until it is cancelled."""
        while True:
            await self._changed.wait()
            self._changed.clear()
            try:
                async with self._owner.begin() as connection:
                    await connection.execute(_FORGET_DROPPED)
            except Exception as error:
                log.warning("uploads of dropped tables could not be forgotten", error=type(error).__name__)

    async def keep_swept(self) -> None:
        """Sweep now and then, until it is cancelled."""
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            try:
                await self.sweep()
            except Exception as error:
                log.warning("uploads could not be swept", error=type(error).__name__)

    async def sweep(self) -> None:
        """Remove what was left in the middle: reservations, tables that no map sees, and the uploads of tables that
        somebody has dropped by hand."""
        async with self._owner.begin() as connection:
            abandoned = await _without_server(connection)
            gone = await connection.scalars(
                text(
                    "DELETE FROM geoagent.upload WHERE loaded_at IS NULL AND CASE WHEN staged_at IS NULL"
                    " THEN id = ANY(:abandoned) OR started_at < now() - make_interval(secs => :stale)"
                    " ELSE staged_at < now() - make_interval(secs => :staged) END RETURNING table_name"
                ),
                {"abandoned": [*(abandoned & self._abandoned)], "stale": self._stale_s, "staged": STAGED_S},
            )
            unknown = frozenset(await connection.scalars(text(_UNKNOWN)))
            for name in {*gone} | (unknown & self._suspects):
                await drop_orphan(connection, name)
            await connection.execute(_FORGET_DROPPED)
        self._suspects, self._abandoned = unknown, abandoned

    async def used(self, address: str) -> dict[str, int]:
        """Bytes that the address's uploads take, and how many they may; without a quota, nothing."""
        if not self._quota.per_address:
            return {}
        async with single_reads(self._owner) as connection:
            own, _ = await self.counted(connection, address)
        return {"used": own, "limit": self._quota.per_address}

    def check_left(self, own: int, everybody: int, size: int) -> int:
        """Bytes that are left before `size` more. Raises QuotaExceeded."""
        if self._quota.per_address and own + size > self._quota.per_address:
            raise QuotaExceeded(
                QUOTA(
                    used=formatted(own / MB, ",.0f"),
                    most=formatted(self._quota.per_address / MB, ",.0f"),
                    size=formatted(size / MB, ",.1f"),
                )
            )
        if self._quota.total and everybody + size > self._quota.total:
            raise QuotaExceeded(
                SPACE(used=formatted(everybody / MB, ",.0f"), most=formatted(self._quota.total / MB, ",.0f"))
            )
        left = [
            limit - used
            for limit, used in ((self._quota.per_address, own), (self._quota.total, everybody))
            if limit
        ]
        return min(left, default=UNLIMITED)


@dataclass(frozen=True)
class Reservation:
    """A row of an upload under way."""

    number: int
    table: str
    address: str
    size: int
    left: int
    """Bytes that the table may take."""


async def uploads_of(connection: AsyncConnection, map_id: str | None) -> Sequence[Row[Any]]:
    """Id, table and address of each upload of the map, and whether no other map sees it; the latest first."""
    found = await connection.execute(
        text(
            "SELECT u.id, u.table_name, u.address, t.tableowner = geoagent.role_name('loader') AS is_private"
            " FROM geoagent.upload AS u"
            " JOIN pg_tables AS t ON t.schemaname = 'data' AND t.tablename = u.table_name"
            " WHERE u.map_id IS NOT DISTINCT FROM :map_id AND u.loaded_at IS NOT NULL ORDER BY u.id DESC"
        ),
        {"map_id": map_id},
    )
    return found.all()


async def _without_server(connection: AsyncConnection) -> frozenset[int]:
    """The uploads under way whose server is not alive."""
    alive = {server_name(number) for number in await connection.scalars(text(ALIVE))}
    under_way = await connection.execute(
        text("SELECT id, server FROM geoagent.upload WHERE loaded_at IS NULL AND staged_at IS NULL")
    )
    return frozenset(number for number, server in under_way if server is not None and server not in alive)


async def still_known(connection: AsyncConnection, update: str, number: int) -> None:
    """Change the row of an upload. Raises Abandoned where it no longer exists."""
    if not await connection.scalar(text(update), {"id": number}):
        raise Abandoned(ABANDONED())


async def drop_orphan(connection: AsyncConnection, name: str) -> None:
    """Drop a table of the loading role that belongs to no upload."""
    orphaned = await connection.scalar(
        text(f"{_UNKNOWN} AND tablename = CAST(:name AS text)"), {"name": name}
    )
    if orphaned:
        await connection.exec_driver_sql(f"DROP TABLE {quoted(SCHEMA, name)}")
        log.info("the table of an interrupted upload was removed", table=name)


async def uninterrupted(work: Coroutine[Any, Any, None]) -> None:
    """Await work to its end; a cancellation that comes meanwhile is raised afterwards."""
    task = asyncio.create_task(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError as error:
            if task.cancelled():
                raise
            cancelled = error
        except Exception:
            break
    task.result()
    if cancelled is not None:
        raise cancelled
