"""What a key to a map allows. The map's own id is the right to everything; a view key only shows the map.

A view key is a random-looking token, derived from a secret of this database, the map and how often its view
link was withdrawn. Only its hash is kept. Whoever holds a view key never learns the map's id: all that goes to
them passes through `Access.veiled`.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import time
from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row, select, update
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from server.gis.tiles.flight import SingleFlight
from server.maps.encoded import Encoded
from server.maps.faults import MapFault, unknown_map
from server.maps.log.tables import map_table, secret_table

VIEW = "view_"
KEPT = 2000
FRESH = 2.0
"""Seconds for which a server trusts what it knows of a view key that another server may have withdrawn."""


@dataclass(frozen=True, slots=True)
class Access:
    """`key` is what its holder calls the map; for those who may change it, it is the map's id."""

    map_id: str
    key: str

    @property
    def may_change(self) -> bool:
        return self.key == self.map_id

    def veiled(self, value: Encoded) -> Encoded:
        """With the key wherever the JSON has the map's id, also within texts and addresses."""
        return value if self.may_change else Encoded(value.text.replace(self.map_id, self.key))


class ViewLinks:
    def __init__(self, engine: AsyncEngine) -> None:
        self._engine = engine
        self._secret: bytes | None = None
        self._known: OrderedDict[str, tuple[float, Access]] = OrderedDict()
        self._asked: SingleFlight[str | None] = SingleFlight()

    async def access(self, key: str) -> Access:
        """What this key allows; `unknown_map` for a view key that was never given, or was withdrawn.

        That a map's own id is one is found out by whoever uses it.
        """
        if not key.startswith(VIEW):
            return Access(key, key)
        known = self._known.get(key)
        if known is not None and time.monotonic() - known[0] < FRESH:
            return known[1]
        map_id = await self._asked.join(key, lambda: self._map_of(key))
        if map_id is None:
            self._known.pop(key, None)
            raise unknown_map(key)
        access = Access(map_id, key)
        self._known[key] = (time.monotonic(), access)
        self._known.move_to_end(key)
        if len(self._known) > KEPT:
            self._known.popitem(last=False)
        return access

    async def _map_of(self, key: str) -> str | None:
        query = select(map_table.c.id).where(map_table.c.view_hash == hashed(key))
        async with self._engine.connect() as connection:
            return (await connection.execute(query)).scalar_one_or_none()

    async def view_key(self, map_id: str) -> str | None:
        """The map's view key, if it has one now."""
        async with self._engine.begin() as connection:
            row = await self._row(connection, map_id)
            return None if row.view_hash is None else await self._key(connection, row)

    async def open(self, map_id: str) -> str:
        """Make a view link; the one that there is, if there is one."""
        async with self._engine.begin() as connection:
            key = await self._key(connection, await self._row(connection, map_id))
            await connection.execute(
                update(map_table).where(map_table.c.id == map_id).values(view_hash=hashed(key))
            )
            return key

    async def withdraw(self, map_id: str) -> None:
        """The view link shows nothing any more; a later one is another."""
        async with self._engine.begin() as connection:
            await connection.execute(
                update(map_table)
                .where(map_table.c.id == map_id, map_table.c.view_hash.is_not(None))
                .values(view_hash=None, view_round=map_table.c.view_round + 1)
            )
        self._known.clear()

    async def withdrawn(self, keys: Collection[str]) -> set[str]:
        """Those of these view keys that show nothing any more."""
        if not keys:
            return set()
        hashes = {hashed(key): key for key in keys}
        query = select(map_table.c.view_hash).where(map_table.c.view_hash.in_(hashes))
        async with self._engine.connect() as connection:
            standing = {bytes(found) for found in (await connection.execute(query)).scalars()}
        return {key for digest, key in hashes.items() if digest not in standing}

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


def hashed(key: str) -> bytes:
    return hashlib.sha256(key.encode()).digest()


def read_only() -> MapFault:
    return MapFault(
        "read_only",
        "This link shows the map without changing it. Ask its owner for the map's own link, or `copy` the map.",
    )
