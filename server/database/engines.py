"""All access to PostgreSQL: an engine for each lane, a pool for tiles, and LISTEN.

`owner` is the role in DATABASE_URL, `reader` and `writer` have only the rights that `server.database.roles` gave
them, and every reader session is read-only with a `statement_timeout`. Together they open at most as many connections
as `server.connection_budget` gives them. All of it survives an outage of the database: running work fails
(see `is_unavailable`), and the next use connects again."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import asyncpg
import structlog
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from server.background import end_tasks
from server.connection_budget import LAKE_OVERVIEWS, SQL_SESSIONS, ConnectionBudget
from server.database import roles
from server.database.backends import Backends
from server.database.known_types import KnownTypesConnection, PlanningConnection
from server.database.lanes import MAX_WAITING, MAX_WAITING_EVENTS, Lane
from server.database.lost_connections import replace_lost_connections
from server.database.pools import LanePool, close_idle_connections, enter_lane, pool_of
from server.database.subscription import Connect, OnNotification, Reconnected, Subscription
from server.postgres.address import plain_url
from server.postgres.problem import DatabaseProblem
from server.settings import Settings

log = structlog.get_logger(__name__)

CONNECT_TIMEOUT_S = 10.0
OWNER_SESSION = {"lock_timeout": "15000", "idle_in_transaction_session_timeout": "120000"}
"""Milliseconds. A server that died must not lock a map for ever."""
PROFILER_SESSION = {
    "statement_timeout": "900000",
    "lock_timeout": "10000",
    "max_parallel_workers_per_gather": "0",
}
"""A quarter of an hour for a background statement, on one core; other tables wait no longer for one that is locked."""


WRITING_SESSION = {"default_toast_compression": "lz4"}
"""Large shapes are compressed many times as fast as by PostgreSQL's own method."""
TILE_CONNECTION_IDLE_S = 60.0
TILE_SESSION = {"enable_memoize": "off", "max_parallel_workers_per_gather": "0"}
"""Tiles are drawn without parallel workers, which start slower than the sort they would share takes, and without
memoize, because no shape is met twice in a tile."""


class TooFewConnections(DatabaseProblem):
    """PostgreSQL allows fewer connections than the settings want."""


@dataclass
class Database:
    """An engine for each lane. Engines of the same role differ only in their lane."""

    owner: AsyncEngine
    """The event log."""
    reader: AsyncEngine
    """Questions about data."""
    writer: AsyncEngine
    """Analyses."""
    exporter: AsyncEngine
    """The reader's role, for exports."""
    profiler: AsyncEngine
    """As the reader, for what is measured in the background, however long it takes."""
    tile_pool: asyncpg.Pool
    lanes: Mapping[str, Lane]
    """All lanes except that of tiles, which have a separate queue."""
    url: str = field(repr=False)
    """The owner's URL, without SQLAlchemy's driver name, as asyncpg and psql take it."""
    _reader_login: roles.Login = field(repr=False)
    _loader_login: roles.Login = field(repr=False)
    _loaders: Backends = field(repr=False)
    _subscriptions: list[Subscription] = field(default_factory=list, repr=False)
    _closing_idle: asyncio.Task[None] | None = field(default=None, repr=False)

    @classmethod
    async def connect(cls, settings: Settings, url: str | None = None) -> Database:
        """Open everything on a migrated database: `url`, or the one in the settings.

        Raises TooFewConnections where PostgreSQL has not enough for `settings.connections`."""
        if url is None:
            if settings.database_url is None:
                raise ValueError("no database URL: set DATABASE_URL, or enter server.postgres.ensure() first")
            url = settings.database_url.get_secret_value()
        url = plain_url(url)
        lanes = _lanes(settings)
        slot = asyncio.Semaphore(1)

        def engine(lane: str, login: roles.Login | None, session: Mapping[str, str] | None) -> AsyncEngine:
            return open_engine(url, login, session, lane=lanes[lane], slot=slot)

        owner = engine("events", None, OWNER_SESSION)
        try:
            async with owner.begin() as connection:
                await _check_connections(connection, settings.connections)
                has_lz4 = (await connection.exec_driver_sql(_LZ4)).scalar_one()
                writing = WRITING_SESSION if has_lz4 else None
                reader, writer, loader = await roles.logins(connection)
        except BaseException:
            await owner.dispose()
            raise
        read_only = {"default_transaction_read_only": "on"}
        query = {"statement_timeout": str(int(settings.statement_timeout * 1000)), **read_only}
        tile = {"statement_timeout": str(int(settings.tile_timeout * 1000)), **TILE_SESSION, **read_only}
        opened = cls(
            owner=owner,
            reader=engine("interactive", reader, query),
            writer=engine("analyses", writer, writing),
            exporter=engine("exports", reader, query),
            profiler=engine("profiles", reader, {**query, **PROFILER_SESSION}),
            tile_pool=await _open_pool(url, reader, tile, budget_of(settings).tiles),
            lanes=lanes,
            url=url,
            _reader_login=reader,
            _loader_login=loader,
            _loaders=Backends(_connecting(url, loader), slot),
        )
        opened._closing_idle = asyncio.create_task(close_idle_connections(*opened._engines))
        return opened

    @property
    def _engines(self) -> tuple[AsyncEngine, ...]:
        return (self.owner, self.reader, self.writer, self.exporter, self.profiler)

    def reader_session(self, settings: Mapping[str, str]) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """A separate session as the reader, for SQL of models; it is closed at the end of the block."""
        return self._session("sql", self._reader_login, settings, pool_of(self.reader).backends)

    def owner_session(self, settings: Mapping[str, str]) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """The same as the owner, for work in the background."""
        return self._session("background", None, settings, pool_of(self.owner).backends)

    def loader_session(self, settings: Mapping[str, str]) -> AbstractAsyncContextManager[asyncpg.Connection]:
        """The same as the role that makes the tables of uploads."""
        return self._session("uploads", self._loader_login, settings, self._loaders)

    @asynccontextmanager
    async def _session(
        self, lane_name: str, login: roles.Login | None, settings: Mapping[str, str], backends: Backends
    ) -> AsyncIterator[asyncpg.Connection]:
        """A separate session; its place in the lane is free when its backend has stopped."""
        lane = self.lanes[lane_name]
        holder = await lane.enter()
        lost: int | None = None
        try:
            session = await asyncpg.connect(**_arguments(self.url, login, settings))
            pid = session.get_server_pid()
            try:
                yield session
            finally:
                try:
                    # Shielded: the cancelled caller still waits until PostgreSQL has stopped its query.
                    await asyncio.shield(session.close(timeout=5))
                except (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError):
                    lost = pid
                    session.terminate()
                except asyncio.CancelledError:
                    lost = pid
                    raise
        finally:
            if lost is None:
                lane.leave(holder)
            else:
                backends.release_after(lost, lambda: lane.leave(holder))

    async def listen(
        self, channels: Sequence[str], callback: OnNotification, reconnected: Reconnected | None = None
    ) -> Subscription:
        """Receive NOTIFY on these channels, in order, one at a time; returns when the server listens.

        After a reconnection `reconnected` is called before any later notification: notifications in between were
        lost, so the listener must read the state again."""
        subscription = Subscription(_connecting(self.url), tuple(channels), callback, reconnected)
        await subscription.start()
        self._subscriptions.append(subscription)
        return subscription

    async def close(self) -> None:
        """Close all connections."""
        for subscription in self._subscriptions:
            await subscription.close()
        self._subscriptions.clear()
        await end_tasks(self._closing_idle)
        try:
            await asyncio.wait_for(self.tile_pool.close(), 5)
        except TimeoutError:
            self.tile_pool.terminate()
        await self._loaders.close()
        for engine in self._engines:
            await pool_of(engine).backends.close()
            await engine.dispose()

    async def __aenter__(self) -> Database:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


@asynccontextmanager
async def single_reads(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    """A connection in autocommit mode: each query takes one round trip instead of three.

    Not for tables of users: a view may change the settings of the session, which only a transaction that is rolled
    back undoes."""
    async with engine.connect() as connection:
        await connection.execution_options(isolation_level="AUTOCOMMIT")
        yield connection


async def driver_of(connection: AsyncConnection) -> asyncpg.Connection:
    """asyncpg's own connection. What it executes is part of the transaction that a statement through SQLAlchemy has
    begun."""
    return (await connection.get_raw_connection()).driver_connection


def is_unavailable(error: BaseException) -> bool:
    """Whether the database was unavailable, so that the same work may succeed later: it is unreachable, or all
    connections are busy (`LaneBusy`, which has its own message for users)."""
    if isinstance(error, PoolTimeout):
        return True
    if isinstance(error, DBAPIError):
        return error.connection_invalidated or (error.orig is not None and _means_away(error.orig))
    return _means_away(error)


def open_engine(
    url: str,
    login: roles.Login | None = None,
    session: Mapping[str, str] | None = None,
    *,
    lane: Lane,
    slot: asyncio.Semaphore | None = None,
) -> AsyncEngine:
    """An engine whose connections asyncpg makes from the URL itself, so that every libpq option in it
    counts. Engines with the same `slot` open one further connection, to end statements that go on."""
    engine = create_async_engine(
        "postgresql+asyncpg://",
        async_creator=_connecting(url, login, session),
        poolclass=LanePool,
        pool_size=lane.size,
        max_overflow=0,
        pool_use_lifo=True,
        pool_recycle=1800,
    )
    replace_lost_connections(engine)
    enter_lane(engine, lane, Backends(_connecting(url, login), slot or asyncio.Semaphore(1)))
    return engine


def _connecting(
    url: str, login: roles.Login | None = None, session: Mapping[str, str] | None = None
) -> Connect:
    arguments = _arguments(url, login, session)

    async def connect() -> asyncpg.Connection:
        return await asyncpg.connect(**arguments)

    return connect


def budget_of(settings: Settings) -> ConnectionBudget:
    """The connections of the settings, divided among the lanes."""
    return ConnectionBudget.divide(settings.connections, settings.sql, settings.spark is not None)


def _lanes(settings: Settings) -> Mapping[str, Lane]:
    """One map may hold half of the connections for questions, and two thirds of those for events; of both, and of those
    for analyses, one stays free for other addresses."""
    sizes = {name: size for name, size in budget_of(settings).lanes.items() if name != "tiles"}
    shares = {"interactive": sizes["interactive"] // 2, "events": max(1, sizes["events"] * 2 // 3)}
    background = 1 if settings.spark is None else 1 + LAKE_OVERVIEWS
    sizes |= {"sql": SQL_SESSIONS, "profiles": 1, "background": background}
    queues = {"events": MAX_WAITING_EVENTS}
    return {
        name: Lane(
            name,
            size,
            shares.get(name),
            queue=queues.get(name, MAX_WAITING),
            visitor_share=max(1, size - 1) if name in (*shares, "analyses") else None,
        )
        for name, size in sizes.items()
    }


async def _check_connections(connection: AsyncConnection, wanted: int) -> None:
    allowed = int((await connection.exec_driver_sql(_ALLOWED)).scalar_one())
    if wanted > allowed:
        raise TooFewConnections(
            f"GEOAGENT_CONNECTIONS is {wanted}, but PostgreSQL allows this server {allowed} connections. Set "
            f"GEOAGENT_CONNECTIONS to at most {allowed}, or raise max_connections in PostgreSQL and restart it. "
            "Several servers on one database need their sum."
        )


_LZ4 = """
    SELECT EXISTS (SELECT FROM pg_settings WHERE name = 'default_toast_compression' AND 'lz4' = ANY (enumvals))
"""
_ALLOWED = """
    SELECT least(
        current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
            - coalesce(current_setting('reserved_connections', true)::int, 0),
        (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()),
        (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user))
"""
"""`least` leaves out what is NULL: limits that are not set."""


async def _open_pool(url: str, login: roles.Login, session: Mapping[str, str], size: int) -> asyncpg.Pool:
    return await asyncpg.create_pool(
        **_arguments(url, login, session) | {"connection_class": PlanningConnection},
        min_size=1,
        max_size=size,
        init=_decode_json,
        reset=_skip_reset,
        max_inactive_connection_lifetime=TILE_CONNECTION_IDLE_S,
    )


def _arguments(url: str, login: roles.Login | None, session: Mapping[str, str] | None) -> dict[str, Any]:
    arguments: dict[str, Any] = {
        "dsn": plain_url(url),
        "timeout": CONNECT_TIMEOUT_S,
        "connection_class": KnownTypesConnection,
        "server_settings": {"application_name": "geoagent", "jit": "off", **(session or {})},
    }
    if login is not None:
        arguments |= {"user": login.name, "password": login.password}
    return arguments


async def _skip_reset(connection: asyncpg.Connection) -> None:
    """A tile leaves nothing behind on its connection, and the usual reset would be a round trip more."""


async def _decode_json(connection: asyncpg.Connection) -> None:
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(kind, encoder=json.dumps, decoder=json.loads, schema="pg_catalog")


def _means_away(error: BaseException) -> bool:
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        if isinstance(current, OSError | asyncpg.PostgresConnectionError | asyncpg.OperatorInterventionError):
            return not isinstance(current, asyncpg.QueryCanceledError)
        if isinstance(current, asyncpg.TooManyConnectionsError | asyncpg.CannotConnectNowError):
            return True
        if isinstance(current, asyncpg.InternalClientError):
            return True  # The end of the connection was announced, and has not come yet.
        if isinstance(current, asyncpg.InterfaceError) and "clos" in str(current):
            return True
        current = current.__cause__
    return False
