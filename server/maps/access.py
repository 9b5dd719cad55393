"""What a key to a map allows. The map's id gives full rights; a view key gives read access only.

A view key is an HMAC of a secret of this database, the map's id and the number of times its view link was
withdrawn. The database keeps only its hash. Holders of a view key never learn the map's id: everything sent to
them passes through `Access.hide_map_id`."""

from __future__ import annotations

import base64
import hashlib
import hmac
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from cachetools import TTLCache
from sqlalchemy import Row, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server import fault_texts
from server.database.engines import single_reads
from server.gis.tiles.flight import SingleFlight
from server.maps.encoded import Encoded
from server.maps.faults import RequestFault, unknown_map
from server.maps.log.tables import map_table, secret_table

VIEW = "view_"
MAX_CACHED_KEYS = 2000
KEY_CACHE_S = 2.0
"""Seconds for which a link that another server has withdrawn may still work here."""


@dataclass(frozen=True, slots=True)
class Access:
    """The rights of one key. `key` is the id under which its holder addresses the map; with full rights it is
    the map's id."""

    map_id: str
    key: str

    @property
    def may_change(self) -> bool:
        """Whether the key is the id of the map, which allows everything."""
        return self.key == self.map_id

    def hide_map_id(self, value: Encoded) -> Encoded:
        """The JSON with the holder's key in place of the map's id, also inside texts and addresses."""
        return value if self.may_change else Encoded(value.text.replace(self.map_id, self.key))


class ViewLinks:
    """Creates, resolves and withdraws view links. Resolved keys are cached for `KEY_CACHE_S` seconds."""

    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._secret: bytes | None = None
        self._known: TTLCache[str, Access] = TTLCache(MAX_CACHED_KEYS, ttl=KEY_CACHE_S)
        self._asked: SingleFlight[str | None] = SingleFlight()

    async def access(self, key: str) -> Access:
        """The rights of this key. Raises RequestFault `unknown_map` for a view key that is unknown or withdrawn.

        A map id is not checked here; the first query for the map does that."""
        if not key.startswith(VIEW):
            return Access(key, key)
        known = self._known.get(key)
        if known is not None:
            return known
        map_id = await self._asked.join(key, lambda: self._map_of(key))
        if map_id is None:
            raise unknown_map(key)
        access = Access(map_id, key)
        self._known[key] = access
        return access

    async def _map_of(self, key: str) -> str | None:
        query = select(map_table.c.id).where(map_table.c.view_hash == key_hash(key))
        async with single_reads(self._engine) as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def view_key(self, map_id: str) -> str | None:
        """The map's current view key, or None. Raises RequestFault `unknown_map`."""
        async with self._engine.begin() as connection:
            row = await self._row(connection, map_id)
            return None if row.view_hash is None else await self._key(connection, row)

    async def open(self, map_id: str) -> str:
        """Create the map's view link, or return the existing one. Raises RequestFault `unknown_map`."""
        async with self._engine.begin() as connection:
            key = await self._key(connection, await self._row(connection, map_id))
            await connection.execute(
                update(map_table).where(map_table.c.id == map_id).values(view_hash=key_hash(key))
            )
            return key

    async def withdraw(self, map_id: str) -> None:
        """Invalidate the view link. A link that is opened later has another key."""
        async with self._engine.begin() as connection:
            await connection.execute(
                update(map_table)
                .where(map_table.c.id == map_id, map_table.c.view_hash.is_not(None))
                .values(view_hash=None, view_round=map_table.c.view_round + 1)
            )
        self._known.clear()

    async def withdrawn(self, keys: Collection[str]) -> set[str]:
        """The view keys among these that are not valid any more."""
        if not keys:
            return set()
        hashes = {key_hash(key): key for key in keys}
        query = select(map_table.c.view_hash).where(map_table.c.view_hash.in_(hashes))
        async with single_reads(self._engine) as connection:
            valid = {bytes(found) for found in (await connection.execute(query)).scalars()}
        return {key for digest, key in hashes.items() if digest not in valid}

    async def _row(self, connection: AsyncConnection, map_id: str) -> Row[*tuple[Any, ...]]:
        query = select(map_table.c.id, map_table.c.view_round, map_table.c.view_hash)
        row = (
            await connection.execute(query.where(map_table.c.id == map_id).with_for_update())
        ).one_or_none()
        if row is None:
            raise unknown_map(map_id)
        return row

    async def _key(self, connection: AsyncConnection, row: Row[*tuple[Any, ...]]) -> str:
        if self._secret is None:
            query = select(secret_table.c.value).where(secret_table.c.name == "view_links")
            self._secret = str((await connection.execute(query)).scalar_one()).encode()
        digest = hmac.digest(self._secret, f"{row.id}:{row.view_round}".encode(), "sha256")
        return VIEW + base64.urlsafe_b64encode(digest[:16]).decode().rstrip("=")


def key_hash(key: str) -> bytes:
    """SHA-256 of a key, as the database keeps it."""
    return hashlib.sha256(key.encode()).digest()


def read_only() -> RequestFault:
    """The fault for a view key that is used to change the map."""
    return RequestFault("read_only", fault_texts.LOOK_ONLY())
