"""Whose uploads there are: which map each table came from, and how much of the quota each address has used.

A row is written before a file is loaded and completed after it, so that several servers count the same. The table of
an upload that is not shared belongs to the loading role, and only its map sees it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.gis.errors import GisError
from server.gis.expressions.identifiers import join_id
from server.gis.ingest import share
from server.gis.ingest.table import quoted
from server.maps.faults import unknown_map

log = structlog.get_logger(__name__)

MB = 1024 * 1024
SCHEMA = "data"
STALE_S = 90_000.0
"""More than an upload may take: one that began before that belongs to a server that is gone."""
UNLIMITED = 1 << 62
LOCK = 0x6E0A9EAD


class QuotaExceeded(GisError):
    code = "quota"


@dataclass(frozen=True)
class Quota:
    """Bytes that uploads may take in the database; 0 is no limit."""

    per_address: int = 0
    total: int = 0


_MAP = text("SELECT true FROM geoagent.map WHERE id = :map_id")
_USED = """
    SELECT coalesce(sum(size) FILTER (WHERE address = :address), 0), coalesce(sum(size), 0) FROM (
        SELECT address, CASE
            WHEN loaded_at IS NULL THEN bytes
            ELSE coalesce(pg_total_relation_size(to_regclass(format('data.%I', table_name))), 0)
        END AS size FROM geoagent.upload
    ) AS uploads
"""


class Uploads:
    def __init__(self, owner: AsyncEngine, quota: Quota | None = None) -> None:
        self._owner = owner
        self._quota = quota or Quota()

    @asynccontextmanager
    async def reserved(
        self, table: str, map_id: str | None, address: str, size: int
    ) -> AsyncIterator[Reservation]:
        """Counts `size` bytes for the address while a file is loaded. Raises QuotaExceeded. What is not completed
        in the block is forgotten."""
        async with self._owner.begin() as connection:
            if map_id is not None and not await connection.scalar(_MAP, {"map_id": map_id}):
                raise unknown_map(map_id)
            await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
            own, everybody = (await connection.execute(text(_USED), {"address": address})).one()
            left = self._left(int(own), int(everybody), size)
            number = await connection.scalar(
                text(
                    "INSERT INTO geoagent.upload (table_name, map_id, address, bytes)"
                    " VALUES (:table, :map_id, :address, :size) RETURNING id"
                ),
                {"table": table, "map_id": map_id, "address": address, "size": size},
            )
        try:
            yield Reservation(self._owner, int(number or 0), table, left)
        finally:
            await asyncio.shield(self._forget(int(number or 0)))

    async def share(self, map_id: str, table_id: str) -> bool:
        """Let every map see a table that was uploaded to this one; False where there is none."""
        query = text(
            "SELECT u.table_name, t.tableowner = geoagent.role_name('loader') AS private FROM geoagent.upload AS u"
            " JOIN pg_tables AS t ON t.schemaname = 'data' AND t.tablename = u.table_name"
            " WHERE u.map_id = :map_id AND u.loaded_at IS NOT NULL"
        )
        async with self._owner.connect() as connection:
            known = (await connection.execute(query, {"map_id": map_id})).all()
        for name, private in known:
            if join_id(SCHEMA, name) == table_id:
                if private:
                    await share(self._owner, f"{SCHEMA}.{quoted(name)}")
                return True
        return False

    async def sweep(self) -> None:
        """Remove what servers that ended in the middle left: their reservations, and tables that no map sees."""
        async with self._owner.begin() as connection:
            gone = await connection.scalars(
                text(
                    "DELETE FROM geoagent.upload WHERE loaded_at IS NULL"
                    " AND started_at < now() - make_interval(secs => :stale) RETURNING table_name"
                ),
                {"stale": STALE_S},
            )
            for name in set(gone):
                orphaned = await connection.scalar(
                    text(
                        "SELECT true FROM pg_tables WHERE schemaname = 'data' AND tablename = :name"
                        " AND tableowner = geoagent.role_name('loader') AND NOT EXISTS ("
                        "SELECT FROM geoagent.upload WHERE table_name = :name)"
                    ),
                    {"name": name},
                )
                if orphaned:
                    await connection.exec_driver_sql(f"DROP TABLE {SCHEMA}.{quoted(name)}")
                    log.info("the table of an interrupted upload was removed", table=name)

    async def used(self, address: str) -> dict[str, int]:
        """Bytes that the address's uploads take, and how many they may; without a quota, nothing."""
        if not self._quota.per_address:
            return {}
        async with self._owner.connect() as connection:
            own, _ = (await connection.execute(text(_USED), {"address": address})).one()
        return {"used": int(own), "limit": self._quota.per_address}

    def _left(self, own: int, everybody: int, size: int) -> int:
        if self._quota.per_address and own + size > self._quota.per_address:
            raise QuotaExceeded(
                f"Uploads from this address take {own / MB:,.0f} MB of the {self._quota.per_address / MB:,.0f} MB "
                f"allowed, and this file has {size / MB:,.1f} MB. Ask who runs the server to remove tables "
                "or to raise GEOAGENT_UPLOAD_QUOTA."
            )
        if self._quota.total and everybody + size > self._quota.total:
            raise QuotaExceeded(
                f"All uploads together take {everybody / MB:,.0f} MB of the {self._quota.total / MB:,.0f} MB allowed "
                "on this server. Ask who runs it to remove tables or to raise GEOAGENT_UPLOAD_SPACE."
            )
        left = [
            limit - used
            for limit, used in ((self._quota.per_address, own), (self._quota.total, everybody))
            if limit
        ]
        return min(left, default=UNLIMITED)

    async def _forget(self, number: int) -> None:
        async with self._owner.begin() as connection:
            await connection.execute(
                text("DELETE FROM geoagent.upload WHERE id = :id AND loaded_at IS NULL"), {"id": number}
            )


@dataclass(frozen=True)
class Reservation:
    owner: AsyncEngine
    number: int
    table: str
    left: int
    """Bytes that the table may take."""

    async def complete(self, shared: bool) -> None:
        """The table is there: it is its map's from now on, or everybody's."""
        async with self.owner.begin() as connection:
            await connection.execute(
                text(
                    "DELETE FROM geoagent.upload WHERE table_name = :table AND loaded_at IS NOT NULL AND id <> :id"
                ),
                {"table": self.table, "id": self.number},
            )
            await connection.execute(
                text("UPDATE geoagent.upload SET loaded_at = now() WHERE id = :id"), {"id": self.number}
            )
            if shared:
                await connection.exec_driver_sql(
                    f"ALTER TABLE {SCHEMA}.{quoted(self.table)} OWNER TO CURRENT_USER"
                )
