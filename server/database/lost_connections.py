"""Detects connections that were lost while idle in a pool, without a round trip for recently used ones.

A connection that PostgreSQL or the network closed is detected locally: asyncpg has read the end, or it is unread on
the socket. Only a connection that was idle for a while is tested with a query, because a network that drops packets
gives no sign. Lost connections are replaced before the caller gets one."""

from __future__ import annotations

import select
import time
from typing import Any

import asyncpg
from sqlalchemy import event
from sqlalchemy.exc import DisconnectionError, InvalidatePoolError
from sqlalchemy.ext.asyncio import AsyncEngine

IDLE_UNASKED_S = 30.0
"""A connection that was used within this time is not tested with a query."""
ANSWER_TIMEOUT_S = 5.0
RETURNED_AT = "returned_at"


def replace_lost_connections(engine: AsyncEngine) -> None:
    """Have the engine's pool check each connection that it hands out again."""
    event.listen(engine.sync_engine, "checkin", _note_return)
    event.listen(engine.sync_engine, "checkout", _check)


def _note_return(_adapted: Any, record: Any) -> None:
    record.info[RETURNED_AT] = time.monotonic()


def _check(adapted: Any, record: Any, _fairy: Any) -> None:
    """Raises what makes SQLAlchemy replace this connection, or all that are in the pool."""
    returned_at = record.info.pop(RETURNED_AT, None)
    if returned_at is None:
        return
    connection: asyncpg.Connection = adapted.driver_connection
    if connection.is_closed():
        raise DisconnectionError("the connection was closed while it was idle")
    idle = time.monotonic() - returned_at
    if (idle > IDLE_UNASKED_S or _has_unread(connection)) and not adapted.run_async(answers):
        raise InvalidatePoolError("the connection does not answer any more")


def _has_unread(connection: asyncpg.Connection) -> bool:
    """Whether there is unexpected data to read: usually PostgreSQL's last message before it closed the connection."""
    socket = connection._transport.get_extra_info("socket")
    if socket is None:
        return True
    poll = select.poll()
    poll.register(socket.fileno(), select.POLLIN)
    return bool(poll.poll(0))


async def answers(connection: asyncpg.Connection) -> bool:
    """Whether PostgreSQL answers on the connection, which is ended if not."""
    try:
        await connection.execute("SELECT 1", timeout=ANSWER_TIMEOUT_S)
    except (
        TimeoutError,
        OSError,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        asyncpg.InternalClientError,
    ):
        connection.terminate()
        return False
    return True
